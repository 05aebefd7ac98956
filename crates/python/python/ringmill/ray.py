"""Jobs on many machines, with Ray: ``pip install ringmill[ray]``.

Batches are independent, so each is a task of Ray's, which places them, tries them again where a worker is lost, and uses nodes
that come later. Encrypted inputs and results are files that all nodes see; the job and its evaluation keys go through Ray's
object store, once to each node::

    import ringmill.ray

    client.encrypt_batches_to("records.parquet", "in")
    for batch in ringmill.ray.evaluate("in", "score.job", "keys/evaluation.key", "out"):
        print(batch.node, batch.results)
"""

from __future__ import annotations

import contextlib
import os
import pathlib
import pickle
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._html import size
from ._job import Job
from ._optional import need
from ._options import Device, Path
from ._parties import File, Server
from ._progress import logger
from ._ringmill import set_threads
from .errors import BatchesError, Error, UsageError

#: Columns of a dataset that say more of a batch: arguments of :meth:`Server.evaluate_to`.
ARGUMENTS = ("public", "data", "counter")

#: Bytes of memory of a worker's process, beyond what the plan says of an evaluation.
PROCESS = 160 << 20


@dataclass(frozen=True)
class Batch:
    """A batch that is evaluated."""

    #: Its name, which is that of the file of its results; and that file, with its counts.
    name: str
    results: File
    #: The id of the node, by which ``ray.nodes()`` knows it.
    node: str


def evaluate(
    dataset: Any,
    job: Job | Path,
    keys: Path,
    results: Path,
    *,
    public: Any = None,
    threads: int | None = None,
    memory: int | None = None,
    device: Device = "cpu",
    gpus: float = 0,
) -> Iterator[Batch]:
    """Evaluates batches on the cluster of Ray that this process is connected to, and gives each as it is done.

    A batch whose results are there already, of the same inputs, job and keys, is not computed again: so the same call goes on
    after anything that ended it. If batches fail, all others are done first, and then a :class:`BatchesError` names those.

    :param dataset: a directory or a list of files of encrypted inputs, as :meth:`Encryptor.encrypt_batches_to` makes them, or
        a dataset of Ray Data with their names in a column ``path``. Its columns ``public``, ``data`` and ``counter``, if
        there are any, are arguments of :meth:`Server.evaluate_to` for the batch; a column ``name`` names the batch.
    :param keys: the file of the evaluation keys.
    :param results: a directory, which is made if need be. A batch is called like its inputs unless the dataset says otherwise,
        and its results get its name.
    :param public: public inputs of each batch: a table of a single record, which stands for all.
    :param threads: threads of a batch, and the CPUs that it demands; those of the plan unless given.
    :param memory: bytes of memory that a batch keeps to; those of the plan unless given. It demands them and some for the
        process.
    :param device: the device that evaluates. ``auto`` takes a GPU on nodes that have one; then one batch at a time should be
        on a node, so let it demand all threads of a node.
    :param gpus: GPUs that a batch demands, in place of CPUs, for the device ``cuda``.
    """
    ray = need("ray", "ringmill.ray", "ringmill[ray]")
    need("ray.data", "ringmill.ray", "ringmill[ray]")
    rows = _rows(ray, dataset)
    job = job if isinstance(job, Job) else Job.open(job)
    threads, memory = threads or job.report.threads, memory or job.report.memory
    cpus = 0 if gpus else threads
    demand = memory + PROCESS
    _warn_if_unfit(ray, {"CPU": cpus, "GPU": gpus, "memory": demand})
    os.makedirs(results, exist_ok=True)
    work = _Work(
        job=_saved(job),
        # As an array, so that the workers of a node share the bytes in its object store.
        keys=np.fromfile(keys, np.uint8),
        results=os.path.abspath(results),
        public=public,
        threads=threads,
        memory=memory,
        device=device,
    )
    reference = ray.put(work)
    if gpus:
        # A process that works on a GPU keeps it; those of tasks would end after each.
        done = rows.map(_Keeper, fn_constructor_args=[reference], num_gpus=gpus, memory=demand)
    else:
        done = rows.map(_evaluate, fn_args=[reference], num_cpus=cpus, memory=demand)
    return _batches(done, os.fspath(results))


def _batches(done: Any, results: str) -> Iterator[Batch]:
    """The batches of a dataset of outcomes, and what failed of them at the end."""
    failed: dict[str, Error] = {}
    with contextlib.closing(iter(done.iter_rows())) as rows:
        for row in rows:
            outcome = pickle.loads(row["outcome"])
            if isinstance(outcome, Batch):
                yield outcome
            elif row["name"] is None:
                raise outcome
            else:
                failed[row["name"]] = outcome
    if failed:
        raise BatchesError(failed, results)


def _rows(ray: Any, dataset: Any) -> Any:
    """A dataset with a block for each batch, so that each is a task."""
    if isinstance(dataset, ray.data.Dataset):
        return dataset.repartition(target_num_rows_per_block=1)
    if isinstance(dataset, (str, os.PathLike)):
        dataset = sorted(pathlib.Path(dataset).glob("*.ct"))
    paths = [os.path.abspath(path) for path in dataset]
    if not paths:
        raise UsageError("there are no batches; give a directory with files *.ct, as encrypt_batches_to makes it")
    names = [os.path.basename(path) for path in paths]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise UsageError(
            f"two files of inputs are called {twice}, but results get the names of their inputs; rename one"
        )
    return ray.data.from_items([{"path": path} for path in paths], override_num_blocks=len(paths))


def _warn_if_unfit(ray: Any, demand: dict[str, float]) -> None:
    """Says if batches will wait for a node that is not there yet."""
    nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]
    if not any(all(node.get(name, 0) >= least for name, least in demand.items()) for node in nodes):
        logger.warning(
            f"a batch demands {demand['CPU']} CPUs, {demand['GPU']} GPUs and {size(demand['memory'])} of memory, which no node "
            "has: batches wait for one; threads= and memory= demand less"
        )


def _saved(job: Job) -> bytes:
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory, "job")
        job.save(path)
        return path.read_bytes()


# On workers.


@dataclass(frozen=True)
class _Work:
    """What all batches share. It is in the object store."""

    job: bytes
    keys: np.ndarray
    results: str
    public: Any
    threads: int
    memory: int
    device: Device

    def server(self) -> Server:
        """A server with these keys."""
        set_threads(self.threads)
        with tempfile.TemporaryDirectory() as directory:
            job, keys = pathlib.Path(directory, "job"), pathlib.Path(directory, "evaluation.key")
            job.write_bytes(self.job)
            self.keys.tofile(keys)
            # Whether the parameters are secure enough was for the driver to say.
            opened = Job.open(job, memory=self.memory, allow_insecure=True, device=self.device, progress=False)
            return opened.server(keys)


class _Worker:
    """The server of this process, which serves all batches that come to it."""

    reference: Any = None
    server: Server | None = None

    @classmethod
    def serving(cls, reference: Any, work: _Work) -> Server:
        """The server for the work of this reference."""
        if cls.server is None or cls.reference != reference:
            # Keys are large: no two at a time.
            cls.server = None
            cls.server, cls.reference = work.server(), reference
        return cls.server


def _evaluate(row: dict[str, Any], reference: Any) -> dict[str, Any]:
    """Evaluates a batch; where an error is no matter of this batch, the row has no name."""
    name, outcome = _outcome(row.get("name", os.path.basename(row["path"])), row, reference)
    return {"name": name, "outcome": pickle.dumps(outcome)}


class _Keeper:
    """An actor that evaluates batches."""

    def __init__(self, reference: Any):
        self._reference = reference

    def __call__(self, row: dict[str, Any]) -> dict[str, Any]:
        return _evaluate(row, self._reference)


def _outcome(name: str, row: dict[str, Any], reference: Any) -> tuple[str | None, Batch | Error]:
    ray = need("ray", "ringmill.ray")
    work = ray.get(reference)
    try:
        server = _Worker.serving(reference, work)
    except Error as error:
        return None, error
    results = os.path.join(work.results, name)
    arguments = {"public": work.public} | {column: row[column] for column in ARGUMENTS if column in row}
    begun = os.path.exists(results) or os.path.exists(f"{results}.partial")
    try:
        file = server.evaluate_to(row["path"], results, **arguments, resume=begun)
    except Error as error:
        return name, error
    return name, Batch(name, file, ray.get_runtime_context().get_node_id())

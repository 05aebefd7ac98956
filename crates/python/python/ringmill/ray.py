"""Jobs on many machines, with Ray: ``pip install ringmill[ray]``.

Batches are independent, so each node gets workers that take one after the other: fast ones take more. Encrypted inputs and
results are files that all nodes see, or go through Ray's object store; so do the job and its evaluation keys, once to each node::

    import ringmill.ray

    client.encrypt_batches_to("records.parquet", "in")
    for batch in ringmill.ray.evaluate("in", "score.job", "keys/evaluation.key", "out"):
        print(batch.node, batch.results)
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from ._batches import Batch, Content, Outcome, Outcomes, Task, Work, batches_of, demanded, finished, tasks_of
from ._html import size
from ._job import Job
from ._optional import need
from ._options import Device, Path
from ._progress import logger
from .errors import Error, FileError, InternalError

__all__ = ["Batch", "evaluate"]

#: Bytes of memory of a worker's process, beyond what the plan says of an evaluation.
PROCESS = 160 << 20

#: Workers that may be lost with a batch, or one after the other before any is ready.
LOSSES = 5

#: Seconds that workers have to remove their files before they are ended.
LEAVE = 2.0

#: Seconds after which the driver looks for new nodes.
POLL = 0.5


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
    carry: bool = False,
) -> Iterator[Batch]:
    """Evaluates batches on the cluster of Ray that this process is connected to, and gives each as it is done.

    A batch whose results are there already, of the same inputs, job and keys, is not computed again: so the same call goes on
    after anything that ended it. If batches fail, all others are done first, and then a :class:`BatchesError` names those.

    :param dataset: a directory or a list of files of encrypted inputs, as :meth:`Encryptor.encrypt_batches_to` makes them; or
        a dict of a directory for each owner, or of a file that belongs to all batches; or rows, as dicts or as a dataset of
        Ray Data. A row has the name of its file in ``path``, or the names of several owners' files. Its columns ``public``,
        ``data`` and ``counter``, if there are any, are arguments of :meth:`Server.evaluate_to` for the batch; a column
        ``name`` names the batch.
    :param keys: the file of the evaluation keys.
    :param results: a directory, which is made if need be. A batch is called like its inputs unless the dataset says otherwise,
        and its results get its name.
    :param public: public inputs of each batch: a table of a single record, which stands for all.
    :param threads: threads of a worker, and the CPUs that it demands; those of the plan unless given, or as many as the
        largest node has.
    :param memory: bytes of memory that a batch keeps to; those of the plan unless given. A worker demands them and some for
        the process.
    :param device: the device that evaluates. On ``cuda`` a worker demands a GPU in place of CPUs. ``auto`` has both: workers
        on GPUs where nodes have them, and on CPUs elsewhere.
    :param carry: whether inputs and results go through Ray's object store, so that only this process sees their files. At most
        one batch a worker is on its way.
    """
    ray = need("ray", "ringmill.ray", "ringmill[ray]")
    tasks = tasks_of(dataset, public)
    job = job if isinstance(job, Job) else Job.open(job)
    threads = demanded("threads", threads, min(job.report.threads, _most_cpus(ray)))
    memory = demanded("memory", memory, job.report.memory)
    directory = os.path.abspath(results)
    os.makedirs(directory, exist_ok=True)
    work = Work.of(job, Content.of(keys), None if carry else directory, threads, memory)
    evaluation = _Evaluation(ray, _kinds(device, threads, memory + PROCESS), work, tasks, directory)
    evaluation.warn_if_unfit()
    return batches_of(evaluation.outcomes(), os.fspath(results))


def _most_cpus(ray: Any) -> int:
    """CPUs of the largest node; a job that was opened on a larger machine plans with more threads."""
    return max((int(node["Resources"].get("CPU", 0)) for node in ray.nodes() if node["Alive"]), default=0) or 1


@dataclass(frozen=True)
class _Kind:
    """Workers that demand the same of a node."""

    device: Device
    cpus: int
    gpus: int
    memory: int

    def fit(self, node: dict[str, float]) -> int:
        """How many have room on a node of these resources."""
        demand = {"CPU": self.cpus, "GPU": self.gpus, "memory": self.memory}
        return min(int(node.get(name, 0) // least) for name, least in demand.items() if least)

    def __str__(self) -> str:
        return f"{self.cpus} CPUs, {self.gpus} GPUs and {size(self.memory)} of memory"


def _kinds(device: Device, cpus: int, memory: int) -> list[_Kind]:
    """The kinds of workers on a device; a node has those of the first kind that it has room for."""
    if device == "auto":
        return [_Kind("auto", 0, 1, memory), _Kind("cpu", cpus, 0, memory)]
    gpu = device == "cuda"
    return [_Kind(device, 0 if gpu else cpus, int(gpu), memory)]


class _Worker:
    """A process of the cluster that evaluates one batch after the other."""

    def __init__(self, work: Work, device: Device):
        self._work, self._device = work, device
        #: The directory that has the files of batches that are carried.
        self._scratch: str | None = None

    def open(self) -> tuple[str, str] | Error:
        """Opens the job and the keys: the node and the device that this is on."""
        try:
            self._server = self._work.server(self._device)
        except Error as error:
            return error
        if self._work.results is None:
            self._scratch = tempfile.mkdtemp(prefix="ringmill-")
        return need("ray", "ringmill.ray").get_runtime_context().get_node_id(), self._server._job.device

    def evaluate(self, task: Task) -> Outcome:
        """Evaluates a batch."""
        return self._work.outcome(self._server, task, self._scratch)

    def leave(self) -> None:
        """Removes the files that were carried to it, whatever it is at, because its process ends without doing so."""
        # A batch that has just begun finds no directory for its files then.
        if self._scratch is not None:
            aside = f"{self._scratch}.left"
            os.rename(self._scratch, aside)
            shutil.rmtree(aside, ignore_errors=True)


@dataclass(frozen=True)
class _Hired:
    """A worker, as the driver knows it."""

    actor: Any
    kind: _Kind
    #: The node and the device that it is on, once it is ready.
    place: tuple[str, str] | None = None
    #: The batch that it is at.
    task: Task | None = None


class _Evaluation:
    """Batches that wait, and workers. A worker gets a batch when it is free, so those of all kinds share one queue."""

    def __init__(self, ray: Any, kinds: list[_Kind], work: Work, tasks: list[Task], results: str):
        self._ray, self._kinds, self._results = ray, kinds, results
        self._carries = work.results is None
        self._class, self._work = ray.remote(_Worker), ray.put(work)
        self._waiting = deque(tasks)
        self._idle: list[_Hired] = []
        #: Workers by the reference to what they do.
        self._busy: dict[Any, _Hired] = {}
        #: How many workers were lost with a batch; without a name, before any was ready.
        self._losses: Counter[str] = Counter()
        self._looked = float("-inf")

    def warn_if_unfit(self) -> None:
        """Says if batches will wait for a node that is not there yet."""
        if not self._places():
            logger.warning(
                f"a worker demands {' or '.join(map(str, self._kinds))}, which no node has: batches wait for one; threads= and "
                "memory= demand less"
            )

    def outcomes(self) -> Outcomes:
        """What becomes of batches."""
        done: deque[tuple[str, Batch | Error]] = deque()
        try:
            while done or self._left():
                self._hire()
                done.extend(self._collect(0 if done else POLL))
                # While the caller is busy with what is done, workers go on.
                done.extend(self._hand_out())
                if done:
                    yield done.popleft()
        finally:
            self._dismiss([*self._idle, *self._busy.values()])

    def _dismiss(self, workers: list[_Hired]) -> None:
        """Ends workers, whatever they are at."""
        if not self._ray.is_initialized():
            return
        if self._carries:
            leaving = [worker.actor.leave.remote() for worker in workers if worker.place is not None]
            self._ray.wait(leaving, num_returns=len(leaving), timeout=LEAVE)
        for worker in workers:
            self._ray.kill(worker.actor)

    def _left(self) -> int:
        """How many batches are not done."""
        return len(self._waiting) + sum(worker.task is not None for worker in self._busy.values())

    def _places(self) -> Counter[_Kind]:
        """How many workers of each kind the nodes have room for."""
        places: Counter[_Kind] = Counter()
        for node in self._ray.nodes():
            fit = next((kind for kind in self._kinds if node["Alive"] and kind.fit(node["Resources"])), None)
            if fit is not None:
                places[fit] += fit.fit(node["Resources"])
        return places

    def _hire(self) -> None:
        """Has as many workers as there is room for, or batches; at least one, which waits for a node."""
        if time.monotonic() < self._looked + POLL:
            return
        self._looked = time.monotonic()
        places = self._places() or Counter({self._kinds[-1]: 1})
        hired = Counter(worker.kind for worker in [*self._idle, *self._busy.values()])
        for kind in self._kinds:
            for _ in range(min(places[kind], self._left()) - hired[kind]):
                demand = {"num_cpus": kind.cpus, "num_gpus": kind.gpus, "memory": kind.memory}
                # It can leave while it is at a batch.
                actor = self._class.options(**demand, max_concurrency=2).remote(self._work, kind.device)
                self._busy[actor.open.remote()] = _Hired(actor, kind)

    def _hand_out(self) -> Iterator[tuple[str, Error]]:
        """Gives batches to workers that are free. What cannot be read has failed."""
        while self._waiting and self._idle:
            task = self._waiting.popleft()
            try:
                message = task.carried(self._results) if self._carries else task
            except FileError as error:
                yield task.name, error
                continue
            worker = self._idle.pop()
            self._busy[worker.actor.evaluate.remote(message)] = replace(worker, task=task)
        # What is free now has nothing to wait for.
        self._dismiss(self._idle)
        self._idle.clear()

    def _collect(self, seconds: float) -> Iterator[tuple[str, Batch | Error]]:
        """Waits for workers at most so long: what those that are done have done."""
        wait, references = self._ray.wait, list(self._busy)
        if references and wait(references, timeout=seconds)[0]:
            for reference in wait(references, num_returns=len(references), timeout=0)[0]:
                worker = self._busy.pop(reference)
                try:
                    outcome = self._ray.get(reference)
                except self._ray.exceptions.RayError as error:
                    yield from self._lost(worker, error)
                else:
                    yield from self._done(worker, outcome)

    def _done(self, worker: _Hired, outcome: Any) -> Iterator[tuple[str, Batch | Error]]:
        """Takes what a worker has done; it is free then."""
        task, place = worker.task, worker.place
        if task is None or place is None:
            # What is wrong with the job or the keys is no matter of a batch.
            if isinstance(outcome, Error):
                raise outcome
            self._losses[""] = 0
            self._idle.append(replace(worker, place=outcome))
            return
        self._idle.append(replace(worker, task=None))
        yield task.name, finished(task.name, outcome, self._results, place)

    def _lost(self, worker: _Hired, error: Exception) -> Iterator[tuple[str, Error]]:
        """Has another worker do what one was at that died."""
        self._ray.kill(worker.actor)
        task = worker.task
        name = "" if task is None else task.name
        self._losses[name] += 1
        if self._losses[name] <= LOSSES:
            self._waiting.extendleft([] if task is None else [task])
            self._looked = float("-inf")
        elif task is None:
            raise InternalError(f"{LOSSES + 1} workers were lost before they were ready; the last one: {error}")
        else:
            yield name, InternalError(f"{LOSSES + 1} workers were lost while they evaluated it; the last one: {error}")

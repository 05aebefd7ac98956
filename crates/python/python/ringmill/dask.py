"""Jobs on many machines, with Dask: ``pip install ringmill[dask]``.

As :mod:`ringmill.ray`, on the workers of a cluster of Dask, each of which is a process that evaluates one batch at a time::

    import ringmill.dask

    with distributed.Client("scheduler:8786"):
        for batch in ringmill.dask.evaluate("in", "score.job", "keys/evaluation.key", "out"):
            print(batch.node, batch.results)
"""

from __future__ import annotations

import os
import threading
import uuid
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ._batches import Batch, Outcome, Outcomes, Task, Work, batches_of, demanded, tasks_of
from ._job import Job
from ._optional import need
from ._options import Device, Path
from ._parties import Server
from .errors import Error, InternalError

__all__ = ["Batch", "evaluate"]


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
    client: Any = None,
) -> Iterator[Batch]:
    """Evaluates batches on a cluster of Dask, and gives each as it is done.

    What is done is not computed again, and what fails does not stop others, as :func:`ringmill.ray.evaluate` has it; so are
    the parameters, but for these. All workers see all files.

    :param threads: threads of a worker; those of the plan unless given. A worker should have as many processors.
    :param memory: bytes of memory that a batch keeps to; those of the plan unless given.
    :param device: the device that evaluates. ``auto`` is a GPU for workers that have one, and a CPU for all others.
    :param client: the ``distributed.Client`` of the cluster; the one that this process has made last unless given.
    """
    distributed = need("distributed", "ringmill.dask", "ringmill[dask]")
    tasks = tasks_of(dataset, public)
    job = job if isinstance(job, Job) else Job.open(job)
    directory = os.path.abspath(results)
    os.makedirs(directory, exist_ok=True)
    threads = demanded("threads", threads, job.report.threads)
    memory = demanded("memory", memory, job.report.memory)
    work = Work.of(job, os.path.abspath(keys), directory, threads, memory)
    client = client or distributed.get_client()
    return batches_of(_outcomes(client, tasks, _Call(uuid.uuid4().hex, work, device)), os.fspath(results))


@dataclass(frozen=True)
class _Call:
    """What all batches of a call share."""

    #: Calls share no server: between them a file may have changed.
    id: str
    work: Work
    device: Device


def _outcomes(client: Any, tasks: list[Task], call: _Call) -> Outcomes:
    """What becomes of batches. As many as there are workers are with Dask at a time, so that fast workers take more."""
    distributed = need("distributed", "ringmill.dask")
    waiting, running = deque(tasks), dict[Any, Task]()
    done: deque[tuple[str, Batch | Error]] = deque()
    try:
        while done or waiting or running:
            if running and not done:
                # Otherwise it waits by the client that was made last, if there is one.
                with client.as_current():
                    distributed.wait(list(running), return_when="FIRST_COMPLETED")
            for future in [future for future in running if future.done()]:
                name = running.pop(future).name
                done.append((name, _result(future, name)))
            # While the caller is busy with what is done, workers go on.
            while waiting and len(running) < max(1, len(client.nthreads())):
                task = waiting.popleft()
                running[client.submit(_evaluate, task, call, pure=False)] = task
            if done:
                yield done.popleft()
    finally:
        if client.status == "running":
            client.cancel(list(running))
            client.run(_Serving.end)


def _result(future: Any, name: str) -> Batch | Error:
    """What became of a batch."""
    try:
        outcome, place = future.result()
    except Exception as error:
        return InternalError(f"Dask gave it up: {type(error).__name__}: {error}")
    if place is None:
        # What is wrong with the job or the keys is no matter of a batch.
        raise outcome
    return outcome if isinstance(outcome, Error) else Batch(name, outcome, *place)


# On workers.


class _Serving:
    """What this process evaluates with: one batch at a time, on all of its threads."""

    lock = threading.Lock()
    id: str | None = None
    server: Server | None = None

    @classmethod
    def begin(cls, call: _Call) -> Server:
        """The server for a call; it is opened once."""
        if cls.server is None or cls.id != call.id:
            # Keys are large: no two at a time.
            cls.server = None
            cls.id, cls.server = call.id, call.work.server(call.device)
        return cls.server

    @classmethod
    def end(cls) -> None:
        """Keeps it no longer."""
        cls.server = None


def _evaluate(task: Task, call: _Call) -> tuple[Outcome, tuple[str, str] | None]:
    """Evaluates a batch, at a worker and a device; without these, nothing can be evaluated."""
    with _Serving.lock:
        try:
            server = _Serving.begin(call)
        except Error as error:
            return error, None
        place = (need("distributed", "ringmill.dask").get_worker().address, server._job.device)
        return call.work.outcome(server, task), place

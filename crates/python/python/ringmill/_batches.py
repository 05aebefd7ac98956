"""Batches that a cluster evaluates: which there are, and how a worker evaluates one."""

from __future__ import annotations

import contextlib
import os
import pathlib
import tempfile
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ._frames import is_path
from ._job import Job
from ._options import Device, Path
from ._parties import File, Server
from ._ringmill import set_threads
from .errors import BatchesError, Error, FileError, InternalError, UsageError

#: Columns of a dataset that say more of a batch: arguments of :meth:`Server.evaluate_to`.
ARGUMENTS = ("public", "data", "counter")


@dataclass(frozen=True)
class Batch:
    """A batch that is evaluated."""

    #: Its name, which is that of the file of its results; and that file, with its counts.
    name: str
    results: File
    #: What the cluster calls the node, or the worker, and the name of the device there.
    node: str
    device: str


@dataclass(frozen=True)
class Content:
    """What is in a file, for a node that does not see the file."""

    name: str
    #: As an array, which workers read where it is in their node's object store.
    content: np.ndarray

    @staticmethod
    def of(path: Path) -> Content:
        """That of a file of this node."""
        try:
            return Content(os.path.basename(path), np.fromfile(path, np.uint8))
        except OSError as error:
            raise FileError(str(error)) from error

    def file(self, directory: str) -> str:
        """The name of a file with it in a directory."""
        path = os.path.join(directory, self.name)
        self.content.tofile(path)
        return path

    def save(self, path: Path) -> None:
        """Makes a file of it, which appears whole and lasts."""
        aside = f"{os.fspath(path)}.{os.getpid()}.tmp"
        try:
            with open(aside, "wb") as file:
                self.content.tofile(file)
                os.fsync(file.fileno())
            os.replace(aside, path)
        except BaseException:
            pathlib.Path(aside).unlink(missing_ok=True)
            raise


@dataclass(frozen=True)
class Task:
    """A batch that is to be evaluated: the name of its results, the files of its inputs, and arguments of
    :meth:`Server.evaluate_to`. Either may be contents of files instead."""

    name: str
    inputs: list[Any]
    arguments: dict[str, Any]
    #: Results that there are already, if they are not where the worker sees them.
    results: Content | None = None

    def carried(self, results: str) -> Task:
        """The same with contents in place of files; ``results`` is the directory of results."""

        def content(value: Any) -> Any:
            return Content.of(value) if is_path(value) else value

        path = os.path.join(results, self.name)
        return replace(
            self,
            inputs=[content(part) for part in self.inputs],
            arguments={name: content(value) for name, value in self.arguments.items()},
            results=Content.of(path) if os.path.exists(path) else None,
        )

    def laid(self, directory: str) -> Task:
        """The same with files in a directory in place of contents."""

        def file(value: Any) -> Any:
            # A directory for each, because the files of several owners may have the same name.
            return value.file(tempfile.mkdtemp(dir=directory)) if isinstance(value, Content) else value

        if self.results is not None:
            self.results.file(directory)
        arguments = {name: file(value) for name, value in self.arguments.items()}
        return replace(self, inputs=[file(part) for part in self.inputs], arguments=arguments)

    def evaluate(self, server: Server, results: str) -> File:
        """Evaluates it into a directory of results, unless its results are there already."""
        path = os.path.join(results, self.name)
        begun = os.path.exists(path) or os.path.exists(f"{path}.partial")
        return server.evaluate_to(self.inputs, path, **self.arguments, resume=begun)

    def evaluate_carried(self, server: Server, scratch: str | None = None) -> tuple[File, Content]:
        """Evaluates it far from all files: its counts, and its results. It has files in a directory for temporary ones."""
        with tempfile.TemporaryDirectory(dir=scratch, ignore_cleanup_errors=True) as directory:
            file = self.laid(directory).evaluate(server, directory)
            return file, Content.of(file.path)


def demanded(argument: str, given: int | None, planned: int) -> int:
    """What a call demands of workers: what it says, or else what is planned."""
    if given is None:
        return planned
    if isinstance(given, bool) or not isinstance(given, int) or given < 1:
        raise UsageError(f"{argument}= is {given!r}; a worker has 1 at least")
    return given


def tasks_of(dataset: Any, public: Any) -> list[Task]:
    """The batches of a dataset, with these public inputs unless a batch has its own."""
    if isinstance(dataset, Mapping):
        rows = _side_by_side(dataset)
    elif is_path(dataset):
        rows = [{"path": path} for path in _files(dataset)]
    else:
        # A dataset of Ray Data, or a list of rows or of files.
        parts = dataset.take_all() if hasattr(dataset, "take_all") else dataset
        rows = [{"path": part} if is_path(part) else part for part in parts]
    tasks = [_task(index, row, public) for index, row in enumerate(rows)]
    if not tasks:
        raise UsageError("there are no batches; give a directory with files *.ct, as encrypt_batches_to makes it")
    names = [task.name for task in tasks]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise UsageError(
            f"two batches are called {twice}, but results get the names of their inputs; rename one file, or name the "
            "batches in a column `name`"
        )
    return tasks


def _files(directory: Path) -> list[pathlib.Path]:
    """The batches in a directory."""
    if not os.path.isdir(directory):
        raise FileError(
            f"{os.fspath(directory)} is no directory; batches are the files *.ct of a directory, or a list of files"
        )
    return sorted(pathlib.Path(directory).glob("*.ct"))


def _task(index: int, row: Any, public: Any) -> Task:
    """The task of a row of a dataset."""
    path = row.get("path") if isinstance(row, Mapping) else None
    inputs: list[Any] = [path] if is_path(path) else list(path) if isinstance(path, Iterable) else []
    if not inputs or not all(map(is_path, inputs)):
        raise UsageError(f"row {index} of the dataset does not say in `path` which file its batch is in")
    name = row.get("name")
    name = os.path.basename(inputs[0]) if name is None else name
    if not isinstance(name, str) or name in ("", ".", "..") or name != os.path.basename(name):
        raise UsageError(
            f"row {index} of the dataset is called {name!r}; a name is that of a file in the directory of results"
        )
    arguments = {"public": public} | {column: row[column] for column in ARGUMENTS if column in row}
    absolute = {name: os.path.abspath(value) if is_path(value) else value for name, value in arguments.items()}
    return Task(name, [os.path.abspath(part) for part in inputs], absolute)


def _side_by_side(owners: Mapping[str, Path]) -> list[dict[str, Any]]:
    """The batches of several owners; one's file, in place of a directory, belongs to all batches."""
    files = {
        owner: {file.name: file for file in _files(directory)}
        for owner, directory in owners.items()
        if not os.path.isfile(directory)
    }
    names = sorted({name for own in files.values() for name in own})
    for owner, own in files.items():
        missing = [name for name in names if name not in own]
        if missing:
            raise UsageError(
                f"{owner!r} has no {missing[0]} in {os.fspath(owners[owner])}, and another owner has: {len(own)} batches where "
                f"there are {len(names)} in all; owners encrypt the same records in the same order, or give one file with a "
                "single record that stands for all"
            )
    return [
        {"name": name, "path": [files.get(owner, {}).get(name, owners[owner]) for owner in owners]} for name in names
    ]


#: The names of batches and what becomes of them, as they are done.
Outcomes = Generator[tuple[str, Batch | Error], None, None]


def batches_of(outcomes: Outcomes, results: str) -> Iterator[Batch]:
    """The batches of an evaluation as they are done, and what failed of them at the end."""
    failed: dict[str, Error] = {}
    with contextlib.closing(outcomes):
        for name, outcome in outcomes:
            if isinstance(outcome, Error):
                failed[name] = outcome
            else:
                yield outcome
    if failed:
        raise BatchesError(failed, results)


#: What a worker gives back: counts, with the results if they are not where it can write them.
Outcome = File | tuple[File, Content] | Error


def finished(name: str, outcome: Outcome, results: str, place: tuple[str, str]) -> Batch | Error:
    """What became of a batch at a node and a device. Its results are in their directory then."""
    if isinstance(outcome, tuple):
        file, content = outcome
        outcome = replace(file, path=os.path.join(results, name))
        try:
            if file.taken_over < file.batches:
                content.save(outcome.path)
        except OSError as error:
            return FileError(str(error))
    return outcome if isinstance(outcome, Error) else Batch(name, outcome, *place)


@dataclass(frozen=True)
class Work:
    """What all batches share."""

    job: bytes
    #: What is in the file of the keys; or its name, if workers see it.
    keys: Content | str
    #: The directory of results; none if they go back to where the batches come from.
    results: str | None
    threads: int
    memory: int

    @staticmethod
    def of(job: Job, keys: Content | str, results: str | None, threads: int, memory: int) -> Work:
        """For a job and its evaluation keys."""
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory, "job")
            job.save(path)
            return Work(path.read_bytes(), keys, results, threads, memory)

    def outcome(self, server: Server, task: Task, scratch: str | None = None) -> Outcome:
        """Evaluates a batch; ``scratch`` is a directory for temporary files."""
        try:
            if self.results is None:
                return task.evaluate_carried(server, scratch)
            return task.evaluate(server, self.results)
        except Error as error:
            return error
        except Exception as error:
            # A full disk, for instance; what a worker raises would count as its end.
            return InternalError(f"{type(error).__name__}: {error}")

    def server(self, device: Device) -> Server:
        """A server with these keys."""
        set_threads(self.threads)
        with tempfile.TemporaryDirectory() as directory:
            job, keys = pathlib.Path(directory, "job"), self.keys
            job.write_bytes(self.job)
            if isinstance(keys, Content):
                keys = keys.file(directory)
            # Whether the parameters are secure enough was for the driver to say.
            opened = Job.open(job, memory=self.memory, allow_insecure=True, device=device, progress=False)
            return opened.server(keys)

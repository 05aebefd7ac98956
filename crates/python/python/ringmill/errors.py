"""What can go wrong. Each text names the problem and how to mend it."""

from __future__ import annotations

__all__ = [
    "BadFileError",
    "BatchesError",
    "CancelledError",
    "CircuitError",
    "DeviceError",
    "Error",
    "FileError",
    "InternalError",
    "MissingPackageError",
    "NoParametersError",
    "TableError",
    "UsageError",
    "WrongResultError",
]


class Error(Exception):
    """Anything that makes a job fail."""

    #: Batches that an interrupted evaluation has kept, and the file that they are in; ``resume=True`` goes on from there.
    batches: int | None = None
    partial: str | None = None


class UsageError(Error, ValueError):
    """Arguments contradict each other or have impossible values."""


class CircuitError(UsageError):
    """A function cannot become a circuit. ``filename`` and ``line`` say where, if that is known."""

    filename: str | None = None
    line: int | None = None

    def at(self, filename: str, line: int) -> CircuitError:
        """The same error with its place, unless it has one."""
        if self.filename is not None:
            return self
        placed = type(self)(f"{filename}:{line}: {self}")
        placed.filename, placed.line = filename, line
        return placed


class BadFileError(Error, ValueError):
    """A file or a table is damaged, or does not fit the others."""


class TableError(BadFileError):
    """A table does not suit a circuit. ``column`` and ``row`` say where; rows count from 0."""

    def __init__(self, problem: str, column: str | None = None, row: int | None = None):
        super().__init__(problem)
        self.column, self.row = column, row

    def after(self, rows: int) -> TableError:
        """The same error of a part of a table, where so many rows come before that part."""
        if self.row is None:
            return self
        row = self.row + rows
        return type(self)(str(self).replace(f"row {self.row},", f"row {row},", 1), self.column, row)


class WrongResultError(Error, ArithmeticError):
    """A result is wrong, or a decryption failed and this was noticed."""


class BatchesError(Error):
    """Batches of a cluster's job failed. All others are done."""

    #: The error of each, by its name.
    failed: dict[str, Error]

    def __init__(self, failed: dict[str, Error], results: str):
        super().__init__(failed, results)
        self.failed, self._results = failed, results

    def __str__(self) -> str:
        first = "; ".join(f"{name}: {error}" for name, error in list(self.failed.items())[:3])
        count = "1 batch" if len(self.failed) == 1 else f"{len(self.failed)} batches"
        return (
            f"{count} failed: {first}{'; ...' if len(self.failed) > 3 else ''}. All others are in {self._results}, and the "
            "same call goes on from there"
        )


class NoParametersError(Error, ValueError):
    """No parameters fit the circuit."""


class FileError(Error, OSError):
    """A file cannot be read or written."""


class DeviceError(Error, RuntimeError):
    """The device cannot be used, or failed."""


class CancelledError(Error):
    """The job was stopped."""


class InternalError(Error, RuntimeError):
    """Anything else: a defect of ringmill."""


class MissingPackageError(Error, ImportError):
    """An optional package is needed and not installed."""

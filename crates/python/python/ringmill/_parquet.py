"""Parquet files as packed records, some rows at a time."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from . import _frames
from ._optional import need
from .errors import BadFileError, Error, FileError, TableError

#: Rows that are in memory at a time.
ROWS = 1 << 16


class ParquetRecords:
    """The packed records of a file, which the library reads while it uses them."""

    def __init__(self, schema: Any, path: str):
        parquet = need("pyarrow.parquet", "a Parquet file")
        self._schema, self._path = schema, path
        with told(path):
            self._file = parquet.ParquetFile(path)
        _frames.check_columns(self._file.schema_arrow.names, schema.names)
        self._batches = self._file.iter_batches(ROWS, columns=schema.names)
        self._rows = 0

    def read(self) -> bytes:
        """The next records; none at the end."""
        arrow = need("pyarrow", "a Parquet file")
        while True:
            with told(self._path):
                batch = next(self._batches, None)
            if batch is None:
                self._file.close()
                return b""
            try:
                packed = self._schema.pack(arrow.Table.from_batches([batch]))
            except TableError as error:
                raise error.after(self._rows) from None
            self._rows += len(batch)
            if packed:
                return packed


@contextlib.contextmanager
def told(path: str) -> Iterator[None]:
    """Has errors of pyarrow and of the system name the file."""
    arrow = need("pyarrow", "a Parquet file")
    try:
        yield
    except Error:
        raise
    except (OSError, arrow.ArrowInvalid) as error:
        # What is wrong with the contents has no number of the system.
        kind = FileError if getattr(error, "errno", None) else BadFileError
        raise kind(f"{path}: {error}") from error

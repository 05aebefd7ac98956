"""Parquet files as packed records, some rows at a time."""

from __future__ import annotations

from typing import Any

from . import _frames
from ._optional import need
from .errors import TableError

#: Rows that are in memory at a time.
ROWS = 1 << 16


class ParquetRecords:
    """The packed records of a file, which the library reads while it uses them."""

    def __init__(self, schema: Any, path: str):
        parquet = need("pyarrow.parquet", "a Parquet file")
        self._schema = schema
        self._file = parquet.ParquetFile(path)
        _frames.check_columns(self._file.schema_arrow.names, schema.names)
        self._batches = self._file.iter_batches(ROWS, columns=schema.names)
        self._rows = 0

    def read(self) -> bytes:
        """The next records; none at the end."""
        arrow = need("pyarrow", "a Parquet file")
        for batch in self._batches:
            try:
                packed = self._schema.pack(arrow.Table.from_batches([batch]))
            except TableError as error:
                raise error.after(self._rows) from None
            self._rows += len(batch)
            if packed:
                return packed
        self._file.close()
        return b""

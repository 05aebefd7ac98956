"""Columns that go along to the results as they are."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from . import _frames
from ._optional import need
from ._options import Path
from ._parquet import ROWS, told
from ._schema import Schema
from .errors import BadFileError, UsageError


class Carried:
    """Columns of a Parquet file that go before results, of which some rows are in memory at a time."""

    def __init__(self, path: Path, names: Sequence[str], results: Schema):
        arrow, parquet = need("pyarrow", "a Parquet file"), need("pyarrow.parquet", "a Parquet file")
        self._path = os.fspath(path)
        if not _frames.is_parquet(path):
            raise UsageError(
                f"carry: {self._path} is no Parquet file by its name; only columns of one can go before results in another"
            )
        for index, name in enumerate(names):
            if name in results.names or name in names[:index]:
                problem = "a result has the same name" if name in results.names else "it is named twice"
                raise UsageError(f"carry: column {name!r} cannot be put before the results: {problem}")
        with told(self._path):
            self._file = parquet.ParquetFile(self._path)
        _frames.check_columns(self._file.schema_arrow.names, list(names))
        #: Their fields in an Arrow schema.
        self.fields = [self._file.schema_arrow.field(name) for name in names]
        self._batches = self._file.iter_batches(ROWS, columns=list(names))
        self._waiting = arrow.schema(self.fields).empty_table()

    def check_rows(self, results: int, totals: bool) -> None:
        """Refuses columns that do not have a row for each of the results."""
        if totals:
            raise UsageError("carry: the results are totals over all records, in one row; leave out carry")
        rows = self._file.metadata.num_rows
        if rows != results:
            raise BadFileError(
                f"{self._path}: {rows} rows, but there are {results} results; there must be a row for each, in the same order"
            )

    def take(self, count: int) -> list[Any]:
        """The columns of the next rows, of which there are as many."""
        arrow = need("pyarrow", "a Parquet file")
        while len(self._waiting) < count:
            with told(self._path):
                batch = next(self._batches)
            # The file has its columns in an order of its own.
            more = arrow.Table.from_arrays(
                [batch.column(field.name) for field in self.fields], schema=self._waiting.schema
            )
            self._waiting = arrow.concat_tables([self._waiting, more])
        taken, self._waiting = self._waiting.slice(0, count), self._waiting.slice(count)
        return list(taken.columns)

"""The columns of a circuit's inputs or outputs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from . import _frames, _ringmill
from ._column import Column
from ._html import html_table
from ._optional import need
from ._parquet import ParquetRecords
from .errors import TableError


class Schema:
    """Columns in the order of their ports."""

    def __init__(self, columns: Iterable[Column]):
        self.columns = tuple(columns)

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __getitem__(self, name: str) -> Column:
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(name)

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [column.name for column in self.columns]

    @property
    def record_bytes(self) -> int:
        """The bytes of a packed record."""
        return sum(column.byte_count for column in self.columns)

    def to_arrow(self) -> Any:
        """The same as an Arrow schema; the metadata of its fields have the types of the circuit."""
        return need("pyarrow", "an Arrow schema").schema([column.arrow for column in self.columns])

    def only(self, public: bool) -> Schema:
        """The public columns, or the private ones."""
        return Schema(column for column in self.columns if column.public == public)

    def pack(self, table: Any) -> bytes:
        """The records of a table, packed; a single value in place of a column stands for all records. There is one if no
        column says how many there are."""
        found = _frames.columns(table, self.names)
        counts = {name: len(values) for name, values in found.items() if np.ndim(values)}
        if len(set(counts.values())) > 1:
            told = ", ".join(f"{name!r} has {count}" for name, count in counts.items())
            raise TableError(f"columns have different numbers of values: {told}")
        count = next(iter(counts.values()), 1)
        packed = np.empty((count, self.record_bytes), np.uint8)
        start = 0
        for column in self.columns:
            values = found[column.name]
            if not np.ndim(values):
                single = np.empty(1, object)
                single[0] = values
                values = single
            packed[:, start : start + column.byte_count] = column.pack(values)
            start += column.byte_count
        return packed.tobytes()

    def unpack(self, packed: bytes) -> dict[str, np.ndarray]:
        """The columns of packed records."""
        rows = np.frombuffer(packed, np.uint8).reshape(-1, self.record_bytes)
        found, start = {}, 0
        for column in self.columns:
            found[column.name] = column.unpack(rows[:, start : start + column.byte_count])
            start += column.byte_count
        return found

    def table(self, table: Any, types: Iterable[str] = ()) -> _ringmill.Table:
        """A table for the library: text is read there, from its file."""
        if isinstance(table, _ringmill.Table):
            return table
        if _frames.is_path(table):
            path = os.fspath(table)
            if _frames.is_parquet(path):
                return _ringmill.Table.stream(path, ParquetRecords(self, path))
            return _ringmill.Table.open(path, None, list(types))
        return _ringmill.Table.packed(self.pack(table))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Schema) and self.columns == other.columns

    def __repr__(self) -> str:
        shown = (f"{column.name}: {'public ' if column.public else ''}{column.type}" for column in self.columns)
        return f"<{'; '.join(shown)}>"

    def _repr_html_(self) -> str:
        rows = [(column.name, column.type, "public" if column.public else "") for column in self.columns]
        return html_table(("column", "type", ""), rows)


def schema_of(ports: Iterable[tuple]) -> Schema:
    """The schema of what the library tells of ports or columns."""
    return Schema(Column(*port) for port in ports)

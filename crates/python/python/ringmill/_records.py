"""Results in the clear."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from . import _frames
from ._html import html_table
from ._optional import need
from ._options import Path
from ._schema import Schema, schema_of
from .errors import UsageError

#: Rows that a notebook shows.
SHOWN = 10


class Records(Mapping[str, np.ndarray]):
    """Records in the clear: a mapping from names of columns to NumPy arrays, which frames are made of."""

    def __init__(self, schema: Schema, columns: dict[str, np.ndarray]):
        self.schema = schema
        self._columns = columns

    @classmethod
    def _of(cls, unpacked: tuple[list[tuple], bytes]) -> Records:
        columns, packed = unpacked
        schema = schema_of(columns)
        return cls(schema, schema.unpack(packed))

    def __getitem__(self, name: str) -> np.ndarray:
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    @property
    def count(self) -> int:
        """How many records there are."""
        return len(next(iter(self._columns.values()), ()))

    def to_numpy(self) -> np.ndarray:
        """A structured array."""
        kinds = [(column.name, values.dtype, values.shape[1:]) for column, values in zip(self.schema, self.values())]
        array = np.empty(self.count, kinds)
        for name, values in self.items():
            array[name] = values
        return array

    def to_arrow(self) -> Any:
        """A pyarrow table; numbers share the memory of these arrays."""
        arrow = need("pyarrow", "an Arrow table")
        schema = self.schema.to_arrow()
        arrays = [_arrow_array(arrow, field.type, values) for field, values in zip(schema, self.values())]
        return arrow.Table.from_arrays(arrays, schema=schema)

    def to_pandas(self) -> Any:
        """A frame of pandas."""
        return need("pandas", "a frame of pandas").DataFrame({name: _listed(values) for name, values in self.items()})

    def to_polars(self) -> Any:
        """A frame of Polars."""
        return need("polars", "a frame of Polars").DataFrame({name: _listed(values) for name, values in self.items()})

    def to_dicts(self) -> list[dict[str, Any]]:
        """A list of dicts of Python's own values."""
        listed = {name: values.tolist() for name, values in self.items()}
        return [dict(zip(listed, row)) for row in zip(*listed.values())]

    def write(self, path: Path) -> None:
        """Writes a new file that only its owner may read, or none if that fails: Parquet, or CSV by pyarrow.

        :raises FileExistsError: if there is a file already.
        """
        write, path = _writer(path), os.path.abspath(path)
        table = self.to_arrow()
        # The name is taken first, so that nothing is replaced.
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        try:
            with tempfile.TemporaryDirectory(dir=os.path.dirname(path), prefix=".ringmill-") as directory:
                descriptor, aside = tempfile.mkstemp(dir=directory)
                with os.fdopen(descriptor, "wb") as out:
                    write(table, out)
                os.replace(aside, path)
        except BaseException:
            os.unlink(path)
            raise

    def __repr__(self) -> str:
        return f"<{self.count} records of {', '.join(self)}>"

    def _repr_html_(self) -> str:
        rows = zip(*(values[:SHOWN].tolist() for values in self.values()))
        shown = [[cell.hex() if isinstance(cell, bytes) else cell for cell in row] for row in rows]
        return html_table(list(self), shown, f"{self.count} records")


def _writer(path: Path) -> Callable[[Any, Any], None]:
    """What writes a table into a file of this ending."""
    if _frames.is_parquet(path):
        return need("pyarrow.parquet", "a Parquet file").write_table
    if os.fspath(path).lower().endswith(".csv"):
        return need("pyarrow.csv", "a CSV file").write_csv
    raise UsageError(
        f"{os.fspath(path)}: records are written as .csv, .parquet or .pq; Client.decrypt_to also writes .tsv and .jsonl"
    )


def _listed(values: np.ndarray) -> Any:
    """Values as frames want them: bytes as objects, and bits as lists."""
    return values if values.ndim == 1 and values.dtype.kind != "V" else values.tolist()


def _arrow_array(arrow: Any, kind: Any, values: np.ndarray) -> Any:
    if arrow.types.is_decimal(kind):
        decimal = need("decimal", "wide numbers").Decimal
        return arrow.array([decimal(value) for value in values], kind)
    if values.dtype.kind == "V":
        buffer = arrow.py_buffer(np.ascontiguousarray(values))
        return arrow.Array.from_buffers(kind, len(values), [None, buffer])
    return arrow.array(_listed(values), kind)

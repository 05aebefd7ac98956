"""Tables of other packages as columns of NumPy arrays."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from ._optional import need
from .errors import TableError

#: The names of a table's columns, and what gets one.
Opened = tuple[list[str], Callable[[str], Any]]

#: Endings of files that only pyarrow reads.
PARQUET = (".parquet", ".pq")


def is_path(table: Any) -> bool:
    """Whether it is the name of a file."""
    return isinstance(table, (str, os.PathLike))


def is_parquet(path: Any) -> bool:
    """Whether the name of a file says that it is Parquet."""
    return os.fspath(path).lower().endswith(PARQUET)


def columns(table: Any, names: list[str]) -> dict[str, Any]:
    """The columns of these names, each an array, or a single value that stands for all records."""
    have, get = _opened(table)
    check_columns(have, names)
    return {name: get(name) for name in names}


def check_columns(have: list[str], names: list[str]) -> None:
    """Refuses a table without a column of one of these names."""
    for name in names:
        if name not in have:
            raise TableError(
                f"the table has no column {name!r}; it has {', '.join(map(str, have)) or 'none'}, and needs {', '.join(names)}",
                name,
            )


def _opened(table: Any) -> Opened:
    """The names of the columns, and a function that gets one."""
    package = type(table).__module__.split(".")[0]
    if package == "pandas":
        return list(table.columns), lambda name: _of_pandas(name, table[name])
    if package == "polars":
        table = table.collect() if hasattr(table, "collect") else table
        return list(table.columns), lambda name: _of_polars(name, table[name])
    if isinstance(table, np.ndarray) and table.dtype.names:
        return list(table.dtype.names), lambda name: table[name]
    if isinstance(table, Mapping):
        return list(table), lambda name: _of_values(name, table[name])
    if hasattr(table, "__arrow_c_stream__") or hasattr(table, "__arrow_c_array__"):
        arrow = need("pyarrow", "an Arrow table")
        if not isinstance(table, arrow.Table):
            table = arrow.table(table)
        return table.column_names, lambda name: _of_arrow(name, table.column(name))
    if isinstance(table, Iterable) and not isinstance(table, (set, frozenset)):
        return _of_rows(list(table))
    raise TableError(
        f"a {type(table).__name__} is no table; give a dict of arrays, a list of dicts, a structured array, a frame of pandas "
        "or Polars, an Arrow table, or the name of a file"
    )


def _of_rows(rows: list[Any]) -> Opened:
    for row, record in enumerate(rows):
        if not isinstance(record, Mapping):
            raise TableError(f"row {row} is a {type(record).__name__}, where a dict is needed", row=row)
    names = list(dict.fromkeys(name for record in rows for name in record))
    return names, lambda name: _of_values(name, [record.get(name) for record in rows])


def _of_values(name: str, values: Any) -> Any:
    """A column of anything; what is no sequence stands for all records."""
    if isinstance(values, (set, frozenset, Mapping)):
        raise TableError(
            f"column {name!r} is a {type(values).__name__}, whose values have no order of records; give a list", name
        )
    if isinstance(values, (str, bytes, bytearray)) or not hasattr(values, "__len__"):
        return values
    if isinstance(values, np.ndarray):
        return values
    if hasattr(values, "__array__"):
        return np.asarray(values)
    values = list(values)
    array = np.fromiter(values, object, len(values))
    # Only what all are integers, or all truths: NumPy makes floats of some integers, and cuts bytes.
    if values and all(type(value) is int for value in values) and -(2**63) <= min(values) and max(values) < 2**63:
        return array.astype(np.int64)
    if values and all(type(value) is bool for value in values):
        return array.astype(bool)
    return array


def _of_pandas(name: str, series: Any) -> np.ndarray:
    _refuse_nulls(name, series.isna().to_numpy())
    return series.to_numpy()


def _of_polars(name: str, series: Any) -> np.ndarray:
    if series.null_count():
        _refuse_nulls(name, series.is_null().to_numpy())
    return series.to_numpy()


def _of_arrow(name: str, column: Any) -> np.ndarray:
    arrow = need("pyarrow", "an Arrow table")
    if column.null_count:
        _refuse_nulls(name, column.is_null().to_numpy())
    if arrow.types.is_fixed_size_binary(column.type) and not arrow.types.is_decimal(column.type):
        size, chunks = column.type.byte_width, column.chunks
        raw = [np.frombuffer(chunk.buffers()[1] or b"", np.uint8) for chunk in chunks]
        rows = [part.reshape(-1, size)[chunk.offset : chunk.offset + len(chunk)] for part, chunk in zip(raw, chunks)]
        return np.concatenate(rows) if rows else np.empty((0, size), np.uint8)
    return column.to_numpy()


def _refuse_nulls(name: str, nulls: np.ndarray) -> None:
    rows = np.flatnonzero(nulls)
    if rows.size:
        row = int(rows[0])
        problem = f"row {row}, column {name!r} is null; every record has a value: drop such rows, or fill them in"
        raise TableError(problem, name, row)

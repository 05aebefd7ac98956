"""Columns of tables: how their values are packed into bytes, and taken out again."""

from __future__ import annotations

import decimal
import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._optional import need
from .errors import TableError

#: Bits of the widest numbers that NumPy has.
NUMPY_BITS = 64


@dataclass(frozen=True)
class Column:
    """A port of a circuit as a column of a table.

    ``type`` is the name that expressions and the command line have for it: ``bool``, ``u18``, ``i16``, ``hex`` for bytes, or
    ``bools`` for single bits.
    """

    name: str
    type: str
    width: int
    public: bool = False

    @property
    def byte_count(self) -> int:
        """The bytes of a packed value."""
        return (self.width + 7) // 8

    @property
    def signed(self) -> bool:
        """Whether values may be negative."""
        return bool(re.fullmatch(r"i\d+", self.type))

    @property
    def is_number(self) -> bool:
        """Whether values are numbers."""
        return bool(re.fullmatch(r"[ui]\d+", self.type))

    @property
    def range(self) -> tuple[int, int]:
        """The least and the greatest number."""
        half = 1 << (self.width - 1)
        return (-half, half - 1) if self.signed else (0, 2 * half - 1)

    @property
    def dtype(self) -> np.dtype:
        """The type of NumPy arrays of results."""
        if self.type == "bool":
            return np.dtype(bool)
        if self.is_number and self.width <= NUMPY_BITS:
            size = next(size for size in (1, 2, 4, 8) if self.width <= 8 * size)
            return np.dtype(f"{'i' if self.signed else 'u'}{size}")
        if self.is_number:
            return np.dtype(object)
        if self.type == "bools":
            return np.dtype((bool, (self.width,)))
        return np.dtype(f"V{self.byte_count}")

    @property
    def arrow(self) -> Any:
        """The field of an Arrow schema."""
        arrow = need("pyarrow", "an Arrow schema")
        if self.type == "bool":
            kind = arrow.bool_()
        elif self.is_number and self.width <= NUMPY_BITS:
            kind = arrow.from_numpy_dtype(self.dtype)
        elif self.is_number:
            kind = arrow.decimal256(39, 0)
        elif self.type == "bools":
            kind = arrow.list_(arrow.bool_(), self.width)
        else:
            kind = arrow.binary(self.byte_count)
        metadata = {"ringmill": self.type, "public": str(self.public).lower()}
        return arrow.field(self.name, kind, nullable=False, metadata=metadata)

    # From values to bytes.

    def pack(self, values: np.ndarray) -> np.ndarray:
        """The values as rows of bytes, the lowest first."""
        if values.ndim > 1 and (self.is_number or self.type == "bool"):
            raise TableError(
                f"column {self.name!r} has {values.ndim} dimensions; give a value for each record, of {self.described}",
                self.name,
            )
        if self.type == "bool":
            return self._truths(values).astype(np.uint8).reshape(-1, 1)
        if self.type == "bools":
            return self._bits(values)
        if not self.is_number:
            return self._raw(values)
        if values.dtype.kind not in "ui":
            values = self._whole(values)
        self._check_range(values)
        if self.width > NUMPY_BITS:
            packed = b"".join(
                (int(value) & ((1 << self.width) - 1)).to_bytes(self.byte_count, "little") for value in values
            )
            return np.frombuffer(packed, np.uint8).reshape(-1, self.byte_count)
        words = values.astype("<i8" if self.signed else "<u8", copy=False).view("<u8")
        if self.signed and self.width < NUMPY_BITS:
            words = words & np.uint64((1 << self.width) - 1)
        return np.ascontiguousarray(words).view(np.uint8).reshape(-1, 8)[:, : self.byte_count]

    def _truths(self, values: np.ndarray) -> np.ndarray:
        if values.dtype == bool:
            return values
        if values.dtype.kind not in "ui":
            values = np.array([self._truth(row, value) for row, value in enumerate(values)], np.uint8)
        wrong = np.flatnonzero((values != 0) & (values != 1))
        if wrong.size:
            raise self._bad(int(wrong[0]), values[wrong[0]])
        return values

    def _truth(self, row: int, value: Any) -> int:
        if isinstance(value, (bool, np.bool_)) or (_is_integer(value) and value in (0, 1)):
            return int(value)
        raise self._bad(row, value)

    def _bits(self, values: np.ndarray) -> np.ndarray:
        for row, value in enumerate(values):
            if not hasattr(value, "__len__") or len(value) != self.width:
                raise self._bad(row, value)
        if values.ndim != 2 or values.dtype != bool:
            truths = [[self._truth(row, bit) for bit in value] for row, value in enumerate(values)]
            values = np.array(truths, bool).reshape(len(values), self.width)
        return np.packbits(values, axis=1, bitorder="little")

    def _raw(self, values: np.ndarray) -> np.ndarray:
        if values.ndim == 2 and values.dtype == np.uint8 and values.shape[1] == self.byte_count:
            raw = values
        elif values.dtype.kind == "V" and values.dtype.itemsize == self.byte_count:
            raw = np.ascontiguousarray(values).view(np.uint8).reshape(-1, self.byte_count)
        else:
            cells = b"".join(self._cell(row, value) for row, value in enumerate(values.tolist()))
            raw = np.frombuffer(cells, np.uint8).reshape(-1, self.byte_count)
        if self.width % 8 and raw.size:
            over = np.flatnonzero(raw[:, -1] >> (self.width % 8))
            if over.size:
                raise self._bad(int(over[0]), raw[over[0]].tobytes().hex())
        return raw

    def _cell(self, row: int, value: Any) -> bytes:
        if isinstance(value, str):
            try:
                value = bytes.fromhex(value)
            except ValueError:
                raise self._bad(row, value) from None
        if isinstance(value, (bytes, bytearray, memoryview)):
            # NumPy cuts zeros off the end of a string of bytes.
            value = bytes(value)
            if len(value) == self.byte_count:
                return value
            raise self._bad(row, value)
        raise self._bad(row, value)

    def _whole(self, values: np.ndarray) -> np.ndarray:
        """Numbers that are no integers of NumPy's, one by one."""
        whole: list[int] = []
        # Lists have NumPy's dates and times as integers.
        for row, value in enumerate(values if values.dtype.kind in "mM" else values.tolist()):
            if isinstance(value, decimal.Decimal) and value.is_finite() and value == value.to_integral_value():
                value = int(value)
            if not _is_integer(value):
                raise self._bad(row, value)
            whole.append(int(value))
        return np.array(whole, object)

    def _check_range(self, values: np.ndarray) -> None:
        if not values.size:
            return
        least, greatest = self.range
        if int(values.min()) >= least and int(values.max()) <= greatest:
            return
        row = next(row for row, value in enumerate(values.tolist()) if not least <= value <= greatest)
        raise self._bad(row, values[row])

    def _bad(self, row: int, value: Any) -> TableError:
        """What is wrong with a value, without the value, which may be a secret."""
        where = f"row {row}, column {self.name!r}"
        if value is None or (isinstance(value, (float, np.floating)) and np.isnan(value)):
            problem = f"{where} is null; every record has a value: drop such rows, or fill them in"
        elif isinstance(value, (float, np.floating)):
            problem = f"{where} is a float; values are {self.described}: scale and round them, and convert the column"
        elif self.is_number and _is_integer(value):
            problem = f"{where} is out of range; values are {self.described}"
        elif isinstance(value, (np.datetime64, np.timedelta64)):
            problem = f"{where} is a {type(value).__name__}; values are {self.described}: convert the column, to days for instance"
        else:
            problem = f"{where} is a {type(value).__name__} that does not fit; values are {self.described}"
        return TableError(problem, self.name, row)

    @property
    def described(self) -> str:
        """What values there are, for people."""
        if self.type == "bool":
            return "True and False"
        if self.is_number:
            least, greatest = self.range
            return f"integers from {least} to {greatest} ({self.type})"
        if self.type == "bools":
            return f"lists of {self.width} truths"
        return f"{self.byte_count} bytes, or {2 * self.byte_count} hexadecimal digits"

    # From bytes to values.

    def unpack(self, packed: np.ndarray) -> np.ndarray:
        """The values of rows of bytes."""
        if self.type == "bool":
            return packed[:, 0].astype(bool)
        if self.type == "bools":
            return np.unpackbits(packed, axis=1, count=self.width, bitorder="little").astype(bool)
        if not self.is_number:
            return np.ascontiguousarray(packed).view(self.dtype).reshape(-1)
        if self.width > NUMPY_BITS:
            return self._wide(packed)
        words = np.zeros((len(packed), 8), np.uint8)
        words[:, : self.byte_count] = packed
        numbers = words.view("<u8").reshape(-1)
        if self.signed:
            shift = NUMPY_BITS - self.width
            numbers = (numbers << np.uint64(shift)).view("<i8") >> np.int64(shift)
        return numbers.astype(self.dtype)

    def _wide(self, packed: np.ndarray) -> np.ndarray:
        half, modulus = 1 << (self.width - 1), 1 << self.width
        numbers = (int.from_bytes(row.tobytes(), "little") for row in packed)
        if self.signed:
            numbers = (number - modulus if number >= half else number for number in numbers)
        values = np.empty(len(packed), object)
        values[:] = list(numbers)
        return values


def _is_integer(value: Any) -> bool:
    """Whether it is an integer of Python or NumPy, which count truths and times among them."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.timedelta64))

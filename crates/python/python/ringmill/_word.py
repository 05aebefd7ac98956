"""Words: the values of functions that become circuits.

Each operator is a formula of the expression language, so that both have the same types, widths and errors. Sums, products and
other operators that a chain has any number of are put together only when something else uses them: a sum in a loop is one
operation, as shallow as it can be.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from typing import Any, NoReturn, Union

import numpy as np

from . import _ringmill
from ._place import here, placed
from .errors import CircuitError

#: What operators take beside words.
Operand = Union["Word", int, bool]

#: The circuit that is being written.
current: ContextVar[_ringmill.Trace | None] = ContextVar("current", default=None)

#: Operators of numbers of which a chain has any number; the others are "&", "|" and "^".
_ARITHMETIC = {"+", "*", "min", "max"}


def trace() -> _ringmill.Trace:
    """The circuit that is being written."""
    found = current.get()
    if found is None:
        raise CircuitError("this works only within a function that becomes a circuit: write @ringmill.circuit above it")
    return found


class Word:
    """A value of a function that becomes a circuit: a number, a condition, or bits. What it is, nobody knows yet."""

    __slots__ = ("_chain", "_kind", "_operands", "_place", "_trace", "_value")
    # Operators of NumPy leave words to this class.
    __array_ufunc__ = None
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, trace: _ringmill.Trace, value: _ringmill.Value | None):
        self._trace = trace
        self._value = value
        self._chain = ""
        self._kind = None if value is None else _kind_of(value.type_name)
        self._operands: tuple[tuple[bool, Operand], ...] = ()
        self._place = here()

    @classmethod
    def _chained(cls, chain: str, *operands: tuple[bool, Operand]) -> Word:
        """A word that is put together later."""
        for _, operand in operands:
            if isinstance(operand, Word) and operand._value is None and operand._chain != chain:
                operand._native()
        word = cls(trace(), None)
        word._chain, word._operands = chain, operands
        kinds = {_kind(operand) for _, operand in operands}
        word._kind = next((kind for kind in kinds if kind is not None), "number")
        if chain in _ARITHMETIC:
            fit = kinds <= {"number", None}
        else:
            fit = len(kinds) == 1 or None in kinds and len(kinds) == 2 and "bool" not in kinds
        if not fit:
            # What is wrong with it is wrong here.
            word._native()
        return word

    def _native(self) -> _ringmill.Value:
        if self._value is None:
            self._value = placed(self._place, self._put_together)
            self._operands = ()
        return self._value

    def _put_together(self) -> _ringmill.Value:
        terms = self._flat()
        slots = ["{}"] * len(terms)
        if self._chain == "+":
            text = "".join(f" {'-' if negative else '+'} {{}}" for negative, _ in terms)
            text = text[3:] if not terms[0][0] else f"0{text}"
        elif self._chain in ("min", "max"):
            text = f"{self._chain}({', '.join(slots)})"
        else:
            text = f" {self._chain} ".join(slots)
        return _evaluate(self._trace, text, [term for _, term in terms])

    def _flat(self) -> list[tuple[bool, Operand]]:
        """The terms of a chain of which no part was used yet by anything else."""
        flat: list[tuple[bool, Operand]] = []
        rest: list[tuple[bool, Operand]] = [(False, self)]
        while rest:
            negative, term = rest.pop()
            if isinstance(term, Word) and term._value is None and term._chain == self._chain:
                rest.extend((negative != inner, part) for inner, part in reversed(term._operands))
            else:
                flat.append((negative, term))
        return flat

    @property
    def type(self) -> str:
        """Its type, as expressions write it: ``u9``, ``bool``, ``bits[64]``."""
        return self._native().type_name

    def __len__(self) -> int:
        """Its bits."""
        return self._native().width

    # Arithmetic.

    def __add__(self, other: Operand) -> Word:
        return _chain("+", (False, self), (False, other))

    def __radd__(self, other: Operand) -> Word:
        return _chain("+", (False, other), (False, self))

    def __sub__(self, other: Operand) -> Word:
        return _chain("+", (False, self), (True, other))

    def __rsub__(self, other: Operand) -> Word:
        return _chain("+", (False, other), (True, self))

    def __mul__(self, other: Operand) -> Word:
        return _chain("*", (False, self), (False, other))

    def __rmul__(self, other: Operand) -> Word:
        return _chain("*", (False, other), (False, self))

    def __neg__(self) -> Word:
        return formula("-{}", self)

    def __pos__(self) -> Word:
        return self

    def __abs__(self) -> Word:
        return formula("abs({})", self)

    def __floordiv__(self, other: Operand) -> Word:
        return formula("{} / {}", self, other)

    def __mod__(self, other: Operand) -> Word:
        return formula("{} % {}", self, other)

    # Bits.

    def __and__(self, other: Operand) -> Word:
        return _chain("&", (False, self), (False, other))

    def __rand__(self, other: Operand) -> Word:
        return _chain("&", (False, other), (False, self))

    def __or__(self, other: Operand) -> Word:
        return _chain("|", (False, self), (False, other))

    def __ror__(self, other: Operand) -> Word:
        return _chain("|", (False, other), (False, self))

    def __xor__(self, other: Operand) -> Word:
        return _chain("^", (False, self), (False, other))

    def __rxor__(self, other: Operand) -> Word:
        return _chain("^", (False, other), (False, self))

    def __invert__(self) -> Word:
        return formula("~{}", self)

    def __lshift__(self, other: Operand) -> Word:
        return formula("{} << {}", self, other)

    def __rlshift__(self, other: Operand) -> Word:
        return formula("{} << {}", other, self)

    def __rshift__(self, other: Operand) -> Word:
        return formula("{} >> {}", self, other)

    def __rrshift__(self, other: Operand) -> Word:
        return formula("{} >> {}", other, self)

    def __getitem__(self, place: int | slice) -> Word:
        """A bit, or a part; bit 0 is the lowest."""
        if isinstance(place, slice):
            start, stop, step = place.indices(len(self))
            if step != 1 or start >= stop:
                raise CircuitError("a part has one bit at least, and all bits from its first to its last").at(*here())
            return formula(f"{{}}[{start}..{stop}]", self)
        index = operator.index(place)
        if not -len(self) <= index < len(self):
            raise IndexError(f"bit {index} of {len(self)} bits")
        return formula(f"{{}}[{index % len(self)}]", self)

    def __iter__(self) -> Iterator[Word]:
        """Its bits, the lowest first."""
        return (self[place] for place in range(len(self)))

    def split(self, width: int) -> list[Word]:
        """Its bits in parts of so many, the lowest first: ``x.split(8)`` are the bytes of x."""
        return [self[start : start + width] for start in range(0, len(self), width)]

    # Comparisons.

    def __eq__(self, other: Operand) -> Word:  # type: ignore[override]
        return formula("{} == {}", self, other)

    def __ne__(self, other: Operand) -> Word:  # type: ignore[override]
        return formula("{} != {}", self, other)

    def __lt__(self, other: Operand) -> Word:
        return formula("{} < {}", self, other)

    def __le__(self, other: Operand) -> Word:
        return formula("{} <= {}", self, other)

    def __gt__(self, other: Operand) -> Word:
        return formula("{} > {}", self, other)

    def __ge__(self, other: Operand) -> Word:
        return formula("{} >= {}", self, other)

    # What needs to know the value.

    def __bool__(self) -> NoReturn:
        _refuse(
            "nobody knows yet whether this is true: `if`, `while`, `and`, `or`, `not`, `a < b < c`, `min` and `max` of Python decide "
            "now; write ringmill.select(condition, a, b), `&`, `|`, `~`, ringmill.min and ringmill.max"
        )

    def __index__(self) -> NoReturn:
        _refuse("nobody knows yet which number this is; for a table write ringmill.lookup(table, x)")

    __int__ = __index__

    def __float__(self) -> NoReturn:
        _refuse("words are integers; scale fractions to integers, for instance to cents")

    def __truediv__(self, other: Any) -> NoReturn:
        _refuse("a / b is a fraction; a // 8 divides by a power of two, and `a > b * c` says whether a / b > c")

    __rtruediv__ = __truediv__

    def __pow__(self, other: Any) -> Word:
        power = operator.index(other)
        if power < 1:
            _refuse("powers are 1 and more")
        word: Word = self
        for _ in range(power - 1):
            word = word * self
        return word

    def __repr__(self) -> str:
        return f"<word {self.type}>"


def _kind_of(type_name: str) -> str:
    """What operators go by: numbers of all types mix."""
    return "number" if type_name[0] in "ui" else type_name


def _kind(operand: Operand) -> str | None:
    """The same of an operand; none of a number, which may stand beside numbers and bits."""
    if isinstance(operand, Word):
        return operand._kind
    return "bool" if isinstance(operand, bool) else None


def _refuse(problem: str) -> NoReturn:
    raise CircuitError(problem).at(*here())


def _operand(value: Any) -> Operand:
    """What may stand in a formula."""
    if isinstance(value, (Word, bool)):
        return value
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, (bytes, bytearray)):
        return int.from_bytes(value, "little")
    if isinstance(value, (float, np.floating)):
        _refuse(f"{value} is a float, and words are integers; scale fractions to integers, for instance to cents")
    try:
        return operator.index(value)
    except TypeError:
        _refuse(f"{value!r} is a {type(value).__name__}, where a word, an integer or a truth is needed")


def _chain(chain: str, *operands: tuple[bool, Any]) -> Word:
    place = here()
    return placed(place, Word._chained, chain, *((negative, _operand(value)) for negative, value in operands))


def formula(text: str, *operands: Any) -> Word:
    """The value of a formula with ``{}`` for each operand."""
    place = here()
    values = [_operand(value) for value in operands]
    owner = trace()
    return Word(owner, placed(place, _evaluate, owner, text, values))


def _evaluate(owner: _ringmill.Trace, text: str, operands: Sequence[Operand]) -> _ringmill.Value:
    named: dict[str, _ringmill.Value] = {}
    names: list[str] = []
    for value in operands:
        if isinstance(value, Word):
            if value._trace is not owner:
                raise CircuitError("this word is of another circuit; give it to this one as an argument")
            name = f"x{len(named)}"
            named[name] = value._native()
        elif isinstance(value, bool):
            name = "true" if value else "false"
        else:
            name = str(value) if value >= 0 else f"({value})"
        names.append(name)
    return owner.value(text.format(*names), list(named.items()))

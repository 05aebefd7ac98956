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

#: The most terms of a part that several chains each have for themselves, so that all of them are shallow.
SHARED = 256


def trace() -> _ringmill.Trace:
    """The circuit that is being written."""
    found = current.get()
    if found is None:
        raise CircuitError("this works only within a function that becomes a circuit: write @ringmill.circuit above it")
    return found


class Word:
    """A value of a function that becomes a circuit: a number, a condition, or bits. What it is, nobody knows yet."""

    __slots__ = ("_chain", "_joined", "_kind", "_operands", "_place", "_terms", "_trace", "_value")
    # Operators of NumPy leave words to this class.
    __array_ufunc__ = None
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, trace: _ringmill.Trace, value: _ringmill.Value | None):
        self._trace = trace
        self._value = value
        self._chain = ""
        self._kind = None if value is None else _kind_of(value.type_name)
        self._operands: tuple[tuple[bool, Operand], ...] = ()
        # How many terms it has, and whether a chain has them already.
        self._terms = 1
        self._joined = False
        self._place = here()

    @classmethod
    def _chained(cls, chain: str, signs: Sequence[bool], values: Sequence[Any]) -> Word:
        """A word that is put together later; a sign is true if its value is subtracted."""
        word = cls(trace(), None)
        operands = operands_of(word._trace, values)
        word._chain, word._operands = chain, tuple(zip(signs, operands))
        word._terms = sum(operand._join(chain) if isinstance(operand, Word) else 1 for operand in operands)
        kinds = {_kind(operand) for operand in operands}
        word._kind = next((kind for kind in kinds if kind is not None), "number")
        if chain in _ARITHMETIC:
            fit = kinds <= {"number", None}
        else:
            fit = len(kinds) == 1 or None in kinds and len(kinds) == 2 and "bool" not in kinds
        if not fit:
            # What is wrong with it is wrong here.
            word._native()
        return word

    def _join(self, chain: str) -> int:
        """Becomes part of a chain, and returns with how many terms. A long part that two chains share is put together once,
        because the terms of a word that is added to itself again and again double each time."""
        if self._value is None and (self._chain != chain or self._joined and self._terms > SHARED):
            self._native()
        self._joined = True
        return 1 if self._value is not None else self._terms

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
        return evaluate(self._trace, text, [term for _, term in terms])

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
        return _chain("+", self, other)

    def __radd__(self, other: Operand) -> Word:
        return _chain("+", other, self)

    def __sub__(self, other: Operand) -> Word:
        return _chain("+", self, other, signs=(False, True))

    def __rsub__(self, other: Operand) -> Word:
        return _chain("+", other, self, signs=(False, True))

    def __mul__(self, other: Operand) -> Word:
        return _chain("*", self, other)

    def __rmul__(self, other: Operand) -> Word:
        return _chain("*", other, self)

    def __neg__(self) -> Word:
        return formula("-{}", self)

    def __pos__(self) -> Word:
        return self

    def __abs__(self) -> Word:
        return formula("abs({})", self)

    def __floordiv__(self, other: Operand) -> Word:
        return formula("{} / {}", self, other)

    def __rfloordiv__(self, other: Operand) -> Word:
        return formula("{} / {}", other, self)

    def __mod__(self, other: Operand) -> Word:
        return formula("{} % {}", self, other)

    def __rmod__(self, other: Operand) -> Word:
        return formula("{} % {}", other, self)

    def __divmod__(self, other: Operand) -> tuple[Word, Word]:
        return self // other, self % other

    def __rdivmod__(self, other: Operand) -> tuple[Word, Word]:
        return other // self, other % self

    # Bits.

    def __and__(self, other: Operand) -> Word:
        return _chain("&", self, other)

    def __rand__(self, other: Operand) -> Word:
        return _chain("&", other, self)

    def __or__(self, other: Operand) -> Word:
        return _chain("|", self, other)

    def __ror__(self, other: Operand) -> Word:
        return _chain("|", other, self)

    def __xor__(self, other: Operand) -> Word:
        return _chain("^", self, other)

    def __rxor__(self, other: Operand) -> Word:
        return _chain("^", other, self)

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
            bounds = (
                None if bound is None else _known(bound, "a bit") for bound in (place.start, place.stop, place.step)
            )
            start, stop, step = slice(*bounds).indices(len(self))
            if step != 1 or start >= stop:
                _refuse("a part has one bit at least, and all bits from its first to its last")
            return formula(f"{{}}[{start}..{stop}]", self)
        index = _known(place, "a bit")
        if not -len(self) <= index < len(self):
            _refuse(f"there is no bit {index} in {len(self)} bits; they count from 0")
        return formula(f"{{}}[{index % len(self)}]", self)

    def __iter__(self) -> Iterator[Word]:
        """Its bits, the lowest first."""
        return (self[place] for place in range(len(self)))

    def split(self, width: int) -> list[Word]:
        """Its bits in parts of so many, the lowest first: ``x.split(8)`` are the bytes of x."""
        width = _known(width, "a width")
        if width < 1:
            _refuse(f"a part has one bit at least, and not {width}")
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

    def __round__(self, digits: Any = None) -> NoReturn:
        _refuse("words are integers, so nothing is rounded; (x + 4) // 8 is the integer next to x / 8")

    def __format__(self, form: str) -> str:
        if form:
            _refuse("nobody knows yet which number this is, so it cannot be formatted")
        return str(self)

    def __pow__(self, other: Any) -> Word:
        power = _known(other, "a power")
        if power < 1:
            _refuse("powers are 1 and more")
        word: Word = self
        for _ in range(power - 1):
            word = word * self
        return word

    def __rpow__(self, other: Any) -> NoReturn:
        _refuse("a power is a number that Python knows; 1 << x is 2 to the power of x")

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


def _known(value: Any, role: str) -> int:
    """A number that Python knows."""
    if not isinstance(value, Word):
        try:
            return operator.index(value)
        except TypeError:
            pass
    _refuse(f"{role} is an integer that Python knows, and not a {type(value).__name__}")


def operands_of(owner: _ringmill.Trace, values: Sequence[Any]) -> list[Operand]:
    """What may stand together in a formula of a circuit."""
    operands = [_operand(owner, value) for value in values]
    kinds = {kind for kind in map(_kind, operands) if kind is not None and kind.startswith("bits")}
    for value in values:
        if isinstance(value, (bytes, bytearray)) and kinds and f"bits[{8 * len(value)}]" not in kinds:
            raise CircuitError(f"{len(value)} bytes stand beside {', '.join(sorted(kinds))}; write all of its bytes")
    return operands


def _operand(owner: _ringmill.Trace, value: Any) -> Operand:
    """What may stand in a formula of a circuit."""
    if isinstance(value, Word) and value._trace is not owner:
        raise CircuitError("this word is of another circuit; give it to this one as an argument")
    if isinstance(value, (Word, bool)):
        return value
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, (bytes, bytearray)):
        return int.from_bytes(value, "little")
    if isinstance(value, (float, np.floating)):
        raise CircuitError(
            f"{value} is a float, and words are integers; scale fractions to integers, for instance to cents"
        )
    try:
        return operator.index(value)
    except TypeError:
        problem = f"{value!r} is a {type(value).__name__}, where a word, an integer or a truth is needed"
        raise CircuitError(problem) from None


def _chain(chain: str, *values: Any, signs: Sequence[bool] | None = None) -> Word:
    return placed(here(), Word._chained, chain, signs or [False] * len(values), values)


def formula(text: str, *values: Any) -> Word:
    """The value of a formula with ``{}`` for each operand."""
    return Word(trace(), placed(here(), evaluate, trace(), text, values))


def evaluate(owner: _ringmill.Trace, text: str, values: Sequence[Any]) -> _ringmill.Value:
    """The value of a formula of a circuit."""
    named: dict[str, _ringmill.Value] = {}
    names: list[str] = []
    for value in operands_of(owner, values):
        if isinstance(value, Word):
            name = f"x{len(named)}"
            named[name] = value._native()
        elif isinstance(value, bool):
            name = "true" if value else "false"
        else:
            name = str(value) if value >= 0 else f"({value})"
        names.append(name)
    return owner.value(text.format(*names), list(named.items()))

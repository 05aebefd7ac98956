"""The types of words, as annotations of functions that become circuits."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from .errors import CircuitError

if TYPE_CHECKING:
    from ._word import Operand, Word


class WordType:
    """The type of a word: ``u8``, ``i16``, ``bool``, ``bits[64]`` or ``bytes[4]``. A type of numbers also converts:
    ``u8(x)`` is the lowest 8 bits of x."""

    def __init__(self, name: str):
        self.name = name

    def __call__(self, word: Operand) -> Word:
        from ._word import formula

        if not re.fullmatch(r"[ui]\d+", self.name):
            raise CircuitError(f"{self.name} is no type to convert to; there are u1, i1 and so on, and bits(x)")
        return formula(f"{self.name}({{}})", word)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, WordType) and other.name == self.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return self.name


class _Sized:
    """A family of types with a size."""

    def __init__(self, name: str):
        self._name = name

    def __getitem__(self, size: int) -> WordType:
        return WordType(f"{self._name}[{size}]")

    def __repr__(self) -> str:
        return f"{self._name}[...]"


class _Bits(_Sized):
    def __call__(self, word: Operand) -> Word:
        """The bits of a number or a condition."""
        from ._word import formula

        return formula("bits({})", word)


class Public:
    """A type of which the evaluator sees the values in the clear: ``public[u8]``."""

    def __init__(self, of: WordType):
        self.of = of

    def __class_getitem__(cls, of: Any) -> Public:
        return cls(word_type(of))

    def __repr__(self) -> str:
        return f"public[{self.of!r}]"


def word_type(annotation: Any) -> WordType:
    """The type that an annotation means."""
    if annotation is bool:
        return WordType("bool")
    if isinstance(annotation, WordType):
        return annotation
    raise CircuitError(
        f"{annotation!r} is no type of words; there are bool, u1 to u1024, i1 to i1024, bits[N], bytes[N] and public[...] of these"
    )


def number_type(name: str) -> WordType:
    """The type ``uN`` or ``iN`` of a name of this form."""
    if re.fullmatch(r"[ui][1-9]\d{0,3}", name) and int(name[1:]) <= 1024:
        return WordType(name)
    raise AttributeError(f"module 'ringmill' has no attribute {name!r}")


bits = _Bits("bits")
bytes_ = _Sized("bytes")

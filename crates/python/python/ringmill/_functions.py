"""Functions of words."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Sequence
from typing import Any

from . import _ringmill
from ._place import here, placed
from ._types import WordType, word_type
from ._word import Operand, Word, _chain, formula, operands_of, trace
from .errors import CircuitError

#: Words, or a list of them.
Operands = Operand | Iterable[Operand]


def select(condition: Operand, yes: Operand, no: Operand) -> Word:
    """``yes`` where the condition holds, and ``no`` elsewhere."""
    return formula("select({}, {}, {})", condition, yes, no)


where = select


def min(*words: Operands) -> Word:
    """The least of numbers."""
    return _extreme("min", words)


def max(*words: Operands) -> Word:
    """The greatest of numbers."""
    return _extreme("max", words)


def _extreme(name: str, words: Sequence[Any]) -> Word:
    words = _all(words)
    if len(words) < 2:
        raise CircuitError(f"{name} takes two words or more").at(*here())
    return _chain(name, *words)


def popcount(*words: Operands) -> Word:
    """How many bits are 1: a number. Of conditions, how many hold."""
    return _of_all("popcount", words)


def any(*words: Operands) -> Word:
    """Whether any bit is 1; of conditions, whether any holds."""
    return _of_all("any", words)


def all(*words: Operands) -> Word:
    """Whether all bits are 1; of conditions, whether all hold."""
    return _of_all("all", words)


def parity(*words: Operands) -> Word:
    """Whether an odd number of bits is 1."""
    return _of_all("parity", words)


def concat(*words: Operands) -> Word:
    """The bits of all words one after the other, the first ones lowest."""
    return _of_all("concat", words)


def _of_all(name: str, words: Sequence[Any]) -> Word:
    words = _all(words)
    return formula(f"{name}({', '.join(['{}'] * len(words))})", *words)


def _all(words: Sequence[Any]) -> Sequence[Any]:
    """The words of a list, if that is all there is."""
    if len(words) == 1 and not isinstance(words[0], Word) and hasattr(words[0], "__iter__"):
        return list(words[0])
    return words


def lookup(table: Sequence[int] | Sequence[bool], index: Word, entry: WordType | None = None) -> Word:
    """The entry of a public table at an encrypted index. The table has an entry for every index: 256 of them for ``u8``.

    The entries have the type given, or the narrowest that holds all of them; truths are conditions.
    """
    return Word(trace(), placed(here(), _found, trace(), table, index, entry))


def _found(owner: _ringmill.Trace, table: Any, index: Any, entry: WordType | None) -> _ringmill.Value:
    if isinstance(table, Word) or not isinstance(table, Iterable):
        raise CircuitError(f"a table is a list of known entries, and not a {type(table).__name__}")
    values, (place,) = operands_of(owner, list(table)), operands_of(owner, [index])
    if not isinstance(place, Word) or builtins.any(isinstance(value, Word) for value in values):
        raise CircuitError("a table has known entries, and a word is its index")
    truths = bool(values) and builtins.all(isinstance(value, bool) for value in values)
    kind = word_type(entry) if entry is not None else WordType("bool") if truths else None
    return owner.look_up([int(value) for value in values], None if kind is None else kind.name, place._native())


class Total:
    """A total over all records, as a result of a circuit."""

    def __init__(self, kind: str, word: Word):
        self.place = here()
        if not isinstance(word, Word):
            raise CircuitError(f"a total is that of a word, and not of {word!r}").at(*self.place)
        self.kind = kind
        self.word = word


class _Totals:
    """Totals over all records of a table: results of circuits that have one result for the whole table, and no result for
    each record."""

    def sum(self, word: Word) -> Total:
        """The sum of numbers; 32 bits wider."""
        return Total("sum", word)

    def count(self, word: Word) -> Total:
        """For how many records a condition holds."""
        return Total("count", word)

    def any(self, word: Word) -> Total:
        """Whether a condition holds for any record."""
        return Total("any", word)

    def all(self, word: Word) -> Total:
        """Whether a condition holds for all records."""
        return Total("all", word)

    def min(self, word: Word) -> Total:
        """The least number."""
        return Total("min", word)

    def max(self, word: Word) -> Total:
        """The greatest number."""
        return Total("max", word)


totals = _Totals()

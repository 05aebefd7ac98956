"""Functions that are no circuits: the error names the line."""

import inspect
import pathlib

import pytest

import ringmill as rm


def refused(function, line, *parts):
    """That a function is no circuit, and that the error names the line of it that has the mark."""
    with pytest.raises(rm.CircuitError) as caught:
        rm.circuit(function)
    source, start = inspect.getsourcelines(function)
    place = next(index for index, text in enumerate(source) if line in text)
    assert (caught.value.filename, caught.value.line) == (__file__, start + place), str(caught.value)
    for part in (f"{__file__}:{start + place}: ", *parts):
        assert part in str(caught.value)


def test_errors_name_the_line():
    def condition(a: rm.u8):
        if a > 3:  # here
            return a
        return a + 1

    def fraction(a: rm.u8):
        b = a + 1
        return b * 0.5  # here

    def mixed(a: rm.u8, c: bool):
        total = a + c  # here
        for _ in range(3):
            total = total + 1
        return total

    def bits(a: rm.bits[8], b: rm.bits[9]):
        b = b << 1
        return a ^ b  # here

    def returned(a: rm.u8):
        if a is None:
            return a
        return 1.5  # here

    def nothing(a: rm.u8):
        a + 1  # here

    def index(a: rm.u3):
        return [1, 2, 3][a]  # here

    def table(a: rm.u3):
        return rm.lookup([1, 2, 3], a)  # here

    def swapped(a: rm.u3):
        return rm.lookup(a, [1, 2, 3])  # here

    def entry(a: rm.u3):
        return rm.lookup(5, a)  # here

    def both(a: rm.u3):
        return a > 1 and a < 3  # here

    def wide(a: rm.u8):
        for _ in range(8):
            a = a * a  # here
        return a

    def narrow(a: rm.u8) -> rm.u8:
        return a + 1  # here

    def power(a: rm.u3):
        return 2**a  # here

    def root(a: rm.u3):
        return a**0.5  # here

    def quotient(a: rm.u3):
        return 10 // a  # here

    def rest(a: rm.u3):
        return 10 % a  # here

    def both_of_them(a: rm.u3):
        return divmod(10, a)  # here

    def rounded(a: rm.u3):
        return round(a)  # here

    def formatted(a: rm.u3):
        return f"{a:d}"  # here

    def named(a: rm.u3):
        return a["x"]  # here

    def part(a: rm.u3):
        return a[:"x"]  # here

    def no_bits(a: rm.u3):
        return a.split(0)  # here

    def far(a: rm.u3):
        return a[9]  # here

    def constant(a: rm.u3):
        return {"a": a, "sum": rm.totals.sum(5)}  # here

    def total(a: rm.u3):
        votes = rm.totals.count(a)  # here
        return {"votes": votes}

    def numbered(a: rm.u3):
        return {1: a}  # here

    def cut(a: rm.bytes[4]):
        return a == b"ab"  # here

    def listed(a: rm.u3):
        return {"a": [a]}  # here

    for function, parts in [
        (power, ["1 << x"]),
        (root, ["power", "float"]),
        (quotient, []),
        (rest, []),
        (both_of_them, []),
        (rounded, ["integers"]),
        (formatted, ["nobody knows"]),
        (named, ["a bit is an integer", "str"]),
        (part, ["a bit is an integer", "str"]),
        (no_bits, ["one bit at least"]),
        (far, ["no bit 9 in 3 bits"]),
        (constant, ["a word, and not of 5"]),
        (total, ["count"]),
        (numbered, ["1, a int"]),
        (cut, ["2 bytes", "bits[32]"]),
        (listed, ["is a list"]),
        (condition, ["select"]),
        (fraction, ["0.5 is a float", "scale"]),
        (mixed, ["bool, not a number", "u1(x)"]),
        (bits, ["bits[9]", "bits[8]"]),
        (returned, ["1.5, a float"]),
        (nothing, ["None"]),
        (index, ["lookup"]),
        (swapped, ["a table is a list of known entries, and not a Word"]),
        (entry, ["a table is a list of known entries, and not a int"]),
        (table, ["3 entries", "needs 8"]),
        (both, ["select"]),
        (wide, ["1024"]),
        (narrow, ["u9", "u8"]),
    ]:
        refused(function, "# here", *parts)


def test_recursion_that_does_not_end():
    def endless(a: rm.u8):
        def again(x):
            return again(x + 1)

        return again(a)

    refused(endless, "def endless", "without end")

    # While it becomes a circuit, a function has no name yet.
    with pytest.raises(rm.CircuitError, match="factorial calls itself without end") as caught:

        @rm.circuit
        def factorial(a: rm.u8):
            return rm.select(a == 0, 1, a * factorial(a - 1))

    assert "factorial(a - 1)" in pathlib.Path(__file__).read_text().splitlines()[caught.value.line - 1]


def test_errors_of_signatures():
    def untyped(a):
        return a

    def several(*a: rm.u8):
        return a[0]

    def text(a: str):
        return a

    refused(untyped, "def untyped", "a has no type")
    refused(several, "def several", "*a")
    refused(text, "def text", "no type of words")

    def none(a: rm.bits[0]):
        return a

    def long(a: rm.bits[70000]):
        return a

    refused(none, "def none", "bits[0]")
    refused(long, "def long", "bits[70000]")


def test_words_belong_to_their_circuit():
    kept = []

    @rm.circuit
    def first(a: rm.u8):
        kept.extend([a, a + 2])
        return a + 1

    def added(a: rm.u8):
        return a + kept[0]  # here

    def compared(a: rm.u8):
        return a == kept[1]  # here

    def looked_up(a: rm.u8):
        return {"a": a, "b": rm.lookup(range(256), kept[0])}  # here

    def returned(a: rm.u8):
        return {"a": a, "b": kept[0]}  # here

    def unfinished(a: rm.u8):
        return {"a": a, "b": kept[1]}  # here

    def totalled(a: rm.u8):
        return {"a": rm.totals.sum(a), "b": rm.totals.sum(kept[0])}  # here

    for function in (added, compared, looked_up, returned, unfinished, totalled):
        refused(function, "# here", "another circuit")
    with pytest.raises(rm.CircuitError, match="within a function"):
        rm.u8(5)

"""Functions that become circuits, beside the same functions of Python's integers, and beside formulas."""

import collections
import cProfile
import dataclasses
import inspect
import pathlib

import numpy as np
import pytest

import ringmill as rm

RANDOM = np.random.default_rng(7)

U = list(range(16))
S = list(range(-8, 8))


def check(function, wanted, a=U, b=S):
    """Compares a circuit with a function of integers, for all pairs of values."""
    pairs = [(x, y) for x in a for y in b]
    table = {"a": [x for x, _ in pairs], "b": [y for _, y in pairs]}
    found = next(iter(function.simulate({name: table[name] for name in function.inputs.names}).values())).tolist()
    assert found == [wanted(x, y) for x, y in pairs]


OPERATORS = [
    (lambda a, b: a + b, "i6"),
    (lambda a, b: a - b, "i6"),
    (lambda a, b: 5 - a + b, "i6"),
    (lambda a, b: a * b, "i8"),
    (lambda a, b: 3 * b - 2 * a, "i7"),
    (lambda a, b: -b, "i5"),
    (lambda a, b: abs(b), "u4"),
    (lambda a, b: a & 6, "u3"),
    (lambda a, b: a | b, "i5"),
    (lambda a, b: 7 ^ b, "i4"),
    (lambda a, b: ~b, "i4"),
    (lambda a, b: a << 2, "u6"),
    (lambda a, b: b >> 1, "i3"),
    (lambda a, b: a // 4, "u2"),
    (lambda a, b: a % 4, "u2"),
    (lambda a, b: b**3, "i10"),
    (lambda a, b: a == b, "bool"),
    (lambda a, b: a != 3, "bool"),
    (lambda a, b: a < b, "bool"),
    (lambda a, b: 3 <= b, "bool"),
    (lambda a, b: (a > b) & (b > 0) | (a == 1), "bool"),
    (lambda a, b: (a > b) ^ True, "bool"),
]


@pytest.mark.parametrize(("operation", "kind"), OPERATORS, ids=range(len(OPERATORS)))
def test_operators(operation, kind):
    @rm.circuit
    def traced(a: rm.u4, b: rm.i4):
        return operation(a, b)

    assert traced.outputs["traced"].type == kind
    check(traced, operation)


def test_functions():
    @rm.circuit
    def traced(a: rm.u4, b: rm.i4):
        positive = b > 0
        return {
            "select": rm.select(positive, a, b),
            "min": rm.min(a, b, 3),
            "max": rm.max([a, b]),
            "popcount": rm.popcount(a),
            "votes": rm.popcount(positive, a > 3, a == 0),
            "any": rm.any(a),
            "all": rm.all(a[0], positive),
            "parity": rm.parity(a),
            "low": a[:2],
            "high": a[-1],
            "wrapped": rm.u3(a + b),
            "signed": rm.i3(a),
            "squares": rm.lookup([x * x for x in range(16)], a),
            "primes": rm.lookup([x in (2, 3, 5, 7, 11, 13) for x in range(16)], a),
            "negative": rm.lookup([-x for x in range(16)], a, rm.i8),
        }

    def signed(value, width):
        value %= 1 << width
        return value - (1 << width) if value >> (width - 1) else value

    pairs = [(x, y) for x in U for y in S]
    found = traced.simulate({"a": [x for x, _ in pairs], "b": [y for _, y in pairs]})
    for place, (a, b) in enumerate(pairs):
        ones = bin(a).count("1")
        wanted = {
            "select": a if b > 0 else b,
            "min": min(a, b, 3),
            "max": max(a, b),
            "popcount": ones,
            "votes": (b > 0) + (a > 3) + (a == 0),
            "any": a > 0,
            "all": a % 2 == 1 and b > 0,
            "parity": ones % 2 == 1,
            "low": a % 4,
            "high": a >= 8,
            "wrapped": (a + b) % 8,
            "signed": signed(a, 3),
            "squares": a * a,
            "primes": a in (2, 3, 5, 7, 11, 13),
            "negative": -a,
        }
        assert {name: values[place] for name, values in found.items()} == wanted


def test_shifts_by_words():
    @rm.circuit
    def shifted(a: rm.u4, b: rm.u2):
        return {"left": a << b, "right": a >> b}

    assert [column.type for column in shifted.outputs] == ["u7", "u4"]
    pairs = [(a, b) for a in range(16) for b in range(4)]
    found = shifted.simulate({"a": [a for a, _ in pairs], "b": [b for _, b in pairs]})
    assert found["left"].tolist() == [a << b for a, b in pairs]
    assert found["right"].tolist() == [a >> b for a, b in pairs]


def test_bits_and_bytes():
    @rm.circuit
    def xored(message: rm.bytes[4], key: rm.bytes[4], template: rm.bits[12]):
        first, *_ = (message ^ key).split(8)
        return {
            "all": message ^ key,
            "first": rm.u8(first),
            "is": message == b"abcd",
            "ones": rm.popcount(template ^ 0xFFF),
        }

    found = xored.simulate(
        {"message": [b"abcd", b"abce"], "key": [b"\x01\x02\x03\x80"] * 2, "template": ["0f00", b"\x00\x00"]}
    )
    assert found["all"].tolist() == [b"``\x60\xe4", b"``\x60\xe5"]
    assert found["first"].tolist() == [0x60, 0x60]
    assert found["is"].tolist() == [True, False]
    assert found["ones"].tolist() == [8, 12]


def test_a_sum_in_a_loop_is_one_operation():
    """As narrow and as shallow as the formula that says it at once."""

    @rm.circuit
    def looped(a: rm.u8, b: rm.u8):
        total = 0
        for factor in range(1, 9):
            total += factor * a - b
        return {"total": total}

    terms = " ".join(f"+ {factor} * a - b" for factor in range(1, 9))[2:]
    formula = rm.expression(f"a: u8; b: u8; total = {terms}")
    assert looped.outputs == formula.outputs
    assert (looped.depth, looped.products) == (formula.depth, formula.products)


def test_a_sum_of_itself_stays_small():
    """Each of its words has twice the terms of the one before."""

    @rm.circuit
    def doubled(a: rm.u4):
        for _ in range(60):
            a = a + a
        return a

    assert doubled.outputs["doubled"].type == "u64"
    assert doubled.simulate({"a": [15]})["doubled"].tolist() == [15 << 60]

    # Two sums that share a short part each have its terms: they are as shallow as formulas.
    @rm.circuit
    def shared(a: rm.u8, b: rm.u8, c: rm.u8, d: rm.u8):
        part = a + b + c
        return {"more": part + d, "less": part - d}

    formula = rm.expression("a: u8; b: u8; c: u8; d: u8; more = a + b + c + d; less = a + b + c - d")
    assert (shared.depth, shared.products) == (formula.depth, formula.products)


def test_chains_of_conditions_are_trees():
    @rm.circuit
    def ordered(a: rm.u16, b: rm.u16):
        same = True
        for x, y in zip(a, b):
            same = same & (x == y)
        return same

    assert ordered.depth == 4
    check(ordered, lambda a, b: a == b, U, U)


def test_words_that_are_used_twice():
    @rm.circuit
    def twice(a: rm.u4, b: rm.i4):
        total = a + 1
        odd = total[0]
        return rm.select(odd, total + b, total)

    check(twice, lambda a, b: a + 1 + b if (a + 1) % 2 else a + 1)


def test_a_crossbar_of_python():
    """A sorting network, with a random program beside it."""

    @rm.circuit
    def ranked(a: rm.u6, b: rm.u6, c: rm.u6, d: rm.u6):
        row = [a, b, c, d]
        for i, j in [(0, 1), (2, 3), (0, 2), (1, 3), (1, 2)]:
            row[i], row[j] = rm.min(row[i], row[j]), rm.max(row[i], row[j])
        return row

    table = {name: RANDOM.integers(0, 64, 500, dtype=np.uint8) for name in "abcd"}
    wanted = np.sort(np.stack(list(table.values())), axis=0)
    np.testing.assert_array_equal(np.stack(list(ranked.simulate(table).values())), wanted)
    assert ranked.outputs.names == ["ranked_0", "ranked_1", "ranked_2", "ranked_3"]


def test_circuits_within_circuits():
    @rm.circuit
    def absolute(x: rm.i8):
        return rm.select(x < 0, -x, x)

    @rm.circuit
    def distance(a: rm.u4, b: rm.i4):
        return absolute(a - b)

    check(distance, lambda a, b: abs(a - b))
    assert absolute(-5) == 5 and distance(a=3, b=-2) == 5


def test_forms_of_results():
    Pair = collections.namedtuple("Pair", "low high")

    @dataclasses.dataclass
    class Both:
        total: object
        carry: object

    @rm.circuit
    def pair(a: rm.u8):
        return Pair(a[:4], a[4:])

    @rm.circuit
    def both(a: rm.u8, b: rm.u8):
        total = a + b
        return Both(rm.u8(total), total[8])

    assert pair.simulate({"a": [0xA5]}).to_dicts() == [{"low": 5, "high": 10}]
    assert both.simulate({"a": [200], "b": [100]}).to_dicts() == [{"total": 44, "carry": True}]


def test_unused_inputs_are_none(caplog):
    @rm.circuit
    def first(a: rm.u4, b: rm.u4, c: rm.u4):
        _ = b + c
        return a + c

    assert first.inputs.names == ["a", "c"]
    assert "depends on b" in caplog.text and __file__ in caplog.text


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


def test_a_quotient_and_its_rest():
    @rm.circuit
    def parts(a: rm.u4):
        return divmod(a, 4)

    assert parts.simulate({"a": [13]}).to_dicts() == [{"parts_0": 3, "parts_1": 1}]


def test_profilers_stay():
    """A function becomes a circuit under a profiler, which goes on after it; errors of its result name its definition then."""
    profiler = cProfile.Profile()
    profiler.enable()
    try:

        @rm.circuit
        def more(a: rm.u4):
            return a + 1

        assert more(3) == 4
    finally:
        profiler.disable()
    assert any("more" in str(entry.code) for entry in profiler.getstats())


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


def test_it_runs_under_encryption():
    @rm.circuit
    def score(income: rm.u10, age: rm.u7, region: rm.u2, limit: rm.public[rm.u10]):
        points = rm.lookup([3, 0, 5, 1], region) + rm.select(age < 25, 0, 4)
        return {"points": points, "flag": (income > limit) & (points > 5)}

    count = 40
    table = {
        "income": RANDOM.integers(0, 1024, count),
        "age": RANDOM.integers(0, 100, count),
        "region": RANDOM.integers(0, 4, count),
    }
    job = score.plan()
    client = job.client()
    results = client.decrypt(job.server(client.evaluation_keys()).evaluate(client.encrypt(table), {"limit": 500}))
    points = np.array([3, 0, 5, 1])[table["region"]] + np.where(table["age"] < 25, 0, 4)
    np.testing.assert_array_equal(results["points"], points)
    np.testing.assert_array_equal(results["flag"], (table["income"] > 500) & (points > 5))

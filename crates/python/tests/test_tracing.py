"""Functions that become circuits, beside the same functions of Python's integers, and beside formulas."""

import collections
import cProfile
import dataclasses

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

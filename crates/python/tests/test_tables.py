"""Tables in every form: they become the same records, and what is wrong with one is told by row and column."""

import decimal
import json
import stat

import numpy as np
import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest

import ringmill as rm

RANDOM = np.random.default_rng(3)
ROWS = 200


@pytest.fixture(scope="module")
def echo():
    """A circuit that returns what it takes, of every type."""

    @rm.circuit
    def echo(flag: bool, age: rm.u7, change: rm.i18, wide: rm.u64, debt: rm.i64, key: rm.bytes[3], big: rm.i100):
        return {"flag": flag, "age": age, "change": change, "wide": wide, "debt": debt, "key": key, "big": big}

    return echo


@pytest.fixture(scope="module")
def columns():
    def edges(least, greatest, dtype):
        values = RANDOM.integers(least, greatest, ROWS, dtype=dtype, endpoint=True)
        values[:2] = least, greatest
        return values

    return {
        "flag": RANDOM.integers(0, 2, ROWS).astype(bool),
        "age": edges(0, 127, np.uint8),
        "change": edges(-(2**17), 2**17 - 1, np.int32),
        "wide": edges(0, 2**64 - 1, np.uint64),
        "debt": edges(-(2**63), 2**63 - 1, np.int64),
        "key": np.array([RANDOM.bytes(3) for _ in range(ROWS)] [:-1] + [b"\0\0\0"], object),
        "big": np.array([-(2**99), 2**99 - 1] + [int(x) << 33 for x in RANDOM.integers(-(2**60), 2**60, ROWS - 2)], object),
    }  # fmt: skip


def same(found, columns):
    assert found.count == ROWS
    for name, values in columns.items():
        assert found[name].tolist() == values.tolist(), name


def test_arrays(echo, columns):
    found = echo.simulate(columns)
    same(found, columns)
    assert [values.dtype.str[1:] for values in found.values()] == ["b1", "u1", "i4", "u8", "i8", "V3", "O"]
    # In any order, of other types that hold the values, and beside columns of nobody.
    other = dict(reversed(list(columns.items())))
    other["age"], other["change"], other["nobody"] = (
        other["age"].astype(np.int64),
        other["change"].tolist(),
        ["x"] * ROWS,
    )
    same(echo.simulate(other), columns)


def test_dicts_and_structured_arrays(echo, columns):
    rows = [dict(zip(columns, row)) for row in zip(*(values.tolist() for values in columns.values()))]
    found = echo.simulate(rows)
    same(found, columns)
    assert found.to_dicts() == rows
    structured = found.to_numpy()
    assert structured.dtype.names == tuple(columns)
    same(echo.simulate(structured), columns)


def test_pandas(echo, columns):
    same(echo.simulate(pandas.DataFrame(columns)), columns)
    again = echo.simulate(columns).to_pandas()
    assert again["change"].dtype == np.int32
    same(echo.simulate(again), columns)
    # A frame of Arrow's types, and one with an index of its own.
    frame = pandas.DataFrame({"age": columns["age"]}).convert_dtypes(dtype_backend="pyarrow")
    one = rm.expression("age: u7; next = age + 1")
    assert one.simulate(frame[::-1])["next"].tolist() == (columns["age"][::-1].astype(int) + 1).tolist()


def test_polars(echo, columns):
    frame = echo.simulate(columns).to_polars()
    assert frame["wide"].dtype == polars.UInt64
    same(echo.simulate(frame), columns)
    same(echo.simulate(frame.lazy()), columns)


def test_arrow(echo, columns):
    table = echo.simulate(columns).to_arrow()
    assert table.schema == echo.outputs.to_arrow()
    assert table.schema.field("key").type == pyarrow.binary(3)
    assert table.schema.field("change").metadata[b"ringmill"] == b"i18"
    assert table["big"][0].as_py() == decimal.Decimal(-(2**99))
    same(echo.simulate(table), columns)
    # Pieces and slices.
    pieces = pyarrow.concat_tables([table.slice(0, 7), table.slice(7)])
    same(echo.simulate(pieces), columns)
    same(echo.simulate(table.combine_chunks().to_batches()[0]), columns)
    same(echo.simulate(table.to_reader()), columns)


def test_numbers_share_memory_with_arrow(echo, columns):
    found = echo.simulate(columns)
    buffer = found.to_arrow()["wide"].chunk(0).buffers()[1]
    assert buffer.address == found["wide"].ctypes.data


def test_files(echo, columns, tmp_path):
    found = echo.simulate(columns)
    found.write(tmp_path / "all.parquet")
    assert pyarrow.parquet.read_table(tmp_path / "all.parquet").num_rows == ROWS
    same(echo.simulate(tmp_path / "all.parquet"), columns)
    with pytest.raises(FileExistsError):
        found.write(tmp_path / "all.parquet")
    lines = [json.dumps({**row, "key": row["key"].hex(), "big": str(row["big"])}) for row in found.to_dicts()]
    (tmp_path / "all.jsonl").write_text("\n".join(lines))
    same(echo.simulate(str(tmp_path / "all.jsonl")), columns)
    small = rm.expression("a: u8; b = a + 1").simulate({"a": [1, 255]})
    small.write(tmp_path / "small.csv")
    assert (tmp_path / "small.csv").read_text() == '"b"\n2\n256\n'


def test_files_that_cannot_be_written(tmp_path, monkeypatch):
    small = rm.expression("a: u8; b = a + 1").simulate({"a": [1, 255]})
    for name in ("small.jsonl", "small.tsv", "small"):
        with pytest.raises(rm.UsageError, match=f"{name}: .*csv"):
            small.write(tmp_path / name)

    def full(table, out):
        out.write(b"PAR1")
        raise OSError("no space left")

    with monkeypatch.context() as patch:
        patch.setattr("pyarrow.parquet.write_table", full)
        with pytest.raises(OSError, match="no space left"):
            small.write(tmp_path / "small.pq")
    assert not list(tmp_path.iterdir())
    small.write(tmp_path / "small.pq")
    assert [path.name for path in tmp_path.iterdir()] == ["small.pq"]
    assert stat.S_IMODE((tmp_path / "small.pq").stat().st_mode) == 0o600


def test_files_that_cannot_be_read(tmp_path):
    circuit = rm.expression("a: u8; b = a + 1")
    with pytest.raises(rm.FileError, match="none.parquet"):
        circuit.simulate(tmp_path / "none.parquet")
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 and nothing else")
    with pytest.raises(rm.BadFileError, match="bad.parquet"):
        circuit.simulate(tmp_path / "bad.parquet")
    pyarrow.parquet.write_table(pyarrow.table({"a": np.zeros(1000, np.uint8)}), tmp_path / "cut.parquet")
    whole = (tmp_path / "cut.parquet").read_bytes()
    (tmp_path / "cut.parquet").write_bytes(b"PAR1" + b"\xff" * 60 + whole[64:])
    with pytest.raises(rm.BadFileError, match="cut.parquet"):
        circuit.simulate(tmp_path / "cut.parquet")


def test_schemas(echo):
    schema = rm.Circuit.named("less32").with_public("b").inputs
    assert schema.to_arrow().names == ["a", "b"]
    assert schema.to_arrow().field("b").metadata == {b"ringmill": b"u32", b"public": b"true"}
    assert echo.inputs.record_bytes == 1 + 1 + 3 + 8 + 8 + 3 + 13
    with pytest.raises(KeyError):
        schema["c"]


def wrong(circuit, table, *parts, row=None, column=None):
    with pytest.raises(rm.TableError) as caught:
        circuit.simulate(table)
    assert (caught.value.row, caught.value.column) == (row, column), str(caught.value)
    for part in parts:
        assert part in str(caught.value)


FRAMES = [
    lambda columns: columns,
    lambda columns: [dict(zip(columns, row)) for row in zip(*columns.values())],
    pandas.DataFrame,
    lambda columns: polars.DataFrame(columns, strict=False),
    lambda columns: pyarrow.table(columns),
]


@pytest.mark.parametrize("frame", FRAMES, ids=["dict", "rows", "pandas", "polars", "arrow"])
def test_what_is_wrong_is_told(frame):
    circuit = rm.expression("age: u7; change: i8; rich: bool; sum = age + change; x = rich")
    good = {"age": [1, 2, 3], "change": [-1, 0, 127], "rich": [True, False, True]}
    assert circuit.simulate(frame(good))["sum"].tolist() == [0, 2, 130]
    place = {"row": 1, "column": "age"}
    wrong(
        circuit,
        frame({**good, "age": [1, 128, 3]}),
        "row 1, column 'age' is out of range",
        "from 0 to 127 (u7)",
        **place,
    )
    wrong(circuit, frame({**good, "age": [1, -1, 3]}), "out of range", **place)
    wrong(
        circuit,
        frame({**good, "age": [1, 2.5, 3]}),
        "float",
        **({"row": 1} if frame in FRAMES[:2] else {"row": 0}),
        column="age",
    )
    wrong(circuit, frame({**good, "age": [1, None, 3]}), "null", **place)
    wrong(circuit, frame({**good, "age": ["1", "2", "3"]}), "str", "integers", row=0, column="age")
    wrong(circuit, frame({**good, "age": [True, False, True]}), "bool", row=0, column="age")
    wrong(circuit, frame({**good, "rich": [0, 1, 2]}), "True and False", row=2, column="rich")
    del good["change"]
    wrong(circuit, frame(good), "no column 'change'", "it has age, rich", column="change")


def test_other_wrong_tables(tmp_path):
    circuit = rm.expression("a: u8; b: bytes[2]; c = a + u16(b)")
    wrong(circuit, {"a": [1, 2], "b": [b"ab"]}, "'a' has 2, 'b' has 1")
    wrong(circuit, {"a": [1, 2], "b": [b"ab", b"abc"]}, "2 bytes, or 4 hexadecimal digits", row=1, column="b")
    wrong(circuit, {"a": [1], "b": ["0g00"]}, "str", row=0, column="b")
    wrong(circuit, [{"a": 1, "b": b"ab"}, {"a": 1}], "null", row=1, column="b")
    wrong(circuit, [1, 2], "row 0", "dict", row=0)
    wrong(circuit, 5, "int is no table")
    # What NumPy or Python would make numbers of.
    days = np.array(["2024-01-01", "2024-01-02"], "datetime64[ns]")
    b = [b"ab", b"cd"]
    for values, problem in [
        (days, ["datetime64", "convert the column"]),
        (days - days[0], ["timedelta64", "convert the column"]),
        ([days[0] - days[0]] * 2, ["timedelta64"]),
        (np.array(days), ["datetime64"]),
        ([decimal.Decimal("Infinity")] * 2, ["Decimal that does not fit"]),
        ([decimal.Decimal("sNaN")] * 2, ["Decimal that does not fit"]),
        ([np.array([1, 2]), np.array([3, 4])], ["ndarray that does not fit"]),
        ([[1, 2], [3, 4]], ["list that does not fit"]),
    ]:
        wrong(circuit, {"a": values, "b": b}, *problem, row=0, column="a")
    wrong(circuit, pandas.DataFrame({"a": days, "b": b}), "datetime64", row=0, column="a")
    wrong(circuit, pyarrow.table({"a": days, "b": b}), "datetime64", row=0, column="a")
    wrong(circuit, {"a": np.zeros((2, 2), int), "b": b}, "'a' has 2 dimensions", column="a")
    wrong(circuit, {"a": {1, 2}, "b": b}, "'a' is a set", "give a list", column="a")
    wrong(circuit, {"a": {1: 2}, "b": b}, "'a' is a dict", column="a")
    wrong(circuit, frozenset(), "frozenset is no table")
    (tmp_path / "bad.csv").write_text("a,b\n1,0000\n256,0000\n")
    with pytest.raises(rm.BadFileError, match=r'bad.csv: row 2 \(line 3\), column "a"|row 2'):
        circuit.simulate(tmp_path / "bad.csv")


def test_lists_of_truths():
    column = rm.Column("a", "bools", 3)
    truths = np.array([[True, False, True], [False, True, True]])
    for values in (truths, truths.astype(np.uint8), np.fromiter(truths.tolist(), object, 2)):
        assert column.pack(values).tolist() == [[5], [6]]
    for bad in (np.zeros((1, 3, 3), bool), np.array(["011"]), np.array([[0, 1, 2]]), np.array([1])):
        with pytest.raises(rm.TableError, match="row 0, column 'a'"):
            column.pack(bad)


def test_parquet_is_read_in_parts(echo, columns, tmp_path, monkeypatch):
    monkeypatch.setattr("ringmill._parquet.ROWS", 7)
    path = tmp_path / "all.parquet"
    table = echo.simulate(columns).to_arrow()
    pyarrow.parquet.write_table(table.append_column("name", [["x"] * ROWS]), path, row_group_size=50)
    same(echo.simulate(path), columns)
    # What is wrong far behind is told by the row of the file.
    circuit = rm.expression("a: u8; b: u8; c = a + b")
    values = list(range(100))
    for bad, problem in [(256, "row 93, column 'b' is out of range"), (None, "row 93, column 'b' is null")]:
        changed = [*values[:93], bad, *values[94:]]
        pyarrow.parquet.write_table(pyarrow.table({"a": values, "b": changed}), path, row_group_size=30)
        wrong(circuit, path, problem, row=93, column="b")
    pyarrow.parquet.write_table(pyarrow.table({"a": values}), path)
    wrong(circuit, path, "no column 'b'", "it has a", column="b")


def test_errors_repeat_no_values():
    circuit = rm.expression("a: u8; b: bytes[2]; c: bool; d = a + u16(b); e = c")
    good = {"a": 1, "b": b"ab", "c": True}
    for name, value in [("a", 31337), ("a", 31.337), ("a", "31337"), ("b", b"31337"), ("b", "31337"), ("c", 31337)]:
        with pytest.raises(rm.TableError) as caught:
            circuit.simulate([good, {**good, name: value}])
        assert caught.value.row == 1 and "31337" not in str(caught.value) and "31.337" not in str(caught.value)

"""Results as Parquet files: what they hold, and what is there if anything goes wrong."""

import decimal
import os
import stat

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

import ringmill as rm

RANDOM = np.random.default_rng(7)


@rm.circuit
def mixed(age: rm.u8, income: rm.u32, known: bool, key: rm.bytes[3], debt: rm.i100):
    return {"age": ~age, "income": income ^ 5, "known": known & (age[0]), "key": key, "debt": ~debt}


@pytest.fixture(scope="module")
def job():
    return mixed.plan(input_key="secret")


@pytest.fixture(scope="module")
def parties(job):
    client = job.client()
    return client, job.server(client.evaluation_keys())


@pytest.fixture
def table(job, tmp_path):
    """A Parquet file of three batches, with a column that nobody encrypts."""
    rows = 2 * job.report.batch_records + 5
    columns = {
        "age": RANDOM.integers(0, 2**8, rows, dtype=np.uint8),
        "income": RANDOM.integers(0, 2**32, rows, dtype=np.uint32),
        "known": RANDOM.integers(0, 2, rows).astype(bool),
        "key": [RANDOM.bytes(3) for _ in range(rows)],
        "debt": [decimal.Decimal(int(debt) << 37) for debt in RANDOM.integers(-(2**62), 2**62, rows)],
        "name": [f"person {row}" for row in range(rows)],
    }
    columns["key"] = pyarrow.array(columns["key"], pyarrow.binary(3))
    columns["debt"] = pyarrow.array(columns["debt"], pyarrow.decimal256(39, 0))
    pyarrow.parquet.write_table(pyarrow.table(columns), tmp_path / "in.parquet")
    return tmp_path / "in.parquet"


@pytest.fixture
def small(less, tmp_path):
    """Results of two records, in a directory where they are alone with their inputs."""
    _, client, server = less
    client.encrypt_to([{"a": 1, "b": 2}, {"a": 2, "b": 1}], tmp_path / "in.ct")
    server.evaluate_to(tmp_path / "in.ct", tmp_path / "out.ct")
    return client, tmp_path


def names(path):
    return sorted(file.name for file in path.iterdir())


def test_results_of_several_types(job, parties, table, tmp_path, monkeypatch):
    client, server = parties
    monkeypatch.setattr("ringmill._parquet_output.ROWS", 200)
    client.encrypt_to(table, tmp_path / "in.ct")
    evaluated = server.evaluate_to(tmp_path / "in.ct", tmp_path / "out.ct")
    assert evaluated.batches == 3
    file = client.decrypt_to(tmp_path / "out.ct", tmp_path / "out.parquet", of=tmp_path / "in.ct")
    assert (file.records, file.batches) == (evaluated.records, 3) and file.log2_noise < -1
    assert (file.path, file.bytes) == (str(tmp_path / "out.parquet"), (tmp_path / "out.parquet").stat().st_size)

    found = pyarrow.parquet.read_table(tmp_path / "out.parquet")
    assert found.equals(mixed.simulate(table).to_arrow())
    # By arithmetic that is none of ours.
    given = pyarrow.parquet.read_table(table)
    np.testing.assert_array_equal(found["age"], 255 - given["age"].to_numpy())
    np.testing.assert_array_equal(found["known"], given["known"].to_numpy() & (given["age"].to_numpy() % 2 == 1))
    assert found["key"].to_pylist() == given["key"].to_pylist()
    assert found["debt"].to_pylist() == [-int(debt) - 1 for debt in given["debt"].to_pylist()]
    assert found.schema.equals(job.outputs.to_arrow(), check_metadata=True)
    # No more rows were in memory at a time.
    written = pyarrow.parquet.ParquetFile(tmp_path / "out.parquet").metadata
    groups = [written.row_group(group).num_rows for group in range(written.num_row_groups)]
    assert groups == [200] * (file.records // 200) + [file.records % 200]
    assert names(tmp_path) == ["in.ct", "in.parquet", "out.ct", "out.parquet"]


def test_batches_of_a_directory(parties, table, tmp_path):
    client, server = parties
    client.encrypt_batches_to(table, tmp_path / "in")
    parts = []
    for number, path in enumerate(sorted((tmp_path / "in").iterdir())):
        server.evaluate_to(path, tmp_path / "out.ct", replace=True)
        client.decrypt_to(tmp_path / "out.ct", tmp_path / f"{number}.pq", of=path)
        parts.append(pyarrow.parquet.read_table(tmp_path / f"{number}.pq"))
    assert len(parts) == 3
    assert pyarrow.concat_tables(parts).equals(mixed.simulate(table).to_arrow())


def test_carried_columns(parties, table, tmp_path, monkeypatch):
    client, server = parties
    monkeypatch.setattr("ringmill._parquet_output.ROWS", 200)
    monkeypatch.setattr("ringmill._carried.ROWS", 90)
    given = pyarrow.parquet.read_table(table)
    server.evaluate_to(client.encrypt_to(table, tmp_path / "in.ct").path, tmp_path / "out.ct")
    given = given.append_column("number", [range(len(given))])
    pyarrow.parquet.write_table(given, tmp_path / "names.parquet", row_group_size=250)
    client.decrypt_to(
        tmp_path / "out.ct", tmp_path / "out.parquet", carry=(tmp_path / "names.parquet", ["number", "name"])
    )
    found = pyarrow.parquet.read_table(tmp_path / "out.parquet")
    assert found.column_names == ["number", "name", *mixed.outputs.names]
    assert found.select(["number", "name"]).equals(given.select(["number", "name"]))
    assert found.select(mixed.outputs.names).equals(mixed.simulate(table).to_arrow())


def test_columns_that_cannot_be_carried(small):
    client, path = small
    pyarrow.parquet.write_table(pyarrow.table({"name": ["x"] * 3, "less": [1] * 3}), path / "three.parquet")
    (path / "names.csv").write_text("name\nx\ny\n")
    before = names(path)
    for carry, kind, problem in [
        (("names.csv", ["name"]), rm.UsageError, r"carry: .*names\.csv is no Parquet file"),
        (
            ("three.parquet", ["less"]),
            rm.UsageError,
            "'less' cannot be put before the results: a result has the same name",
        ),
        (("three.parquet", ["name", "name"]), rm.UsageError, "'name' .*: it is named twice"),
        (("three.parquet", ["age"]), rm.TableError, "no column 'age'; it has name, less"),
        (("three.parquet", ["name"]), rm.BadFileError, r"three\.parquet: 3 rows, but there are 2 results"),
        (("none.parquet", ["name"]), rm.FileError, r"none\.parquet"),
    ]:
        with pytest.raises(kind, match=problem):
            client.decrypt_to(path / "out.ct", path / "out.parquet", carry=(path / carry[0], carry[1]))
    assert names(path) == before
    # No columns are nothing to carry.
    client.decrypt_to(path / "out.ct", path / "out.parquet", carry=(path / "names.csv", []))


def test_totals(tmp_path):
    @rm.circuit
    def votes(vote: bool):
        return {"votes": rm.totals.count(vote)}

    job = votes.plan(input_key="secret")
    client = job.client()
    given = RANDOM.integers(0, 2, 2 * job.report.batch_records + 1).astype(bool)
    client.encrypt_to({"vote": given}, tmp_path / "in.ct")
    job.server(client.evaluation_keys()).evaluate_to(tmp_path / "in.ct", tmp_path / "out.ct")
    file = client.decrypt_to(tmp_path / "out.ct", tmp_path / "out.parquet")
    assert (file.records, file.batches) == (len(given), 3)
    found = pyarrow.parquet.read_table(tmp_path / "out.parquet")
    assert found.to_pylist() == [{"votes": given.sum()}]
    assert found.schema.equals(job.outputs.to_arrow(), check_metadata=True)
    pyarrow.parquet.write_table(pyarrow.table({"name": ["x"] * len(given)}), tmp_path / "names.parquet")
    with pytest.raises(rm.UsageError, match="carry: the results are totals"):
        client.decrypt_to(
            tmp_path / "out.ct", tmp_path / "out.parquet", replace=True, carry=(tmp_path / "names.parquet", ["name"])
        )
    assert pyarrow.parquet.read_table(tmp_path / "out.parquet").equals(found)


def test_files_are_replaced_only_if_asked(small):
    client, path = small
    (path / "out.parquet").write_text("mine")
    with pytest.raises(rm.FileError, match=r"out\.parquet exists already; choose another name"):
        # Before anything is decrypted: there are no such results.
        client.decrypt_to(path / "none.ct", path / "out.parquet")
    assert (path / "out.parquet").read_text() == "mine"
    client.decrypt_to(path / "out.ct", path / "out.parquet", replace=True)
    assert pyarrow.parquet.read_table(path / "out.parquet")["less"].to_pylist() == [True, False]
    # A link to nowhere is a name as well.
    (path / "link.parquet").symlink_to(path / "nowhere")
    with pytest.raises(rm.FileError, match="exists already"):
        client.decrypt_to(path / "none.ct", path / "link.parquet")


def test_files_that_come_meanwhile_are_kept(small, less):
    client, path = small
    job, *_ = less
    job.progress = lambda progress: (path / "out.parquet").write_text("mine")
    try:
        with pytest.raises(rm.FileError, match="exists already"):
            client.decrypt_to(path / "out.ct", path / "out.parquet")
    finally:
        job.progress = None
    assert (path / "out.parquet").read_text() == "mine"
    assert names(path) == ["in.ct", "out.ct", "out.parquet"]


def test_others_read_only_what_is_shared(small):
    client, path = small
    mask = os.umask(0o022)
    try:
        client.decrypt_to(path / "out.ct", path / "own.parquet")
        client.decrypt_to(path / "out.ct", path / "all.parquet", shared=True)
        client.decrypt_to(path / "out.ct", path / "all.parquet", replace=True)
        assert stat.S_IMODE((path / "all.parquet").stat().st_mode) == 0o600
        client.decrypt_to(path / "out.ct", path / "all.parquet", replace=True, shared=True)
    finally:
        os.umask(mask)
    assert stat.S_IMODE((path / "own.parquet").stat().st_mode) == 0o600
    assert stat.S_IMODE((path / "all.parquet").stat().st_mode) == 0o644


def test_the_format_is_that_of_the_name_or_the_one_given(small):
    client, path = small
    for name, format in [("OUT.PQ", None), ("out", "parquet"), ("out.csv", "Parquet")]:
        client.decrypt_to(path / "out.ct", path / name, format=format)
        assert pyarrow.parquet.read_table(path / name)["less"].to_pylist() == [True, False]
    client.decrypt_to(path / "out.ct", path / "text.parquet", format="csv")
    assert (path / "text.parquet").read_text() == "less\ntrue\nfalse\n"


def test_nothing_is_left_after_an_error(small, less, monkeypatch):
    client, path = small
    client.encrypt_to([{"a": 2, "b": 2}, {"a": 2, "b": 1}], path / "other.ct")
    damaged = bytearray((path / "out.ct").read_bytes())
    damaged[-100] ^= 1
    (path / "damaged.ct").write_bytes(damaged)
    (path / "kept.parquet").write_text("mine")
    before = names(path)

    def full(*_):
        raise OSError(28, "No space left on device")

    for output in ("out.parquet", "kept.parquet"):
        with pytest.raises(rm.BadFileError, match=r"out\.ct"):
            client.decrypt_to(path / "out.ct", path / output, replace=True, of=path / "other.ct")
        with pytest.raises(rm.BadFileError, match=r"damaged\.ct"):
            client.decrypt_to(path / "damaged.ct", path / output, replace=True)
        with monkeypatch.context() as patch:
            patch.setattr("pyarrow.parquet.ParquetWriter.write_table", full)
            with pytest.raises(rm.FileError, match=rf"{output}: .*No space left"):
                client.decrypt_to(path / "out.ct", path / output, replace=True)
    with pytest.raises(rm.FileError, match="no such directory; make it first"):
        client.decrypt_to(path / "out.ct", path / "none/out.parquet")
    (path / "folder.parquet").mkdir()
    with pytest.raises(rm.FileError, match=r"folder\.parquet: is a directory"):
        client.decrypt_to(path / "out.ct", path / "folder.parquet", replace=True)
    (path / "folder.parquet").rmdir()
    assert names(path) == before
    assert (path / "kept.parquet").read_text() == "mine"


def test_options_that_parquet_does_not_have(small):
    client, path = small
    with pytest.raises(rm.UsageError, match="types: .*leave out types"):
        client.decrypt_to(path / "out.ct", path / "out.parquet", types=["less=u1"])
    with pytest.raises(rm.UsageError, match="standard output"):
        client.decrypt_to(path / "out.ct", "-", format="parquet")
    assert names(path) == ["in.ct", "out.ct"]

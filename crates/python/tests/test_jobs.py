"""Jobs and their parties, in memory and through files."""

import hashlib
import stat

import numpy as np
import pytest

import ringmill as rm

RANDOM = np.random.default_rng(1)


def test_results_are_those_of_numpy(less):
    _, client, server = less
    # More than one batch, with the least and the greatest numbers.
    a, b = (RANDOM.integers(0, 2**32, 2500, dtype=np.uint64) for _ in range(2))
    a[:3], b[:3] = [0, 2**32 - 1, 5], [2**32 - 1, 0, 5]
    results = server.evaluate(client.encrypt({"a": a, "b": b}))
    assert results.account.batches == -(-2500 // client._job.report.batch_records)
    assert results.account.work["multiply"][0] > 0
    np.testing.assert_array_equal(client.decrypt(results)["less"], a < b)


def test_four_records_share_a_slot():
    circuit = rm.Circuit.named("add8")
    job = circuit.plan(share_slots="always", optimise="off")
    assert job.report.shared_slots and not circuit.plan(share_slots="never", optimise="off").report.shared_slots
    client = job.client()
    a, b = (RANDOM.integers(0, 256, job.report.batch_records + 3, dtype=np.uint8) for _ in range(2))
    results = job.server(client.evaluation_keys()).evaluate(client.encrypt({"a": a, "b": b}))
    np.testing.assert_array_equal(client.decrypt(results)["sum"], a + b)
    with pytest.raises(rm.UsageError, match="a circuit with bytes"):
        rm.Circuit.named("aes-128-encrypt-row").plan(share_slots="always")


def test_encrypted_records_serve_again(less):
    job, client, server = less
    encrypted = client.encrypt([{"a": 1, "b": 2}])
    assert encrypted.records == 1
    for evaluator in (server, server, job.server(client.evaluation_keys())):
        assert client.decrypt(evaluator.evaluate(encrypted))["less"].tolist() == [True]


def test_keys_serve_several_servers(less):
    job, client, _ = less
    keys = client.evaluation_keys()
    encrypted = client.encrypt([{"a": 3, "b": 2}])
    for _ in range(2):
        assert client.decrypt(job.server(keys).evaluate(encrypted))["less"].tolist() == [False]


def test_a_seed_makes_the_same_keys(less, tmp_path):
    job, client, _ = less
    client.save_keys(tmp_path / "one")
    job.client(seed=bytes(range(32))).save_keys(tmp_path / "two")
    for name in ("secret.key", "public.key", "evaluation.key"):
        one, two = (hashlib.sha256((tmp_path / part / name).read_bytes()).digest() for part in ("one", "two"))
        assert one == two


def test_parties_meet_through_files(less, tmp_path):
    job, client, _ = less
    assert job.save(tmp_path / "less.job") == (tmp_path / "less.job").stat().st_size
    kept = client.save_keys(tmp_path / "keys", passphrase="a horse")
    assert {name.rsplit("/")[-1] for name in kept} == {"secret.key", "public.key", "evaluation.key"}
    (tmp_path / "in.csv").write_text("name,a,b\nAda,1,2\nBob,2,1\n")

    theirs = rm.Job.open(tmp_path / "less.job", evaluate=True)
    encrypted = theirs.encryptor(tmp_path / "keys/public.key").encrypt_to(tmp_path / "in.csv", tmp_path / "in.ct")
    assert (encrypted.records, encrypted.batches) == (2, 1)
    server = theirs.server(tmp_path / "keys/evaluation.key")
    evaluated = server.evaluate_to(tmp_path / "in.ct", tmp_path / "out.ct")
    assert evaluated.records == 2 and evaluated.account.seconds > 0

    with pytest.raises(rm.Error, match="passphrase"):
        theirs.open_client(tmp_path / "keys/secret.key", passphrase="a mule")
    owner = theirs.open_client(tmp_path / "keys/secret.key", passphrase="a horse")
    assert owner.public_key is None
    decrypted = owner.decrypt_to(
        tmp_path / "out.ct", tmp_path / "out.csv", of=tmp_path / "in.ct", carry=(tmp_path / "in.csv", ["name"])
    )
    assert decrypted.log2_noise < -1
    assert (tmp_path / "out.csv").read_text() == "name,less\nAda,true\nBob,false\n"
    assert stat.S_IMODE((tmp_path / "out.csv").stat().st_mode) == 0o600


def test_batches_in_files_of_their_own(less, tmp_path):
    job, client, server = less
    records = job.report.batch_records
    a, b = (RANDOM.integers(0, 2**32, 2 * records + 5, dtype=np.uint64) for _ in range(2))
    written = client.encrypt_batches_to({"a": a, "b": b}, tmp_path / "in")
    assert (written.records, written.batches) == (len(a), 3)
    files = sorted((tmp_path / "in").iterdir())
    assert [path.name for path in files] == ["000000.ct", "000001.ct", "000002.ct"]
    assert written.bytes == sum(path.stat().st_size for path in files)
    found = []
    for path in files:
        server.evaluate_to(path, tmp_path / "out.ct", replace=True)
        client.decrypt_to(tmp_path / "out.ct", tmp_path / "out.csv", replace=True, of=path)
        found += (tmp_path / "out.csv").read_text().split()[1:]
    assert found == [str(bool(less)).lower() for less in a < b]

    with pytest.raises(rm.FileError, match="in: .*new directory"):
        client.encrypt_batches_to({"a": a, "b": b}, tmp_path / "in")
    (tmp_path / "bad.csv").write_text("a,b\n" + "1,2\n" * records + "1,-2\n")
    with pytest.raises(rm.BadFileError, match=f"row {records + 1}"):
        client.encrypt_batches_to(tmp_path / "bad.csv", tmp_path / "bad")
    assert not list(tmp_path.glob("bad*/**"))
    (tmp_path / "more.partial").mkdir()
    with pytest.raises(rm.FileError, match="another run is writing it"):
        client.encrypt_batches_to({"a": a, "b": b}, tmp_path / "more")


def test_public_inputs(masked):
    _, client, server = masked
    hidden, mask = np.arange(256, dtype=np.uint8), RANDOM.integers(0, 256, 256, dtype=np.uint8)
    encrypted = client.encrypt({"hidden": hidden})
    results = client.decrypt(server.evaluate(encrypted, {"mask": mask}))
    np.testing.assert_array_equal(results["missing"], ~hidden & mask)
    # A single value is everybody's.
    results = client.decrypt(server.evaluate(encrypted, {"mask": 0x0F}))
    np.testing.assert_array_equal(results["missing"], ~hidden & 0x0F)


def test_bytes_are_not_made_of_numbers(masked):
    _, client, server = masked
    encrypted = client.encrypt({"hidden": [1]})
    for options, problem in [
        ({"data": 16, "counter": bytes(16)}, "data is a int"),
        ({"data": bytes(16), "counter": 16}, "counter is a int"),
        ({"data": bytes(16), "counter": "0" * 16}, "counter is a str"),
        ({"data": bytes(16), "counter": bytes(12)}, "counter has 12 bytes"),
    ]:
        with pytest.raises(rm.UsageError, match=problem):
            server.evaluate(encrypted, {"mask": 7}, **options)


def test_owners_encrypt_their_columns(less):
    job, client, server = less
    encryptor = job.encryptor(client.public_key)
    a = encryptor.of_ports("a").encrypt({"a": [1, 5, 9]})
    b = encryptor.of_ports("b").encrypt({"b": [5, 5, 5]})
    assert client.decrypt(server.evaluate([a, b]))["less"].tolist() == [True, False, False]


def test_totals_are_one_record():
    @rm.circuit
    def totals(income: rm.u4, vote: bool):
        return {"income": rm.totals.sum(income), "votes": rm.totals.count(vote)}

    income, votes = RANDOM.integers(0, 16, 700, dtype=np.uint8), RANDOM.integers(0, 2, 700).astype(bool)
    table = {"income": income, "vote": votes}
    wanted = [{"income": int(income.sum()), "votes": int(votes.sum())}]
    simulated = totals.simulate(table)
    assert simulated.to_dicts() == wanted
    # The columns are those of the totals, which are wider than the values.
    assert totals.outputs == simulated.schema
    job = totals.plan()
    client = job.client()
    server = job.server(client.evaluation_keys())
    assert client.decrypt(server.evaluate(client.encrypt(table))).to_dicts() == wanted


def test_reports_are_known_before_keys(less):
    job, *_ = less
    report = job.report
    assert report.depth == job.circuit.depth and report.security >= 128 and report.warning is None
    assert report.memory > 1 << 20 and report.key_bytes > report.result_bytes > 0
    assert "levels" in job.explain() and "depth" in str(report)
    assert sum(point["chosen"] for point in job.variants) == 1


def test_keys_of_others_are_refused(less):
    job, client, _ = less
    server = job.server(job.client().evaluation_keys())
    with pytest.raises(rm.UsageError, match="set"):
        server.evaluate(client.encrypt([{"a": 1, "b": 2}]))


def test_threads(less):
    _, client, server = less
    rm.set_threads(1)
    try:
        assert client.decrypt(server.evaluate(client.encrypt([{"a": 1, "b": 2}])))["less"].tolist() == [True]
    finally:
        rm.set_threads(None)
    with pytest.raises(ValueError):
        rm.set_threads(0)

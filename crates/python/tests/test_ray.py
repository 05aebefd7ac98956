"""Jobs on a cluster of Ray: nodes of one processor each, as processes of this machine."""

import faulthandler
import os
import pathlib
import shutil
import signal
import sys
import tempfile
import threading
import time

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

import ringmill as rm

pytest.importorskip("ray.data", reason="ringmill.ray needs ray")
import ray  # noqa: E402
from clusters import Owner, modified, product_of, sum_of  # noqa: E402
from documents import document, examples  # noqa: E402
from ray.cluster_utils import Cluster  # noqa: E402

import ringmill.ray as cluster_jobs  # noqa: E402
from ringmill._batches import Work, tasks_of  # noqa: E402

# Of what Ray itself uses.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:ray")

RANDOM = np.random.default_rng(5)


@pytest.fixture(scope="module")
def cluster(_cache):
    # Tests that wait for ever end, and say where they were.
    faulthandler.dump_traceback_later(900, exit=True, file=sys.__stderr__)
    # A directory of its own has what nodes share, because containers have little shared memory; names of sockets must be short.
    with tempfile.TemporaryDirectory(prefix="ray", dir="/tmp") as directory, pytest.MonkeyPatch.context() as patch:
        # Where Ray notes which cluster is the current one: in /tmp/ray otherwise, which need not be there.
        patch.setenv("RAY_TMPDIR", directory)
        os.mkdir(os.path.join(directory, "ray"))
        store = {"object_store_memory": 80 << 20, "plasma_directory": directory}
        head = {**store, "num_cpus": 0, "include_dashboard": False, "temp_dir": directory}
        cluster = Cluster(initialize_head=True, head_node_args=head)
        cluster.node = {**store, "num_cpus": 1}
        for _ in range(2):
            cluster.add_node(**cluster.node)
        cluster.wait_for_nodes()
        ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
        ray.data.DataContext.get_current().enable_progress_bars = False
        yield cluster
        ray.shutdown()
        cluster.shutdown()
    faulthandler.cancel_dump_traceback_later()


@pytest.fixture
def owner(tmp_path):
    return Owner(cluster_jobs, sum_of, 4.5, tmp_path)


def test_without_ray(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(rm.MissingPackageError, match=r"pip install ringmill\[ray\]"):
        cluster_jobs.evaluate("in", "score.job", "evaluation.key", "out")


def workers(*nodes):
    """The processes of workers on these nodes, and what each does right now: nothing, `open`, `evaluate`."""
    raylets = {node.all_processes["raylet"][0].process.pid for node in nodes}
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            title = (process / "cmdline").read_text().rstrip("\0")
            parent = int((process / "stat").read_text().rsplit(")", 1)[1].split()[1])
        except OSError:
            continue
        if parent in raylets and title.startswith("ray::_Worker"):
            yield int(process.name), title.removeprefix("ray::_Worker").lstrip(".")


def wait_for(condition):
    """Waits until something is so, but not for ever."""
    for _ in range(600):
        if condition():
            return
        time.sleep(0.1)
    pytest.fail("this took more than a minute")


def test_fifty_batches(cluster, tmp_path):
    owner = Owner(cluster_jobs, sum_of, 49.3, tmp_path)
    assert owner.batches == 50
    done = list(owner.evaluate())
    assert len({batch.name for batch in done}) == len(done) == 50
    assert all(batch.results.taken_over == 0 and batch.results.account.batches == 1 for batch in done)
    assert sum(batch.results.records for batch in done) == len(owner.table["a"])
    owner.check()


@pytest.mark.skipif(sys.platform != "linux", reason="finds workers in /proc")
def test_workers_and_nodes_come_and_go(cluster, tmp_path):
    owner = Owner(cluster_jobs, product_of, 12, tmp_path)
    done, killed, new = [], [], None
    for batch in owner.evaluate():
        done.append(batch)
        if not killed:
            killed = [process for process, doing in workers(*cluster.worker_nodes) if doing == "evaluate"][:1]
            for process in killed:
                os.kill(process, signal.SIGKILL)
        elif new is None:
            for node in list(cluster.worker_nodes):
                cluster.remove_node(node)
            new = cluster.add_node(**cluster.node)
    assert killed
    # Each batch once, the last ones by the new node.
    assert len({batch.name for batch in done}) == len(done) == 12
    assert done[-1].node == new.node_id
    owner.check()


@pytest.mark.skipif(sys.platform != "linux", reason="finds workers in /proc")
@pytest.mark.parametrize("fatal", ["open", "evaluate"])
def test_workers_that_are_always_lost(cluster, tmp_path, monkeypatch, fatal):
    monkeypatch.setattr(cluster_jobs, "LOSSES", 1)
    owner = Owner(cluster_jobs, product_of, 1, tmp_path)
    killed, over = set(), threading.Event()

    def kill():
        while not over.is_set():
            for process, doing in workers(*cluster.worker_nodes):
                if doing == fatal and process not in killed:
                    killed.add(process)
                    os.kill(process, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        with pytest.raises(rm.Error) as caught:
            list(owner.evaluate())
    finally:
        over.set()
        killer.join()
    if fatal == "open":
        assert isinstance(caught.value, rm.InternalError)
        assert "2 workers were lost before they were ready" in str(caught.value)
    else:
        assert isinstance(caught.value.failed["000000.ct"], rm.InternalError)
        assert "while they evaluated it" in str(caught.value)
    assert len(killed) >= 2
    assert len(list(owner.evaluate())) == 1
    owner.check()


def test_a_poisoned_batch(cluster, owner):
    poisoned = owner.path / "in/000002.ct"
    whole = poisoned.read_bytes()
    poisoned.write_bytes(whole[:2000] + bytes([whole[2000] ^ 1]) + whole[2001:])
    done = []
    with pytest.raises(rm.BatchesError, match="1 batch failed: .*000002.ct: .*checksum") as caught:
        done.extend(owner.evaluate())
    assert list(caught.value.failed) == ["000002.ct"]
    assert isinstance(caught.value.failed["000002.ct"], rm.BadFileError)
    assert {batch.name for batch in done} == {f"00000{i}.ct" for i in (0, 1, 3, 4)}
    before = modified(owner.path / "out")

    # Mended, only this one is evaluated.
    poisoned.write_bytes(whole)
    done = list(owner.evaluate())
    assert [batch.name for batch in done if not batch.results.taken_over] == ["000002.ct"]
    after = modified(owner.path / "out")
    assert len(done) == 5 and before.items() <= after.items()
    owner.check()


def test_nothing_is_computed_twice(cluster, owner):
    assert len(list(owner.evaluate())) == 5
    before = modified(owner.path / "out")
    assert [batch.results.taken_over for batch in owner.evaluate()] == [1] * 5
    assert modified(owner.path / "out") == before

    (owner.path / "out/000003.ct").unlink()
    done = {batch.name: batch.results.taken_over for batch in owner.evaluate()}
    assert done == {f"00000{i}.ct": int(i != 3) for i in range(5)}
    owner.check()

    # Results of other inputs are neither taken for these nor replaced.
    os.replace(owner.path / "in/000001.ct", owner.path / "in/000000.ct")
    with pytest.raises(rm.BatchesError, match="000000.ct: batch 0 is of other encrypted inputs"):
        list(owner.evaluate())


def test_datasets_of_ray(cluster, owner):
    rows = [{"path": str(path)} for path in sorted((owner.path / "in").iterdir())]
    done = list(owner.evaluate(ray.data.from_items(rows, override_num_blocks=2)))
    assert sorted(batch.name for batch in done) == [pathlib.Path(row["path"]).name for row in rows]
    owner.check()


@pytest.mark.skipif(sys.platform != "linux", reason="finds workers in /proc")
def test_nodes_with_and_without_gpus(cluster, tmp_path):
    owner = Owner(cluster_jobs, sum_of, 20, tmp_path)
    others = cluster.worker_nodes.copy()
    # Ray only counts GPUs; where none works, a worker takes the processor.
    with_gpus = cluster.add_node(**cluster.node, num_gpus=2)
    done, nodes = [], {node.node_id for node in [with_gpus, *others]}
    for batch in owner.evaluate(device="auto"):
        if not done:
            # They wait for this loop once they are ready.
            wait_for(lambda: [doing for _, doing in workers(with_gpus, *others)] == [""] * (2 + len(others)))
            assert len(list(workers(with_gpus))) == 2
        done.append(batch)
        if with_gpus in cluster.worker_nodes and {batch.node for batch in done} == nodes:
            cluster.remove_node(with_gpus)
    # What was there is done elsewhere.
    assert with_gpus not in cluster.worker_nodes
    assert len({batch.name for batch in done}) == len(done) == 20
    assert {batch.device for batch in done} == {"cpu"}
    owner.check()


def test_gpus_that_do_not_work(cluster, owner):
    node = cluster.add_node(**cluster.node, num_gpus=1)
    with pytest.raises(rm.DeviceError):
        list(owner.evaluate(device="cuda"))
    cluster.remove_node(node)


@pytest.mark.skipif(sys.platform != "linux", reason="finds workers in /proc")
def test_an_evaluation_that_is_stopped(cluster, owner):
    batches = owner.evaluate()
    first = next(batches)
    assert list(workers(*cluster.worker_nodes))
    batches.close()
    wait_for(lambda: not list(workers(*cluster.worker_nodes)))
    done = {batch.name: batch.results.taken_over for batch in owner.evaluate()}
    assert len(done) == 5 and done[first.name] == 1
    owner.check()


def test_several_owners(cluster, owner, less):
    one, other = owner.parts = ["a", "b"]
    for name in owner.parts:
        owner.client.encryptor().of_ports(name).encrypt_batches_to(owner.table, owner.path / name)
    owners = {name: owner.path / name for name in owner.parts}
    assert len(list(owner.evaluate(owners))) == 5
    owner.check()

    # The same as rows.
    shutil.rmtree(owner.path / "out")
    rows = [{"path": [str(path / f"{i:06}.ct") for path in owners.values()]} for i in range(5)]
    assert len(list(owner.evaluate(ray.data.from_items(rows)))) == 5
    owner.check()

    # One record of an owner for all records of the other.
    shutil.rmtree(owner.path / "out")
    owner.client.encryptor().of_ports("b").encrypt_to({"b": [9]}, owner.path / "nine.ct")
    done = list(owner.evaluate({one: owners[one], other: owner.path / "nine.ct"}))
    assert {batch.name for batch in done} == {row["path"][0][-9:] for row in rows}
    owner.client.decrypt_to(done[0].results.path, owner.path / "out.csv", replace=True)
    found = (owner.path / "out.csv").read_text().split()[1:]
    first = int(done[0].name[:6]) * owner.job.report.batch_records
    assert list(map(int, found)) == (owner.table["a"][first : first + len(found)] + 9).tolist()

    with pytest.raises(rm.BatchesError, match='5 batches failed: .*the private port "b" is not in'):
        list(owner.evaluate({one: owners[one]}))
    less[1].encryptor().of_ports("b").encrypt_to({"b": [9]}, owner.path / "less.ct")
    with pytest.raises(rm.BatchesError, match="5 batches failed: .*less.ct: .*made with other parameters"):
        list(owner.evaluate({one: owners[one], other: owner.path / "less.ct"}))
    (owners[other] / "000003.ct").unlink()
    with pytest.raises(rm.UsageError, match="'b' has no 000003.ct .* 4 batches where there are 5"):
        owner.evaluate(owners)


def test_without_common_files(cluster, owner):
    done = list(owner.evaluate(carry=True))
    assert sorted(batch.results.path for batch in done) == sorted(map(str, (owner.path / "out").iterdir()))
    owner.check()
    before = modified(owner.path / "out")
    assert [batch.results.taken_over for batch in owner.evaluate(carry=True)] == [1] * 5
    assert modified(owner.path / "out") == before

    # Results of other inputs are not replaced, and what is not there has failed.
    os.replace(owner.path / "in/000001.ct", owner.path / "in/000000.ct")
    files = [owner.path / f"in/00000{i}.ct" for i in range(5)]
    with pytest.raises(rm.BatchesError, match="2 batches failed") as caught:
        list(owner.evaluate(files, carry=True))
    assert "batch 0 is of other encrypted inputs" in str(caught.value.failed["000000.ct"])
    assert isinstance(caught.value.failed["000001.ct"], rm.FileError)
    assert modified(owner.path / "out") == before


@pytest.mark.skipif(sys.platform != "linux", reason="finds workers in /proc")
def test_stopped_workers_leave_no_files(cluster, tmp_path):
    owner = Owner(cluster_jobs, product_of, 8, tmp_path)

    def left(pattern="ringmill-*"):
        return set(pathlib.Path(tempfile.gettempdir()).glob(pattern))

    before = left()
    batches = owner.evaluate(carry=True)
    next(batches)
    wait_for(lambda: left("ringmill-*/*/*/*.ct"))
    batches.close()
    wait_for(lambda: not list(workers(*cluster.worker_nodes)))
    assert left() <= before


def test_errors_of_workers_are_those_of_batches(less, tmp_path, monkeypatch):
    """Only a worker whose process ends is lost."""

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    job, client, server = less
    monkeypatch.setattr(rm.Server, "evaluate_to", full)
    client.encrypt_to([{"a": 1, "b": 2}], tmp_path / "in.ct")
    (task,) = tasks_of([tmp_path / "in.ct"], None)
    outcome = Work.of(job, "evaluation.key", str(tmp_path), 1, 1 << 30).outcome(server, task)
    assert isinstance(outcome, rm.InternalError) and "No space left on device" in str(outcome)


def test_rows_that_name_no_batch():
    for row, problem in [
        ({"file": "a.ct"}, "row 1 .*`path`"),
        ({"path": None}, "row 1 .*`path`"),
        ({"path": []}, "row 1 .*`path`"),
        (5, "row 1 .*`path`"),
        ({"path": "a.ct", "name": "../a.ct"}, "row 1 .*'../a.ct'"),
        ({"path": "a.ct", "name": "/a.ct"}, "row 1 .*'/a.ct'"),
        ({"path": "a.ct", "name": ".."}, "row 1 .*'..'"),
        ({"path": "a.ct", "name": 5}, "row 1 .*5"),
    ]:
        with pytest.raises(rm.UsageError, match=problem):
            tasks_of([{"path": "0.ct"}, row], None)
    assert [task.name for task in tasks_of([{"path": "in/0.ct", "name": None}], None)] == ["0.ct"]


def test_what_is_carried(masked, tmp_path):
    job, client, server = masked
    client.encrypt_to({"hidden": [200, 7, 255]}, tmp_path / "in.ct")
    (tmp_path / "mask.csv").write_text("mask\n12\n1\n4\n")
    row = {"path": tmp_path / "in.ct", "name": "batch", "public": tmp_path / "mask.csv"}
    (task,) = tasks_of([row], None)
    task = task.carried(tmp_path / "out")
    for path in list(tmp_path.iterdir()):
        path.unlink()
    file, content = task.evaluate_carried(server)
    content.save(tmp_path / "batch")
    client.decrypt_to(tmp_path / "batch", tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text().split()[1:] == ["4", "0", "0"]
    assert file.records == 3


def test_public_inputs(cluster, masked, tmp_path):
    job, client, _ = masked
    client.save_keys(tmp_path / "keys")
    hidden = RANDOM.integers(0, 256, job.report.batch_records + 3, dtype=np.uint8)
    client.encrypt_batches_to({"hidden": hidden}, tmp_path / "in")
    keys, out = tmp_path / "keys/evaluation.key", tmp_path / "out"
    batches = sorted((tmp_path / "in").iterdir())

    def found():
        for path in sorted(out.iterdir()):
            client.decrypt_to(path, tmp_path / "out.csv", replace=True)
            yield from map(int, (tmp_path / "out.csv").read_text().split()[1:])

    def evaluate(dataset, **options):
        done = list(cluster_jobs.evaluate(dataset, job, keys, out, threads=1, **options))
        values = list(found())
        for path in out.iterdir():
            path.unlink()
        return len(done), values

    # One record for all.
    assert evaluate(batches, public={"mask": 7}) == (2, (~hidden & 7).tolist())
    # A table for each batch.
    (tmp_path / "0.csv").write_text("mask\n12\n")
    (tmp_path / "1.csv").write_text("mask\n1\n2\n4\n")
    rows = [{"path": str(path), "public": str(tmp_path / f"{i}.csv")} for i, path in enumerate(batches)]
    masks = np.array([12] * job.report.batch_records + [1, 2, 4], np.uint8)
    assert evaluate(ray.data.from_items(rows)) == (2, (~hidden & masks).tolist())
    # A table for each batch, and one encrypted record for all.
    client.encrypt_to({"hidden": [5]}, tmp_path / "one.ct")
    rows = [{"path": str(tmp_path / "one.ct"), "name": f"{i}.ct", "public": str(tmp_path / f"{i}.csv")} for i in (0, 1)]
    assert evaluate(ray.data.from_items(rows)) == (2, [~5 & mask for mask in (12, 1, 2, 4)])


def test_examples_run(cluster, tmp_path, monkeypatch):
    """All of the document but the one that needs a block cipher, which takes long."""
    first, _, several = examples(document("docs/ray.md"))
    monkeypatch.chdir(tmp_path)
    circuit = rm.expression("income: u4; age: u4; sum = income + age")
    job = circuit.plan()
    job.save("score.job")
    job.client().save_keys("keys")
    count = job.report.batch_records + 3
    table = {name: RANDOM.integers(0, 16, count, dtype=np.uint8) for name in ("income", "age")}
    for name, columns in [("records", table), ("bank", ["income"]), ("clinic", ["age"])]:
        pyarrow.parquet.write_table(pyarrow.table({column: table[column] for column in columns}), f"{name}.parquet")
    node = cluster.add_node(**{**cluster.node, "num_cpus": job.report.threads})
    names = {}
    exec(first, names)
    exec(several, names)
    cluster.remove_node(node)
    for path in sorted(pathlib.Path("joint").iterdir()):
        names["client"].decrypt_to(path, f"joint/{path.stem}.csv")
    for directory in ("tables", "joint"):
        tables = sorted(pathlib.Path(directory).glob("*.csv"))
        found = [int(value) for path in tables for value in path.read_text().split()[1:]]
        assert found == circuit.simulate(table)["sum"].tolist()


def test_jobs_of_larger_machines(cluster, owner):
    # Nodes have one processor, and the job was opened on a machine that may have more.
    assert len(list(owner.evaluate(threads=None))) == owner.batches
    owner.check()


def test_what_cannot_be_evaluated(cluster, owner, less, caplog):
    with pytest.raises(rm.UsageError, match="no batches"):
        owner.evaluate(owner.path / "keys")
    with pytest.raises(rm.FileError, match="none is no directory"):
        owner.evaluate(owner.path / "none")
    with pytest.raises(rm.FileError, match="none is no directory"):
        owner.evaluate({"a": owner.path / "in", "b": owner.path / "none"})
    with pytest.raises(rm.FileError, match="none/evaluation.key"):
        owner.evaluate(keys="none")
    (owner.path / "more").mkdir()
    with pytest.raises(rm.UsageError, match="two batches are called 000000.ct"):
        owner.evaluate([owner.path / "in/000000.ct", owner.path / "more/000000.ct"])
    for demand in [{"threads": 0}, {"memory": -1}, {"threads": 1.5}]:
        with pytest.raises(rm.UsageError, match=f"{next(iter(demand))}= is"):
            owner.evaluate(**demand)
    owner.evaluate(memory=1 << 50)
    assert "no node has" in caplog.text
    # Keys of another job are no matter of a batch.
    less[1].save_keys(owner.path / "other")
    with pytest.raises(rm.BadFileError, match="evaluation.key"):
        list(owner.evaluate(keys="other"))

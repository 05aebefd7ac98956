"""Jobs on a cluster of Ray: nodes of one processor each, as processes of this machine."""

import os
import pathlib
import signal
import sys

import numpy as np
import pytest

import ringmill as rm

pytest.importorskip("ray.data", reason="ringmill.ray needs ray")
import ray  # noqa: E402
from ray.cluster_utils import Cluster  # noqa: E402

import ringmill.ray as cluster_jobs  # noqa: E402

# Of what Ray itself uses.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:ray")

RANDOM = np.random.default_rng(5)


@pytest.fixture(scope="module")
def cluster(_cache):
    store = {"object_store_memory": 200 << 20}
    cluster = Cluster(initialize_head=True, head_node_args={**store, "num_cpus": 0, "include_dashboard": False})
    cluster.node = {**store, "num_cpus": 1}
    for _ in range(2):
        cluster.add_node(**cluster.node)
    cluster.wait_for_nodes()
    ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield cluster
    ray.shutdown()
    cluster.shutdown()


class Owner:
    """A job, the files of its keys, and a table in batches."""

    def __init__(self, circuit, rows, path):
        self.circuit, self.path = circuit, path
        self.job = circuit.plan(input_key="secret")
        self.client = self.job.client()
        self.client.save_keys(path / "keys")
        records = self.job.report.batch_records
        self.table = {
            column.name: RANDOM.integers(0, 1 << column.width, int(rows * records), dtype=np.uint8)
            for column in self.job.inputs
        }
        self.batches = self.client.encrypt_batches_to(self.table, path / "in").batches

    def evaluate(self, dataset=None, keys="keys", **options):
        dataset = self.path / "in" if dataset is None else dataset
        keys = self.path / keys / "evaluation.key"
        return cluster_jobs.evaluate(dataset, self.job, keys, self.path / "out", threads=1, **options)

    def check(self):
        """The results of all batches, decrypted, are those of the circuit in the clear."""
        results = sorted((self.path / "out").iterdir())
        assert [path.name for path in results] == [path.name for path in sorted((self.path / "in").iterdir())]
        for path in results:
            self.client.decrypt_to(path, self.path / "out.csv", replace=True, of=self.path / "in" / path.name)
            lines = (self.path / "out.csv").read_text().split("\n")[1:-1]
            path.with_suffix(".txt").write_text("\n".join(lines))
        found = [int(line) for path in results for line in path.with_suffix(".txt").read_text().split("\n")]
        for path in results:
            path.with_suffix(".txt").unlink()
        assert found == self.circuit.simulate(self.table)[self.job.outputs.names[0]].tolist()


@rm.circuit
def sum_of(a: rm.u4, b: rm.u4):
    return {"sum": a + b}


@rm.circuit
def product_of(a: rm.u6, b: rm.u6):
    return {"product": a * b}


@pytest.fixture
def owner(tmp_path):
    return Owner(sum_of, 4.5, tmp_path)


def test_without_ray(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(rm.MissingPackageError, match=r"pip install ringmill\[ray\]"):
        cluster_jobs.evaluate("in", "score.job", "evaluation.key", "out")


def modified(path):
    return {file.name: file.stat().st_mtime_ns for file in path.iterdir()}


def working(cluster):
    """The workers of the cluster that evaluate a batch right now."""
    raylets = {node.all_processes["raylet"][0].process.pid for node in cluster.list_all_nodes()}
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            title = (process / "cmdline").read_text()
            parent = int((process / "stat").read_text().rsplit(")", 1)[1].split()[1])
        except OSError:
            continue
        if parent in raylets and title.startswith("ray::") and "_evaluate" in title:
            yield int(process.name)


def test_fifty_batches(cluster, tmp_path):
    owner = Owner(sum_of, 49.3, tmp_path)
    assert owner.batches == 50
    done = list(owner.evaluate())
    assert len({batch.name for batch in done}) == len(done) == 50
    assert all(batch.results.taken_over == 0 and batch.results.account.batches == 1 for batch in done)
    assert sum(batch.results.records for batch in done) == len(owner.table["a"])
    owner.check()


@pytest.mark.skipif(sys.platform != "linux", reason="finds workers in /proc")
def test_workers_and_nodes_come_and_go(cluster, tmp_path):
    owner = Owner(product_of, 12, tmp_path)
    done, killed, new = [], [], None
    for batch in owner.evaluate():
        done.append(batch)
        if not killed:
            killed = list(working(cluster))[:1]
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


def test_a_poisoned_batch(cluster, owner):
    poisoned = owner.path / "in/000002.ct"
    whole = poisoned.read_bytes()
    poisoned.write_bytes(whole[:2000] + bytes([whole[2000] ^ 1]) + whole[2001:])
    done = []
    with pytest.raises(rm.BatchesError, match="1 batches failed: .*000002.ct: .*checksum") as caught:
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


def test_batches_that_demand_a_gpu(cluster, owner):
    # Ray only counts them.
    node = cluster.add_node(**cluster.node, num_gpus=1)
    done = list(owner.evaluate(gpus=1))
    assert [batch.node for batch in done] == [node.node_id] * 5
    cluster.remove_node(node)
    owner.check()


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


def test_what_cannot_be_evaluated(cluster, owner, less, caplog):
    with pytest.raises(rm.UsageError, match="no batches"):
        owner.evaluate(owner.path / "keys")
    (owner.path / "more").mkdir()
    with pytest.raises(rm.UsageError, match="two files of inputs are called 000000.ct"):
        owner.evaluate([owner.path / "in/000000.ct", owner.path / "more/000000.ct"])
    owner.evaluate(memory=1 << 50)
    assert "no node has" in caplog.text
    # Keys of another job are no matter of a batch.
    less[1].save_keys(owner.path / "other")
    with pytest.raises(rm.BadFileError, match="evaluation.key"):
        list(owner.evaluate(keys="other"))

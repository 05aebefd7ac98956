"""Jobs on a cluster of Dask: workers of one thread each, as processes of this machine."""

import contextvars
import os
import signal
import sys

import pytest
from clusters import Owner, modified, product_of

import ringmill as rm
import ringmill.dask as cluster_jobs

distributed = pytest.importorskip("distributed", reason="ringmill.dask needs distributed")


@pytest.fixture(scope="module")
def cluster(_cache, tmp_path_factory):
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None, "memory_limit": None}
    directory = str(tmp_path_factory.mktemp("dask"))
    with distributed.LocalCluster(**options, local_directory=directory) as cluster, distributed.Client(cluster):
        yield cluster


@pytest.fixture
def owner(tmp_path):
    return Owner(cluster_jobs, product_of, 4.5, tmp_path)


def test_without_dask(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(rm.MissingPackageError, match=r"pip install ringmill\[dask\]"):
        cluster_jobs.evaluate("in", "score.job", "evaluation.key", "out")


def test_batches(cluster, owner):
    done = list(owner.evaluate())
    assert sorted(batch.results.path for batch in done) == sorted(map(str, (owner.path / "out").iterdir()))
    assert len(done) == 5
    assert {batch.node for batch in done} == set(distributed.get_client().nthreads())
    assert {batch.device for batch in done} == {"cpu"}
    owner.check()
    # Nothing is computed again.
    before = modified(owner.path / "out")
    assert [batch.results.taken_over for batch in owner.evaluate()] == [1] * 5
    assert modified(owner.path / "out") == before


def test_a_client_that_is_no_default(cluster, owner, monkeypatch):
    # In a `with` it would be the one of the context.
    client = distributed.Client(cluster.scheduler_address, set_as_default=False)
    monkeypatch.setattr("distributed.client._global_clients", {})
    monkeypatch.setattr("distributed.client._current_client", contextvars.ContextVar("none", default=None))
    try:
        assert len(list(owner.evaluate(client=client))) == 5
    finally:
        client.close()
    owner.check()


def test_a_worker_that_is_lost(cluster, owner):
    done = []
    for batch in owner.evaluate():
        if not done:
            os.kill(next(iter(distributed.get_client().run(os.getpid).values())), signal.SIGKILL)
        done.append(batch)
    assert len({batch.name for batch in done}) == len(done) == 5
    owner.check()


def test_what_cannot_be_evaluated(cluster, owner):
    poisoned = owner.path / "in/000002.ct"
    whole = poisoned.read_bytes()
    poisoned.write_bytes(whole[:2000] + bytes([whole[2000] ^ 1]) + whole[2001:])
    with pytest.raises(rm.BatchesError, match="1 batch failed: .*000002.ct: .*checksum"):
        list(owner.evaluate())
    poisoned.write_bytes(whole)
    assert [batch.name for batch in owner.evaluate() if not batch.results.taken_over] == ["000002.ct"]
    owner.check()
    # Keys that are damaged are no matter of a batch.
    keys = owner.path / "keys/evaluation.key"
    keys.write_bytes(keys.read_bytes()[:-1])
    with pytest.raises(rm.BadFileError, match="evaluation.key"):
        list(owner.evaluate())

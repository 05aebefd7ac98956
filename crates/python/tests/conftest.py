"""What tests share: jobs are planned once, because that takes longest."""

import os

import pytest

import ringmill as rm


@pytest.fixture(scope="session", autouse=True)
def _cache(tmp_path_factory):
    """Measurements of this machine are kept between runs of the tests, but not among the user's."""
    cache = os.environ.get("RINGMILL_TEST_CACHE")
    os.environ["XDG_CACHE_HOME"] = cache or str(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="session")
def less(_cache):
    """A job of two numbers of 32 bits, and its parties."""
    job = rm.Circuit.named("less32").plan()
    client = job.client(seed=bytes(range(32)))
    return job, client, job.server(client.evaluation_keys())


@pytest.fixture(scope="session")
def masked(_cache):
    """A job of a private and a public byte, and its parties."""

    @rm.circuit
    def masked(hidden: rm.u8, mask: rm.public[rm.u8]):
        return {"missing": ~hidden & mask}

    job = masked.plan()
    client = job.client()
    return job, client, job.server(client.evaluation_keys())

"""Compute on encrypted bits, thousands of records at a time.

You bring a table of private records and a function; ringmill encrypts each bit of thousands of records into one ciphertext and
evaluates the function on all of them at once, on a machine that never sees what it computes on::

    import ringmill as rm

    @rm.circuit
    def flag(income: rm.u18, score: rm.u7):
        return (income > 100_000) & (score < 10)

    job = flag.plan()                                        # all parties
    client = job.client()                                    # has the secret
    server = job.server(client.evaluation_keys())            # has none
    results = server.evaluate(client.encrypt({"income": [120_000, 50_000], "score": [5, 3]}))
    client.decrypt(results)["flag"]                          # array([ True, False])
"""

from typing import Any

from . import errors
from ._account import Account
from ._circuit import Circuit, circuits, expression
from ._column import Column
from ._functions import all, any, concat, lookup, max, min, parity, popcount, select, totals, where
from ._job import Job
from ._parties import Client, Encrypted, Encryptor, EvaluationKeys, File, PublicKey, Results, Server
from ._progress import Progress
from ._records import Records
from ._report import Report
from ._ringmill import set_threads
from ._schema import Schema
from ._tracing import TracedCircuit, circuit
from ._types import Public as public
from ._types import WordType, bits, number_type
from ._types import bytes_ as bytes
from ._word import Word
from .errors import (
    BadFileError,
    CancelledError,
    CircuitError,
    DeviceError,
    Error,
    FileError,
    InternalError,
    MissingPackageError,
    NoParametersError,
    TableError,
    UsageError,
    WrongResultError,
)

u8, u16, u32, u64 = (WordType(name) for name in ("u8", "u16", "u32", "u64"))
i8, i16, i32, i64 = (WordType(name) for name in ("i8", "i16", "i32", "i64"))

__all__ = [name for name in dir() if not name.startswith("_") and name not in ("Any", "number_type")]


def __getattr__(name: str) -> Any:
    """The types of all widths: ``u1`` to ``u1024`` and ``i1`` to ``i1024``."""
    return number_type(name)

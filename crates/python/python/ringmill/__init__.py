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

from typing import TYPE_CHECKING, Any

from . import errors
from ._account import Account
from ._circuit import Circuit, circuits, expression
from ._column import Column
from ._functions import all as all
from ._functions import any as any
from ._functions import concat, lookup, parity, popcount, select, totals, where
from ._functions import max as max
from ._functions import min as min
from ._job import Job
from ._parties import Client, Encrypted, Encryptor, EvaluationKeys, File, PublicKey, Results, Server
from ._progress import Progress
from ._records import Records
from ._report import Report
from ._ringmill import __version__ as __version__
from ._ringmill import set_threads
from ._schema import Schema
from ._tracing import TracedCircuit, circuit
from ._types import number_type
from ._word import Word
from .errors import *  # noqa: F403

if not TYPE_CHECKING:
    # Annotations of words are values; for type checkers they are anything.
    from ._types import Public as public  # noqa: F401
    from ._types import bits as bits
    from ._types import bytes_ as bytes  # noqa: F401


def __getattr__(name: str) -> Any:
    """The types of numbers: ``u1`` to ``u1024`` and ``i1`` to ``i1024``."""
    return number_type(name)


# Without names that Python has: those are written with the package before them.
__all__ = [
    "Account",
    "Circuit",
    "Client",
    "Column",
    "Encrypted",
    "Encryptor",
    "EvaluationKeys",
    "File",
    "Job",
    "Progress",
    "PublicKey",
    "Records",
    "Report",
    "Results",
    "Schema",
    "Server",
    "TracedCircuit",
    "Word",
    "circuit",
    "circuits",
    "concat",
    "errors",
    "expression",
    "lookup",
    "parity",
    "popcount",
    "select",
    "set_threads",
    "totals",
    "where",
    *errors.__all__,
]

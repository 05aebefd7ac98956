"""The parties of a job. Each has its class: a server has no secret key, and no way to hold one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import _frames, _ringmill
from ._account import Account
from ._carried import Carried
from ._html import size
from ._options import Path
from ._parquet_output import ParquetOutput
from ._records import Records
from .errors import UsageError

if TYPE_CHECKING:
    from ._job import Job

#: Bytes of a counter block.
COUNTER_BYTES = 16


class PublicKey:
    """A key to encrypt with. Anybody may have it."""

    def __init__(self, native: _ringmill.PublicKey):
        self._native = native


class EvaluationKeys:
    """Keys to evaluate with. They decrypt nothing."""

    def __init__(self, native: _ringmill.EvaluationKeys):
        self._native = native


class Encrypted:
    """Encrypted records, in memory."""

    def __init__(self, native: _ringmill.Encrypted):
        self._native = native

    @property
    def records(self) -> int:
        """How many there are."""
        return self._native.records

    def __repr__(self) -> str:
        return f"<{self.records} encrypted records>"


class Results:
    """Encrypted results, in memory."""

    def __init__(self, native: _ringmill.Results):
        self._native = native

    @property
    def account(self) -> Account:
        """What the evaluation cost."""
        return Account(**self._native.account())

    def __repr__(self) -> str:
        return f"<encrypted results in {self.account.batches} batches>"


@dataclass(frozen=True)
class File:
    """Counts of a file that was written."""

    path: str
    records: int
    batches: int
    bytes: int
    ciphertexts: int | None = None
    #: Batches that an earlier run had evaluated.
    taken_over: int = 0
    account: Account | None = None
    #: log2 of the largest noise found; decryption works below -1.
    log2_noise: float | None = None

    def __str__(self) -> str:
        return f"{self.path}: {self.records} records in {self.batches} batches, {size(self.bytes)}"


class Encryptor:
    """A party that encrypts the private inputs of a job, and can do nothing else."""

    def __init__(self, job: Job, native: _ringmill.Encryptor, ports: Iterable[str] | None = None):
        private = job.inputs.only(public=False)
        self._schema = private if ports is None else type(private)(c for c in private if c.name in set(ports))
        self._job, self._native = job, native

    def of_ports(self, *ports: str) -> Encryptor:
        """Encrypts only some of the private inputs: the others come from other owners, under the same key."""
        return Encryptor(self._job, self._native.of_ports(list(ports)), ports)

    def encrypt(self, table: Any, types: Iterable[str] = ()) -> Encrypted:
        """Encrypts a table with a column for each private input; other columns are skipped. One record stands for all records
        of public inputs and of other owners.

        The table is a dict of arrays, a list of dicts, a structured array of NumPy, a frame of pandas or Polars, an Arrow
        table, or the name of a file: CSV, TSV, JSON lines, packed records (.bin) or Parquet. ``types`` are types of columns of
        text, each ``NAME=TYPE``.
        """
        return Encrypted(self._native.encrypt(self._schema.table(table, types=types)))

    def encrypt_to(self, table: Any, path: Path, *, replace: bool = False, types: Iterable[str] = ()) -> File:
        """The same into a file, batch by batch. Of a table in a file, no more than a part is in memory.

        :param replace: whether to replace a file that exists.
        :param types: types of columns of text, each ``NAME=TYPE``.
        """
        native = self._native.encrypt_to(self._schema.table(table, types=types), os.fspath(path), replace)
        return File(path=os.fspath(path), **native)

    def encrypt_batches_to(self, table: Any, directory: Path, *, types: Iterable[str] = ()) -> File:
        """The same into a new directory, each batch into a file of its own that can be evaluated apart from the others, as
        :func:`ringmill.ray.evaluate` does. The order of their names is that of the records; the counts are of all files."""
        native = self._native.encrypt_batches_to(self._schema.table(table, types=types), os.fspath(directory))
        return File(path=os.fspath(directory), **native)


class Client:
    """The party that owns the secret: it encrypts inputs, makes keys for others, and decrypts results."""

    def __init__(self, job: Job, native: _ringmill.Client):
        self._job, self._native = job, native

    @property
    def public_key(self) -> PublicKey | None:
        """The public key; none if the client is from the file of its secret key."""
        key = self._native.public_key
        return None if key is None else PublicKey(key)

    def evaluation_keys(self) -> EvaluationKeys:
        """Makes the keys that a server evaluates with."""
        return EvaluationKeys(self._native.evaluation_keys())

    def save_keys(self, directory: Path, *, replace: bool = False, passphrase: str | None = None) -> dict[str, int]:
        """Writes secret.key, which only its owner may read, public.key and evaluation.key into a directory; their bytes. The
        secret key is under the passphrase, if there is one."""
        kept = self._native.save_keys(os.fspath(directory), replace, passphrase)
        return {os.fspath(path): count for path, count in kept}

    def encryptor(self) -> Encryptor:
        """A party that encrypts with the secret key: half the bytes of the public key's ciphertexts, and less noise."""
        return Encryptor(self._job, self._native.encryptor())

    def encrypt(self, table: Any, types: Iterable[str] = ()) -> Encrypted:
        """Encrypts a table, as :meth:`Encryptor.encrypt`."""
        return self.encryptor().encrypt(table, types)

    def encrypt_to(self, table: Any, path: Path, *, replace: bool = False, types: Iterable[str] = ()) -> File:
        """Encrypts a table into a file, as :meth:`Encryptor.encrypt_to`."""
        return self.encryptor().encrypt_to(table, path, replace=replace, types=types)

    def encrypt_batches_to(self, table: Any, directory: Path, *, types: Iterable[str] = ()) -> File:
        """Encrypts a table into a directory, as :meth:`Encryptor.encrypt_batches_to`."""
        return self.encryptor().encrypt_batches_to(table, directory, types=types)

    def decrypt(self, results: Results) -> Records:
        """Decrypts results. Totals of several batches are added up here."""
        return Records._of(self._native.decrypt(results._native))

    def decrypt_to(
        self,
        results: Path,
        path: Path,
        *,
        replace: bool = False,
        shared: bool = False,
        format: str | None = None,
        types: Iterable[str] = (),
        of: Path | Sequence[Path] | None = None,
        public: Any = None,
        signed_by: Path | None = None,
        carry: tuple[Path, Sequence[str]] | None = None,
    ) -> File:
        """Decrypts a file of results into a table: .csv, .tsv, .jsonl, .bin, .parquet or .pq. No more than a part of it is in
        memory. Columns of Parquet have the types of ``job.outputs.to_arrow()``.

        :param replace: whether to replace a file that exists.
        :param shared: whether others may read the table.
        :param format: ``"csv"``, ``"tsv"``, ``"json"``, ``"bin"`` or ``"parquet"``; that of the ending unless given.
        :param types: types of columns of text, each ``NAME=TYPE``; Parquet has none.
        :param of: the files of inputs that the results must be of, with ``public``.
        :param signed_by: the file of a key by which the results must be signed.
        :param carry: a table in a file, and the columns of it that go before the results; a Parquet file for Parquet, and a
            file of text for others.
        """
        parquet, types = _frames.is_parquet(path if format is None else f".{format}"), list(types)
        if parquet and types:
            raise UsageError("types: columns of Parquet have the types of the circuit; leave out types")
        carry = carry if carry is not None and carry[1] else None
        results, path = os.fspath(results), os.fspath(path)
        options: dict[str, Any] = {
            "replace": replace,
            "shared": shared,
            "format": format,
            "types": types,
            "inputs": None if of is None else [os.fspath(part) for part in _listed(of)],
            "public": _public(self._job, public),
            "signed_by": None if signed_by is None else os.fspath(signed_by),
            "carry": None,
        }
        if parquet:
            output = ParquetOutput(path, replace=replace, shared=shared)
            carried = None if carry is None else Carried(*carry, self._job.outputs)
            options.update(replace=False, shared=False, format="bin")
            counts = output.write(
                self._job.outputs, carried, lambda packed: self._native.decrypt_to(results, packed, options)
            )
        else:
            if carry is not None:
                options["carry"] = (_ringmill.Table.open(os.fspath(carry[0])), list(carry[1]))
            counts = self._native.decrypt_to(results, path, options)
        return File(path=path, **counts)


class Server:
    """The party that evaluates. It holds keys to evaluate with, and nothing that decrypts."""

    def __init__(self, job: Job, native: _ringmill.Server):
        self._job, self._native = job, native

    def evaluate(
        self,
        encrypted: Encrypted | Sequence[Encrypted],
        public: Any = None,
        *,
        data: bytes | Path | None = None,
        counter: bytes | None = None,
    ) -> Results:
        """Evaluates the circuit on encrypted records, perhaps of several owners.

        :param public: a table with a column for each public input; a single value in place of a column stands for all records.
        :param data: blocks of the block cipher that the circuit begins with, as bytes or in a file.
        :param counter: the first counter block of counter mode, 16 bytes.
        """
        inputs = _public(self._job, public, data, counter)
        return Results(self._native.evaluate([part._native for part in _listed(encrypted)], inputs))

    def evaluate_to(
        self,
        encrypted: Path | Sequence[Path],
        path: Path,
        public: Any = None,
        *,
        data: bytes | Path | None = None,
        counter: bytes | None = None,
        replace: bool = False,
        resume: bool = False,
    ) -> File:
        """Evaluates files of encrypted inputs into a file of results, batch by batch. If a batch fails, those before it are
        kept, and the same call with ``resume=True`` goes on from there; if all were finished, it only sees that they are of
        these inputs. ``replace`` says whether to replace a file that exists."""
        inputs = _public(self._job, public, data, counter)
        files = [os.fspath(part) for part in _listed(encrypted)]
        counts = self._native.evaluate_to(files, inputs, os.fspath(path), (replace, resume))
        account = Account(
            batches=counts["batches"] - counts["taken_over"],
            seconds=counts.pop("seconds"),
            work=counts.pop("work"),
            peak_memory=counts.pop("peak_memory"),
        )
        return File(path=os.fspath(path), account=account, **counts)


def _listed(parts: Any) -> list[Any]:
    """One part or several."""
    return list(parts) if isinstance(parts, Sequence) and not isinstance(parts, str) else [parts]


def _public(job: Job, table: Any, data: Any = None, counter: bytes | None = None) -> dict[str, Any]:
    """Public inputs as the library takes them."""
    schema = job.inputs.only(public=True)
    if data is not None:
        cipher = job._native.circuit.cipher
        used = {cipher[1] if cipher else None, "counter" if counter is not None else None}
        schema = type(schema)(column for column in schema if column.name not in used)
        if _frames.is_path(data):
            data = _ringmill.Table.open(data, "bin")
        else:
            data = _ringmill.Table.packed(_bytes("data", data))
    return {
        "table": None if table is None else schema.table(table),
        "data": data,
        "counter": None if counter is None else _counter(counter),
    }


def _counter(counter: Any) -> bytes:
    block = _bytes("counter", counter)
    if len(block) != COUNTER_BYTES:
        raise UsageError(f"counter has {len(block)} bytes, and a counter block has {COUNTER_BYTES}")
    return block


def _bytes(argument: str, value: Any) -> bytes:
    """The bytes of an argument; a number is none, of which Python would make as many zeros."""
    try:
        return memoryview(value).tobytes()
    except TypeError:
        raise UsageError(
            f"{argument} is a {type(value).__name__}, where bytes are needed, as of int.to_bytes"
        ) from None

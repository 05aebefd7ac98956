"""Jobs: a circuit and its plan."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from . import _ringmill
from ._html import html_table
from ._options import Device, Path, plan_options
from ._parties import Client, Encryptor, EvaluationKeys, PublicKey, Server
from ._progress import Reporter, Shown
from ._report import Report
from ._schema import schema_of

if TYPE_CHECKING:
    from ._circuit import Circuit


class Job:
    """A circuit, how it is evaluated, and on which device: what all parties agree on. It holds no secret."""

    def __init__(self, native: _ringmill.Job, reporter: Reporter):
        self._native = native
        self._reporter = reporter
        inputs, outputs = native.circuit.ports()
        self.inputs = schema_of(inputs)
        self.outputs = schema_of(outputs)

    @staticmethod
    def open(
        path: Path,
        *,
        evaluate: bool = False,
        memory: int | None = None,
        spill_directory: Path | None = None,
        allow_insecure: bool = False,
        device: Device = "cpu",
        progress: Shown = None,
    ) -> Job:
        """Opens a job file.

        :param evaluate: whether to order the steps so that an evaluation keeps to the memory; so do the next two.
        :param memory: bytes that an evaluation may take; what the process can have unless given.
        :param spill_directory: a directory for values that memory has no room for.
        :param allow_insecure: whether to accept a file of weak parameters.
        :param device: ``"cpu"``, ``"cuda"``, ``"cuda:1"``, or ``"auto"``.
        :param progress: a function of :class:`ringmill.Progress`, or whether to show a bar; for the job's parties too.
        """
        evaluate = evaluate or memory is not None or spill_directory is not None
        options = plan_options(
            memory=memory, spill_directory=spill_directory, allow_insecure=allow_insecure, evaluate=evaluate
        )
        reporter = Reporter(progress)
        return Job(_ringmill.open(os.fspath(path), options, device, reporter), reporter)

    def save(self, path: Path, replace: bool = False) -> int:
        """Writes the job file, by which other machines know the job; its bytes."""
        return self._native.save(os.fspath(path), replace)

    @property
    def progress(self) -> Shown:
        """What shows the progress of this job and of its parties."""
        return self._reporter.shown

    @progress.setter
    def progress(self, shown: Shown) -> None:
        self._reporter.shown = shown

    @property
    def circuit(self) -> Circuit:
        """The circuit that is evaluated: perhaps an optimised variant of the one that was planned."""
        from ._circuit import Circuit

        return Circuit(self._native.circuit)

    @property
    def name(self) -> str:
        """The name of the circuit."""
        return self._native.circuit.name

    @property
    def device(self) -> str:
        """The name of the device."""
        return self._native.device

    @property
    def report(self) -> Report:
        """What the job takes: depth, time, memory, bytes."""
        return Report(**self._native.report())

    @property
    def variants(self) -> list[dict[str, Any]]:
        """The variants of the circuit that there were to choose from; none for a job of a file."""
        return self._native.points()

    def explain(self) -> str:
        """The plan in words."""
        return self._native.explain()

    def plot(self) -> Any:
        """Draws noise by depth, time by operation and memory over the run; a figure of matplotlib."""
        from ._plot import plot

        return plot(self)

    def cipher_key(self, key: bytes) -> _ringmill.Table:
        """The private inputs that the key of the circuit's block cipher stands for, for :meth:`Client.encrypt`."""
        return self._native.cipher_key(key)

    def client(self, seed: bytes | None = None) -> Client:
        """The party that owns the secret, with new keys. Whoever knows the seed of 32 bytes can decrypt: leave it out,
        unless keys must be the same again."""
        return Client(self, self._native.client(seed))

    def open_client(self, path: Path, passphrase: str | None = None) -> Client:
        """The same from the file of a secret key."""
        return Client(self, self._native.open_client(os.fspath(path), passphrase))

    def encryptor(self, key: PublicKey | Path) -> Encryptor:
        """A party that encrypts with a public key or the file of one."""
        return Encryptor(self, self._native.encryptor(self._public_key(key)))

    def server(
        self,
        keys: EvaluationKeys | Path,
        *,
        public_key: PublicKey | Path | None = None,
        sign_with: Path | None = None,
    ) -> Server:
        """The party that evaluates, with evaluation keys or the file of them. Plans with ``shared_results`` need the public
        key too. ``sign_with`` is the file of a key that signs results."""
        native, path = (keys._native, None) if isinstance(keys, EvaluationKeys) else (None, os.fspath(keys))
        public = None if public_key is None else self._public_key(public_key)
        signing = None if sign_with is None else os.fspath(sign_with)
        return Server(self, self._native.server(native, path, public, signing))

    def _public_key(self, key: PublicKey | Path) -> _ringmill.PublicKey:
        return key._native if isinstance(key, PublicKey) else self._native.open_public_key(os.fspath(key))

    def __repr__(self) -> str:
        return f"<job {self.name} on {self.device}>\n{self.report}"

    def _repr_html_(self) -> str:
        return html_table((self.name, self.device), self.report.rows)

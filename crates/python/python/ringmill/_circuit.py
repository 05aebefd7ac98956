"""Circuits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from . import _ringmill
from ._html import html_table
from ._job import Job
from ._options import Device, Path, plan_options
from ._progress import Reporter, Shown
from ._records import Records
from ._schema import Schema, schema_of


class Circuit:
    """A function of records as a circuit of XOR, AND and NOT, with its name.

    Circuits come with the library (:meth:`named`), from files (:meth:`open`), from formulas
    (:func:`ringmill.expression`) and from Python functions (:func:`ringmill.circuit`).
    """

    def __init__(self, native: _ringmill.Circuit):
        self._native = native
        inputs, outputs = native.ports()
        self.inputs: Schema = schema_of(inputs)
        self.outputs: Schema = schema_of(outputs)

    @staticmethod
    def named(name: str) -> Circuit:
        """A circuit that comes with the library; :func:`ringmill.circuits` lists their names."""
        return Circuit(_ringmill.Circuit.named(name))

    @staticmethod
    def open(path: Path) -> Circuit:
        """The circuit of a file, by its ending: ``.expr`` is an expression program, ``.job`` a job file, ``.aag`` and ``.aig``
        are AIGER, ``.blif`` is BLIF; with any other ending the first word says whether it is one of these or Bristol."""
        return Circuit(_ringmill.Circuit.open(path))

    @staticmethod
    def bristol(name: str, text: str) -> Circuit:
        """A circuit of text in Bristol Fashion or Bristol Format; its ports are named x0, x1, ... and y0, y1, ..."""
        return Circuit(_ringmill.Circuit.bristol(name, text))

    @property
    def name(self) -> str:
        """Its name."""
        return self._native.name

    @property
    def depth(self) -> int:
        """The most ANDs on a path: what decides the price under encryption."""
        return self._native.depth

    @property
    def products(self) -> int:
        """How many ANDs there are."""
        return self._native.products

    def with_public(self, *ports: str) -> Circuit:
        """The same with inputs that the evaluator sees in the clear; computing with them is far cheaper."""
        native = self._native
        for port in ports:
            native = native.with_public(port)
        return Circuit(native)

    def with_names(self, inputs: Iterable[str], outputs: Iterable[str]) -> Circuit:
        """The same with other names of all ports."""
        return Circuit(self._native.with_names(list(inputs), list(outputs)))

    def with_totals(self, **totals: str) -> Circuit:
        """The same with one result for the whole table: for each output ``count``, ``sum``, ``any``, ``all``, ``max`` or
        ``min``."""
        return Circuit(self._native.with_totals([f"{kind}:{port}" for port, kind in totals.items()]))

    def then(self, other: Circuit, public: Iterable[str] = (), widen: bool = False) -> Circuit:
        """Both as one: the results of this circuit are the private inputs of the other, port by port. ``widen`` extends
        results by zeros to the widths of the inputs."""
        return Circuit(_ringmill.Circuit.chain([self._native, other._native], list(public), widen))

    def plan(
        self,
        *,
        security: int = 128,
        records: int | None = None,
        batch_records: int | None = None,
        input_key: str = "public",
        packing: str | None = None,
        share_slots: str = "auto",
        shared_results: bool = False,
        optimise: str = "auto",
        memory: int | None = None,
        spill_directory: Path | None = None,
        preset: str | None = None,
        form: str | None = None,
        primes: str = "transform",
        further_levels: int = 0,
        after: Job | None = None,
        recalibrate: bool = False,
        device: Device = "cpu",
        progress: Shown = None,
    ) -> Job:
        """Chooses parameters and an order for an evaluation under encryption, before any key exists.

        :param security: bits of security: 128, 192 or 256.
        :param records: the records of the table; parameters are chosen for the least time for all of them.
        :param batch_records: the records that a batch must have room for.
        :param input_key: ``"secret"`` if only the client encrypts; ciphertexts have half the bytes then.
        :param packing: ``"separate"``, ``"slots"`` or ``"broadcast"``: how private inputs come in ciphertexts.
        :param share_slots: ``"auto"``, ``"never"`` or ``"always"``: whether four records of bits share each slot.
        :param shared_results: whether results may be shared with others than the owner of the keys.
        :param optimise: ``"auto"``, ``"off"``, ``"products"`` or ``"depth"``: which variants of the circuit are planned.
        :param memory: bytes that an evaluation may take.
        :param spill_directory: a directory for values that memory has no room for.
        :param preset: parameters by name, instead of choosing them.
        :param form: ``"bfv"`` or ``"bgv"``: how products are computed.
        :param primes: ``"machine"`` for primes that the machines of the repository take.
        :param further_levels: levels of products that results bear in later jobs.
        :param after: a job whose results are the private inputs.
        :param recalibrate: whether to measure the device again.
        :param device: ``"cpu"``, ``"cuda"``, ``"cuda:1"``, or ``"auto"``.
        :param progress: a function of :class:`ringmill.Progress`, or whether to show a bar; for the job's parties too.
        :raises ringmill.NoParametersError: if no parameters fit the circuit or the memory.
        """
        options = plan_options(
            security=security, records=records, batch_records=batch_records, input_key=input_key, packing=packing,
            share_slots=share_slots, shared_results=shared_results, optimise=optimise, memory=memory, spill_directory=spill_directory,
            preset=preset, form=form, primes=primes, further_levels=further_levels, recalibrate=recalibrate,
        )  # fmt: skip
        reporter = Reporter(progress)
        before = None if after is None else after._native
        return Job(_ringmill.plan(self._native, options, before, device, reporter), reporter)

    def simulate(self, table: Any) -> Records:
        """Evaluates it in the clear on a table of all inputs, private and public: nothing is encrypted."""
        return Records._of(self._native.simulate(self.inputs.table(table)))

    def __repr__(self) -> str:
        return f"<circuit {self.name}: {self.products} products, depth {self.depth}>"

    def _repr_html_(self) -> str:
        rows = [
            ("inputs", "; ".join(_declared(self.inputs))),
            ("outputs", "; ".join(_declared(self.outputs))),
            ("products", self.products),
            ("depth", self.depth),
        ]
        return html_table((self.name, ""), rows)


def _declared(schema: Schema) -> list[str]:
    return [f"{column.name}: {'public ' if column.public else ''}{column.type}" for column in schema]


def circuits() -> list[str]:
    """The names of all circuits that come with the library."""
    return _ringmill.circuit_names()


def expression(text: str, types: Mapping[str, str] | None = None, name: str = "expression") -> Circuit:
    """The circuit of an expression program, such as ``"income: u18; score: u7; flag = income > 100_000 and score < 10"``.

    ``types`` has types for inputs that the program does not declare: ``{"income": "u18", "limit": "public u18"}``.
    """
    return Circuit(_ringmill.Circuit.expression(name, text, list((types or {}).items())))

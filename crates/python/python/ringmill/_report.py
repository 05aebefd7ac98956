"""What a plan says."""

from __future__ import annotations

from dataclasses import dataclass

from ._html import duration, html_table, size


@dataclass(frozen=True)
class Report:
    """What a job takes, before any key exists."""

    #: The name of the parameters, the ring's dimension, and log2 of the moduli.
    parameters: str
    n: int
    log2_q: float
    log2_p: float
    #: Bits of security, and what is wrong with it if anything is.
    security: int
    warning: str | None
    #: How products are computed, and how private inputs come in ciphertexts.
    form: str
    packing: str
    #: Records in a batch, and whether four share each slot.
    batch_records: int
    shared_slots: bool
    #: The most products on a path, and all of them.
    depth: int
    products: int
    #: Seconds predicted for a batch, and to take packed inputs apart.
    seconds: float
    unpacking_seconds: float
    #: Bytes of memory predicted, and bytes put aside into a file and read from there.
    memory: int
    written_aside: int
    read_aside: int
    threads: int
    #: Bytes of evaluation keys, of a batch of inputs and of a batch of results.
    key_bytes: int
    input_bytes: int
    result_bytes: int
    #: Bits between the predicted noise and what decryption bears, and log2 of the probability that it fails.
    margin_bits: float
    log2_failure: float

    @property
    def rows(self) -> list[tuple[str, str]]:
        """The same for people."""
        each = size(self.input_bytes / self.batch_records)
        secure = f"{self.security} bits" if self.warning is None else f"INSECURE: {self.warning}"
        return [
            ("depth", f"{self.depth}, {self.products} products"),
            ("time", f"{duration(self.seconds)} a batch of {self.batch_records} records"),
            ("memory", size(self.memory)),
            ("keys", f"{size(self.key_bytes)} once"),
            ("inputs", f"{size(self.input_bytes)} a batch ({each} a record)"),
            ("results", f"{size(self.result_bytes)} a batch"),
            ("security", secure),
            ("parameters", f"{self.parameters}: n = {self.n}, log2 q = {self.log2_q:.0f}, {self.form} products"),
            ("noise", f"{self.margin_bits:.1f} bits of margin, failure below 2^{max(self.log2_failure, -1000):.0f}"),
        ]

    def __str__(self) -> str:
        return "\n".join(f"{name:<11}{value}" for name, value in self.rows)

    def _repr_html_(self) -> str:
        return html_table(("", ""), self.rows)

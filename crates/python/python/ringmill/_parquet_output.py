"""A Parquet file of results: all of it is there, or nothing."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from typing import Any

from ._carried import Carried
from ._optional import need
from ._options import Path
from ._parquet import ROWS, told
from ._records import Records
from ._schema import Schema
from .errors import FileError, UsageError


class ParquetOutput:
    """Where results are written as Parquet, some rows at a time.

    :param replace: whether to replace a file that exists.
    :param shared: whether others may read it, as far as the process's mask lets them.
    """

    def __init__(self, path: Path, *, replace: bool, shared: bool):
        need("pyarrow.parquet", "a Parquet file")
        self._path, self._replace, self._shared = os.fspath(path), replace, shared
        self._check()

    def write(
        self, schema: Schema, carried: Carried | None, decrypt: Callable[[str], dict[str, Any]]
    ) -> dict[str, Any]:
        """Writes what ``decrypt`` makes: packed records, in the file that it is told the name of. Returns the counts that it
        returns, with the bytes of the Parquet file."""
        with told(self._path):
            # Only the owner can look into it, so that nobody else sees anything before all is written.
            beside = os.path.dirname(os.path.abspath(self._path))
            directory = tempfile.TemporaryDirectory(dir=beside, prefix=".ringmill-")
        with directory:
            packed, aside = (os.path.join(directory.name, name) for name in ("records.bin", "records.parquet"))
            counts = decrypt(packed)
            rows = os.path.getsize(packed) // schema.record_bytes
            if carried is not None:
                carried.check_rows(rows, totals=rows != counts["records"])
            with told(self._path):
                self._convert(schema, carried, packed, aside)
                self._place(aside)
                return {**counts, "bytes": os.path.getsize(self._path)}

    def _check(self) -> None:
        """Refuses what cannot be written, before any work is done, as the library does."""
        if self._path == "-":
            raise UsageError("a Parquet file cannot go to standard output; name a file")
        if os.path.isdir(self._path):
            raise FileError(f"{self._path}: is a directory; name a file")
        if not self._replace and os.path.lexists(self._path):
            raise self._exists()
        parent = os.path.dirname(self._path)
        if parent and not os.path.isdir(parent):
            raise FileError(f"{parent}: no such directory; make it first")

    def _exists(self) -> FileError:
        return FileError(f"{self._path} exists already; choose another name, or add replace=True to replace it")

    def _convert(self, schema: Schema, carried: Carried | None, packed: str, aside: str) -> None:
        arrow, parquet = need("pyarrow", "a Parquet file"), need("pyarrow.parquet", "a Parquet file")
        fields = schema.to_arrow()
        if carried is not None:
            fields = arrow.schema([*carried.fields, *fields])

        def opened(path: str, flags: int) -> int:
            return os.open(path, flags, 0o666 if self._shared else 0o600)

        with open(packed, "rb") as records, open(aside, "xb", opener=opened) as out:
            with parquet.ParquetWriter(out, fields) as writer:
                while part := records.read(ROWS * schema.record_bytes):
                    table = Records(schema, schema.unpack(part)).to_arrow()
                    before = [] if carried is None else carried.take(len(table))
                    writer.write_table(arrow.Table.from_arrays([*before, *table.columns], schema=fields))
            out.flush()
            os.fsync(out.fileno())

    def _place(self, aside: str) -> None:
        """Gives the file its name."""
        if self._replace:
            os.replace(aside, self._path)
            return
        try:
            # The name is taken first, so that nothing is replaced that came meanwhile.
            os.close(os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        except FileExistsError:
            raise self._exists() from None
        try:
            os.replace(aside, self._path)
        except BaseException:
            os.unlink(self._path)
            raise

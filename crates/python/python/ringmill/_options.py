"""Options as the library takes them."""

from __future__ import annotations

import os
from typing import Any

#: The name of a device.
Device = str

#: The name of a file.
Path = str | os.PathLike[str]


def plan_options(**options: Any) -> dict[str, Any]:
    """Options of planning, with paths as text."""
    return {name: os.fspath(value) if isinstance(value, os.PathLike) else value for name, value in options.items()}

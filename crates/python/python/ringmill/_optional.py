"""Packages that only some uses need."""

from __future__ import annotations

import importlib
from types import ModuleType

from .errors import MissingPackageError


def need(module: str, use: str, package: str | None = None) -> ModuleType:
    """Imports an optional module, or says what to install for this use: its package, unless another is named."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        needed = module.split(".")[0]
        raise MissingPackageError(f"{use} needs {needed}: pip install {package or needed}") from error

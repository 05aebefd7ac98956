"""Packages that only some uses need."""

from __future__ import annotations

import importlib
from types import ModuleType

from .errors import MissingPackageError


def need(module: str, use: str) -> ModuleType:
    """Imports an optional module, or says what to install for this use."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.split(".")[0]
        raise MissingPackageError(f"{use} needs {package}: pip install {package}") from error

"""Where in the user's code something happened."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any, TypeVar

from .errors import CircuitError

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep

T = TypeVar("T")
Place = tuple[str, int]


def here() -> Place:
    """The file and the line of the innermost call from outside of this package."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno


def placed(place: Place, call: Callable[..., T], *arguments: Any) -> T:
    """Calls something; what is wrong with the circuit is wrong at this place."""
    try:
        return call(*arguments)
    except CircuitError as error:
        raise error.at(*place) from None

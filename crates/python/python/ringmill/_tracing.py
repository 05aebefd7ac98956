"""From Python functions to circuits."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import sys
from collections.abc import Callable, Mapping
from types import FrameType
from typing import Any

from . import _ringmill
from ._circuit import Circuit
from ._functions import Total
from ._place import Place, placed
from ._progress import logger
from ._types import Public, WordType, word_type
from ._word import Word, current, evaluate
from .errors import CircuitError


class TracedCircuit(Circuit):
    """A circuit that was a Python function. Called with words it is that function, within another circuit; called with plain
    values it gives the result for one record, in the clear."""

    def __init__(self, function: Callable[..., Any]):
        functools.update_wrapper(self, function)
        self._function = function
        super().__init__(_traced(function))

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        bound = inspect.signature(self._function).bind(*arguments, **named).arguments
        if any(isinstance(value, Word) for value in bound.values()):
            return self._function(*arguments, **named)
        row = self.simulate([bound]).to_dicts()[0]
        return next(iter(row.values())) if len(row) == 1 else row


def circuit(function: Callable[..., Any]) -> TracedCircuit:
    """Makes a circuit of a function over words::

        @ringmill.circuit
        def flag(income: ringmill.u18, score: ringmill.u7, limit: ringmill.public[ringmill.u18]):
            return (income > limit) & (score < 10)

    Each parameter is an input of the type that its annotation says. The function runs once, with words in place of values: loops
    run as they do, and what depends on a word's value is written with :func:`select` and others. A result is a word, or several
    in a dict, a tuple, a named tuple or a dataclass.

    :raises ringmill.CircuitError: with the file and the line of what cannot be part of a circuit.
    """
    return TracedCircuit(function)


def _traced(function: Callable[..., Any]) -> _ringmill.Circuit:
    code = function.__code__
    definition = (code.co_filename, code.co_firstlineno)
    try:
        signature = inspect.signature(function, eval_str=True)
        inputs = _input_types(signature)
        wanted = None if signature.return_annotation is inspect.Signature.empty else signature.return_annotation
    except CircuitError as error:
        raise error.at(*definition) from None
    except NameError as error:
        raise CircuitError(f"an annotation of {function.__name__}: {error}").at(*definition) from None
    trace = _ringmill.Trace()
    words = {
        name: Word(trace, placed(definition, trace.input, name, kind.name, public)) for name, kind, public in inputs
    }
    token = current.set(trace)
    try:
        result, place = _run(function, signature, words, definition)
        for name, value, kind in _named(function.__name__, result, wanted, place):
            _output(trace, name, value, kind, place)
    finally:
        current.reset(token)
    try:
        native, unused = trace.finish(function.__name__)
    except CircuitError as error:
        raise error.at(*place) from None
    for name in unused:
        logger.warning(
            "%s:%d: no result of %s depends on %s, which is no input of the circuit",
            *definition,
            function.__name__,
            name,
        )
    return native


def _input_types(signature: inspect.Signature) -> list[tuple[str, WordType, bool]]:
    inputs = []
    for name, parameter in signature.parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise CircuitError(f"a circuit has a known number of inputs: give each its name instead of *{name}")
        annotation = parameter.annotation
        if annotation is parameter.empty:
            raise CircuitError(f"the input {name} has no type: write {name}: ringmill.u8, for instance")
        public = isinstance(annotation, Public)
        try:
            inputs.append((name, annotation.of if public else word_type(annotation), public))
        except CircuitError as error:
            raise CircuitError(f"the input {name}: {error}") from None
    return inputs


def _run(
    function: Callable[..., Any], signature: inspect.Signature, words: dict[str, Word], definition: Place
) -> tuple[Any, Place]:
    """The result of a function, and the line that returned it; the line of its definition if a profiler is at work."""
    place = definition

    def watch(frame: FrameType, event: str, _: Any) -> None:
        nonlocal place
        if event == "return" and frame.f_code is function.__code__:
            place = (frame.f_code.co_filename, frame.f_lineno)

    kinds = {name: parameter.kind for name, parameter in signature.parameters.items()}
    named = {name: word for name, word in words.items() if kinds[name] is inspect.Parameter.KEYWORD_ONLY}
    others = [word for name, word in words.items() if name not in named]
    watched = sys.getprofile() is None
    if watched:
        sys.setprofile(watch)
    try:
        return function(*others, **named), place
    except RecursionError:
        raise _endless(function).at(*definition) from None
    except NameError as error:
        # It has no name yet while it becomes a circuit.
        if error.name == function.__name__:
            raise _endless(function).at(*place) from None
        raise
    finally:
        if watched:
            sys.setprofile(None)


def _endless(function: Callable[..., Any]) -> CircuitError:
    return CircuitError(
        f"{function.__name__} calls itself without end: what ends it must not depend on a word, but on a number that Python "
        "knows; write a function without @ringmill.circuit that takes such a number, and call that"
    )


def _named(name: str, result: Any, wanted: Any, place: Place) -> list[tuple[str, Any, WordType | None]]:
    """The results with their names, and with their types if the function says them."""
    if dataclasses.is_dataclass(result) and not isinstance(result, type):
        result = {field.name: getattr(result, field.name) for field in dataclasses.fields(result)}
    elif isinstance(result, tuple) and hasattr(result, "_fields"):
        result = dict(zip(result._fields, result))
    elif isinstance(result, (tuple, list)):
        result = {f"{name}_{index}": value for index, value in enumerate(result)}
    if not isinstance(result, Mapping):
        result = {name: result}
    if not result:
        raise CircuitError(f"{name} returns nothing; return a word, or several in a dict").at(*place)
    kind = None if wanted is None else placed(place, word_type, wanted)
    return [(key, value, kind) for key, value in result.items()]


def _output(trace: _ringmill.Trace, name: str, value: Any, kind: WordType | None, place: Place) -> None:
    try:
        if not isinstance(name, str):
            raise CircuitError(f"a result is called {name!r}, a {type(name).__name__}; names are text")
        if isinstance(value, Total):
            placed(value.place, _total, trace, name, value)
            return
        if isinstance(value, float):
            raise CircuitError(
                f"{name} is {value}, a float, and results are integers; scale fractions to integers, for instance to cents"
            )
        if value is None:
            raise CircuitError(f"{name} is None; return a word, or several in a dict")
        trace.output(name, evaluate(trace, "{}", [value]), None if kind is None else kind.name)
    except CircuitError as error:
        raise error.at(*place) from None


def _total(trace: _ringmill.Trace, name: str, total: Total) -> None:
    trace.total(name, total.kind, evaluate(trace, "{}", [total.word]))

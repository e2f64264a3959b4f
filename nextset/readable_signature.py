"""Public functions as people use them: readable signatures, and errors for arguments of another type."""

from __future__ import annotations

import functools
import inspect
import os
import re
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

from nextset.errors import InputError

__all__ = ["public_function", "show_readable_signature"]

_Check = Callable[[Any], bool]


def _list_of(*kinds: type) -> _Check:
    return lambda value: (
        isinstance(value, Collection)
        and not isinstance(value, str | bytes | Mapping)
        and all(isinstance(entry, kinds) for entry in value)
    )


_PLAIN: dict[str, tuple[str, _Check]] = {
    "str": ("a text", lambda value: isinstance(value, str)),
    "Path": ("a path", lambda value: isinstance(value, str | os.PathLike)),
    "None": ("None", lambda value: value is None),
    "Study": ("a study", lambda value: any(kind.__name__ == "Study" for kind in type(value).__mro__)),
    "Sequence[str]": ("a list of texts", _list_of(str)),
    "Sequence[str | Path]": ("a list of paths", _list_of(str, os.PathLike)),
}
"""The types of the arguments that are checked, as text and as checks."""
_OR = re.compile(r" \| (?![^\[]*\])")


@functools.cache
def public_function(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``function`` as ``import nextset`` offers it.

    For a parameter that takes only the types above, a call with another type raises InputError, and a text
    for a path becomes a path. `nextset.study.study_folder.of_study` checks the parameter study.
    """
    signature = inspect.signature(function)
    single = (p for p in signature.parameters.values() if p.kind is not p.VAR_POSITIONAL)
    written = {p.name: _OR.split(str(p.annotation)) for p in single}
    kinds_of = {n: kinds for n, kinds in written.items() if n != "study" and _PLAIN.keys() >= set(kinds)}

    @functools.wraps(function)
    def checked(*args: Any, **kwargs: Any) -> Any:
        try:
            given = signature.bind(*args, **kwargs)
        except TypeError:  # Python's own error for a wrong call
            return function(*args, **kwargs)
        for name in kinds_of.keys() & given.arguments:
            kinds, value = kinds_of[name], given.arguments[name]
            if not any(_PLAIN[kind][1](value) for kind in kinds):
                expected = " or ".join(_PLAIN[kind][0] for kind in kinds)
                raise InputError(f"{name}: {value!r:.80} is not {expected}", remedy=f"give {expected}")
            if "str" not in kinds and isinstance(value, str):
                given.arguments[name] = Path(value)
        return function(*given.args, **given.kwargs)

    checked.__module__ = "nextset"  # so that it is found there, also by pickle
    show_readable_signature(checked)
    return checked


class _Source(str):
    """A type as it is written in the code; it is shown without quotation marks."""

    def __repr__(self) -> str:
        return str(self)


def show_readable_signature(value: Any) -> None:
    """Let ``help()`` and notebooks show the signature of the function ``value`` without quotation marks.

    Anything else than a function of nextset is left as it is.
    """
    if not inspect.isfunction(value) or isinstance(getattr(value, "__signature__", None), _Shown):
        return
    signature = inspect.signature(value)
    parameters = [
        parameter.replace(annotation=_source(parameter.annotation), default=_default(parameter.default))
        for parameter in signature.parameters.values()
    ]
    shown = _Shown(parameters, return_annotation=_source(signature.return_annotation))
    value.__signature__ = shown  # type: ignore[attr-defined]


class _Named:
    """A function as a default value; it is shown by its name."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._function(*args, **kwargs)

    def __repr__(self) -> str:
        return "..." if self._function.__name__ == "<lambda>" else self._function.__name__


class _Shown(inspect.Signature):
    """A signature that has been made readable."""


def _source(annotation: Any) -> Any:
    return _Source(annotation) if isinstance(annotation, str) else annotation


def _default(value: Any) -> Any:
    return _Named(value) if inspect.isfunction(value) else value

"""Signatures of public functions as people read them: types without quotation marks, and no addresses."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

__all__ = ["show_readable_signature"]


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

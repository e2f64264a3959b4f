"""The headers of requests: the server's key, and further headers with variables from the environment.

No error shows a value, or the name of a variable that could be a key pasted where a name belongs.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

from nextset.errors import ModelError
from nextset.redaction import hide
from nextset.scoring.models.server_address import OPENAI_KEY
from nextset.scoring.models.sources import ModelSource
from nextset.study.model_key import ServerSettingError, setting_place
from nextset.study.server_secrets import secret_texts, shown_variable, variables_of

__all__ = ["hide_secret_fields", "key_refused", "secret_headers"]

_VALUE = re.compile(r"[!-~]*")


def secret_headers(source: ModelSource, headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers of requests to the server of ``source``, with their values from the environment.

    These values are hidden in every text from now on. Raises ModelError for a variable that is not set,
    unless it is OPENAI_API_KEY, and for a value that cannot be in a header.
    """
    key = _key(source)
    sent = {"Authorization": f"Bearer {key}"} if key else {}
    for name, written in headers.items():
        value = written
        for variable, variable_name in variables_of(written):
            place = f"headers of {source.name}: {name}"
            value = value.replace(variable, _variable(source.name, variable_name, place, "headers"))
        sent = {known: v for known, v in sent.items() if known.lower() != name.lower()}
        sent["Authorization" if name.lower() == "authorization" else name] = value
    return sent


def hide_secret_fields(source: ModelSource, body: Mapping[str, Any]) -> None:
    """Hide the values of the variables in ``body`` from now on; raises ModelError like `secret_headers`."""
    for text in secret_texts(body):
        for _, name in variables_of(text):
            _variable(source.name, name, f"body of {source.name}", "body")


def key_refused(source: ModelSource, status: int, *, sent: bool) -> ModelError:
    """Return the error for a server that refuses the key with ``status``, or that got none."""
    if source.key == OPENAI_KEY:
        what = "is refused" if sent else "is not set"
        return ModelError(
            f"{source.name}: the server answers {status}; {OPENAI_KEY} {what}",
            remedy=f"export {OPENAI_KEY}=KEY with a key for this server and model",
        )
    place = setting_place(source.name, "server.key")
    shown = shown_variable(source.key)
    key = f"the key in {shown}" if shown else "the key"
    problem = f"{key} that {place} names is refused" if sent else "no key was sent"
    remedy = f"write the name of an environment variable with a key for this server and model as {place}"
    problem = f"{source.name}: the server answers {status}; {problem}"
    return ServerSettingError(problem, remedy=remedy, name=source.name, key="key")


def _key(source: ModelSource) -> str:
    """Return the server's key; empty if none is sent."""
    if not source.key or source.key == OPENAI_KEY:
        return _checked(os.environ.get(source.key, "").strip(), OPENAI_KEY) if source.key else ""
    return _variable(source.name, source.key, setting_place(source.name, "server.key"), "key")


def _variable(model: str, name: str, place: str, key: str) -> str:
    """Return the value of the variable ``name``, which ``place``, the ``key`` of ``model``, names."""
    value, shown = os.environ.get(name, "").strip(), shown_variable(name)
    if not value:
        export = f"export {shown}=KEY" if shown else "export the variable with the key"
        raise ServerSettingError(
            f"{place}: the environment variable {shown or 'that it names'} is not set",
            remedy=f"{export}, or name a different one; never write the key itself",
            name=model,
            key=key,
        )
    return _checked(value, f"the variable that {place} names")


def _checked(value: str, what: str) -> str:
    """Return ``value``, which is hidden from now on; raises ModelError, without it, if it is not a key."""
    hide(value)
    if not _VALUE.fullmatch(value):
        raise ModelError(
            f"{what} contains a character that is not allowed in a key",
            remedy=f"set {what} again, without spaces or quotes",
        )
    return value

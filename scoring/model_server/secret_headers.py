"""The headers of requests: the server's key, and further headers with variables from the environment.

No error shows a value, or the name of a variable, because a key can be pasted where a name belongs.
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
from nextset.study.model_key import setting_place
from nextset.study.server_secrets import secret_texts, variables_of

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
            value = value.replace(variable, _variable(variable_name, f"headers of {source.name}: {name}"))
        sent = {known: v for known, v in sent.items() if known.lower() != name.lower()}
        sent["Authorization" if name.lower() == "authorization" else name] = value
    return sent


def hide_secret_fields(source: ModelSource, body: Mapping[str, Any]) -> None:
    """Hide the values of the variables in ``body`` from now on; raises ModelError like `secret_headers`."""
    for text in secret_texts(body):
        for _, name in variables_of(text):
            _variable(name, f"body of {source.name}")


def key_refused(source: ModelSource, status: int, *, sent: bool) -> ModelError:
    """Return the error for a server that refuses the key with ``status``, or that got none."""
    if source.key == OPENAI_KEY:
        what = "is refused" if sent else "is not set"
        return ModelError(
            f"{source.name}: the server answers {status}; {OPENAI_KEY} {what}",
            remedy=f"export {OPENAI_KEY}=KEY with a key for this server and model",
        )
    place = setting_place(source.name, "server.key")
    problem = f"the key that {place} names is refused" if sent else "no key was sent"
    remedy = f"write the name of an environment variable with a key for this server and model as {place}"
    return ModelError(f"{source.name}: the server answers {status}; {problem}", remedy=remedy)


def _key(source: ModelSource) -> str:
    """Return the server's key; empty if none is sent."""
    if not source.key or source.key == OPENAI_KEY:
        return _checked(os.environ.get(source.key, "").strip(), OPENAI_KEY) if source.key else ""
    return _variable(source.key, setting_place(source.name, "server.key"))


def _variable(name: str, place: str) -> str:
    value = os.environ.get(name, "").strip()
    if not value:
        raise ModelError(
            f"{place}: the environment variable that it names is not set",
            remedy="export the variable with the key, or name a different one; never write the key itself",
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

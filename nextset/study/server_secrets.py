"""The settings that may be next to a secret: a server's address, its key and headers.

An error about such a value does not show it, because people paste keys into them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pydantic import BeforeValidator

from nextset.files.yaml_values import HiddenValue
from nextset.redaction import redacted

__all__ = [
    "ADDRESS",
    "HEADERS",
    "KEY",
    "check_body",
    "secret_texts",
    "shown_variable",
    "variables_of",
    "with_secrets",
]

_NAME = re.compile(r"[A-Z_][A-Z0-9_]*")
_READS_AS_NAME = re.compile(r"(?=.*_)(?!.*[0-9]{3}).*")
_ADDRESS = re.compile(r"https?://[^\s@?#]+")
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_SECRET = re.compile(r"auth|key|token|secret|cookie|passw|credential|signature", re.IGNORECASE)
"""The headers whose value is a secret, by a part of their name."""
_SECRET_FIELD = re.compile(
    r"(?:^|[_.-]|(?<=[a-z])(?=[A-Z]))(?:\w*api_?)?(?:auth\w*|key|token|secret|passw\w*|credentials?|signature)"
    r"(?![a-z])",
    re.IGNORECASE,
)
"""The fields of a request whose texts are secrets, by a word in their name; max_tokens has none of them."""
_NO_SECRETS = {"prompt_cache_key"}
_PLAIN_HEADER = re.compile(r"[A-Za-z-]{1,30}")
"""The names of headers that an error shows."""
_OF_HTTP = {"connection", "content-length", "content-type", "host", "transfer-encoding"}
_VARIABLE = re.compile(r"\$\{?([A-Z_][A-Z0-9_]*)\}?")
_SECRET_VALUE = re.compile(rf"([A-Za-z]+ )?{_VARIABLE.pattern}")
"""A variable, perhaps after a word such as Bearer."""


def variables_of(header: str) -> list[tuple[str, str]]:
    """Return each variable in the value of a ``header``: as it is written, and its name."""
    return [(match[0], match[1]) for match in _VARIABLE.finditer(header)]


def secret_texts(body: Mapping[str, Any]) -> Iterator[str]:
    """Yield the texts in ``body`` that are secrets by the name of their field, or of a field around it."""
    yield from _texts(body, below_secret=False)


def with_secrets(body: Any, values: Callable[[str], str], *, below_secret: bool = False) -> Any:
    """Return ``body`` with ``values(NAME)`` for each variable $NAME in its secret texts."""
    if isinstance(body, Mapping):
        return {
            name: with_secrets(inner, values, below_secret=below_secret or _is_secret(name))
            for name, inner in body.items()
        }
    if isinstance(body, list):
        return [with_secrets(inner, values, below_secret=below_secret) for inner in body]
    if isinstance(body, str) and below_secret:
        return _VARIABLE.sub(lambda match: values(match[1]), body)
    return body


def check_body(body: Mapping[str, Any]) -> None:
    """Raise HiddenValue for a secret in ``body`` that is not the name of a variable."""
    if not all(_SECRET_VALUE.fullmatch(text) for text in secret_texts(body)):
        raise HiddenValue(
            "the text of a field whose name has key, token, secret, auth or password can be a secret, which "
            "does not belong into a file",
            'export MY_SERVER_KEY=..., and write the field as "$MY_SERVER_KEY"',
        )
    if redacted(written := str(body)) != written:
        raise HiddenValue("it contains a secret, which does not belong into a file", "remove it")


def _is_secret(field: object) -> bool:
    return isinstance(field, str) and field not in _NO_SECRETS and bool(_SECRET_FIELD.search(field))


def _texts(value: Any, *, below_secret: bool) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _texts(inner, below_secret=below_secret or _is_secret(name))
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner, below_secret=below_secret)
    elif isinstance(value, str) and below_secret:
        yield value


def shown_variable(name: str) -> str:
    """Return ``name`` if it reads as the name of a variable; empty if it could be a secret, such as AKIA...

    The name of a variable has an underscore, and at most two digits in a row.
    """
    return name if _NAME.fullmatch(name) and _READS_AS_NAME.fullmatch(name) else ""


def _refuse_dollar(value: object) -> None:
    """Raise HiddenValue for the name of a variable that is written with a $."""
    if isinstance(value, str) and (match := _VARIABLE.fullmatch(value)):
        name = shown_variable(match[1])
        raise HiddenValue(
            "the name of an environment variable has no $ here", f"write {name or 'the name'} without the $"
        )


def _address(value: object) -> object:
    _refuse_dollar(value)
    if value == "" or (isinstance(value, str) and (_ADDRESS.fullmatch(value) or _NAME.fullmatch(value))):
        return value
    raise HiddenValue(
        "neither an address without a name, key or query, nor the name of an environment variable",
        "write it like https://example.org/v1 or MY_SERVER_URL",
    )


def _key(value: object) -> object:
    _refuse_dollar(value)
    if value == "" or (isinstance(value, str) and _NAME.fullmatch(value)):
        return value
    raise HiddenValue(
        "not the name of an environment variable; the key itself does not belong into a file",
        "export MY_SERVER_KEY=..., and write the name of that variable: MY_SERVER_KEY",
    )


def _headers(value: object) -> object:
    if not isinstance(value, Mapping):
        raise HiddenValue("not keys with values", "write each header as a key with its value, indented")
    for name, header in value.items():
        _check_header(name, header)
    return dict(value)


def _check_header(name: object, value: object) -> None:
    if not isinstance(name, str) or not _HEADER.fullmatch(name):
        raise HiddenValue("a name is not the name of a header", "write it like X-Title")
    shown = name if _PLAIN_HEADER.fullmatch(name) else "a header"
    if name.lower() in _OF_HTTP:
        raise HiddenValue(f"{name} is set by nextset", "remove it")
    if not isinstance(value, str) or not re.fullmatch(r"[!-~]([ -~]*[!-~])?", value):
        raise HiddenValue(f"the value of {shown} is not a text of one line", "write it in quotes, in ASCII")
    secret = _SECRET.search(name) and not _SECRET_VALUE.fullmatch(value)
    if secret or redacted(value) != value:
        raise HiddenValue(
            f"the value of {shown} can be a secret, which does not belong into a file",
            f'export MY_SERVER_KEY=..., and write {shown}: "$MY_SERVER_KEY"',
        )


ADDRESS = BeforeValidator(_address)
"""Accepts an address, the name of an environment variable, or an empty text."""
KEY = BeforeValidator(_key)
"""Accepts the name of an environment variable, or an empty text."""
HEADERS = BeforeValidator(_headers)
"""Accepts headers; secrets must be variables, written $NAME."""

"""Redaction: keys and tokens that this process knows get into no text that is kept or shown."""

from __future__ import annotations

import base64
import html
import json
import os
import re
import urllib.parse

__all__ = ["HIDDEN", "hide", "redacted"]

HIDDEN = "***"
"""What stands in place of a secret."""
VARIABLES = (
    "OPENAI_API_KEY", "HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "NEXTSET_LABEL_STUDIO_TOKEN", "RAY_AUTH_TOKEN",
)  # fmt: skip
"""Environment variables with secrets."""
ALIKE = re.compile(r"\b(hf_[A-Za-z0-9]{16,}|sk-[A-Za-z0-9_-]{16,})")
"""Texts that look like a key or token, such as somebody else's."""
SHORTEST = 6
"""The fewest characters of a secret: x and EMPTY are what servers without keys are given."""

_HIDDEN_TEXTS: set[str] = set()


def hide(secret: str) -> None:
    """Hide ``secret`` in every text from now on; for secrets that come from elsewhere than `VARIABLES`."""
    _HIDDEN_TEXTS.add(secret.strip())


def redacted(text: str) -> str:
    """``text`` without the secrets that this process knows, also as JSON, HTML, URLs or base64 write them.

    Case is ignored. Texts that look like a key of a model server or a token of the Hub are hidden too.
    """
    secrets = _HIDDEN_TEXTS | {os.environ.get(name, "").strip() for name in VARIABLES}
    written = {form for secret in secrets if len(secret) >= SHORTEST for form in _forms(secret)}
    for form in sorted(written, key=lambda form: (-len(form), form)):  # a secret may contain another one
        text = re.sub(re.escape(form), HIDDEN, text, flags=re.IGNORECASE)
    return ALIKE.sub(HIDDEN, text)


def _forms(secret: str) -> set[str]:
    """The ways to write ``secret``."""
    as_json = json.dumps(secret)[1:-1]
    return {
        secret,
        as_json,
        as_json.replace("/", "\\/"),
        repr(secret)[1:-1],
        html.escape(secret),
        urllib.parse.quote(secret),
        urllib.parse.quote(secret, safe=""),
        base64.b64encode(secret.encode()).decode().rstrip("="),
    }

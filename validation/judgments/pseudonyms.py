"""Pseudonyms, which replace annotators before anything about them is stored."""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
import unicodedata
from pathlib import Path

from nextset.errors import JudgmentError
from nextset.files.regular_file import has_file

__all__ = ["KEY_VARIABLE", "identity", "key_name", "pseudonym", "pseudonym_key"]

KEY_VARIABLE = "NEXTSET_PSEUDONYM_KEY"
"""The environment variable with the key, if it is set."""

_SHORTEST = 16
_SHAPELESS = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0]")
"""Characters without a shape that are neither format nor control characters (Unicode's
Default_Ignorable_Code_Point)."""
_AS_TYPED = str.maketrans(
    "\u2019\u2018\u02bc\xb4`\u2010\u2011\u2012\u2013\u2212\u0131", "'''''-----i", "\u0307"
)
"""Apostrophes, hyphens and the Turkish i, which differ with the keyboard and in capitals."""


def identity(name: str) -> str:
    """Return the text that a pseudonym is made from: the same for all spellings of an e-mail or a name.

    Case, decomposed accents, full-width letters, kinds and numbers of spaces, kinds of apostrophes and
    hyphens, and characters without a shape make no difference (as in Unicode's NFKC_Casefold).
    """
    folded = unicodedata.normalize("NFKD", name.replace("\xb4", "'")).casefold()
    shaped = (c for c in folded if c.isspace() or unicodedata.category(c) not in ("Cc", "Cf"))
    composed = unicodedata.normalize("NFKC", _SHAPELESS.sub("", "".join(shaped)))
    return " ".join(unicodedata.normalize("NFKC", composed.translate(_AS_TYPED)).split())


def pseudonym(person: str, key: bytes) -> str:
    """Return ``a-`` and 12 hex digits of HMAC-SHA256: the same per person and key, useless without the
    key."""
    return "a-" + hmac.new(key, person.encode(), hashlib.sha256).hexdigest()[:12]


def key_name(key: bytes) -> str:
    """Return 8 hex digits that identify the key and reveal nothing about it."""
    return hmac.new(key, b"nextset: name of the key", hashlib.sha256).hexdigest()[:8]


def pseudonym_key() -> bytes:
    """Return the key: $NEXTSET_PSEUDONYM_KEY, or nextset/pseudonym.key in the user's configuration folder.

    The file is made on first use, readable only by its owner. It is never part of a study: someone who gets
    the study must not be able to identify annotators. Raises JudgmentError if the key is too short.
    """
    written = os.environ.get(KEY_VARIABLE)
    if written:
        return _checked(written, None)
    path = _config_folder() / "nextset" / "pseudonym.key"
    if not has_file(path, JudgmentError, "restore the key; a new one gives every annotator a new pseudonym"):
        _make(path)
    return _checked(path.read_text(encoding="ascii", errors="replace"), path)


def _checked(written: str, path: Path | None) -> bytes:
    key = written.strip()
    if len(key) < _SHORTEST:
        raise JudgmentError(
            f"{'the key file' if path else KEY_VARIABLE} has {len(key)} characters, "
            f"but a pseudonym key needs at least {_SHORTEST}",
            file=path,
            remedy="restore the key; a new one gives every annotator a new pseudonym",
        )
    return key.encode()


def _config_folder() -> Path:
    named = Path(os.environ.get("XDG_CONFIG_HOME", ""))
    # The XDG rules say that a path that is not absolute must be ignored.
    return named if named.is_absolute() else Path.home() / ".config"


def _make(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as f:
        f.write(secrets.token_hex(32) + "\n")
        f.flush()
        os.fsync(f.fileno())
    try:
        # The link fails if another process was first, so that its key is not overwritten.
        path.hardlink_to(temporary)
    except FileExistsError:
        pass
    finally:
        temporary.unlink()

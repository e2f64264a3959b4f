"""The model card in a model's folder: it follows training.yaml until someone edits it."""

from __future__ import annotations

import hashlib
import logging
import re
from pathlib import Path

from nextset.errors import InputError
from nextset.files.atomic_files import write_atomically
from nextset.files.regular_file import has_file

__all__ = ["signed_card", "update_card"]

_LOG = logging.getLogger(__name__)
_MARK = re.compile(rb"\n<!-- nextset wrote this card: ([0-9a-f]{64}) -->\n")


def signed_card(card: str) -> bytes:
    """Return ``card`` with an invisible last line, which has the digest of the text above it."""
    return f"{card}\n<!-- nextset wrote this card: {_digest(card.encode())} -->\n".encode()


def update_card(file: Path, card: str) -> None:
    """Write ``card`` to ``file`` if there is no file, or only an earlier card that no one has edited.

    An edited card stays. A warning is logged if training.yaml now gives a different card than the one that
    was edited. Raises InputError if ``file`` is not a regular file.
    """
    if not has_file(file, InputError):
        write_atomically(file, signed_card(card))
        return
    written = file.read_bytes()
    mark = _MARK.search(written)
    if mark is None or mark[1].decode() == _digest(card.encode()):
        return
    if mark.end() == len(written) and mark[1].decode() == _digest(written[: mark.start()]):
        write_atomically(file, signed_card(card))
        return
    _LOG.warning(
        "%s was edited and stays unchanged, but training.yaml now gives a different card (for example, its "
        "licence, about or canaries changed): change the card by hand, or delete it and run this again",
        file,
    )


def _digest(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()

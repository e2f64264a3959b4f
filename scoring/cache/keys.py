"""The keys of the score cache: a scope for everything that decides a model's scores, and a key per input."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b

from nextset.records.content_ids import content_id

__all__ = ["FORMAT", "Scope", "input_key", "input_keys"]

FORMAT = 1
"""Part of every key, so that files of a different format have different names."""


@dataclass(frozen=True)
class Scope:
    """Everything except the input that decides a model's scores; each file of the cache has one scope."""

    model: str
    """The study's name for the model; shown to people, but not part of the key."""
    identity: str
    """Digest of the model's weights, configuration and tokenizer."""
    kind: str
    """The kind of the model: nli, spans and so on."""
    precision: str
    """The precision that the model computes in."""
    columns: tuple[str, ...]
    """The names of the columns of each input's scores."""
    options: str = "{}"
    """Everything else that decides the scores, as JSON: prompt wordings, widening, cutting."""

    @property
    def key(self) -> str:
        """A digest of everything except the model's name, as 32 hex digits."""
        fields = [FORMAT, self.identity, self.kind, self.precision, self.columns, self.options]
        return content_id("scores", json.dumps(fields))

    def described(self) -> dict[str, str]:
        """Return the description that is stored in the scope's file."""
        from importlib.metadata import version

        return {
            "format": str(FORMAT),
            "identity": self.identity,
            "kind": self.kind,
            "precision": self.precision,
            "columns": json.dumps(self.columns),
            "options": self.options,
            "created": datetime.datetime.now(datetime.UTC).date().isoformat(),
            "nextset": version("nextset"),
        }


def input_key(texts: Iterable[str]) -> bytes:
    """Return the 16-byte BLAKE2b hash of the exact UTF-8 bytes of the texts, each preceded by its length.

    The texts are not normalised, because a model sees the difference between two forms of ``é``.
    """
    state = blake2b(digest_size=16)
    for text in texts:
        raw = text.encode()
        state.update(len(raw).to_bytes(8, "little") + raw)
    return state.digest()


def input_keys(inputs: Iterable[Iterable[str]]) -> list[bytes]:
    """Return the `input_key` of each input."""
    return [input_key(texts) for texts in inputs]

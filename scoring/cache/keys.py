"""The keys of the score cache: a scope for everything that decides a model's numbers, a key per input."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b

from nextset.records.content_ids import content_id

__all__ = ["Scope", "input_key", "input_keys"]

FORMAT = 1
"""Part of every key, so that files of a different format have different names."""


@dataclass(frozen=True)
class Scope:
    """Everything except the input that decides a model's numbers; each file of the cache has one scope."""

    model: str
    """The study's name for the model; shown to people, not part of the key."""
    identity: str
    """Digest of its weights, configuration and tokenizer."""
    kind: str
    """The kind of the model: nli, spans and so on."""
    precision: str
    """The precision that the model computes in."""
    columns: tuple[str, ...]
    """The names of the numbers of each input."""
    options: str = "{}"
    """Everything else that decides the numbers, as JSON: prompt wordings, widening, cutting."""

    @property
    def key(self) -> str:
        """32 hex digits over everything but the model's name."""
        fields = [FORMAT, self.identity, self.kind, self.precision, self.columns, self.options]
        return content_id("scores", json.dumps(fields))

    def described(self) -> dict[str, str]:
        """The description that is stored in the scope's file."""
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
    """16-byte BLAKE2b over the exact UTF-8 bytes of the texts, each preceded by its length.

    Nothing is normalised: a model sees the difference between two forms of ``é``.
    """
    state = blake2b(digest_size=16)
    for text in texts:
        raw = text.encode()
        state.update(len(raw).to_bytes(8, "little") + raw)
    return state.digest()


def input_keys(inputs: Iterable[Iterable[str]]) -> list[bytes]:
    """`input_key` of each."""
    return [input_key(texts) for texts in inputs]

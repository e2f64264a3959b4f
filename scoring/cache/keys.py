"""What the score cache goes by: a scope for all that decides a model's numbers, a key for each input."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b

from nextset.records.content_ids import content_id

__all__ = ["Scope", "input_key", "input_keys"]

FORMAT = 1
"""Goes into every key: files of another format lie beside, under other names."""


@dataclass(frozen=True)
class Scope:
    """All that decides a model's numbers besides the input: what one file of the cache is about."""

    model: str
    """What the study calls the model; for people, and in no key."""
    identity: str
    """Digest of its weights, configuration and tokenizer."""
    kind: str
    """What is asked: nli, spans and so on."""
    precision: str
    """What the model reckons in."""
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
        """What its file says of itself."""
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

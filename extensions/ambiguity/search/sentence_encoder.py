"""Encoders: models that turn a passage or a question into a vector."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from nextset.errors import ModelError
from nextset.extensions.ambiguity.search.pooling import Pooling
from nextset.scoring.batches import Budget, budget_of, check_finite, in_batches, padded
from nextset.scoring.models.loading import LOADING, Loaded, load
from nextset.scoring.models.sources import ModelSource
from nextset.scoring.tokenization import Read, read

__all__ = ["EncoderModel", "SentenceEncoder", "encoder_of"]

CUT = "longest_first"
"""The strategy for cutting a passage that is too long: cut the longer one of title and text, as DPR does."""

Vectors = npt.NDArray[np.float32]
"""One row per text, shape (texts, dimensions)."""


@dataclass(frozen=True)
class EncoderModel:
    """An encoder with everything that decides its vectors."""

    source: ModelSource
    pooling: Pooling
    """The pooling, which makes one vector of the model's outputs."""
    prompt: str
    """The text that is put before each text, followed by a space; may be empty."""
    precision: str
    """The precision that the model computes in."""
    device: str
    """cpu or cuda, the type of device that it runs on."""
    remote_code: bool = False
    """True if code in the model's folder is run."""

    def settings(self) -> dict[str, Any]:
        """Return the settings that decide the vectors in addition to the model's files, for JSON."""
        pooling = self.pooling
        return {
            "class": pooling.auto_class,
            "pooling": pooling.kind,
            "normalize": pooling.normalize,
            "max_length": pooling.max_length,
            "prompt": self.prompt,
            "precision": self.precision,
            "device": self.device,
            "remote_code": self.remote_code,
        }

    @property
    def reads_pairs(self) -> bool:
        """True if it reads title and text as two texts, as DPR was trained (Karpukhin et al. 2020)."""
        return self.pooling.kind == "dpr"


@dataclass(frozen=True)
class SentenceEncoder:
    """A loaded encoder."""

    encoder: EncoderModel
    """The model and its settings."""
    loaded: Loaded
    """Model, tokenizer and device."""
    budget: Budget
    """The number of tokens per batch; it changes vectors only by rounding."""

    @classmethod
    def load(cls, encoder: EncoderModel, device: str | None = None) -> SentenceEncoder:
        """Load ``encoder`` onto ``device``, such as cuda:1; raises ModelError."""
        loaded = load(
            encoder.source, encoder.pooling.auto_class, encoder.precision, device, encoder.remote_code
        )
        if encoder.pooling.max_length is not None:
            loaded = replace(loaded, max_length=min(loaded.max_length, encoder.pooling.max_length))
        if loaded.model.config.pad_token_id is None:
            raise ModelError(
                f"{encoder.source.name} has no padding token, so it cannot read several texts at once",
                remedy="set pad_token_id in a copy of its config.json",
            )
        sentence_encoder = cls(encoder, loaded, Budget(1))
        trial = loaded.tokenizer.backend_tokenizer.encode("a")

        def probe(tokens: int) -> None:
            sentence_encoder._asked([trial] * max(1, tokens // max(1, len(trial.ids))))

        return replace(sentence_encoder, budget=budget_of(loaded, probe))

    def passages(self, titles: Sequence[str], texts: Sequence[str]) -> list[Read]:
        """Return passages as tokens, cut to the maximum length of the model.

        A model that reads pairs gets title and text as two texts; other models get them joined by a space.
        """
        pairs = list(zip(titles, texts, strict=True))
        if self.encoder.reads_pairs:
            return read(self.loaded, [(self._prompted(title), text) for title, text in pairs], cut=CUT)
        joined = (f"{title} {text}" if title else text for title, text in pairs)
        return read(self.loaded, [(self._prompted(text),) for text in joined], cut=CUT)

    def questions(self, texts: Sequence[str]) -> list[Read]:
        """Return questions as tokens; raises ModelError with all questions that are too long."""
        return read(self.loaded, [(self._prompted(text),) for text in texts])

    def _prompted(self, text: str) -> str:
        prompt = self.encoder.prompt
        return f"{prompt}{'' if prompt[-1:].isspace() else ' '}{text}" if prompt else text

    def vectors(self, encoded: Sequence[Read]) -> Vectors:
        """Return the vector of each text, shape (texts, dimensions); raises ModelError if not finite."""
        encodings = [encoding for encoding, _ in encoded]
        width = len(self._asked([encodings[0]])[0]) if encodings else 0
        vectors = in_batches(
            [len(e.ids) for e in encodings],
            width,
            self.budget,
            lambda rows: self._asked([encodings[i] for i in rows]),
            self.loaded.name,
        )
        return vectors.astype(np.float32)

    def _asked(self, encodings: Sequence[Any]) -> npt.NDArray[np.float64]:
        import torch

        with torch.inference_mode():
            inputs = padded(self.loaded, encodings)
            outputs = self.loaded.model(**inputs)
            vectors = self.encoder.pooling.vectors(outputs, inputs["attention_mask"]).double().cpu().numpy()
        check_finite(self.loaded, vectors)
        return np.asarray(vectors)


_LAST: dict[str | None, SentenceEncoder] = {}
"""The encoder that was asked last on each device."""


def encoder_of(encoder: EncoderModel, device: str | None = None) -> SentenceEncoder:
    """Return ``encoder``, loaded; the last encoder per device stays loaded. Raises ModelError."""
    with LOADING:  # the thread that reads ahead may need the same model now
        held = _LAST.get(device)
        if held is None or held.encoder != encoder:
            held = None
            _LAST.pop(device, None)  # frees the memory of the previous encoder
            held = _LAST[device] = SentenceEncoder.load(encoder, device)
        return held

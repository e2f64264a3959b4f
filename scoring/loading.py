"""Load a tokenizer and a model through one of the Auto classes, safely."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nextset.errors import ModelError
from scoring.sources import ModelSource

if TYPE_CHECKING:
    import torch

__all__ = ["Loaded", "load"]


@dataclass(frozen=True)
class Loaded:
    """A model ready to be asked."""

    name: str
    """As the study names it."""
    model: Any
    """In evaluation mode, float32."""
    tokenizer: Any
    """Its fast tokenizer."""
    device: torch.device
    """cuda where there is one, else cpu."""
    max_length: int
    """The longest input, in tokens, special ones included."""

    def checked(self, lengths: Sequence[int], texts: Sequence[str]) -> None:
        """Raise ModelError when an input is too long, naming its beginning."""
        for length, text in zip(lengths, texts, strict=True):
            if length > self.max_length:
                shown = text if len(text) <= 100 else f"{text[:50]} … {text[-50:]}"
                raise ModelError(
                    f"{self.name} reads at most {self.max_length} tokens; this text has {length}: {shown!r}",
                    remedy="shorten the text, or choose a model that reads more",
                )

    def inputs(self, encodings: Sequence[Any]) -> dict[str, torch.Tensor]:
        """The model's input for some encodings, padded to the longest of them."""
        columns = {
            "input_ids": [e.ids for e in encodings],
            "attention_mask": [e.attention_mask for e in encodings],
        }
        if "token_type_ids" in self.tokenizer.model_input_names:
            columns["token_type_ids"] = [e.type_ids for e in encodings]
        padded = self.tokenizer.pad(columns, padding="longest", return_tensors="pt")
        return {key: value.to(self.device) for key, value in padded.items()}


def load(source: ModelSource, auto_class: str) -> Loaded:
    """Load ``source`` with ``auto_class``, such as AutoModelForMaskedLM.

    Only safetensors are read and no code from the model's folder is run. Raises ModelError when a file is
    missing or damaged, when weights of the task's head are missing, or when the tokenizer is not a fast one.
    """
    import torch
    import transformers
    from safetensors import SafetensorError

    if source.folder is None:
        raise ModelError(
            f"{source.name} is behind a server: it writes answers and gives no scores of masks or spans",
            remedy="name a builtin: model, a folder, or a Hugging Face Hub id",
        )
    folder = str(source.folder)
    # nextset draws its own progress
    transformers.utils.logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    safe = {"trust_remote_code": False, "local_files_only": True}
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **safe)
        model, info = getattr(transformers, auto_class).from_pretrained(
            folder, use_safetensors=True, dtype=torch.float32, output_loading_info=True, **safe
        )
    except (OSError, ValueError, KeyError, RuntimeError, TypeError, SafetensorError) as e:
        first = (str(e).strip() or type(e).__name__).splitlines()[0]
        raise ModelError(
            f"{source.name} cannot be loaded: {first}", remedy=f"check the files in {source.folder}"
        ) from e
    if info["missing_keys"]:
        missing = ", ".join(sorted(info["missing_keys"])[:3])
        raise ModelError(
            f"{source.name} has no weights for its task ({missing})",
            remedy="choose a model trained for the task",
        )
    if not tokenizer.is_fast:
        raise ModelError(f"{source.name} has no fast tokenizer", remedy="save it with a tokenizer.json")
    tokenizer.backend_tokenizer.no_truncation()
    tokenizer.backend_tokenizer.no_padding()
    _choose_threads(model)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    return Loaded(source.name, model.to(device).eval(), tokenizer, device, _max_length(model.config))


SMALL = 20_000_000
"""A model with fewer parameters is faster on one thread: several would mostly wait for each other."""


@functools.cache
def _threads() -> int:
    """The number of threads that the machine, or OMP_NUM_THREADS, gives torch."""
    import torch

    return torch.get_num_threads()


def _choose_threads(model: Any) -> None:
    import torch

    allowed = _threads()
    torch.set_num_threads(1 if model.num_parameters() < SMALL else allowed)


def _max_length(config: Any) -> int:
    """Positions of the model; RoBERTa's kin count theirs from pad_token_id + 1."""
    positions = (
        getattr(config, "max_position_embeddings", None) or getattr(config, "n_positions", None) or 512
    )
    shifted = config.model_type in {"roberta", "xlm-roberta", "camembert", "longformer", "mpnet"}
    return int(positions) - (int(config.pad_token_id) + 1 if shifted else 0)

"""Pooling: the vectors of a text's tokens become one vector, as the study or the model's folder says."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from nextset.errors import InputError, ModelError
from nextset.files.regular_file import has_file
from nextset.scoring.models.config_file import read_config
from nextset.scoring.models.sources import ModelSource

if TYPE_CHECKING:
    import torch

__all__ = ["Pooling", "PoolingKind", "pooling_of"]

PoolingKind = Literal["dpr", "cls", "mean"]

DPR = ("DPRContextEncoder", "DPRQuestionEncoder")
ENCODERS = (*DPR, "T5EncoderModel", "MT5EncoderModel", "UMT5EncoderModel")
"""Classes that AutoModel would not choose by itself, because it would load a different half of the model."""
_MODES = {"pooling_mode_cls_token": "cls", "pooling_mode_mean_tokens": "mean"}
_STEPS = {"Transformer", "Pooling", "Normalize"}
"""The steps of sentence-transformers that nextset computes."""


@dataclass(frozen=True)
class Pooling:
    """The settings for running an encoder and for making one vector of its outputs."""

    auto_class: str
    """The class of transformers that loads the encoder."""
    kind: PoolingKind
    """dpr: the model's own pooled output; cls: the first token; mean: all tokens except padding."""
    normalize: bool
    """True if vectors are scaled to length 1."""
    max_length: int | None
    """The maximum length of a text in tokens, according to the folder; None if the folder does not say."""

    def vectors(self, outputs: Any, mask: torch.Tensor) -> torch.Tensor:
        """Return a float32 vector for each text, shape (texts, dimensions)."""
        import torch

        if self.kind == "dpr":
            vectors = outputs.pooler_output.float()
        elif self.kind == "cls":
            vectors = outputs.last_hidden_state[:, 0].float()
        else:
            weights = mask.unsqueeze(-1).float()
            vectors = (outputs.last_hidden_state.float() * weights).sum(1) / weights.sum(1).clamp(min=1)
        return torch.nn.functional.normalize(vectors, dim=-1) if self.normalize else vectors


def pooling_of(source: ModelSource, kind: Literal["auto", "cls", "mean"], normalize: bool) -> Pooling:
    """Return the pooling of the encoder in ``source``; auto follows the encoder's folder, else uses the mean.

    A folder of sentence-transformers has the pooling in modules.json and in the config of its pooling step.
    Raises ModelError for a model on a server, for a folder with steps or pooling that nextset does not
    compute, and for a DPR encoder with a different pooling.
    """
    if source.folder is None:
        raise ModelError(
            f"{source.name} is a model behind a server, which does not return vectors",
            remedy="choose a folder with an encoder, or a Hugging Face Hub id",
        )
    written = read_config(source).get("architectures")
    names = [name for name in written if name in ENCODERS] if isinstance(written, list) else []
    auto_class = names[0] if names else "AutoModel"
    if auto_class in DPR and kind == "auto":
        return Pooling(auto_class, "dpr", normalize, None)
    if auto_class in DPR:
        raise ModelError(
            f"{source.name} is a DPR encoder, which returns one vector per text and not one per token, so it "
            f"cannot have pooling: {kind}",
            remedy="remove pooling from this retriever in study.yaml",
        )
    steps = _steps(source, source.folder)
    longest = _json(source, source.folder / "sentence_bert_config.json").get("max_seq_length")
    pooling_kind: PoolingKind = _folder_kind(source, source.folder, steps) if kind == "auto" else kind
    return Pooling(
        auto_class,
        pooling_kind,
        normalize or "Normalize" in steps,
        longest if isinstance(longest, int) and longest > 0 else None,
    )


def _steps(source: ModelSource, folder: Path) -> dict[str, str]:
    """Return the steps in modules.json, each with its folder; empty for other kinds of folders."""
    modules = _json(source, folder / "modules.json", list)
    try:
        steps = {str(m["type"]).rpartition(".")[2]: str(m.get("path", "")) for m in modules}
    except (TypeError, LookupError, AttributeError):
        raise _damaged(source, folder / "modules.json") from None
    if other := sorted(set(steps) - _STEPS):
        raise ModelError(
            f"{source.name} has a step that nextset does not compute: {', '.join(other):.100}",
            remedy="choose an encoder whose modules.json has only a Transformer, Pooling and Normalize",
        )
    return steps


def _folder_kind(source: ModelSource, folder: Path, steps: dict[str, str]) -> PoolingKind:
    name = steps.get("Pooling")
    if name is None:
        return "mean"
    if Path(name).is_absolute() or ".." in Path(name).parts:
        raise _damaged(source, folder / "modules.json")
    config = _json(source, folder / name / "config.json")
    modes = {key for key, value in config.items() if key.startswith("pooling_mode_") and value is True}
    if isinstance(config.get("pooling_mode"), str):
        modes = {"pooling_mode_cls_token" if config["pooling_mode"] == "cls" else
                 f"pooling_mode_{config['pooling_mode']}_tokens"}  # fmt: skip
    if len(modes) == 1 and (mode := _MODES.get(next(iter(modes)))) is not None:
        return "cls" if mode == "cls" else "mean"
    raise ModelError(
        f"{source.name} uses pooling that nextset does not compute: {', '.join(sorted(modes)) or 'none'}",
        remedy="choose a different encoder, or set pooling: mean or pooling: cls for this encoder",
    )


def _json(source: ModelSource, file: Path, kind: type[Any] = dict) -> Any:
    """Return the JSON in ``file``; an empty ``kind`` if the file does not exist, not even as a link."""
    try:
        if not has_file(file, InputError):
            return kind()
        content = json.loads(file.read_text(encoding="utf-8"))
    except (InputError, OSError, ValueError, RecursionError):
        raise _damaged(source, file) from None
    if not isinstance(content, kind):
        raise _damaged(source, file)
    return content


def _damaged(source: ModelSource, file: Path) -> ModelError:
    return ModelError(f"{source.name}: {file.name} cannot be read", remedy="download or save the model again")

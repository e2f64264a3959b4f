"""vLLM in this process: it computes the log probabilities of the tokens of many texts.

Only `VllmTexts` imports vLLM. Everything around it works with any `PromptLogs`.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from nextset.errors import DependencyMissing, ModelError
from nextset.scoring.models.library_errors import library_errors
from nextset.scoring.models.sources import ModelSource

__all__ = ["PromptLogs", "VllmTexts", "require_vllm", "vllm_folder"]

MEMORY = 0.6
"""The share of the GPU's memory that vLLM takes; the rest is for the same model in float32, which scores near
ties again."""


class PromptLogs(Protocol):
    """A causal language model that gives the log probability of each token of a text."""

    def prompt_logprobs(self, texts: Sequence[Sequence[int]]) -> list[list[float | None]]:
        """Return, for each text as tokens, the log probability of each token after those before it.

        The first token of a text has None.
        """
        ...


def require_vllm() -> None:
    """Raise DependencyMissing if vLLM is not installed."""
    if importlib.util.find_spec("vllm") is None:
        raise DependencyMissing(
            "scoring.engine: vllm needs vLLM, which is not installed", remedy="pip install 'nextset[vllm]'"
        )


def vllm_folder(source: ModelSource) -> Path:
    """Return the folder that vLLM reads; raises ModelError for models that it would read differently."""
    if source.folder is None or source.gguf or source.adapter is not None:
        problem = "an adapter" if source.adapter is not None else "a GGUF file"
        raise ModelError(
            f"{source.name} has {problem}, which nextset does not give to vLLM",
            remedy="set scoring.engine: local, or merge or unpack the model into a folder of safetensors",
        )
    return source.folder


@dataclass(frozen=True)
class VllmTexts:
    """A model in vLLM."""

    name: str
    """The study's name for the model."""
    model: Any
    """vLLM's `LLM`."""

    @classmethod
    def load(cls, source: ModelSource, precision: str, longest: int) -> VllmTexts:
        """Load ``source`` for texts of at most ``longest`` tokens; raises ModelError and DependencyMissing.

        vLLM runs no code of the model's folder and sends no statistics. It gives log probabilities of prompts
        only without its cache of prefixes, and writes at least one token per prompt.
        """
        require_vllm()
        folder = str(vllm_folder(source))
        os.environ["VLLM_NO_USAGE_STATS"] = "1"
        os.environ.setdefault("VLLM_LOGGING_LEVEL", "ERROR")
        with library_errors(f"vLLM cannot load {source.name}", "set scoring.engine: local"):
            from vllm import LLM

            model = LLM(
                model=folder,
                tokenizer=folder,
                dtype=precision,
                seed=0,
                max_model_len=longest + 1,
                gpu_memory_utilization=MEMORY,
                enable_prefix_caching=False,
                trust_remote_code=False,
            )
        return cls(source.name, model)

    def prompt_logprobs(self, texts: Sequence[Sequence[int]]) -> list[list[float | None]]:
        """Return the log probabilities of the tokens of each text; raises ModelError if vLLM fails."""
        with library_errors(f"vLLM cannot ask {self.name}", "set scoring.engine: local"):
            from vllm import SamplingParams, TokensPrompt

            outputs = self.model.generate(
                [TokensPrompt(prompt_token_ids=list(text)) for text in texts],
                SamplingParams(max_tokens=1, temperature=0.0, prompt_logprobs=0),
                use_tqdm=False,
            )
            return [
                [
                    None if logs is None else float(logs[token].logprob)
                    for token, logs in zip(text, output.prompt_logprobs, strict=True)
                ]
                for text, output in zip(texts, outputs, strict=True)
            ]

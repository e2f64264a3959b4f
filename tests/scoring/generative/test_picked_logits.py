"""The logits at a few positions against those of a whole forward pass."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import torch
from transformers import (
    BertConfig,
    BertLMHeadModel,
    Gemma2Config,
    Gemma2ForCausalLM,
    Gemma3ForCausalLM,
    Gemma3TextConfig,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
)

from nextset.scoring.generative.picked_logits import logits_at
from nextset.scoring.models.loading import Loaded

LAYERS: dict[str, Any] = {
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "hidden_size": 16,
    "intermediate_size": 32,
}
GEMMA: dict[str, Any] = {**LAYERS, "num_key_value_heads": 1, "head_dim": 8, "pad_token_id": 0}
MODELS: dict[str, Any] = {
    "GPT-2": lambda: GPT2LMHeadModel(GPT2Config(vocab_size=50, n_embd=16, n_layer=2, n_head=2)),
    "Llama": lambda: LlamaForCausalLM(LlamaConfig(vocab_size=50, **LAYERS)),
    "Gemma 2": lambda: Gemma2ForCausalLM(Gemma2Config(vocab_size=50, final_logit_softcapping=0.5, **GEMMA)),
    "Gemma 3": lambda: Gemma3ForCausalLM(
        Gemma3TextConfig(vocab_size=262_144, final_logit_softcapping=0.5, **GEMMA)
    ),
    "BERT": lambda: BertLMHeadModel(BertConfig(vocab_size=50, is_decoder=True, **LAYERS)),
}
"""Models with their own or their embeddings' head, with capped logits, and with a large vocabulary."""
ROW, POSITION = torch.tensor([0, 0, 1, 2]), torch.tensor([1, 6, 3, 0])


def loaded(model: Any) -> Loaded:
    return Loaded("tiny", model.eval(), None, torch.device("cpu"), 64)


def inputs(shift: int = 0) -> dict[str, torch.Tensor]:
    """Three rows of seven, four and two tokens."""
    mask = torch.tensor([[1] * n + [0] * (7 - n) for n in (7, 4, 2)])
    ids = (torch.arange(21).reshape(3, 7) + shift) % 40 + 1
    return {"input_ids": ids * mask, "attention_mask": mask}


def whole(model: Any, given: dict[str, torch.Tensor]) -> torch.Tensor:
    with torch.inference_mode():
        found: torch.Tensor = model(**given, use_cache=False).logits[ROW, POSITION]
    return found


@pytest.mark.parametrize("name", MODELS)
def test_the_logits_are_those_of_a_whole_pass_and_the_head_is_as_before(name: str) -> None:
    torch.manual_seed(3)
    model: Any = MODELS[name]().eval()
    read: list[int] = []
    head = model.get_output_embeddings()
    head.register_forward_hook(lambda _, given, out: read.append(out.shape[:-1].numel()))
    with torch.inference_mode():
        found = logits_at(loaded(model), inputs(), ROW, POSITION)
    torch.testing.assert_close(found, whole(model, inputs()), rtol=1e-5, atol=1e-6)
    assert read == [4, 21]  # the head read four positions, and afterwards all
    assert not head._forward_pre_hooks


def test_the_head_is_as_before_after_an_error() -> None:
    model: Any = MODELS["GPT-2"]().eval()
    with pytest.raises(IndexError):
        logits_at(loaded(model), inputs(), ROW, POSITION + 7)
    assert not model.get_output_embeddings()._forward_pre_hooks


class _OwnHead(torch.nn.Module):
    """A model that computes its logits without calling its head, or has none."""

    def __init__(self, head: torch.nn.Module | None) -> None:
        super().__init__()
        torch.manual_seed(3)
        self.inner = LlamaForCausalLM(LlamaConfig(vocab_size=50, **LAYERS))
        self.head = head

    def get_output_embeddings(self) -> torch.nn.Module | None:
        return self.head

    def forward(self, **given: Any) -> Any:
        return self.inner(**given)


@pytest.mark.parametrize("head", [None, torch.nn.Linear(16, 50)])
def test_a_model_that_does_not_use_a_head_gives_the_same_logits(head: torch.nn.Module | None) -> None:
    model: Any = _OwnHead(head).eval()
    with torch.inference_mode():
        found = logits_at(loaded(model), inputs(), ROW, POSITION)
    torch.testing.assert_close(found, whole(model, inputs()))


def test_two_threads_with_one_model_get_their_own_logits() -> None:
    model: Any = MODELS["Llama"]().eval()

    def ask(shift: int) -> torch.Tensor:
        with torch.inference_mode():
            found: torch.Tensor = logits_at(loaded(model), inputs(shift), ROW, POSITION)
        return found

    shifts = [n % 20 for n in range(60)]
    with ThreadPoolExecutor(4) as pool:
        for shift, found in zip(shifts, pool.map(ask, shifts), strict=True):
            torch.testing.assert_close(found, whole(model, inputs(shift)), rtol=1e-5, atol=1e-6)
    assert not model.get_output_embeddings()._forward_pre_hooks

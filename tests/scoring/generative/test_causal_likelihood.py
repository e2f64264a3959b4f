"""The likelihood of sentences from left to right, token by token, whatever is read beside."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from nextset.errors import ModelError
from nextset.scoring.generative.causal_likelihood import CausalLikelihood
from nextset.scoring.models.sources import locate
from tests.scoring.generative.tiny_causal import save_gpt2, save_llama

TEXTS = ["yes maybe no", "false", "Niger follows Nigeria, undecided or contradicted.", ""]


@pytest.mark.parametrize("save", [save_gpt2, save_llama])
def test_a_sentence_is_the_sum_of_its_tokens_after_what_stands_before(
    save: Callable[[Path], Path], tmp_path: Path
) -> None:
    save(tmp_path / "model")
    model = CausalLikelihood.load(locate(str(tmp_path / "model")))
    tokenizer = model.loaded.tokenizer
    for text, found in zip(TEXTS, model.of_sentences(TEXTS), strict=True):
        ids = tokenizer.backend_tokenizer.encode(text, add_special_tokens=False).ids
        begin = [] if tokenizer.bos_token_id is None else [tokenizer.bos_token_id]
        before, total = [*begin], 0.0
        for token in ids:
            if before:
                with torch.inference_mode():
                    logits = model.loaded.model(torch.tensor([before])).logits[0, -1].double()
                total += float(logits.log_softmax(-1)[token])
            before.append(token)
        assert found.tokens == max(0, len(ids) - (not begin))
        assert found.total == pytest.approx(total, rel=1e-5, abs=1e-6)
        assert found.mean == (pytest.approx(total / found.tokens, rel=1e-5) if found.tokens else None)


def test_a_sentence_that_is_too_long_is_named(tmp_path: Path) -> None:
    save_gpt2(tmp_path / "model")
    model = CausalLikelihood.load(locate(str(tmp_path / "model")))
    with pytest.raises(ModelError, match="reads at most"):
        model.of_sentences(["yes " * 5000])

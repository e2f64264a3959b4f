"""Targets in scripts without spaces, where a token may reach over the end of a word."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, processors
from transformers import BertConfig, BertForMaskedLM, PreTrainedTokenizerFast

from nextset.errors import ModelError
from nextset.scoring.masks.filler import MaskFiller
from nextset.scoring.masks.masked_text import Masked
from nextset.scoring.models.sources import locate
from nextset.scoring.subjects.subject_tokens import candidate_token_counts

SPECIALS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
SENTENCE = Masked("那名{{MASK}}人迟到了。")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with random weights and a unigram tokenizer that reads 中国人 as 中 and 国人."""
    letters = [(c, -9.0) for c in "▁那名中国人迟到了。法"]
    pieces = [*((t, -1.0) for t in SPECIALS), *letters, ("国人", -2.0), ("▁那", -2.0)]
    backend = Tokenizer(models.Unigram(pieces, unk_id=1, byte_fallback=False))
    backend.pre_tokenizer = pre_tokenizers.Metaspace()
    backend.decoder = decoders.Metaspace()
    mask = AddedToken("[MASK]", lstrip=True, special=True)
    backend.add_special_tokens([*SPECIALS[:-1], mask])
    backend.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[(t, SPECIALS.index(t)) for t in ("[CLS]", "[SEP]")]
    )
    names = dict(zip(("pad_token", "unk_token", "cls_token", "sep_token"), SPECIALS, strict=False))
    tokenizer = PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=backend, mask_token=mask, **names
    )
    torch.manual_seed(3)
    config = BertConfig(
        vocab_size=len(tokenizer), hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=16, max_position_embeddings=40,
    )  # fmt: skip
    made = tmp_path_factory.mktemp("unspaced")
    BertForMaskedLM(config).save_pretrained(made)
    tokenizer.save_pretrained(made)
    return made


def test_the_target_is_read_by_itself(folder: Path) -> None:
    filler = MaskFiller.load(locate(str(folder)))
    backend, model = filler.loaded.tokenizer.backend_tokenizer, filler.loaded.model
    whole = backend.encode("那名中国人迟到了。").tokens
    assert "国人" in whole  # a mask could not stand for 中国
    around = backend.encode("那名[MASK]人迟到了。").ids
    mask = backend.token_to_id("[MASK]")
    at = around.index(mask)
    pieces = [backend.token_to_id(c) for c in "中国"]
    ids = [*around[:at], *pieces, *around[at + 1 :]]
    expected = 0.0
    for n, token in enumerate(pieces):  # log P(中 | both masked) + log P(国 | 中 there)
        hidden = [mask if at + n <= i < at + len(pieces) else t for i, t in enumerate(ids)]
        with torch.inference_mode():
            logits = model(input_ids=torch.tensor([hidden])).logits[0, at + n]
        expected += float(torch.log_softmax(logits.double(), -1)[token])
    assert filler.score([SENTENCE], ["中国"]) == [pytest.approx(expected, rel=1e-4)]
    counts = candidate_token_counts(locate(str(folder)), [(SENTENCE.sentence, t) for t in ("中国", "法国")])
    assert counts == [2, 2]


def test_between_letters_of_a_script_with_spaces_it_is_still_refused(folder: Path) -> None:
    filler = MaskFiller.load(locate(str(folder)))
    backend = filler.loaded.tokenizer.backend_tokenizer
    assert backend.encode("x").tokens  # unknown, as one token with its neighbours
    with pytest.raises(ModelError, match="does not read 'y' as whole tokens"):
        filler.score([Masked("xx{{MASK}}xx")], ["y"])
    source = replace(locate(str(folder)), name="unspaced")
    assert candidate_token_counts(source, [("xx{{MASK}}xx", "y")]) == [None]

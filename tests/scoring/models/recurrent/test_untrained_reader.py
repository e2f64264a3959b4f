"""Readers before their training: vocabulary, word vectors, and random weights from a seed."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import get_args

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import AutoTokenizer

from nextset.errors import InputError
from nextset.scoring.models.loading import load
from nextset.scoring.models.recurrent.untrained_reader import (
    ReaderSizes,
    untrained_reader,
)
from nextset.scoring.models.recurrent.word_tokenizer import SPECIAL_TOKENS, word_tokenizer
from nextset.scoring.models.sources import locate
from nextset.study.training_settings import ReaderArchitecture
from tests.scoring.models.recurrent.small_readers import TEXTS, save_reader, small_reader

SIZES = ReaderSizes(hidden_size=8, word_size=12, dropout=0.1, max_length=64)


def _words(*texts: str, **options: int) -> list[str]:
    vocabulary = word_tokenizer(texts, **options).get_vocab()
    return sorted(vocabulary, key=vocabulary.__getitem__)[len(SPECIAL_TOKENS) :]


def test_words_are_counted_in_lower_case_and_ordered() -> None:
    assert _words("The cat sat. The CAT", "dogs, cats") == ["cat", "the", ",", ".", "cats", "dogs", "sat"]
    assert _words("The cat sat. The CAT", "dogs", at_least=2) == ["cat", "the"]
    assert _words("The cat sat. The CAT", "dogs", most=3) == ["cat", "the", "."]
    tokenizer = word_tokenizer(["a a", "b", "Mary-Ann"])
    assert len(tokenizer.get_vocab()) == len(SPECIAL_TOKENS) + 5
    assert tokenizer.tokenize("Mary B c") == ["mary", "b", "[UNK]"]


@given(st.lists(st.text(max_size=20), max_size=5), st.text(max_size=30))
def test_tokens_are_where_they_say(texts: list[str], text: str) -> None:
    tokenizer = word_tokenizer(texts)
    assert Counter(tokenizer.get_vocab().values()).most_common(1)[0][1] == 1
    read = tokenizer.backend_tokenizer.encode("q", text)
    assert read.ids[0] == 2
    last = 0
    for i, (start, end) in enumerate(read.offsets):
        if read.sequence_ids[i] == 1:
            assert last <= start < end <= len(text)
            last = start


def test_the_saved_tokenizer_is_the_same(tmp_path: Path) -> None:
    tokenizer = word_tokenizer(TEXTS)
    tokenizer.save_pretrained(tmp_path)
    again = AutoTokenizer.from_pretrained(tmp_path)
    assert again.is_fast
    assert again.model_input_names == ["input_ids", "token_type_ids", "attention_mask"]
    one, other = (t.backend_tokenizer.encode("Who LEFT?", "Zoe left.") for t in (tokenizer, again))
    assert one.tokens == other.tokens == ["[CLS]", "who", "left", "?", "[SEP]", "[UNK]", "left", ".", "[SEP]"]
    assert one.type_ids == other.type_ids == [0] * 5 + [1] * 4


@pytest.mark.parametrize("architecture", get_args(ReaderArchitecture))
def test_the_seed_decides_the_weights_and_nothing_else_changes(architecture: ReaderArchitecture) -> None:
    before = torch.random.get_rng_state()
    one, again, other = (small_reader(architecture, seed=seed).model for seed in (1, 1, 2))
    assert torch.equal(torch.random.get_rng_state(), before)
    pairs = list(zip(one.parameters(), again.parameters(), other.parameters(), strict=True))
    assert all(torch.equal(a, b) for a, b, _ in pairs)
    assert not any(torch.equal(a, c) for a, _, c in pairs)
    assert (one.words.table.weight[0] == 0).all()


def test_the_published_sizes_are_the_usual_ones() -> None:
    model = untrained_reader("bidaf", word_tokenizer(TEXTS)).model
    assert model.config.hidden_size == 100
    assert model.words.table.embedding_dim == 300
    assert model.config.dropout == 0.2
    shapes = {name: tuple(p.shape) for name, p in model.named_parameters()}
    assert shapes["modelling.lstm.weight_ih_l0"] == (400, 800)  # four gates of 100; [c; a; c∘a; c∘b]
    assert shapes["start.weight"] == (1, 1000)


def test_word_vectors_are_fixed_and_stay_so_when_saved(tmp_path: Path) -> None:
    file = tmp_path / "vectors.txt"
    file.write_text("maria 1 0 0\njohn 0 1 0\nPARIS 0 0 1\n", encoding="utf-8")
    tokenizer = word_tokenizer(TEXTS)
    reader = untrained_reader("lstm_reader", tokenizer, SIZES, word_vectors=file)
    table = reader.model.words.table
    vocabulary = tokenizer.get_vocab()
    assert table.weight[vocabulary["maria"]].tolist() == [1, 0, 0]
    assert reader.model.config.word_size == 3
    # of 1, 0, 0, 0, 1, 0: √(1/3 − 1/9) = 0.471
    others = [i for word, i in vocabulary.items() if word not in ("maria", "john", "[PAD]")]
    assert table.weight[others].std().item() == pytest.approx(0.471, rel=0.2)
    assert not table.weight.requires_grad
    loaded = load(locate(str(save_reader(reader, tmp_path / "mine"))), "AutoModelForQuestionAnswering")
    assert torch.equal(loaded.model.words.table.weight, table.weight)
    loaded.model.train().requires_grad_(True)
    read = loaded.tokenizer("Who left?", "Maria left John.", return_tensors="pt")
    loaded.model(**read, start_positions=torch.tensor([5]), end_positions=torch.tensor([5])).loss.backward()
    assert {n for n, p in loaded.model.named_parameters() if p.grad is None} == {"words.table.weight"}


def test_word_vectors_of_another_language_are_refused(tmp_path: Path) -> None:
    (tmp_path / "vectors.txt").write_text("hund 1 0 0\n", encoding="utf-8")
    with pytest.raises(InputError, match="does not contain any word of the vocabulary"):
        untrained_reader("bidaf", word_tokenizer(TEXTS), SIZES, word_vectors=tmp_path / "vectors.txt")

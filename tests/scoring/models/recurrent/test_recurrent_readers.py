"""The readers' formulas, restated for one input without padding; padding and batches change nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
import torch
import transformers
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from nextset.scoring.answers.span_ends import ends_of
from nextset.scoring.model_kinds import kind_of
from nextset.scoring.models.loading import load
from nextset.scoring.models.recurrent.bidaf_attention import BidirectionalAttention
from nextset.scoring.models.recurrent.bidaf_reader import BidafReaderForQuestionAnswering
from nextset.scoring.models.recurrent.lstm_reader import LstmReaderForQuestionAnswering
from nextset.scoring.models.recurrent.reader_parts import MASKED, parts_of
from nextset.scoring.models.recurrent.recurrent_layers import BidirectionalLstm, Highway
from nextset.scoring.models.sources import locate
from nextset.study.training_settings import ReaderArchitecture
from tests.scoring.models.recurrent.small_readers import TEXTS, save_reader, small_reader

QUESTIONS = [
    ("Who was a surgeon?", "Maria lives next to John."),
    ("Who?", "Mary Ann isn't kind, and an old surgeon left the garden. Robert was angry."),
    ("Which one was angry, and who left?", "John."),
    ("", "Maria"),
    ("Who left?", ""),
]


def _inputs(reader: Any, pairs: list[tuple[str, str]], padding: int = 0) -> dict[str, torch.Tensor]:
    read = reader.tokenizer.backend_tokenizer.encode_batch(pairs)
    width = max(len(e.ids) for e in read) + padding
    columns = {"input_ids": "ids", "attention_mask": "attention_mask", "token_type_ids": "type_ids"}
    return {
        name: torch.tensor([getattr(e, of) + [0] * (width - len(e.ids)) for e in read])
        for name, of in columns.items()
    }


def _logits(reader: Any, inputs: dict[str, torch.Tensor]) -> torch.Tensor:
    with torch.inference_mode():
        out = reader.model(**inputs)
    return torch.stack([out.start_logits, out.end_logits], -1)


@pytest.mark.parametrize("architecture", get_args(ReaderArchitecture))
def test_padding_and_the_batch_change_no_score(architecture: ReaderArchitecture) -> None:
    reader = small_reader(architecture)
    together = _logits(reader, _inputs(reader, QUESTIONS, padding=5))
    for i, pair in enumerate(QUESTIONS):
        alone = _logits(reader, _inputs(reader, [pair]))[0]
        torch.testing.assert_close(together[i, : len(alone)], alone, atol=2e-5, rtol=1e-5)
        assert (together[i, len(alone) :] == MASKED).all()


@pytest.mark.parametrize("architecture", get_args(ReaderArchitecture))
def test_an_answer_is_in_the_context_or_none(architecture: ReaderArchitecture) -> None:
    reader = small_reader(architecture)
    inputs = _inputs(reader, QUESTIONS)
    logits = _logits(reader, inputs)
    assert logits.isfinite().all()
    separators = inputs["input_ids"] == 3
    allowed = (inputs["token_type_ids"] == 1) & ~separators
    allowed[:, 0] = True
    assert torch.equal(logits[..., 0] != MASKED, allowed)
    assert torch.equal(logits[..., 1] != MASKED, allowed)


@pytest.mark.parametrize("architecture", get_args(ReaderArchitecture))
def test_without_token_types_the_context_is_behind_the_first_separator(
    architecture: ReaderArchitecture,
) -> None:
    reader = small_reader(architecture)
    inputs = _inputs(reader, QUESTIONS[:1])
    expected = _logits(reader, inputs)
    del inputs["token_type_ids"]
    assert torch.equal(_logits(reader, inputs), expected)


@pytest.mark.parametrize("architecture", get_args(ReaderArchitecture))
def test_the_scores_depend_on_the_question(architecture: ReaderArchitecture) -> None:
    reader = small_reader(architecture)
    one, other = (
        _logits(reader, _inputs(reader, [(q, "John left Maria.")]))[0, -5:] for q in ("Who left?", "Who was?")
    )
    assert (one - other).abs().max() > 1e-3


@pytest.mark.parametrize("architecture", get_args(ReaderArchitecture))
def test_the_loss_is_that_of_transformers(architecture: ReaderArchitecture) -> None:
    """The mean of two cross entropies; a position beyond the input does not count."""
    reader = small_reader(architecture)
    inputs = _inputs(reader, QUESTIONS[:2])
    logits, width = _logits(reader, inputs), inputs["input_ids"].shape[1]
    starts, ends = torch.tensor([8, 10]), torch.tensor([9, 500])
    with torch.inference_mode():
        loss = reader.model(**inputs, start_positions=starts[:, None], end_positions=ends).loss
    logs = logits.log_softmax(1)
    start = -(logs[0, 8, 0] + logs[1, 10, 0]) / 2
    end = -logs[0, 9, 1]
    assert width < 500
    torch.testing.assert_close(loss, (start + end) / 2)


def _weighted(weights: torch.Tensor, states: torch.Tensor) -> torch.Tensor:
    """The sum of some states, each with its weight."""
    return torch.stack([w * state for w, state in zip(weights, states, strict=True)]).sum(0)


def test_bidaf_is_the_published_one() -> None:
    """Restated from Seo et al. 2017: highway, contextual, attention flow, modelling and output layers."""
    reader = small_reader("bidaf")
    assert isinstance(reader.model, BidafReaderForQuestionAnswering)
    model: Any = reader.model
    question, context = "Who was a surgeon?", "Maria lives next to John."
    encoding = reader.tokenizer.backend_tokenizer.encode(question, context)
    words = [i for i, part in zip(encoding.ids, encoding.sequence_ids, strict=True) if part == 1]
    asked = [i for i, part in zip(encoding.ids, encoding.sequence_ids, strict=True) if part == 0]
    with torch.inference_mode():

        def contextual(ids: list[int]) -> torch.Tensor:
            x = model.words.table.weight[[2, *ids]] @ model.words.projection.weight.T
            for layer in model.words.highways:
                gate = torch.sigmoid(x @ layer.gate.weight.T + layer.gate.bias)
                x = gate * torch.relu(x @ layer.change.weight.T + layer.change.bias) + (1 - gate) * x
            states: torch.Tensor = model.encoder.lstm(x[None])[0][0]
            return states

        h, u = contextual(words), contextual(asked)
        attention = model.attention
        w = torch.cat([p.weight[0] for p in (attention.of_context, attention.of_question, attention.of_both)])
        s = torch.stack([torch.stack([w @ torch.cat([c, q, c * q]) for q in u]) for c in h])
        s = s + attention.of_question.bias
        to_question, to_context = s.softmax(1), s.softmax(0)
        a = torch.stack([_weighted(row, u) for row in to_question])
        of_question = torch.stack([_weighted(to_context[:, j], h) for j in range(len(u))])
        b = torch.stack([_weighted(row, of_question) for row in to_question])
        g = torch.cat([h, a, h * a, h * b], 1)
        m = model.modelling.lstm(g[None])[0][0]
        m2 = model.end_reader.lstm(m[None])[0][0]
        start = torch.cat([g, m], 1) @ model.start.weight[0] + model.start.bias
        end = torch.cat([g, m2], 1) @ model.end.weight[0] + model.end.bias
    found = _logits(reader, _inputs(reader, [(question, context)]))[0]
    places = [0, *(i for i, part in enumerate(encoding.sequence_ids) if part == 1)]
    torch.testing.assert_close(found[places], torch.stack([start, end], -1), atol=1e-4, rtol=1e-4)


def test_the_lstm_reader_reads_the_question_first() -> None:
    reader = small_reader("lstm_reader")
    assert isinstance(reader.model, LstmReaderForQuestionAnswering)
    model: Any = reader.model
    ids = torch.tensor([reader.tokenizer.backend_tokenizer.encode("Who left?", "John left Maria.").ids])
    with torch.inference_mode():
        states = model.encoder.lstm(model.words(ids))[0][0]
        expected = states @ model.start_and_end.weight.T + model.start_and_end.bias
    found = _logits(reader, _inputs(reader, [("Who left?", "John left Maria.")]))[0]
    assert len(found) == 10  # [CLS] who left ? [SEP] john left maria . [SEP]
    torch.testing.assert_close(found[[0, 5, 6, 7, 8]], expected[[0, 5, 6, 7, 8]])


@given(st.data())
def test_the_parts_of_an_input(data: Any) -> None:
    n, m, padding = (data.draw(st.integers(0, 4)) for _ in range(3))
    ids = torch.tensor([[2, *[7] * n, 3, *[8] * m, 3, *[0] * padding]])
    attended = torch.tensor([[1] * (n + m + 3) + [0] * padding])
    types = torch.tensor([[0] * (n + 2) + [1] * (m + 1) + [0] * padding])
    parts = parts_of(ids, attended, types, 3)
    assert parts.question.of(ids).tolist() == [[2, *[7] * n]]
    assert parts.context.of(ids).tolist() == [[2, *[8] * m]]
    assert parts.whole.of(ids).tolist() == [[2, *[7] * n, 3, *[8] * m, 3]]
    scores = torch.arange(m + 1.0)[None]
    spread = parts.context.scattered(scores, ids.shape[1])[0].tolist()
    assert spread == [0.0, *[MASKED] * (n + 1), *range(1, m + 1), *[MASKED] * (padding + 1)]


def test_a_highway_layer_between_change_and_carry() -> None:
    """With a gate of σ(0) = ½: ½ · max(0, 2x) + ½ · x."""
    layer = Highway(1)
    with torch.no_grad():
        for parameter, value in zip(layer.parameters(), (2.0, 0.0, 0.0, 0.0), strict=True):
            parameter.fill_(value)
        found = layer(torch.tensor([[3.0], [-4.0]]))
    assert found.tolist() == [[4.5], [-2.0]]


def test_packed_lstms_are_those_of_torch() -> None:
    torch.manual_seed(0)
    layer = BidirectionalLstm(3, 2, 2, 0.0).eval()
    x, lengths = torch.randn(3, 5, 3), torch.tensor([2, 5, 1])
    with torch.inference_mode():
        found = layer(x, lengths)
        for i, n in enumerate(lengths.tolist()):
            torch.testing.assert_close(found[i, :n], layer.lstm(x[i : i + 1, :n])[0][0])
            assert (found[i, n:] == 0).all()


def test_attention_weighs_no_padding() -> None:
    torch.manual_seed(0)
    layer = BidirectionalAttention(4, 0.0)
    c, q = torch.randn(1, 3, 4), torch.randn(1, 2, 4)
    everything = torch.ones(1, 3, dtype=torch.bool), torch.ones(1, 2, dtype=torch.bool)
    padded = nn.functional.pad(c, (0, 0, 0, 2), value=9.0), nn.functional.pad(q, (0, 0, 0, 3), value=-9.0)
    masks = nn.functional.pad(everything[0], (0, 2)), nn.functional.pad(everything[1], (0, 3))
    with torch.inference_mode():
        torch.testing.assert_close(layer(*padded, *masks)[:, :3], layer(c, q, *everything))


@pytest.mark.parametrize("architecture", get_args(ReaderArchitecture))
def test_saved_and_loaded_it_is_the_same_reader(architecture: ReaderArchitecture, tmp_path: Path) -> None:
    reader = small_reader(architecture)
    source = locate(str(save_reader(reader, tmp_path / "mine")))
    assert kind_of(source) == "spans"
    loaded = load(source, "AutoModelForQuestionAnswering")
    assert type(loaded.model) is type(reader.model)
    assert loaded.max_length == 64
    weights = dict(reader.model.named_parameters())
    for name, parameter in loaded.model.named_parameters():
        assert torch.equal(parameter, weights[name])
    encodings = loaded.tokenizer.backend_tokenizer.encode_batch(QUESTIONS)
    expected = _logits(reader, _inputs(reader, QUESTIONS)).double().log_softmax(1)
    found = ends_of(loaded, encodings)
    np.testing.assert_allclose(found.start.exp(), expected[..., 0].exp(), atol=1e-6)
    np.testing.assert_allclose(found.end.exp(), expected[..., 1].exp(), atol=1e-6)


@pytest.mark.parametrize("architecture", get_args(ReaderArchitecture))
def test_half_precision_gives_finite_scores(architecture: ReaderArchitecture, tmp_path: Path) -> None:
    source = locate(str(save_reader(small_reader(architecture), tmp_path / "mine")))
    loaded = load(source, "AutoModelForQuestionAnswering", precision="bfloat16")
    ends = ends_of(loaded, loaded.tokenizer.backend_tokenizer.encode_batch(QUESTIONS[:1]))
    assert ends.start[0].exp().sum().item() == pytest.approx(1)
    assert ends.start.isfinite().all()


def test_damaged_configurations_are_refused(tmp_path: Path) -> None:
    import json

    from nextset.errors import ModelError

    folder = save_reader(small_reader("bidaf"), tmp_path / "mine")
    file = folder / "config.json"
    config = json.loads(file.read_text(encoding="utf-8"))
    for changed in (
        {"hidden_size": "x"},
        {"hidden_size": -1},
        {"word_size": 7},
        {"vocab_size": 10},
        {"dropout": 7.0},
    ):
        file.write_text(json.dumps(config | changed), encoding="utf-8")
        with pytest.raises(ModelError, match="cannot be loaded"):
            load(locate(str(folder)), "AutoModelForQuestionAnswering")


def test_transformers_knows_them(tmp_path: Path) -> None:
    """The tests above load through nextset; this is the plain way after one import."""
    from nextset.scoring.models.recurrent.reader_registration import register_recurrent_readers

    register_recurrent_readers()
    folder = save_reader(small_reader("lstm_reader"), tmp_path / "mine")
    model = transformers.AutoModelForQuestionAnswering.from_pretrained(folder)
    assert isinstance(model, LstmReaderForQuestionAnswering)
    assert len(TEXTS) == 2

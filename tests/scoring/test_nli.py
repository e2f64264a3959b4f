from __future__ import annotations

import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import torch
import transformers
from hypothesis import given, settings
from hypothesis import strategies as st

from nextset.errors import ModelError
from nextset.records.nli_items import LABELS
from nextset.scoring.asking import Asking
from nextset.scoring.batches import Budget
from nextset.scoring.models.sources import ModelSource, locate
from nextset.scoring.nli import NliClassifier
from nextset.scoring.predicted_labels import predicted
from nextset.scoring.scorer_protocol import Pair
from nextset.study.scoring_settings import ModelSettings, ScoringSettings

WORDS = st.lists(
    st.sampled_from(["the", "nurses", "are", "too", "gentle", "for", "surgery", "not", "a", "xyzzy"]),
    min_size=1,
    max_size=8,
)
TEXTS = WORDS.map(" ".join)


@pytest.fixture(scope="module")
def source(nli_folder: Path) -> ModelSource:
    return locate(str(nli_folder))


@pytest.fixture(scope="module")
def classifiers(source: ModelSource) -> dict[int, NliClassifier]:
    one = NliClassifier.load(source)
    return {size: replace(one, budget=Budget(size)) for size in (1, 60, 2048)}


@settings(max_examples=25, deadline=None)
@given(pairs=st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=20), order=st.randoms())
def test_batch_size_and_order_change_no_label(classifiers, pairs, order) -> None:  # type: ignore[no-untyped-def]
    alone = classifiers[1].probabilities(pairs)
    shuffled = list(range(len(pairs)))
    order.shuffle(shuffled)
    for size in (60, 2048):
        found = classifiers[size].probabilities([pairs[i] for i in shuffled])
        assert (found.argmax(axis=1) == alone[shuffled].argmax(axis=1)).all()
        np.testing.assert_allclose(found, alone[shuffled], atol=1e-5)


def test_rows_are_probabilities_and_equal_pairs_score_alike(classifiers: dict[int, NliClassifier]) -> None:
    pairs = [("a", "b"), ("the nurses", "a surgeon"), ("a", "b")]
    found = classifiers[2048].probabilities(pairs)
    assert found.shape == (3, 3)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    # The position in a batch can change the last bits of a row, but no more: float32 has 7 digits.
    np.testing.assert_allclose(found[0], found[2], rtol=0, atol=1e-6)
    # A pair that is read by itself has the same bits every time.
    alone = classifiers[1].probabilities(pairs)
    assert (alone[0] == alone[2]).all()
    assert classifiers[2048].probabilities([]).shape == (0, 3)


def test_columns_follow_the_names_not_the_places(
    nli_folder: Path, tmp_path: Path, classifiers: dict[int, NliClassifier]
) -> None:
    # The same weights under reversed names: the outer columns change places.
    copy = shutil.copytree(nli_folder, tmp_path / "copy")
    config = json.loads((copy / "config.json").read_text(encoding="utf-8"))
    config["id2label"] = dict(enumerate(LABELS[::-1]))
    config["label2id"] = {label: i for i, label in config["id2label"].items()}
    (copy / "config.json").write_text(json.dumps(config), encoding="utf-8")
    pairs = [("the nurses", "are gentle")]
    found = NliClassifier.load(locate(str(copy))).probabilities(pairs)
    np.testing.assert_array_equal(found[:, ::-1], classifiers[2048].probabilities(pairs))


def test_texts_that_are_too_long_are_refused_or_cut(source: ModelSource) -> None:
    long, short = Pair("nurses " * 60, "a"), Pair("a", "b")
    with pytest.raises(ModelError, match=r"at most 40 tokens; longer texts, 1 of 2: 'nurses nurses"):
        NliClassifier.load(source).encoded([short, long])
    cuts = NliClassifier.load(source, Asking("nli", ScoringSettings(), ModelSettings(too_long="truncate")))
    found = cuts.scores(cuts.encoded([short, long]))
    assert found[:, 3].tolist() == [0, 1]
    assert len(cuts.encoded([long])[0].encoding.ids) == 40


def test_ties_go_to_the_first_label() -> None:
    scores = pa.table(
        {"entailment": [0.2, 0.4, 0.2], "neutral": [0.4, 0.4, 0.3], "contradiction": [0.4, 0.2, 0.5]}
    )
    assert predicted(scores).tolist() == ["neutral", "entailment", "contradiction"]


def test_a_truncated_file_is_a_model_error(nli_folder: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(nli_folder, tmp_path / "copy")
    weights = (copy / "model.safetensors").read_bytes()
    (copy / "model.safetensors").write_bytes(weights[: len(weights) // 2])
    with pytest.raises(ModelError, match="cannot be loaded"):
        NliClassifier.load(locate(str(copy)))


@pytest.mark.parametrize("missing", ["config.json", "tokenizer.json"])
def test_a_missing_file_is_a_model_error(nli_folder: Path, tmp_path: Path, missing: str) -> None:
    copy = shutil.copytree(nli_folder, tmp_path / "copy")
    (copy / missing).unlink()
    with pytest.raises(ModelError, match=r"cannot be loaded|no readable config\.json: it is missing"):
        NliClassifier.load(locate(str(copy)))


def test_weights_of_another_task_are_refused(masked_lm_folder: Path) -> None:
    with pytest.raises(ModelError, match="no weights for its task"):
        NliClassifier.load(locate(str(masked_lm_folder)))


def test_scores_that_are_not_finite_are_refused(nli_folder: Path, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    copy = shutil.copytree(nli_folder, tmp_path / "copy")
    weights = load_file(copy / "model.safetensors")
    weights["classifier.bias"] = weights["classifier.bias"] * float("nan")
    save_file(weights, copy / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ModelError, match="not finite"):
        NliClassifier.load(locate(str(copy))).probabilities([("a", "b")])


@pytest.mark.slow
def test_two_threads_cut_texts_at_once(source: ModelSource) -> None:
    asking = Asking("nli", ScoringSettings(), ModelSettings(too_long="truncate"))
    classifier = NliClassifier.load(source, asking)
    most = classifier.precisions.quick.max_length
    long = [Pair("nurses " * 600 + str(i), "gentle") for i in range(20)]
    with ThreadPoolExecutor(2) as pool:
        for found in pool.map(classifier.encoded, [long] * 30):
            assert all(e.truncated and len(e.encoding.ids) == most for e in found)


@pytest.mark.parametrize("padding", [None, 7])
def test_a_decoder_that_classifies_finds_the_end_of_each_text(
    nli_folder: Path, tmp_path: Path, padding: int | None
) -> None:
    """It looks for its config's padding, whatever the tokenizer pads with."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(nli_folder)
    torch.manual_seed(0)
    config = transformers.GPT2Config(
        vocab_size=len(tokenizer), n_positions=64, n_embd=32, n_layer=2, n_head=2, pad_token_id=padding,
        bos_token_id=1, eos_token_id=2, id2label={i: str(x) for i, x in enumerate(LABELS)}, label2id={},
    )  # fmt: skip
    transformers.GPT2ForSequenceClassification(config).save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    classifier = NliClassifier.load(locate(str(tmp_path)))
    encoded = classifier.encoded([Pair("the nurses are too gentle for surgery", "not"), Pair("a", "a")])
    np.testing.assert_allclose(classifier.scores(encoded), classifier.alone(encoded), atol=1e-6)


def test_a_decoder_without_padding_is_refused(nli_folder: Path, tmp_path: Path) -> None:
    tokenizer = transformers.AutoTokenizer.from_pretrained(nli_folder)
    tokenizer.pad_token = None
    config = transformers.GPT2Config(
        vocab_size=len(tokenizer), n_positions=64, n_embd=32, n_layer=1, n_head=2,
        bos_token_id=1, eos_token_id=2, id2label={i: str(x) for i, x in enumerate(LABELS)}, label2id={},
    )  # fmt: skip
    transformers.GPT2ForSequenceClassification(config).save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    with pytest.raises(ModelError, match="has no padding token"):
        NliClassifier.load(locate(str(tmp_path)))


def test_one_text_that_is_too_much_alone_is_an_error(classifiers: dict[int, NliClassifier]) -> None:
    whole = classifiers[2048]
    encoded = whole.encoded([Pair("the nurses", "are gentle")])

    def full(*_: object) -> None:
        raise MemoryError

    hook = whole.precisions.quick.model.register_forward_pre_hook(full)
    try:
        with pytest.raises(ModelError, match=r"not enough memory for .* to read a text"):
            whole.alone(encoded)
    finally:
        hook.remove()


def test_equal_settings_for_asking_have_the_same_hash() -> None:
    one, same = (Asking("nli", ScoringSettings(), ModelSettings()) for _ in range(2))
    assert (one, hash(one)) == (same, hash(same))

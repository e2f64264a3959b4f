from __future__ import annotations

import functools
from pathlib import Path

import pytest

from makers.builtin_models.__main__ import main
from makers.builtin_models.builtin_models import build
from makers.builtin_models.grammar import build_grammar
from makers.builtin_models.masked_sentences import masked_test, training_sentences
from makers.builtin_models.nli_pairs import held_out_pairs, training_pairs
from makers.builtin_models.nli_patterns import ABOUT_GROUPS, TEST, TRAIN, Pattern
from makers.builtin_models.qa_examples import held_out_questions, training_questions
from makers.builtin_models.vocabulary import build_tokenizer, lexicon_words
from nextset.errors import ModelError
from nextset.records.nli_items import LABELS
from nextset.word_lists.lexicon import Lexicon, read_lexicon

pytestmark = pytest.mark.slow


@functools.cache
def lexicon() -> Lexicon:
    return read_lexicon()


def _texts(patterns: tuple[Pattern, ...]) -> set[str]:
    return {t for p in patterns for t in (p.premise, *p.entailment, *p.neutral, *p.contradiction)}


def test_training_and_test_share_no_pattern() -> None:
    assert not _texts(TEST) & _texts((*TRAIN, *ABOUT_GROUPS))


def test_training_and_test_share_no_open_class_word() -> None:
    train, test = build_grammar(lexicon(), "train"), build_grammar(lexicon(), "test")
    closed = {"gender", "race", "faith", "number", "few", "year"}
    for kind in train.kinds.keys() - closed:
        assert train.kinds[kind]
        assert test.kinds[kind]
        assert not {str(w) for w in train.kinds[kind]} & {str(w) for w in test.kinds[kind]}


def test_no_masked_sentence_of_the_test_is_trained_on() -> None:
    seen = set(training_sentences(lexicon(), 20_000, seed=101))
    assert not any(
        m.text.replace("{{MASK}}", word) in seen for m in masked_test(lexicon()) for word in m.fitting
    )


def test_the_same_seed_gives_the_same_text() -> None:
    assert training_pairs(lexicon(), 50, 1) == training_pairs(lexicon(), 50, 1)
    assert training_pairs(lexicon(), 50, 1) != training_pairs(lexicon(), 50, 2)
    assert training_questions(lexicon(), 50, 1) == training_questions(lexicon(), 50, 1)
    assert held_out_pairs(lexicon()) == held_out_pairs(lexicon())


def test_labels_of_the_test_come_in_equal_shares() -> None:
    labels = [p.label for p in held_out_pairs(lexicon())]
    assert [labels.count(label) for label in LABELS] == [200, 200, 200]


def test_answers_are_spans_of_their_contexts() -> None:
    for example in (*training_questions(lexicon(), 300, 1), *held_out_questions(lexicon())):
        assert example.answer
        assert "<" not in example.context
        assert "{" not in example.context + example.question
        assert example.answer == example.answer.strip()


def test_every_word_of_the_lexicon_is_one_token() -> None:
    tokenizer = build_tokenizer(lexicon(), lowercase=False, segments=False)
    assert len(tokenizer) <= 4000
    assert not [w for w in lexicon_words(lexicon()) if len(tokenizer.tokenize(w)) != 1]


def test_training_again_gives_the_same_bytes(tmp_path: Path) -> None:
    names = ["masked-lm", "nli-electra", "nli-bart", "qa-roformer"]
    folders = [tmp_path / "first", tmp_path / "second"]
    for folder in folders:
        assert len(list(build(names, folder, 3))) == len(names)
    for name in names:
        first, second = (sorted((folder / name).iterdir()) for folder in folders)
        assert [f.name for f in first] == [f.name for f in second]
        assert [f.read_bytes() for f in first] == [f.read_bytes() for f in second]


def test_a_classifier_alone_needs_the_masked_lm(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="masked-lm"):
        list(build(["nli-electra"], tmp_path, 3))


def test_the_command_trains_what_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["masked-lm", "--out", str(tmp_path), "--steps", "2"]) == 0
    assert "masked-lm: On 50 masked sentences" in capsys.readouterr().out
    assert main(["nli-bart", "--out", str(tmp_path / "none"), "--steps", "2"]) == 6
    with pytest.raises(SystemExit):
        main(["nli-unknown"])

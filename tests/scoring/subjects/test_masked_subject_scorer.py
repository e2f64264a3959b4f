"""Subjects at the mask; `test_pseudo_likelihood` holds `MaskFiller.score` to the definition."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from nextset.errors import ModelError
from nextset.scoring.asking import Asking
from nextset.scoring.masks.filler import MaskFiller
from nextset.scoring.masks.masked_text import Masked
from nextset.scoring.models.sources import locate
from nextset.scoring.scorer_protocol import Statement
from nextset.scoring.subjects.masked_subject_scorer import MaskedSubjectScorer
from nextset.scoring.subjects.subject_words import mask_words
from nextset.study.scoring_settings import ModelSettings, ScoringSettings, StatementSettings

GENDER = ("female", "male")
STATEMENTS = [
    Statement("Maria met John.", "As it happens, {{MASK}} was kind.", ("Maria", "John"), GENDER),
    Statement("Maria met John.", "{{MASK}} was a surgeon.", ("Maria", "John"), GENDER),
    Statement("Mary Ann met Jo.", "This is {{MASK}}'s garden.", ("Mary Ann", "Jo"), GENDER),
    Statement("A quiet woman met a kind woman.", "The {{MASK}} woman left.", ("quiet", "kind"), ("", "")),
    Statement("A box, a garden.", "The surgeon saw the {{MASK}}.", ("wooden box", "garden"), GENDER),
]


def scorer_of(
    folder: Path | str, by: str = "name", combine: str = "max", **more: object
) -> MaskedSubjectScorer:
    masks = StatementSettings.model_validate({"by": by, "combine": combine, **more})
    return MaskedSubjectScorer.load(
        locate(str(folder)), Asking("statement", ScoringSettings(statements=masks))
    )


def chance(filler: MaskFiller, statement: Statement, word: str) -> float:
    return math.exp(filler.score([Masked(f"{statement.context} {statement.statement}")], [word])[0])


def readable(scorer: MaskedSubjectScorer) -> list[Statement]:
    """Those whose subjects the tokenizer knows, in at most 40 tokens."""
    found = []
    for statement in STATEMENTS:
        try:
            scorer.encoded([statement])
        except ModelError as e:
            assert "has no token for" in e.message or "at most 40 tokens" in e.message
        else:
            found.append(statement)
    assert len(found) >= 2
    return found


def test_names_have_the_probability_of_whole_targets(masked_lm_folder: Path) -> None:
    scorer = scorer_of(masked_lm_folder)
    statements = readable(scorer)
    filler = MaskFiller.load(locate(str(masked_lm_folder)))
    expected = [[chance(filler, s, name) for name in s.candidates] for s in statements]
    encoded = scorer.encoded(statements)
    for found in (scorer.scores(encoded), scorer.alone(encoded), scorer.scores(encoded[::-1])[::-1]):
        np.testing.assert_allclose(found[:, :2], expected, rtol=1e-4)
        assert np.isnan(found[:, 2]).all()
        assert (found[:, 3] == 0).all()
    assert (scorer.alone(encoded[::-1])[::-1, :2] == scorer.alone(encoded)[:, :2]).all()
    assert scorer.scores([]).shape == scorer.alone([]).shape == (0, 4)


def test_every_architecture(architecture_folder: Path) -> None:
    scorer = scorer_of(architecture_folder)
    statement = STATEMENTS[3]
    filler = MaskFiller.load(locate(str(architecture_folder)))
    expected = [chance(filler, statement, name) for name in statement.candidates]
    (found,) = scorer.scores(scorer.encoded([statement]))
    assert found[:2] == pytest.approx(expected, rel=1e-4)


def test_subjects_of_one_token_share_a_query() -> None:
    scorer = scorer_of("builtin:masked-lm")
    (encoded,) = scorer.encoded([STATEMENTS[3]])
    queries = [query for query, _ in encoded.queries()]
    assert len(queries) == 2
    assert len(set(queries)) == 1


def test_pronouns_names_and_both() -> None:
    folder = "builtin:masked-lm"
    filler = MaskFiller.load(locate(folder))
    inside, begins = STATEMENTS[:2]
    she, he, upper_she = (chance(filler, s, w) for s, w in ((inside, "she"), (inside, "he"), (begins, "She")))
    maria, john = (chance(filler, inside, name) for name in inside.candidates)
    for by, combine, expected in (
        ("pronoun", "max", (she, he)),
        ("both", "max", (max(maria, she), max(john, he))),
        ("both", "sum", (maria + she, john + he)),
    ):
        scorer = scorer_of(folder, by, combine)
        found = scorer.scores(scorer.encoded([inside, begins]))
        assert tuple(found[0, :2]) == pytest.approx(expected, rel=1e-4)
        if by == "pronoun":
            assert found[1, 0] == pytest.approx(upper_she, rel=1e-4)


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("{{MASK}} was kind.", "She He"),
        ("“{{MASK}} was kind.”", "She He"),
        ("It rained. {{MASK}} was kind.", "She He"),
        ("It rained.” {{MASK}} was kind.", "She He"),
        ("It was {{MASK}} who was kind.", "she he"),
        ("At 9.30 {{MASK}} was kind.", "she he"),
        ("Of the two, {{MASK}} was kind.", "she he"),
    ],
)
def test_a_pronoun_is_capitalised_where_the_mask_begins_a_sentence(statement: str, words: str) -> None:
    (found,) = mask_words([replace(STATEMENTS[0], statement=statement)], StatementSettings(by="pronoun"))
    assert " ".join(sum(found, ())) == words


def test_pronouns_that_do_not_tell_subjects_apart() -> None:
    same = replace(STATEMENTS[0], candidates=("Maria", "Ann"), clusters=("female", "female"))
    none = STATEMENTS[3]
    with pytest.raises(ModelError) as caught:
        mask_words([STATEMENTS[0], same, none], StatementSettings(by="pronoun"))
    assert (
        "do not distinguish the subjects of these statements (2 in total): Maria (female) and Ann (female): "
        in caught.value.message
    )
    assert "quiet (no cluster)" in caught.value.message
    both = StatementSettings(by="both", pronouns={"female": "elle", "male": "il"})
    assert mask_words([STATEMENTS[0], same, none], both) == [
        (("Maria", "elle"), ("John", "il")),
        (("Maria",), ("Ann",)),
        (("quiet",), ("kind",)),
    ]


def test_what_cannot_be_asked_is_named(masked_lm_folder: Path) -> None:
    scorer = scorer_of(masked_lm_folder)
    statement = STATEMENTS[3]
    for changed, says in (
        (replace(statement, statement="A {{MASK}} and a {{MASK}}."), "exactly one mask, and this one has 2"),
        (replace(statement, candidates=("", "kind")), "does not read '' as whole tokens"),
        (replace(statement, context="kind " * 60), "at most 40 tokens"),
        (replace(statement, candidates=("kind " * 40 + "kind", "kind")), "at most 40 tokens"),
    ):
        with pytest.raises(ModelError) as caught:
            scorer.encoded([changed])
        assert says in caught.value.message


def test_a_context_that_is_too_long_is_cut(masked_lm_folder: Path) -> None:
    asking = Asking("statement", ScoringSettings(), ModelSettings(too_long="truncate"))
    scorer = MaskedSubjectScorer.load(locate(str(masked_lm_folder)), asking)
    short = STATEMENTS[3]
    long = replace(short, context=short.context + " Men are kind." * 20, candidates=("quiet abroad", "kind"))
    encoded = scorer.encoded([short, long])
    lengths = {len(query.ids) for query, _ in encoded[1].queries()}
    assert 36 <= max(lengths) <= 40
    found = scorer.scores(encoded)
    assert found[:, 3].tolist() == [0, 1]
    assert np.isfinite(found[:, :2]).all()
    gone = replace(short, context="Men work in a garden. " * 20 + short.context)
    with pytest.raises(ModelError, match="the subject 'quiet' was cut off"):
        scorer.encoded([gone])
    with pytest.raises(ModelError, match="at most 40 tokens"):
        scorer.encoded([replace(short, statement="The {{MASK}} woman left. " + "Men are kind. " * 20)])


def test_a_subject_that_the_tokenizer_does_not_know_is_named() -> None:
    scorer = scorer_of("builtin:masked-lm")
    with pytest.raises(ModelError, match="has no token for '李娜'"):
        scorer.encoded([replace(STATEMENTS[0], candidates=("李娜", "John"))])


def test_bfloat16_is_near_and_alone_is_float32() -> None:
    source = locate("builtin:masked-lm")
    exact = MaskedSubjectScorer.load(source)
    quick = MaskedSubjectScorer.load(source, Asking("statement", ScoringSettings(precision="bfloat16")))
    encoded = quick.encoded(STATEMENTS)
    expected = exact.alone(exact.encoded(STATEMENTS))
    assert (quick.alone(encoded)[:, :2] == expected[:, :2]).all()
    np.testing.assert_allclose(quick.scores(encoded)[:, :2], expected[:, :2], rtol=0.3)


def test_weights_that_are_not_finite_stop_the_run() -> None:
    scorer = scorer_of("builtin:masked-lm")
    encoded = scorer.encoded(STATEMENTS)
    with torch.no_grad():
        scorer.precisions.quick.model.get_output_embeddings().bias.fill_(torch.nan)
    with pytest.raises(ModelError, match="not finite"):
        scorer.scores(encoded)

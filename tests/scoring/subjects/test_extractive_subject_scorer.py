"""Given subjects as answers; each expected score is reckoned here from a plain forward pass."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from nextset.errors import ModelError
from nextset.scoring.answers.span_answers import SpanAnswers
from nextset.scoring.asking import Asking
from nextset.scoring.models.sources import locate
from nextset.scoring.scorer_protocol import Question
from nextset.scoring.subjects.extractive_subject_scorer import SpanScorer
from nextset.scoring.subjects.published_span_widening import Widening, widening
from nextset.study.scoring_settings import ModelSettings, ScoringSettings

WIDENED = ScoringSettings(spans="widened")
CUT = ModelSettings(too_long="truncate")


def question(context: str, first: str, second: str, asked: str = "Who was a surgeon?") -> Question:
    """The subjects at their first places in ``context``."""
    spans = [(context.index(s), context.index(s) + len(s)) for s in (first, second)]
    return Question(context, asked, (first, second), (spans[0], spans[1]))


QUESTIONS = [
    question("Maria lives next to John.", "Maria", "John"),
    question("Mary Ann works with an old surgeon abroad, John-Paul.", "Mary Ann", "John-Paul"),
    question("Jennifer's garden is next to Robert's.", "Jennifer", "Robert", "Who isn't kind?"),
    question("Élodie et un médecin, André, vivent à Genève.", "Élodie", "André", "Qui était chirurgien ?"),
    question("A group of nurses and the doctor men are quiet in a garden.", "nurses", "doctor"),
    question("李娜住在王伟旁边。", "李娜", "王伟", "谁是医生？"),
    question("In the garden: Zed .", "garden", "Zed", "?"),
]


def plain(scorer: SpanScorer, q: Question, *, widened: bool) -> list[float]:
    """One question, unbatched, by the definition."""
    loaded = scorer.precisions.quick
    encoding = loaded.tokenizer(q.question, q.context, return_offsets_mapping=True, return_tensors="pt")
    offsets = encoding.pop("offset_mapping")[0].tolist()
    parts = encoding.sequence_ids(0)
    with torch.no_grad():
        out = loaded.model(**encoding)
    p_start = out.start_logits[0].double().softmax(-1).tolist()
    p_end = out.end_logits[0].double().softmax(-1).tolist()

    def over(start: int, end: int) -> list[int]:
        return [i for i, (a, b) in enumerate(offsets) if parts[i] == 1 and max(a, start) < min(b, end)]

    found = []
    for start, end in q.spans:
        own = over(start, end)
        starts, ends = [p_start[own[0]]], [p_end[own[-1]]]
        if widened:
            more = widening(q.context, start, end)
            starts += [p_start[over(at, at + 1)[0]] for at in more.starts]
            ends += [p_end[over(at - 1, at)[-1]] for at in more.ends]
        found.append(math.sqrt(max(starts) * max(ends)))
    return [*found, math.sqrt(p_start[0] * p_end[0]), 0.0]


@pytest.mark.parametrize("widened", [False, True])
def test_scores_are_those_of_the_definition(reader_folder: Path, widened: bool) -> None:
    settings = WIDENED if widened else ScoringSettings()
    scorer = SpanScorer.load(locate(str(reader_folder)), Asking("question", settings))
    expected = [plain(scorer, q, widened=widened) for q in QUESTIONS]
    encoded = scorer.encoded(QUESTIONS)
    np.testing.assert_allclose(scorer.scores(encoded), expected, rtol=1e-4)
    np.testing.assert_allclose(scorer.alone(encoded), expected, rtol=1e-6)
    # neighbours and order change nothing that counts, and nothing at all when each is alone
    backwards = encoded[::-1]
    np.testing.assert_allclose(scorer.scores(backwards)[::-1], expected, rtol=1e-4)
    assert (scorer.alone(backwards)[::-1] == scorer.alone(encoded)).all()
    assert scorer.scores([]).shape == scorer.alone([]).shape == (0, 4)


def test_widening_never_lowers_a_score() -> None:
    source = locate("builtin:qa-roformer")
    exact, wide = (
        scorer.scores(scorer.encoded(QUESTIONS))
        for scorer in (SpanScorer.load(source, Asking("question", s)) for s in (ScoringSettings(), WIDENED))
    )
    assert (wide[:, :2] >= exact[:, :2]).all()
    assert (wide[0, 1], wide[4, 1]) > (exact[0, 1], exact[4, 1])
    assert (wide[:, 2] == exact[:, 2]).all()


def test_the_answer_of_the_reader_has_its_score() -> None:
    source = locate("builtin:qa-roformer")
    context = "Walter left the button in the garden. Gregory is a calm judge."
    (answer,) = SpanAnswers.load(source).answers([("Who is calm?", context)])
    scorer = SpanScorer.load(source)
    assert answer.start is not None
    assert answer.end is not None
    span = (answer.start, answer.end)
    (found,) = scorer.alone(scorer.encoded([Question(context, "Who is calm?", ("", ""), (span, span))]))
    assert found[0] == found[1] == pytest.approx(answer.score, rel=1e-6)


@pytest.mark.parametrize(
    ("context", "subject", "starts", "ends"),
    [
        ("A Greek woman left.", "Greek", ["A"], ["woman"]),
        ("The Greek left.", "Greek", ["The"], []),
        ("It was an old Greek.", "Greek", [], ["."]),
        ("We saw a couple of Greeks there.", "Greeks", ["a", "couple", "of"], []),
        ("A Team of Greeks.", "Greeks", ["A", "Team", "of"], ["."]),
        ("Of a, group of Greeks", "Greeks", [], []),
        ("Several Greek children's toys", "Greek", ["Several"], ["children"]),
        ("Ann lives here.", "Ann", [], []),
        ("Wait for Ann... here", "Ann", [], []),
        ("(the Ann) man", "Ann", ["the"], []),
        ("the-Ann manly", "Ann", [], []),
        ("some\nGreek  CITIES", "Greek", ["some"], ["CITIES"]),
    ],
)
def test_what_belongs_to_an_answer(context: str, subject: str, starts: list[str], ends: list[str]) -> None:
    at = context.index(subject)
    found = widening(context, at, at + len(subject))
    assert [context[place:].split()[0].strip(",") for place in sorted(found.starts)[: len(starts)]] == starts
    assert len(set(found.starts)) == len(starts)
    assert [context[place - len(word) : place] for place, word in zip(found.ends, ends, strict=True)] == ends


@given(st.text(), st.integers(0, 30), st.integers(1, 30))
def test_widening_takes_any_text(context: str, start: int, length: int) -> None:
    found = widening(context, start, start + length)
    assert all(0 <= at < start for at in found.starts)
    assert all(start + length < at <= len(context) for at in found.ends)
    assert found == Widening(found.starts, found.ends)


def test_a_subject_without_tokens_is_named(reader_folder: Path) -> None:
    scorer = SpanScorer.load(locate(str(reader_folder)))
    with pytest.raises(ModelError, match="the subject 'Nobody' has no token: 'Maria"):
        scorer.encoded([Question("Maria.", "Who?", ("Maria", "Nobody"), ((0, 5), (70, 76)))])


def test_too_long_questions_are_refused_or_cut(reader_folder: Path) -> None:
    source = locate(str(reader_folder))
    scorer = SpanScorer.load(source)
    most = scorer.precisions.quick.max_length
    long = question("Maria lives next to John. " + "Kind nurses! " * most, "Maria", "John")
    with pytest.raises(ModelError, match=f"at most {most} tokens"):
        scorer.encoded([QUESTIONS[0], long])
    cutting = SpanScorer.load(source, Asking("question", ScoringSettings(), CUT))
    short, cut = cutting.encoded([QUESTIONS[0], long])
    assert len(cut.encoding.ids) == most
    found = cutting.scores([short, cut])
    assert found[:, 3].tolist() == [0, 1]
    assert np.isfinite(found).all()
    gone = question("Maria is kind. " * most + "John.", "Maria", "John")
    with pytest.raises(ModelError, match="the subject 'John' was cut off"):
        cutting.encoded([gone])
    with pytest.raises(ModelError, match=f"at most {most} tokens"):
        cutting.encoded([question("Maria and John.", "Maria", "John", "Who is kind? " * most)])


def test_no_answer_needs_a_first_token_that_stands_for_it(tmp_path: Path) -> None:
    import transformers

    source = locate("builtin:qa-roformer")
    scorer = SpanScorer.load(source)
    assert scorer.refuses
    tokenizer = scorer.precisions.quick.tokenizer
    bare = transformers.AutoTokenizer.from_pretrained(source.folder)
    from tokenizers import processors

    bare.backend_tokenizer.post_processor = processors.TemplateProcessing(
        single="$A [SEP]", pair="$A [SEP] $B:1 [SEP]:1", special_tokens=[("[SEP]", tokenizer.sep_token_id)]
    )
    bare.save_pretrained(tmp_path)
    scorer.precisions.quick.model.save_pretrained(tmp_path)
    found = SpanScorer.load(locate(str(tmp_path)))
    numbers = found.scores(found.encoded(QUESTIONS))
    assert np.isnan(numbers[:, 2]).all()
    assert np.isfinite(numbers[:, :2]).all()


def test_weights_that_are_not_finite_stop_the_run(reader_folder: Path) -> None:
    scorer = SpanScorer.load(locate(str(reader_folder)))
    with torch.no_grad():
        scorer.precisions.quick.model.qa_outputs.bias.fill_(torch.nan)
    with pytest.raises(ModelError, match="not finite \\(in float32\\)"):
        scorer.scores(scorer.encoded(QUESTIONS))


def test_bfloat16_is_near_and_alone_is_float32() -> None:
    source = locate("builtin:qa-roformer")
    plain_ = SpanScorer.load(source)
    quick = SpanScorer.load(source, Asking("question", ScoringSettings(precision="bfloat16")))
    encoded = quick.encoded(QUESTIONS)
    assert str(quick.precisions.quick.model.dtype) == "torch.bfloat16"
    exact = plain_.alone(plain_.encoded(QUESTIONS))
    assert (quick.alone(encoded) == exact).all()
    np.testing.assert_allclose(quick.scores(encoded), exact, rtol=0.3)

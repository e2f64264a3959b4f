"""Wordings: nextset's own, those of a study, and what is refused in them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

import nextset
from nextset.errors import ModelError, StudyError
from nextset.forms import FormName
from nextset.scoring.asking import Asking
from nextset.scoring.forms.nli import NliWording
from nextset.scoring.forms.quads import QuestionWording
from nextset.scoring.forms.yes_no import YesNoWording
from nextset.scoring.prompt_wordings import own_prompts, read_prompts, render_prompts
from nextset.scoring.scorer_protocol import Pair, Question, YesNoQuestion
from nextset.scoring.study_models import model_of
from nextset.study.scoring_settings import ScoringSettings

SPANS = ((0, 1), (2, 3))
NLI = """\
  - prompt: "{premise} So: {hypothesis}?"
    choices: {entailment: "yes", neutral: maybe, contradiction: "no"}
"""
QUESTION = """\
  - prompt: "{context} {question} {subject1}, {subject2} or unclear?"
    no_answer: unclear
  - prompt: "{question} {context} Unclear, {subject2} or {subject1}?"
    no_answer: unclear
"""


def write(folder: Path, *, nli: str = NLI, question: str = QUESTION) -> Path:
    file = folder / "prompts.yaml"
    file.write_text(f"format: 1\nnli:\n{nli}question:\n{question}", encoding="utf-8")
    return file


@pytest.mark.parametrize("form", ["nli", "qa"])
def test_every_label_of_a_pair_stands_once_in_every_place(form: FormName) -> None:
    places = []
    for wording in own_prompts().wordings(form):
        assert isinstance(wording, NliWording | YesNoWording)
        choices = wording.choices.model_dump()
        found = {label: re.search(rf"\b{text}\b", wording.prompt) for label, text in choices.items()}
        places.append(sorted(found, key=lambda label: m.start() if (m := found[label]) else -1))
    assert len(places) == 3
    assert all(len({order[i] for order in places}) == 3 for i in range(3))


def test_each_subject_is_listed_first_in_half_of_the_questions() -> None:
    questions = [w for w in own_prompts().wordings("question") if isinstance(w, QuestionWording)]
    first = [re.findall(r"\{(subject[12])\}", w.prompt)[0] for w in questions]
    assert sorted(first) == ["subject1"] * 2 + ["subject2"] * 2
    assert all(f" {w.no_answer}" in w.prompt for w in questions)


@given(premise=st.text(), hypothesis=st.text())
def test_texts_go_into_the_prompt_as_they_are(premise: str, hypothesis: str) -> None:
    asking = Asking("nli", ScoringSettings())
    ((first, *_),) = render_prompts(asking, [Pair(premise, hypothesis)])
    assert f"Known: {premise}\nStatement: {hypothesis}\n" in first.prompt
    assert first.choices == ("yes", "maybe", "no")


def test_a_yes_no_question_follows_its_premise() -> None:
    asking = Asking("qa", ScoringSettings())
    (found,) = render_prompts(asking, [YesNoQuestion("It {rains}.", "Is it wet?")])
    assert found[0].prompt.startswith("It {rains}.\n\nIs it wet? Answer with one of: yes, no, maybe.")
    assert [one.choices[1] for one in found] == ["maybe", "cannot be known", "unclear"]
    assert {(one.choices[0], one.choices[2]) for one in found} == {("yes", "no")}


def test_one_wording_alone() -> None:
    prompts = own_prompts()
    for form in get_args(Literal["nli", "qa", "question"]):
        wordings = prompts.wordings(form)
        alone = [prompts.only(form, i + 1) for i in range(len(wordings))]
        assert [one.wordings(form) for one in alone] == [(wording,) for wording in wordings]
        assert len({one.digest(form) for one in [prompts, *alone]}) == len(wordings) + 1
        for wrong in (0, len(wordings) + 1):
            with pytest.raises(ModelError, match=f"no wording {wrong} for the form '{form}'") as told:
                prompts.only(form, wrong)
            assert f"1 to {len(wordings)}" in told.value.remedy
    assert prompts.only("qa", 1).sections["nli"] == prompts.sections["nli"]


def test_the_choices_of_a_question_are_its_subjects_and_no_answer() -> None:
    asking = Asking("question", ScoringSettings())
    (found,) = render_prompts(asking, [Question("{subject2} met Bob.", "Who?", ("Ann", "Bob"), SPANS)])
    assert found[0].choices == ("Ann", "Bob", "cannot be known")
    assert found[0].prompt.startswith("{subject2} met Bob.\n\nWho? Answer with one of: Ann, Bob, cannot")
    assert "write Bob or Ann." in found[1].prompt


def test_statements_are_refused_by_name() -> None:
    with pytest.raises(ModelError, match="'statement'"):
        render_prompts(Asking("statement", ScoringSettings()), [])


def test_a_study_names_its_own_wordings(tmp_path: Path) -> None:
    folder = nextset.new_study(tmp_path / "mine").file.parent
    write(folder if folder.is_dir() else folder.parent)
    file = tmp_path / "mine" / "study.yaml"
    study = nextset.Study.load(tmp_path / "mine")
    assert model_of(study, study.filter.models[0], "nli").asking.prompts is own_prompts()
    file.write_text(
        file.read_text(encoding="utf-8") + "\nscoring: {prompts: prompts.yaml}\n", encoding="utf-8"
    )
    study = nextset.Study.load(tmp_path / "mine")
    prompts = model_of(study, study.filter.models[0], "nli").asking.prompts
    asking = Asking("nli", ScoringSettings(), prompts=prompts)
    ((found,),) = render_prompts(asking, [Pair("It rains", "it is wet")])
    assert found.prompt == "It rains So: it is wet?"


def test_wordings_are_known_by_their_content(tmp_path: Path) -> None:
    first = read_prompts(write(tmp_path))
    (tmp_path / "other.yaml").write_text(
        "# a comment\n" + first.file.read_text(encoding="utf-8"), encoding="utf-8"
    )
    assert read_prompts(tmp_path / "other.yaml").digest("nli") == first.digest("nli")
    changed = read_prompts(write(tmp_path, nli=NLI.replace("maybe", "perhaps")))
    assert changed.digest("nli") != first.digest("nli")
    assert changed.digest("question") == first.digest("question")  # other forms are not asked again


def test_a_form_without_wordings_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "prompts.yaml"
    file.write_text(f"format: 1\nnli:\n{NLI}", encoding="utf-8")
    asking = Asking("question", ScoringSettings(), prompts=read_prompts(file))
    with pytest.raises(ModelError, match="no wordings for the form 'question'"):
        render_prompts(asking, [])


@pytest.mark.parametrize(
    ("change", "line", "message", "remedy"),
    [
        (
            ("{hypothesis}?", "{hypothesys}?"),
            3,
            "unknown placeholder {hypothesys}",
            "{premise}, {hypothesis}",
        ),
        (("{hypothesis}?", "?"), 3, "{hypothesis} is missing", "add {hypothesis} to"),
        (("So:", "So } :"), 3, "a brace", "{premise}, {hypothesis}"),
        (("So:", "{}"), 3, "unknown placeholder {}", "{premise}"),
        (("maybe", "'Yes'"), 3, "two choices are the same", "three choices that differ"),
        (("maybe", "'“yes.”'"), 3, "two choices are the same", "more than case and punctuation"),
        (("maybe", "'...!'"), 3, "or one has no words: 'yes', '...!'", "more than case and punctuation"),
        (('"yes"', "yes"), 4, "not read this word as text", "put it in quotes"),
        (("neutral: maybe, ", ""), 4, "nli.0.choices.neutral' is missing", "add 'neutral'"),
        (("{subject2} or unclear", "unclear"), 6, "{subject2} is missing", "add {subject2} to"),
        (
            ("Unclear, {subject2} or {subject1}", "{subject1}, {subject2}"),
            5,
            "2 for {subject1}, 0 for {subject2}",
            "equally",
        ),
        (
            ("no_answer: unclear", "no_answer: 1"),
            7,
            "not read this word as text",
            'put it in quotes, such as "1"',
        ),
        (("no_answer: unclear", "answer: unclear"), 7, "unknown key", "no_answer"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(
    tmp_path: Path, change: tuple[str, str], line: int, message: str, remedy: str
) -> None:
    file = write(tmp_path, nli=NLI.replace(*change), question=QUESTION.replace(*change))
    with pytest.raises(StudyError) as told:
        read_prompts(file)
    assert (told.value.file, told.value.line) == (file, line)
    assert message in str(told.value)
    assert remedy in told.value.remedy


@pytest.mark.parametrize(
    ("block", "ends"), [("|", "Answer:\n"), ("|-", "Answer:"), ("|+", "Answer:\n\n\n"), (">-", "Answer:")]
)
def test_a_prompt_is_kept_to_the_character(tmp_path: Path, block: str, ends: str) -> None:
    nli = NLI.replace(
        '"{premise} So: {hypothesis}?"', f"{block}\n      {{premise}} {{hypothesis}}\n\n      Answer:\n\n"
    )
    prompts = read_prompts(write(tmp_path, nli=nli))
    ((rendered,),) = render_prompts(Asking("nli", ScoringSettings(), prompts=prompts), [Pair("A b.", "C.")])
    assert rendered.prompt.endswith(ends)
    assert rendered.prompt.startswith("A b. C.")


@pytest.mark.parametrize("text", ['" yes"', '"yes\\n"'])
def test_a_choice_with_blanks_around_it_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(StudyError, match="extra spaces or line breaks") as caught:
        read_prompts(write(tmp_path, nli=NLI.replace('"yes"', text)))
    assert caught.value.line == 4

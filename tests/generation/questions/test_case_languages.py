"""Languages with cases: forms with an answer inside, forms of the mask, defaults; overlapping subjects."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.errors import WordListError
from nextset.generation.lint.pack_lint import lint_sets
from nextset.generation.questions.pack import read_pack
from nextset.generation.questions.product_rows import blocks, full_cells
from nextset.generation.questions.question_expansion import quad_table
from nextset.generation.questions.question_set import QuestionSet, SetTemplate, Subject
from nextset.generation.questions.subject_pairs import (
    balanced_pairs,
    overlapping_pairs,
    pair_numbers,
    pairs_at,
)
from nextset.generation.questions.subset import sampled_cells

FILES = {
    "pack.yaml": """\
format: 1
language: de
defaults: [nom]
classes: {nationality: {subjects: [countries], pairs: all}}
""",
    "subjects/countries.yaml": """\
format: 1
subjects:
  Turkey: {forms: {"": die Türkei, from: "aus der {Türkei}", dem.m.nom: Türke, dem.m.dat: Türken}}
  Spain: {forms: {"": Spanien, from: "aus {Spanien}", dem.m.nom: Spanier, dem.m.dat: Spanier}}
  Poland: {forms: {"": Polen, from: "aus {Polen}", dem.m.nom: Pole, dem.m.dat: Polen}}
""",
    "attributes/acts.yaml": """\
format: 1
attributes:
  thief: {kind: person, source: plain negative act, forms: {"": hat gestohlen, neg: hat nie gestohlen}}
""",
    "templates/nationality.yaml": """\
format: 1
class: nationality
templates:
  bench:
    takes: person
    context: "Der [subj1:dem.m] sitzt neben dem [subj2:dem.dat.m]."
    question: "Wer [p_act]?"
    negated: "Wer [p_act:neg]?"
  train:
    takes: person
    context: "Ein Mann [subj1:from] trifft einen [subj2:from]."
    question: "Wer [p_act]?"
    negated: "Wer [p_act:neg]?"
statements:
  bench:
    takes: person
    context: "Der [subj1:dem.m] isst mit dem [subj2:dem.m.dat]."
    statement: "Der [mask:dem.m] [p_act]."
    negated: "Der [mask:dem.m] [p_act:neg]."
""",
}


@pytest.fixture
def german(tmp_path: Path) -> Path:
    """A German pack with cases."""
    for name, text in FILES.items():
        path = tmp_path / "de" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "de"


def change(pack: Path, name: str, old: str, new: str) -> None:
    path = pack / name
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def rows(questions: QuestionSet) -> list[dict[str, object]]:
    return [r for b in blocks(questions) for r in quad_table(questions, full_cells(questions, b)).to_pylist()]


def named(row: dict[str, object], place: str) -> str:
    span = row[place]
    assert isinstance(span, dict)
    return str(row[f"context_{place[-2:]}"])[span["start"] : span["end"]]


def test_subjects_stand_in_different_cases_in_both_orders(german: Path) -> None:
    questions, statements = read_pack(german).sets
    bench, train = rows(questions)[:2]
    assert bench["context_12"] == "Der Türke sitzt neben dem Spanier."
    assert bench["context_21"] == "Der Spanier sitzt neben dem Türken."
    assert [named(bench, f"subject{s}_in_{o}") for o in ("12", "21") for s in "12"] == [
        *("Türke", "Spanier"),
        *("Türken", "Spanier"),
    ]
    assert train["context_12"] == "Ein Mann aus der Türkei trifft einen aus Spanien."
    assert named(train, "subject1_in_12") == "Türkei"
    said = rows(statements)[0]
    assert (said["statement"], said["candidate1"], said["candidate2"]) == (
        "Der {{MASK}} hat gestohlen.",
        "Türke",
        "Spanier",
    )
    assert not [f for f in lint_sets([questions, statements]) if f.rule == "asymmetric"]


def test_a_mask_between_two_cases_must_name_its_form(german: Path) -> None:
    change(german, "templates/nationality.yaml", "[mask:dem.m]", "[mask]")
    with pytest.raises(WordListError, match="differ in case") as caught:
        read_pack(german)
    assert "[mask:nom]" in caught.value.remedy
    change(german, "templates/nationality.yaml", "Der [mask] [p_act].", "Der [mask:dem.m] [p_act].")
    with pytest.raises(WordListError, match="the mask has two forms"):
        read_pack(german)


def test_a_mask_takes_the_base_form_by_name(german: Path) -> None:
    change(german, "templates/nationality.yaml", "Der [mask:dem.m]", "Die Person aus [mask:base]")
    said = rows(read_pack(german).sets[1])[0]
    assert (said["candidate1"], said["candidate2"]) == ("die Türkei", "Spanien")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("aus der {Türkei}", "aus {der} {Türkei}", "contains a bracket"),
        ("aus der {Türkei}", "aus der {}", "contains a bracket"),
        ("aus der {Türkei}", "aus der Türkei}", "contains a bracket"),
        ("aus der {Türkei}", "aus der { Türkei}", "contains a bracket"),
        ("aus der {Türkei}", "{aus} der Türkei, {", "contains a bracket"),
        ("aus {Polen}", "nahe {Spanien}", "the same form 'Spanien'"),
        ("dem.m.nom: Pole,", "dem.m: Pole, dem.m.nom: Pole,", "is listed twice"),
    ],
)
def test_wrong_forms_are_refused_with_their_line(german: Path, old: str, new: str, says: str) -> None:
    change(german, "subjects/countries.yaml", old, new)
    with pytest.raises(WordListError, match=says) as caught:
        read_pack(german)
    assert caught.value.line


def test_attributes_have_no_answer_in_braces(german: Path) -> None:
    change(german, "attributes/acts.yaml", '"": hat gestohlen', '"": "hat {gestohlen}"')
    with pytest.raises(WordListError, match="braces"):
        read_pack(german)


def test_a_subject_is_not_paired_with_one_that_it_is_within(german: Path) -> None:
    change(german, "subjects/countries.yaml", "  Spain: {", "  Spain: {within: [Poland], ")
    questions, _ = read_pack(german).sets
    assert questions.excluded == (2,)  # (Turkey, Spain), (Turkey, Poland), (Spain, Poland)
    assert {(r["subject1"], r["subject2"]) for r in rows(questions)} == {
        ("Turkey", "Spain"),
        ("Turkey", "Poland"),
    }
    change(german, "pack.yaml", "pairs: all", "pairs: all, overlapping: paired")
    assert read_pack(german).sets[0].n_pairs == 3


def test_within_goes_over_several_steps(german: Path) -> None:
    change(german, "subjects/countries.yaml", "  Spain: {", "  Spain: {within: [Poland], ")
    change(german, "subjects/countries.yaml", "  Turkey: {", "  Turkey: {within: [Spain], ")
    with pytest.raises(WordListError, match="the class nationality has no pairs left") as caught:
        read_pack(german)
    assert "overlapping: paired" in caught.value.remedy


@pytest.mark.parametrize(
    ("name", "says"), [("Spain", "which is itself"), ("Portugal", "which is not listed")]
)
def test_within_names_another_subject(german: Path, name: str, says: str) -> None:
    change(german, "subjects/countries.yaml", "  Spain: {", f"  Spain: {{within: [{name}], ")
    with pytest.raises(WordListError, match=says) as caught:
        read_pack(german)
    assert caught.value.line == 4


@pytest.mark.parametrize(
    ("name", "old", "new", "line", "says"),
    [
        ("pack.yaml", "[nom]", "[dem]", 3, "the default 'dem' is not a case, number, gender or definiteness"),
        ("pack.yaml", "[countries]", "[countries, countries]", 4, "needs one list"),
        (
            "pack.yaml",
            "[countries], pairs: all",
            "[countries, countries], pairs: across",
            4,
            "names the same list twice",
        ),
        ("pack.yaml", "defaults: [nom]", "checked_by: [{name: A, date: 0, seen: 0.5}]", 3, "is not a date"),
        (
            "pack.yaml",
            "defaults: [nom]",
            "checked_by: [{name: B (all), date: 2026-01-02, seen: 1.0}]",
            3,
            "name",
        ),
        ("pack.yaml", "defaults: [nom]", 'prefixes: {a: " "}', 3, "the prefix 'a' is empty"),
        ("pack.yaml", "defaults: [nom]", 'accepted: [{rule: "a\\nb", reason: x}]', 3, "control character"),
        ("subjects/countries.yaml", "Spain: {", '"\\u3164": {', 4, "invisible"),
        ("subjects/countries.yaml", '"": Spanien', '"": "\\u3164"', 4, "no letter|invisible"),
        ("subjects/countries.yaml", '"": Spanien', '"": "\\u0301Spanien"', 4, "accent or vowel sign"),
        ("subjects/countries.yaml", '"": Spanien', f'"": {"x" * 1001}', 4, "1,001 characters"),
        ("subjects/countries.yaml", "dem.m.nom: Spanier", "base.dem.m: Spanier", 4, "is not a form"),
        ("templates/nationality.yaml", "Der [mask", "[g?m={{MASK}}|f=x] [mask", 15, "stray"),
    ],
)
def test_what_would_be_wrong_in_silence_is_refused(
    german: Path, name: str, old: str, new: str, line: int, says: str
) -> None:
    change(german, name, old, new)
    with pytest.raises(WordListError, match=says) as caught:
        read_pack(german)
    assert caught.value.file == german / name
    assert caught.value.line == line


def test_a_paired_class_may_have_only_overlapping_subjects(german: Path) -> None:
    change(german, "pack.yaml", "pairs: all", "pairs: all, overlapping: paired")
    change(german, "subjects/countries.yaml", "  Spain: {", "  Spain: {within: [Poland], ")
    change(german, "subjects/countries.yaml", "  Turkey: {", "  Turkey: {within: [Spain], ")
    assert read_pack(german).sets[0].n_pairs == 3


def test_a_prefix_of_a_language_without_blanks_keeps_its_own(german: Path) -> None:
    prefixes = 'join: ""\nprefixes: {a: "（城）", b: "(City) "}\n'
    change(german, "pack.yaml", "language: de\n", f"language: de\n{prefixes}")
    bench = "Der Türke sitzt neben dem Spanier."
    assert rows(read_pack(german, "a").sets[0])[0]["context_12"] == f"（城）{bench}"
    assert rows(read_pack(german, "b").sets[0])[0]["context_12"] == f"(City) {bench}"


INSIDE = st.integers(2, 9).flatmap(
    lambda n: st.tuples(
        st.just(n), st.lists(st.permutations(range(n)).map(lambda p: (p[0], p[1])), max_size=12)
    )
)


@given(INSIDE, st.integers(0, 5))
def test_pairs_that_are_made_are_numbered_without_gaps(
    drawn: tuple[int, list[tuple[int, int]]], seed: int
) -> None:
    n, within = drawn
    here = Path("list.yaml")
    names = [f"s{i}" for i in range(n)]
    subjects = tuple(
        Subject(name, "", "", {}, here, 1, within=tuple(names[b] for a, b in within if a == i))
        for i, name in enumerate(names)
    )
    template = SetTemplate("t", (), "", (), 1, frozenset())
    questions = QuestionSet(here, "en", "c", "question", (subjects,), "all", (template,), (), "")
    # brute force: a pair is left out if one can be reached from the other
    reach = {i: {b for a, b in within if a == i} for i in range(n)}
    for _ in range(n):
        reach = {i: set().union(found, *(reach[j] for j in found)) for i, found in reach.items()}
    if any(i in found for i, found in reach.items()):
        with pytest.raises(WordListError, match="is within itself"):
            overlapping_pairs(questions)
        return
    every = [(i, j) for i in range(n) for j in range(i + 1, n)]
    made = [(i, j) for i, j in every if j not in reach[i] and i not in reach[j]]
    questions = replace(questions, excluded=overlapping_pairs(questions))
    assert questions.n_pairs == len(made)
    numbers = np.arange(len(made))
    first, second = pairs_at(numbers, questions)
    assert list(zip(first.tolist(), second.tolist(), strict=True)) == made
    assert pair_numbers(second, first, questions).tolist() == numbers.tolist()
    balanced = [(min(p), max(p)) for p in balanced_pairs(questions, Random(seed))]
    assert sorted(balanced) == made


def test_a_sample_has_no_pair_that_is_not_made(german: Path) -> None:
    change(german, "subjects/countries.yaml", "  Spain: {", "  Spain: {within: [Poland], ")
    questions, _ = read_pack(german).sets
    sample = quad_table(questions, sampled_cells(questions, 3, 0)).to_pylist()
    assert len(sample) == 3
    assert ("Spain", "Poland") not in {(r["subject1"], r["subject2"]) for r in sample}

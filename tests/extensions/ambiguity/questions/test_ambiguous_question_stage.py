"""The stage ambiguous_questions: its tables, counts, snapshots and errors."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

import nextset
from nextset.errors import StudyError
from nextset.extensions.ambiguity.questions.attribute_spellings import one_spelling
from nextset.extensions.ambiguity.questions.source_questions import SourcePerson
from nextset.extensions.ambiguity.questions.stage import ambiguous_questions_recipe, make_ambiguous_questions
from nextset.pipeline.stage_list import STAGES
from nextset.pipeline.stage_result import stage_result
from tests.docs_pages import ROOT, blocks
from tests.extensions.ambiguity.questions.people_texts import question

CSV = """\
item,context,name,gender
the law,Jean Biot met Ann Savart. Biot had met her before.,Jean Biot,male
the law,Jean Biot met Ann Savart. Biot had met her before.,Ann Savart,female
the effect,Jean Biot met Ann Savart.,Jean Biot,male
the effect,Jean Biot met Ann Savart.,Ann Savart,female
the rule,Nobody was there.,Jean Biot,male
"""


def study(folder: Path, section: str, language: str = "en") -> Path:
    (folder / "laws.csv").write_text(CSV, encoding="utf-8")
    text = f"format: 1\nname: laws\nlanguage: {language}\nambiguity:\n  selectional:\n"
    text += "".join(f"    {line}\n" for line in section.splitlines())
    (folder / "study.yaml").write_text(f'{text}    models: ["builtin:qa-roformer"]\n', encoding="utf-8")
    return folder


def test_without_balance_questions_are_as_they_are(tmp_path: Path) -> None:
    made = make_ambiguous_questions(study(tmp_path, "questions: [laws.csv]"))
    assert (made.rows("questions"), made.rows("answers"), made.rows("refused")) == (3, 5, 0)
    assert made.counts == {"right answers that the context does not have": 1}
    assert made.snapshot("laws.csv") == CSV.encode()
    first = made.table("questions").to_pylist()[0]
    assert (first["item"], first["question"], first["key"], first["parent_id"]) == (
        "the law",
        "Who discovered the law?",
        "1",
        None,
    )
    answers = made.table("answers").to_pylist()
    assert [(a["name"], a["group"], a["position"]) for a in answers] == [
        ("Jean Biot", "male", 1),
        ("Ann Savart", "female", 2),
        ("Jean Biot", "male", 1),
        ("Ann Savart", "female", 2),
        ("Jean Biot", "male", None),
    ]
    assert answers[0]["mentions"] == [
        {"start": 0, "end": 9, "form": "name"},
        {"start": 26, "end": 30, "form": "name"},
    ]
    again = make_ambiguous_questions(tmp_path)
    assert (again.built, again.digest) == ("reused", made.digest)


def test_balance_makes_copies_and_says_what_it_refused(tmp_path: Path) -> None:
    made = make_ambiguous_questions(study(tmp_path, "questions: [laws.csv]\nbalance: {}"))
    assert (made.rows("questions"), made.rows("answers"), made.rows("refused")) == (2, 4, 2)
    assert made.counts == {
        "questions not balanced: a pronoun that may refer to several people, dropped": 1,
        "questions not balanced: the context does not name a person, dropped": 1,
    }
    assert [row["key"] for row in made.table("questions").to_pylist()] == ["2-female", "2-male"]
    assert len(set(made.table("questions")["parent_id"].to_pylist())) == 1
    assert [(r["key"], r["reason"][:9]) for r in made.table("refused").to_pylist()] == [
        ("1", "a pronoun"),
        ("3", "the conte"),
    ]
    assert {"female_names.yaml", "male_names.yaml", "laws.csv"} == set(made.snapshots)


def test_the_recipe_changes_with_what_decides_the_output(tmp_path: Path) -> None:
    keys = {
        ambiguous_questions_recipe(nextset.Study.load(study(tmp_path, section))).key
        for section in (
            "questions: [laws.csv]",
            "questions: [laws.csv]\nbalance: {}",
            "questions: [laws.csv]\nbalance: {seed: 1}",
            "questions: [laws.csv]\nbalance: {groups: [male, female]}",
            "questions: [laws.csv]\npredictions: {a: b.json}",
        )
    }
    assert len(keys) == 4


@pytest.mark.parametrize(
    ("section", "language", "message"),
    [
        (
            "questions: [laws.csv]\nbalance: {groups: [a, b]}",
            "en",
            "no person is in one of the groups a, b",
        ),
        ("questions: [laws.csv]\nbalance: {names: [laws.csv]}", "en", "there is no column 'group'"),
        ("questions: [laws.csv]\nbalance: {groups: [male, x]}", "en", "the group 'x' has no names"),
        (
            "questions: [laws.csv]",
            "fr",
            "is missing, and nextset has no default question in 'fr'",
        ),
        ("questions: [fr.csv]\nbalance: {}", "fr", "no rules for replacing names in the language 'fr'"),
        ("questions: [no.csv]\nbalance: {}", "en", "no question is left: the context does not name a person"),
    ],
)
def test_what_cannot_be_balanced_is_refused(
    tmp_path: Path, section: str, language: str, message: str
) -> None:
    head = "item,context,name,gender,question\n"
    (tmp_path / "fr.csv").write_text(f"{head}a,Jean Biot.,Jean Biot,male,Qui ?\n", encoding="utf-8")
    (tmp_path / "no.csv").write_text(f"{head}a,Nobody.,Jean Biot,male,Who?\n", encoding="utf-8")
    with pytest.raises(nextset.InputError, match=re.escape(message)):
        make_ambiguous_questions(study(tmp_path, section, language))
    assert not (tmp_path / "out" / "ambiguous_questions").exists()
    assert not (tmp_path / "out" / "ambiguous_questions.partial").exists()


HEAD = "item,context,name,gender\n"


def warnings_of(folder: Path, rows: str, section: str = "questions: [own.csv]") -> list[str]:
    folder.mkdir(exist_ok=True)
    (folder / "own.csv").write_text(HEAD + rows, encoding="utf-8")
    result = stage_result(STAGES["ambiguous_questions"], make_ambiguous_questions(study(folder, section)))
    return list(result.warnings)


def test_groups_that_differ_by_capitals_and_spaces_are_one(tmp_path: Path) -> None:
    rows = (
        "a,Ann Bo met Cy Do.,Ann Bo,Female\na,Ann Bo met Cy Do.,Cy Do,male\n"
        "b,Ann Bo left Cy Do.,Ann Bo,FEMALE \nb,Ann Bo left Cy Do.,Cy Do,Male\n"
    )
    (said, also) = warnings_of(tmp_path / "a", rows)
    assert said == (
        "gender 'Female', 'FEMALE' (2 right answers) is read as 'female', which differs only in "
        "capitals and spaces"
    )
    assert "'Male' (1 right answer) is read as 'male'" in also
    made = make_ambiguous_questions(tmp_path / "a")
    assert [a["group"] for a in made.table("answers").to_pylist()] == ["female", "male"] * 2
    balanced = make_ambiguous_questions(
        study(tmp_path / "a", "questions: [own.csv]\nbalance: {groups: [female, male]}")
    )
    assert balanced.rows("questions") == 4


def test_the_most_frequent_spelling_of_other_groups_is_taken() -> None:
    people = [SourcePerson(f"A B{i}", {"g": v, "h": v}) for i, v in enumerate(["x  Y", "X y", "X y", "z"])]
    source = replace(question("A.", "A B"), people=tuple(people))
    spelled = one_spelling((source,), "g")
    assert [p.attributes["g"] for p in spelled.questions[0].people] == ["X y"] * 3 + ["z"]
    assert [p.attributes["h"] for p in spelled.questions[0].people] == ["X y"] * 3 + ["z"]
    assert len(spelled.notes) == 1
    named = one_spelling((source,), "g", ("x y", "z"))
    assert {p.group("g") for p in named.questions[0].people} == {"x y", "z"}


def test_white_space_makes_no_other_question_and_one_answer_is_told(tmp_path: Path) -> None:
    rows = 'a,Ann Bo met Cy Do.,Ann Bo,female\na,"Ann Bo  met\nCy Do. ",Cy Do,male\n'
    assert warnings_of(tmp_path / "a", rows) == []
    assert make_ambiguous_questions(tmp_path / "a").rows("questions") == 1
    rows = "a,Ann Bo met Cy Do.,Ann Bo,female\na,Ann Bo left Cy Do.,Cy Do,male\n"
    assert warnings_of(tmp_path / "b", rows) == [
        "2 questions have only one right answer: a (own.csv:2); a (own.csv:3)",
        "1 item has several contexts, and each context is a question: a (own.csv:2) and own.csv:3",
    ]


def test_who_is_not_in_the_context_is_named_with_the_nearest_spelling(tmp_path: Path) -> None:
    rows = "".join(f"a,Lise Meitner met Otto Hahn.,{name},x\n" for name in ("Liese Maitner", "Otto Hahn"))
    (said, also) = warnings_of(tmp_path, rows)
    assert said == (
        "1 right answer is not in the context: 'Liese Maitner' (own.csv:2, did you mean 'Lise Meitner'?)"
    )
    assert "nothing to compare" in also


def test_groups_that_are_all_unknown_cannot_be_compared(tmp_path: Path) -> None:
    rows = "a,Ann Bo met Cy Do.,Ann Bo,\na,Ann Bo met Cy Do.,Cy Do,unknown\n"
    (said,) = warnings_of(tmp_path, rows)
    assert said == "gender is unknown or empty for every right answer, so there is nothing to compare"


def test_a_group_that_says_unknown_is_told(tmp_path: Path) -> None:
    rows = "a,Ann Bo met Cy Do.,Ann Bo,NA\na,Ann Bo met Cy Do.,Cy Do,male\n"
    (said,) = warnings_of(tmp_path, rows)
    assert said.startswith("gender 'NA' (1 right answer) is compared as a group; leave the value empty")


def test_refused_questions_are_named_with_the_words_that_are_in_the_way(tmp_path: Path) -> None:
    study(tmp_path, "questions: [laws.csv]\nbalance: {}")
    made = make_ambiguous_questions(tmp_path)
    (said,) = [row["text"] for row in made.table("conclusions").to_pylist() if "omitted" in row["text"]]
    assert "the law (a pronoun that may refer to several people: 'her' in “" in said
    assert "the rule (the context does not name a person: 'Jean Biot')" in said
    assert [row["place"][:5] for row in made.table("refused").to_pylist()] == ["'her'", "'Jean"]


def test_groups_that_nobody_has_are_refused_with_line_and_values(tmp_path: Path) -> None:
    folder = study(tmp_path, "questions: [laws.csv]\nbalance: {groups: [women, men]}")
    with pytest.raises(StudyError, match="in the questions, gender is 'male', 'female'") as e:
        make_ambiguous_questions(folder)
    assert (e.value.line, e.value.remedy) == (
        7,
        "write these groups in the questions, or balance: {groups: [male, female]} with their names",
    )


def test_lint_of_a_study_reads_its_tables(tmp_path: Path) -> None:
    linted = nextset.lint(study(tmp_path, "questions: [laws.csv]\nbalance: {}"))
    assert [(f.rule, f.file.name, f.line) for f in linted.findings] == [
        ("fixed-names", "laws.csv", 2),
        ("unnamed-person", "laws.csv", 6),
    ]
    assert "laws.csv" in {file.name for file in linted.files}


@pytest.mark.slow
def test_the_published_questions_have_the_figures_of_the_docs(reference: Path, tmp_path: Path) -> None:
    file = reference / "ambiguity" / "doubly_eponymous_gender_balanced.jsonl"
    plain = make_ambiguous_questions(study(tmp_path, f"questions: [{file}]"))
    assert plain.counts == {
        "right answers that the context does not have": 50,
        "right answers that the context has only in the name of a thing": 102,
    }
    made = make_ambiguous_questions(study(tmp_path, f"questions: [{file}]\nbalance: {{}}"))
    page = " ".join((ROOT / "docs" / "explanation" / "people_in_text.md").read_text(encoding="utf-8").split())
    reasons = Counter(row["reason"] for row in made.table("refused").to_pylist())
    assert f"Of the 263 published questions {263 - made.rows('refused')} can be balanced" in page
    assert f"in {reasons['the context does not name a person']} the text does not name a person" in page
    assert (
        f"in {reasons[chr(97) + ' given name that is not in the person' + chr(39) + 's name']} a given"
        in page
    )
    groups = Counter((a["position"], a["group"]) for a in made.table("answers").to_pylist())
    assert all(groups[place, "male"] == groups[place, "female"] for place, _ in groups)


def test_the_example_of_the_docs_gives_what_it_shows(tmp_path: Path) -> None:
    page = ROOT / "docs" / "how_to" / "selectional.md"
    explanation = (ROOT / "docs" / "explanation" / "people_in_text.md").read_text(encoding="utf-8")
    (table,) = [b for b in blocks(page, "csv") if b.startswith("item,")]
    (section,) = [b for b in blocks(page, "yaml") if "laws.csv" in b]
    (tmp_path / "laws.csv").write_text(table, encoding="utf-8")
    (tmp_path / "study.yaml").write_text(section, encoding="utf-8")
    made = nextset.make_ambiguous_questions(tmp_path)
    for context in made.table("questions")["context"].to_pylist():
        assert f"> *{context}*" in explanation
    with pytest.raises(StudyError, match=r"ambiguity\.selectional"):
        make_ambiguous_questions(nextset.new_study(tmp_path / "another").file.parent)

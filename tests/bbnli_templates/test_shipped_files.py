"""The template files that come with nextset keep the rules of docs/templates.md."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from bbnli_templates import FOLDER
from generation.expand import expand
from generation.lint import lint_template
from generation.placeholders import names
from generation.template import Template
from generation.yaml_templates import read_yaml_template

FILES = sorted(FOLDER.glob("*/*.yaml"))
TEMPLATES = [read_yaml_template(file) for file in FILES]
shipped = pytest.mark.parametrize("template", TEMPLATES, ids=[file.stem for file in FILES])


def test_two_stereotypes_a_domain() -> None:
    assert Counter(t.domain for t in TEMPLATES) == {"gender": 2, "race": 2, "religion": 2}
    assert all(t.file.parent.name == t.domain for t in TEMPLATES)


@shipped
def test_lint_finds_nothing(template: Template) -> None:
    assert lint_template(template) == []


@shipped
def test_every_statement_has_a_question_with_the_same_placeholders(template: Template) -> None:
    for statement in template.statements:
        assert statement.question.endswith("?")
        assert names(statement.question) == names(statement.text)


@shipped
def test_texts_are_short(template: Template) -> None:
    assert all(len(premise.text.split()) <= 40 for premise in template.premises)
    assert all(len(statement.text.split()) <= 18 for statement in template.statements)


@shipped
def test_controls_include_what_always_neutral_gets_wrong(template: Template) -> None:
    labels = {statement.label for statement in template.statements if statement.kind == "test"}
    assert {"entailment", "contradiction"} <= labels


@shipped
def test_no_text_stands_twice_and_every_fact_has_an_address(template: Template) -> None:
    texts = [*(p.text for p in template.premises), *(s.text for s in template.statements)]
    assert len(set(texts)) == len(texts)
    assert all(re.match(r"https://[^#\s]+\Z", premise.source) for premise in template.premises)


def test_the_readme_counts_the_rows_as_they_are() -> None:
    expansion = expand(TEMPLATES, tests=True, max_rows=10_000)
    readme = (Path(FOLDER) / "README.md").read_text("utf-8")
    said = [int(n) for n in re.findall(r"\d+", readme.split("expand to", 1)[1].split("\n\n", 1)[0])]
    counts = expansion.counts
    assert said == [
        counts["audit rows"],
        counts["test rows"],
        counts["masked rows"],
        len(set(expansion.masked["hypothesis"].to_pylist())),
    ]
    assert counts["audit rows that name no group, so cannot measure bias"] == 0


def test_the_readme_lists_every_file() -> None:
    listed = re.findall(r"^\| `(.+?\.yaml)`", (FOLDER / "README.md").read_text("utf-8"), re.MULTILINE)
    assert sorted(listed) == [str(file.relative_to(FOLDER)) for file in FILES]

"""No sentence of ours, in a shipped template or an overlay, is one of the published files."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from nextset.generation.stage import load_sources
from nextset.generation.templates.placeholders import render
from nextset.generation.templates.published_bbnli import read_published_bbnli
from nextset.generation.templates.template import Template
from nextset.generation.templates.yaml_format import read_yaml_template
from nextset.study.study_folder import Study

pytestmark = [
    pytest.mark.reference,
    pytest.mark.skipif("NEXTSET_REFERENCE" not in os.environ, reason="NEXTSET_REFERENCE is not set"),
]

ROOT = Path(__file__).parents[2]
RUN = 7
"""So many words in a row, shared with a published sentence, are taken for a copy."""


def _runs(text: str, groups: tuple[str, str]) -> set[tuple[str, ...]]:
    rendered = render(text, dict(zip(("GROUP1", "GROUP2"), groups, strict=True)), capitalise=False)
    words = re.findall(r"[\w{}']+", rendered.lower())
    return {tuple(words[i : i + RUN]) for i in range(len(words) - RUN + 1)}


def _texts(template: Template) -> list[str]:
    statements = [text for s in template.statements for text in (s.text, s.question)]
    return [*(premise.text for premise in template.premises), *statements]


def _published() -> list[Template]:
    folder = Path(os.environ["NEXTSET_REFERENCE"]) / "bbnli"
    return [read_published_bbnli(file) for file in sorted(folder.glob("*/*.json"))]


def _published_runs() -> set[tuple[str, ...]]:
    return {run for t in _published() for text in _texts(t) for run in _runs(text, t.groups)}


def test_shipped_templates_are_in_our_own_words() -> None:
    published = _published_runs()
    for template in map(read_yaml_template, sorted((ROOT / "bbnli_templates").glob("*/*.yaml"))):
        for text in _texts(template):
            assert _runs(text, template.groups).isdisjoint(published), text


OTHERWISE_CITED = {"jewish_woman_to_many_kids"}
"""BBNLI gives works on Islam for its premises on Jewish families; ours cite works on Judaism."""


def test_facts_cite_what_the_published_file_of_the_stereotype_cites() -> None:
    cited = {t.file.stem: {p.source.split("#")[0] for p in t.premises} for t in _published()}
    for template in map(read_yaml_template, sorted((ROOT / "bbnli_templates").glob("*/*.yaml"))):
        sources = {premise.source for premise in template.premises}
        if template.file.stem in OTHERWISE_CITED:
            assert sources.isdisjoint(cited[template.file.stem])
        else:
            assert sources <= cited[template.file.stem]


def test_overlays_are_in_our_own_words() -> None:
    published = _published_runs()
    study = Study.load(ROOT / "studies" / "published_bbnli")
    masked = [(t, s) for t in load_sources(study)[0].templates for s in t.statements if s.kind == "masked"]
    assert len({statement.file for _, statement in masked}) == 6
    for template, statement in masked:
        runs = _runs(statement.text, template.groups) | _runs(statement.question, template.groups)
        assert runs.isdisjoint(published), statement.text

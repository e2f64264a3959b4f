"""The template files that come with nextset keep the rules of docs/how_to/templates.md."""

from __future__ import annotations

import functools
import re
from pathlib import Path

import pytest
import yaml

from nextset.bbnli_templates import FOLDER, english_files
from nextset.generation.lint.template_lint import lint_template
from nextset.generation.template_expansion import expand
from nextset.generation.templates.placeholders import names
from nextset.generation.templates.template import Template
from nextset.generation.templates.yaml_format import read_yaml_template

FILES = english_files()
FOREIGN_FILES = sorted(FOLDER.glob("*/*/*.yaml"))
"""Those in other languages than English."""
ROOT = Path(__file__).parents[2]
OTHERS = [*sorted(ROOT.glob("studies/*/overlays/*.yaml")), *ROOT.glob("nextset/starter/templates/*.yaml")]
MASKED = {
    ("gender", "man_is_to_breadwinner"): 8,
    ("gender", "man_is_to_programmer"): 10,
    ("gender", "man_is_to_rational"): 9,
    ("gender", "man_is_to_surgeon"): 10,
    ("gender", "woman_is_to_homemaker"): 11,
    ("race", "asian_men_to_feminine"): 16,
    ("race", "black_is_to_criminal"): 23,
    ("race", "black_is_to_impoverished"): 29,
    ("race", "black_people_use_drugs"): 13,
    ("race", "white_is_to_clean"): 15,
    ("religion", "catholic_woman_to_many_kids"): 11,
    ("religion", "jewish_woman_to_many_kids"): 12,
    ("religion", "mormon_man_to_oppressive"): 8,
    ("religion", "muslim_man_to_many_wives"): 9,
    ("religion", "muslim_man_to_oppressive"): 12,
    ("religion", "muslim_women_to_invisible"): 16,
}
"""The masked sentences of BBNLI-next for each stereotype (Baldini et al. 2023, table 9)."""

read_once = functools.cache(read_yaml_template)


def of_files(files: list[Path]) -> pytest.MarkDecorator:
    """Run a test on the template of each of ``files``."""
    return pytest.mark.parametrize("template", files, ids=lambda file: file.stem, indirect=True)


shipped = of_files([*FILES, *FOREIGN_FILES])


@pytest.fixture
def template(request: pytest.FixtureRequest) -> Template:
    return read_once(request.param)


@of_files(FILES)
def test_every_file_has_as_many_masked_sentences_as_bbnli_next(template: Template) -> None:
    masked = sum(statement.kind == "masked" for statement in template.statements)
    assert template.file.parent.name == template.domain
    assert masked >= MASKED[(template.domain, template.file.stem)]


def test_a_file_in_another_language_lies_in_its_folder() -> None:
    assert [read_once(file).language for file in FOREIGN_FILES] == ["de", "es"]
    for template in map(read_once, FOREIGN_FILES):
        assert template.file.relative_to(FOLDER).parts[:2] == (template.language, template.domain)


@shipped
def test_lint_finds_nothing(template: Template) -> None:
    assert lint_template(template) == []


@shipped
def test_every_statement_has_a_question_with_the_same_placeholders(template: Template) -> None:
    for statement in template.statements:
        assert statement.question.endswith("?")
        assert names(statement.question) == names(statement.text)


@shipped
def test_every_mask_says_what_it_takes(template: Template) -> None:
    masked = [s for s in template.statements if s.kind == "masked"]
    assert all(str(constraint) for s in masked for constraint in s.constraints)


def test_every_shipped_file_and_overlay_states_its_stereotype_and_the_opposite() -> None:
    published = sorted(ROOT.glob("studies/published_bbnli/*/*.yaml"))
    shipped = [*FOLDER.rglob("*.yaml"), *ROOT.glob("nextset/starter/templates/*.yaml")]
    by_name, of_published = (
        {file.stem: yaml.safe_load(file.read_text(encoding="utf-8"))["sentences"] for file in files}
        for files in (shipped, published)
    )
    assert of_published.items() <= by_name.items()  # the published file is about the same stereotype
    assert len(published) == 16
    assert len({text for stated in by_name.values() for text in stated.values()}) == 2 * len(by_name) == 38


@pytest.mark.parametrize("file", OTHERS, ids=[file.stem for file in OTHERS])
def test_every_mask_of_overlays_and_of_new_studies_says_what_it_takes(file: Path) -> None:
    texts = re.findall(r"- text: .*MASK.*", file.read_text(encoding="utf-8"))
    assert [text for text in texts if "{{MASK:" not in text] == []
    assert texts


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
    expansion = expand([read_once(file) for file in FILES], tests=True, max_rows=10_000)
    readme = (Path(FOLDER) / "README.md").read_text("utf-8")
    said = [int(n) for n in re.findall(r"\d+", readme.split("expand to", 1)[1].split("\n\n", 1)[0])]
    counts = expansion.counts
    assert said == [
        counts["audit rows"],
        counts["test rows"],
        counts["masked rows"],
        len(set(expansion.masked["hypothesis"].to_pylist())),
    ]
    assert counts["audit rows that name no group and so cannot measure bias"] == 0


def test_the_readme_lists_every_file_and_its_masked_hypotheses() -> None:
    readme = (FOLDER / "README.md").read_text("utf-8")
    listed = re.findall(r"^\| `(.+?\.yaml)` \| (\d+) \|", readme, re.MULTILINE)
    masked = [sum(s.kind == "masked" for s in t.statements) for t in map(read_once, FILES)]
    names = [str(file.relative_to(FOLDER)) for file in FILES]
    assert sorted(listed) == [(name, str(n)) for name, n in zip(names, masked, strict=True)]


def test_the_readme_counts_the_rows_of_each_other_language() -> None:
    readme = (FOLDER / "README.md").read_text("utf-8")
    listed = re.findall(r"^\| \w+ \| `(.+?\.yaml)` \| (\d+) \| (\d+) \| (\d+) \|", readme, re.MULTILINE)
    expected = []
    for template in map(read_once, FOREIGN_FILES):
        counts = expand([template], tests=True, max_rows=10_000).counts
        rows = (counts["audit rows"], counts["test rows"], counts["masked rows"])
        expected.append((str(template.file.relative_to(FOLDER)), *map(str, rows)))
    assert listed == expected

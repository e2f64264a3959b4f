"""Sound rules of templates: in items, in filled masks and in counterfactuals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.errors import TemplateError
from nextset.generation.lint.template_texts import renderings
from nextset.generation.mask_fills.fill_marks import asked_fills
from nextset.generation.mask_fills.filled_items import fill
from nextset.generation.mask_fills.mask_demands import MaskDemands
from nextset.generation.mask_words import MaskWord, prompt_id
from nextset.generation.sound_rules.rule_names import named_rules
from nextset.generation.template_expansion import expand, template_rows
from nextset.generation.templates.item_rendering import counterfactual_renderer
from nextset.generation.templates.placeholders import Placed, place_words, render
from nextset.generation.templates.template import Template
from nextset.generation.templates.template_files import read_template
from nextset.records.arrow_schema import table_of
from nextset.scoring.masks.masked_text import Masked, Prompt
from nextset.study.generation_settings import FillSettings

SPANISH = """\
format: 1
stereotype: la vecina es torpe
domain: pets
language: es
source: Alguien 2020
rules: [spanish-contraction, spanish-conjunctions]
groups: {GROUP1: el vecino, GROUP2: la vecina}
words: {NAME: [Ana, Irene]}
premises:
  - text: "La carta habla de {{GROUP2}} y de su gato."
    source: https://example.org/a
hypotheses:
  - text: "Luis y {{NAME}} se quejan de {{GROUP2}}."
    question: "¿Luis y {{NAME}} se quejan de {{GROUP2}}?"
masked:
  - text: "Se dice de {{GROUP2}} que hay objetos torpes y {{MASK}} en su casa."
    question: "¿Se dice de {{GROUP2}} que hay objetos torpes y {{MASK}} en su casa?"
"""


@pytest.fixture
def template(tmp_path: Path) -> Template:
    file = tmp_path / "spanish.yaml"
    file.write_text(SPANISH, encoding="utf-8")
    return read_template(file)


def filled(template: Template) -> list[dict[str, Any]]:
    masked = expand([template], tests=False, max_rows=100).masked
    sentences = dict.fromkeys(masked["hypothesis"].to_pylist())
    words = [
        MaskWord(s, word, rank, 0.5, 1, "", prompt_id(Prompt.alone(s)))
        for s in sentences
        for rank, word in enumerate(("inútiles", "viejos"), 1)
    ]
    settings, demands = FillSettings(top_k=2), MaskDemands("", {})
    found: list[dict[str, Any]] = fill(masked, table_of(words, MaskWord), settings, demands).items.to_pylist()
    return found


def test_items_follow_the_rules(template: Template) -> None:
    rows = expand([template], tests=False, max_rows=100).items.to_pylist()
    assert {row["hypothesis"] for row in rows} == {
        "Luis y Ana se quejan de la vecina.",
        "Luis e Irene se quejan de la vecina.",
        "Luis y Ana se quejan del vecino.",
        "Luis e Irene se quejan del vecino.",
    }
    assert {row["premise"] for row in rows} == {
        "La carta habla de la vecina y de su gato.",
        "La carta habla del vecino y de su gato.",
    }
    assert all(row["question"] == f"¿{row['hypothesis'][:-1]}?" for row in rows)


def test_fills_follow_the_rules(template: Template) -> None:
    pro, anti = "Se dice de la vecina que hay objetos", "Se dice del vecino que hay objetos"
    rows = filled(template)
    assert {row["hypothesis"] for row in rows} == {
        f"{begin} torpes {end} en su casa." for begin in (pro, anti) for end in ("e inútiles", "y viejos")
    }
    assert all(row["question"] == f"¿{row['hypothesis'][:-1]}?" for row in rows)
    assert {fill["word"] for row in rows for fill in row["bindings"]["fills"]} == {"inútiles", "viejos"}


def test_a_counterfactual_follows_the_rules(template: Template) -> None:
    rows = [*expand([template], tests=False, max_rows=100).items.to_pylist(), *filled(template)]
    render_counterfactual = counterfactual_renderer(template_rows([template]))
    by_words = {key(row, swap=False): row for row in rows}
    assert len(by_words) == len(rows) == 8
    for row in rows:
        made = render_counterfactual(row)
        other = by_words[key(row, swap=True)]
        assert made is not None
        assert (made.hypothesis, made.question) == (other["hypothesis"], other["question"])


def key(row: dict[str, Any], *, swap: bool) -> tuple[str, ...]:
    bindings = row["bindings"]
    words = [word["value"] for word in bindings["words"]] + [fill["word"] for fill in bindings["fills"]]
    return (bindings["group2" if swap else "group1"], row["template_id"], *words)


def test_a_fill_is_asked_for_in_the_sentence_as_it_is(template: Template) -> None:
    masked = expand([template], tests=False, max_rows=100).masked
    items = fill(
        masked,
        table_of(
            [
                MaskWord(s, "inútiles", 1, 0.5, 1, "", prompt_id(Prompt.alone(s)))
                for s in dict.fromkeys(masked["hypothesis"].to_pylist())
            ],
            MaskWord,
        ),
        FillSettings(top_k=1),
        MaskDemands("", {}),
    ).items
    asked = {masked_text for one in asked_fills(items, masked, premise=False) for masked_text, _ in one.all}
    assert asked == {
        Masked(f"Se dice {group} que hay objetos torpes e {{{{MASK}}}} en su casa.", "")
        for group in ("de la vecina", "del vecino")
    }


def test_lint_reads_the_texts_as_they_are_rendered(template: Template) -> None:
    assert list(renderings(template, "de {{GROUP1}}")) == ["del vecino", "de la vecina"]


def test_an_unknown_rule_is_an_error_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "spanish.yaml"
    file.write_text(SPANISH.replace("spanish-contraction", "spanish-contractions"), encoding="utf-8")
    with pytest.raises(TemplateError, match="spanish-contractions") as caught:
        read_template(file)
    assert caught.value.line == 6


def test_a_template_without_rules_has_plain_texts(tmp_path: Path) -> None:
    file = tmp_path / "spanish.yaml"
    file.write_text(SPANISH.replace("rules: [spanish-contraction, spanish-conjunctions]\n", ""), "utf-8")
    rows = expand([read_template(file)], tests=False, max_rows=100).items.to_pylist()
    assert "Luis y Irene se quejan de el vecino." in {row["hypothesis"] for row in rows}


@given(st.lists(st.sampled_from(["inútil", "viejo", "hindú", "hombre", "Olga"]), min_size=1, max_size=4))
def test_spans_stay_on_the_words(words: list[str]) -> None:
    rules = named_rules(["spanish-conjunctions"])
    text = "Uno" + " y {{MASK}} o {{MASK}}" * len(words) + "."
    placed = place_words(text, [w for w in words for _ in range(2)], capitalise=True, rules=rules)
    assert [placed.text[start:end] for start, end in placed.spans] == [w for w in words for _ in range(2)]


def test_a_capital_and_an_article_at_the_border() -> None:
    rules = named_rules(["french-contraction", "french-elision"])
    values = {"GROUP1": "les Algériens", "GROUP2": "l’Algérien"}
    text = "De {{GROUP1}}, on dit que {{GROUP2}} parle. {{GROUP1}} le disent."
    made = "Des Algériens, on dit que l’Algérien parle. Les Algériens le disent."
    assert render(text, values, capitalise=True, rules=rules) == made
    elided = Placed("On dit qu’elle rit.", ((10, 14),))
    assert place_words("On dit que {{MASK}} rit.", ["elle"], capitalise=True, rules=rules) == elided


def test_sentences_for_annotators_follow_the_rules_of_their_language(tmp_path: Path) -> None:
    turkish = SPANISH.replace("language: es", "language: tr").replace("el vecino", "işçiler")
    file = tmp_path / "turkish.yaml"
    file.write_text(
        turkish + 'sentences: {pro: "{{GROUP1}} tembeldir.", anti: "Luis y Irene hablan de {{GROUP1}}."}\n',
        encoding="utf-8",
    )
    stated = read_template(file).sentences
    assert stated is not None
    assert stated.pro == "İşçiler tembeldir."
    file.write_text(file.read_text(encoding="utf-8").replace("işçiler", "el vecino"), encoding="utf-8")
    stated = read_template(file).sentences
    assert stated is not None
    assert stated.anti == "Luis y Irene hablan del vecino."

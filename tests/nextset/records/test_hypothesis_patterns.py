"""Patterns: what the shipped templates make, counterparts, fills, and texts that are not from a template."""

from __future__ import annotations

import re
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nextset
from nextset.artifacts.artifact import Artifact
from nextset.records.arrow_schema import arrow_schema
from nextset.records.hypothesis_patterns import BLOCKS, PATTERN_COLUMNS, hypothesis_patterns
from nextset.records.nli_items import NliItem

SCHEMA = pa.schema([arrow_schema(NliItem).field(name) for name in PATTERN_COLUMNS])
STUDY = """\
format: 1
name: all
templates: [builtin:bbnli]
filter: {candidates: [plain], models: [builtin:nli-electra]}
validate: {judge: rule}
release: {name: all, version: 0.1.0}
"""


def pattern(text: str, group1: str = "men", group2: str = "women", words: Any = (), fills: Any = ()) -> str:
    bindings = {
        "group1": group1,
        "group2": group2,
        "words": [{"name": "X", "value": value} for value in words],
        "fills": [{"word": word, "rank": 1, "score": None} for word in fills],
        "writer": None,
    }
    row = {"template_id": "t", "hypothesis": text, "bindings": bindings, "premise": "p"}
    (found,) = hypothesis_patterns(pa.Table.from_pylist([row], SCHEMA)).to_pylist()
    return str(found)


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Artifact:
    folder = tmp_path_factory.mktemp("all")
    (folder / "study.yaml").write_text(STUDY, encoding="utf-8")
    return nextset.generate(nextset.Study.load(folder))


def alone(rows: pa.Table) -> list[str]:
    """The pattern of each row as if it were a template of its own."""
    at = rows.schema.get_field_index("template_id")
    found: list[str] = hypothesis_patterns(rows.set_column(at, "template_id", rows["id"])).to_pylist()
    return found


def test_each_hypothesis_of_the_shipped_templates_is_one_pattern(generated: Artifact) -> None:
    """Whichever item of a template is met first, after whichever premise, and no two hypotheses share one."""
    rows = generated.table("items", ("id", "stereotype", *SCHEMA.names))
    templates = generated.table("templates", ("template_id", "hypothesis")).to_pylist()
    written = {row["template_id"]: re.sub(r"GROUP[12]", "GROUP", row["hypothesis"]) for row in templates}
    of_text: dict[tuple[str, str], set[str]] = {}
    of_pattern: dict[tuple[str, str], set[str]] = {}
    columns = (rows[name].to_pylist() for name in ("stereotype", "template_id"))
    for stereotype, template, name in zip(*columns, alone(rows), strict=True):
        of_text.setdefault((stereotype, written[template]), set()).add(name)
        of_pattern.setdefault((stereotype, name), set()).add(written[template])
    assert len(of_text) == len(of_pattern) > 100
    assert {len(names) for names in of_text.values()} == {1}
    assert {len(texts) for texts in of_pattern.values()} == {1}


@pytest.mark.parametrize("word", ["strict", "untidy"])
def test_each_masked_template_is_one_pattern_whatever_fills_it(generated: Artifact, word: str) -> None:
    masked = generated.table("masked", ("id", *SCHEMA.names)).to_pylist()
    filled = []
    for row in masked:
        fills = [{"word": word, "rank": 1, "score": None}] * row["hypothesis"].count("{{MASK}}")
        text = row["hypothesis"].replace("{{MASK}}", word)
        filled.append(row | {"hypothesis": text, "bindings": row["bindings"] | {"fills": fills}})
    table = pa.Table.from_pylist(filled, pa.schema([pa.field("id", pa.string()), *SCHEMA]))
    found: dict[str, set[str]] = {}
    for row, name in zip(masked, alone(table), strict=True):
        found.setdefault(row["template_id"], set()).add(name)
        assert "{word}" in name
    assert {len(names) for names in found.values()} == {1}


def test_counterparts_have_the_pattern_of_their_items() -> None:
    first = pattern("Men are better surgeons than women.", words=["surgeons"])
    assert first == "{group} are better {word} than {group}."
    assert pattern("Women are better surgeons than men.", words=["surgeons"]) == first
    assert pattern("A Muslim man is a driver.", "Muslim", "Jewish", ["driver"]) == pattern(
        "A Jewish man is an engineer.", "Muslim", "Jewish", ["engineer"]
    )


def test_fills_longer_words_and_articles() -> None:
    assert pattern("Men are an idle lot.", fills=["idle"]) == pattern("Men are a quick lot.", fills=["quick"])
    # the longest text that fits is taken out, and only whole words
    found = pattern("Black men and men mention mentors.", "Black men", "men", ["mentors"])
    assert found == "{group} and {group} mention {word}."
    assert pattern("Nothing was filled in.") == "Nothing was filled in."


def test_items_without_a_template_are_in_the_block_of_their_premise() -> None:
    rows = [
        {"template_id": None, "hypothesis": f"H{i}.", "bindings": None, "premise": p}
        for i, p in enumerate(["A", "B", "A", None])
    ]
    rows.append({"template_id": "t", "hypothesis": "H.", "bindings": None, "premise": "A"})
    found = hypothesis_patterns(pa.Table.from_pylist(rows, SCHEMA)).to_pylist()
    assert found[0] == found[2] != found[1]
    assert found[4] == "t"
    assert all(re.fullmatch(r"premises \d+", name) for name in found[:4])
    assert all(int(name.split()[1]) < BLOCKS for name in found[:4])
    # columns that are missing count as null
    plain = pa.table({"premise": pa.chunked_array([["A", "B"]])})
    assert hypothesis_patterns(plain).to_pylist() == found[:2]
    assert len(set(hypothesis_patterns(pa.table({"id": ["x", "y"]})).to_pylist())) == 1
    assert hypothesis_patterns(plain.slice(0, 0)).to_pylist() == []


HOSTILE = st.text(alphabet=r"(?P<a>[\^$*+{}|) ńİßſK" + "\u202e\x00\n\U0001f600ab", max_size=8)


@given(HOSTILE, HOSTILE, HOSTILE, HOSTILE)
def test_hostile_texts_are_texts(text: str, group1: str, group2: str, word: str) -> None:
    """Neither expressions nor letters whose case changes their length make an error."""
    assert isinstance(pattern(f"{text}{group1} {word} {group2}", group1, group2, [word]), str)

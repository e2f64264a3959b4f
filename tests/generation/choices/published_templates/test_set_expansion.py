from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from nextset.generation.choices.published_templates.set_expansion import Expansion, template_tables
from nextset.generation.choices.published_templates.template_tables import read_templates
from nextset.records.arrow_schema import arrow_schema
from nextset.records.choice_items import ChoiceItem, choice_ids
from tests.generation.choices.published_templates.small_templates import (
    bbq_row,
    spanish_row,
    write_bbq,
    write_kobbq,
    write_spanish,
)

ALL = Expansion()


def expanded(file: Path, language: str, expansion: Expansion = ALL) -> list[dict[str, Any]]:
    read = read_templates(file, language)
    rows: list[dict[str, Any]] = pa.concat_tables(template_tables(read.templates, expansion)).to_pylist()
    return rows


def test_a_pair_of_versions_gives_whole_sets(tmp_path: Path) -> None:
    rows = expanded(write_bbq(tmp_path), "en")
    # 2 × 1 people × 2 words = 4 sets, of 2 contexts × 2 questions × 2 versions; the disambiguating text alone
    # has 3 more words, so that ambiguous items come three times, with the same id
    assert len(rows) == 4 * 3 * 8
    assert Counter(Counter(row["id"] for row in rows).values()) == {3: 4 * 4, 1: 4 * 4 * 3}
    sets = defaultdict(set)
    for row in rows:
        order = tuple(option["role"] for option in row["options"])
        sets[row["set_id"]].add((row["condition"], row["polarity"], row["template_version"], order))
    assert len(sets) == 4
    for found in sets.values():
        assert found == set(
            itertools.product(*(sorted(set(dimension)) for dimension in zip(*found, strict=True)))
        )


def test_roles_and_target_are_those_of_the_people(tmp_path: Path) -> None:
    rows = expanded(write_bbq(tmp_path), "en")
    texts = defaultdict(set)
    for row in rows:
        for option in row["options"]:
            texts[row["set_id"], option["role"]].add((option["text"], option["group"]))
        assert row["options"][row["target"]]["group"] == "old"
        assert row["options"][row["unknown"]]["role"] == 2
        assert row["first_group"] == ("old" if row["template_version"] == "a" else "nonOld")
    assert all(len(found) == 1 for found in texts.values())
    assert {next(iter(found)) for (_, role), found in texts.items() if role == 0} == {
        ("The grandmother", "old"),
        ("The aged uncle", "old"),
    }


def test_the_right_option_follows_from_the_context(tmp_path: Path) -> None:
    for row in expanded(write_bbq(tmp_path), "en"):
        right = row["options"][row["label"]]["group"]
        if row["condition"] == "ambiguous":
            assert right == ""
        else:  # the first person in the slots is forgetful
            forgetful = "old" if row["template_version"] == "a" else "nonOld"
            assert (right == forgetful) == (row["polarity"] == "negative")


def test_articles_are_those_of_the_authors_script(tmp_path: Path) -> None:
    contexts = {row["context"] for row in expanded(write_bbq(tmp_path), "en")}
    assert "A grandmother and a pupil sat in the bus." in contexts
    assert "A aged uncle and a pupil sat in the bus." in contexts  # not at the start of a text
    assert "A pupil and an aged uncle sat in the bus." in contexts


@pytest.mark.parametrize("write", [write_bbq, write_kobbq, write_spanish])
def test_rows_are_items_with_their_own_ids(tmp_path: Path, write: Any) -> None:
    language = {"write_bbq": "en", "write_kobbq": "ko", "write_spanish": "es"}[write.__name__]
    read = read_templates(write(tmp_path), language)
    table = pa.concat_tables(template_tables(read.templates, Expansion()))
    assert table.schema == arrow_schema(ChoiceItem)
    assert table["id"].to_pylist() == choice_ids(table)
    assert table.num_rows == sum(map(Expansion().rows, read.templates))


@pytest.mark.parametrize(("orders", "times"), [("one", 1), ("rotated", 3), ("all", 6)])
def test_each_role_is_equally_often_in_each_place(tmp_path: Path, orders: Any, times: int) -> None:
    rows = expanded(write_bbq(tmp_path), "en", Expansion(orders))
    assert len(rows) == 96 * times
    places = Counter((o["role"], i) for row in rows for i, o in enumerate(row["options"]))
    even = 96 * times // 3
    # 4 sets have one order each, so that one of the three orders comes twice
    assert set(places.values()) == ({even} if times > 1 else {24, 48})


def test_a_subset_has_the_same_sets_in_all_versions(tmp_path: Path) -> None:
    file = write_bbq(tmp_path)
    few = expanded(file, "en", Expansion(subset=3, seed=3))
    versions = defaultdict(set)
    for row in few:
        versions[row["template_version"]].add(row["set_id"])
    assert versions["a"] == versions["b"]
    assert len(versions["a"]) == 3
    assert few == expanded(file, "en", Expansion(subset=3, seed=3))
    assert {r["set_id"] for r in few} != {r["set_id"] for r in expanded(file, "en", Expansion(subset=3))}
    assert len(expanded(file, "en", Expansion(subset=50))) == 96


def test_labels_of_a_vocabulary_meet_both_ways(tmp_path: Path) -> None:
    row = bbq_row(
        Names="", version="", Lexical_diversity="", NAME1_info="", NAME2_info="",
        Ambiguous_Context="A {{NAME1}} drinker met a {{NAME2}} drinker.",
        Disambiguating_Context="The {{NAME1}} drinker spoke.",
        Known_stereotyped_groups='["tea"]',
    )  # fmt: skip
    file = write_bbq(tmp_path, row, name="Drinks.csv")
    rows = expanded(file, "en")
    # tea × (cocoa, juice), 4 items, both ways; the excluded word is not there
    assert len(rows) == 2 * 4 * 2
    assert Counter(r["template_version"] for r in rows) == {"a": 8, "b": 8}
    assert {r["context"] for r in rows if r["condition"] == "ambiguous"} == {
        "A tea drinker met a cocoa drinker.",
        "A cocoa drinker met a tea drinker.",
        "A tea drinker met a juice drinker.",
        "A juice drinker met a tea drinker.",
    }
    assert {r["options"][r["target"]]["text"] for r in rows} == {"The tea"}
    every = read_templates(file, "en", every=True).templates[0]
    assert [tuple(person.text for person in every.pairs[i]) for i in range(len(every.pairs))] == [
        ("tea", "cocoa"),
        ("tea", "juice"),
        ("cocoa", "juice"),
    ]


def test_words_of_different_groups_meet_if_the_target_is_a_group(tmp_path: Path) -> None:
    row = bbq_row(Names="", Subcategory="Occupation", Known_stereotyped_groups='["low SES"]',
                  NAME1_info="", NAME2_info="")  # fmt: skip
    template = read_templates(write_bbq(tmp_path, row, name="SES.csv"), "en").templates[0]
    assert [(a.text, a.targeted, b.text, b.targeted) for a, b in (template.pairs[0],)] == [
        ("baker", True, "judge", False)
    ]


def test_proper_names_have_the_family_name_of_their_group(tmp_path: Path) -> None:
    row = bbq_row(Names="", Proper_nouns_only="TRUE", Known_stereotyped_groups='["Elf"]')
    template = read_templates(write_bbq(tmp_path, row, name="Race_ethnicity.csv"), "en").templates[0]
    pairs = [template.pairs[i] for i in range(len(template.pairs))]
    assert [(a.text, a.group, b.text, b.group) for a, b in pairs] == [
        ("Ana Fir", "F-Elf", "Cleo Gor", "F-Orc"),
        ("Bo Fir", "M-Elf", "Dan Gor", "M-Orc"),
    ]
    assert template.cue == "name"


def test_names_that_stand_alone_are_of_two_genders_or_of_any(tmp_path: Path) -> None:
    row = bbq_row(Names="", Proper_nouns_only="TRUE", Known_stereotyped_groups='["F"]',
                  NAME1_info="", NAME2_info="")  # fmt: skip
    template = read_templates(write_bbq(tmp_path, row, name="Gender_identity.csv"), "en").templates[0]
    assert {(a.text, b.text) for a, b in map(template.pairs.__getitem__, range(2))} == {
        ("Ida", "Hal"),
        ("Joy", "Hal"),
    }
    row |= {"Known_stereotyped_groups": '["low SES"]', "NAME1_info": "lowSES", "NAME2_info": "highSES"}
    template = read_templates(write_bbq(tmp_path, row, name="SES.csv"), "en").templates[0]
    pairs = [template.pairs[i] for i in range(len(template.pairs))]
    assert [(a.text, b.text) for a, b in pairs] == [("Ida", "Joy"), ("Ida", "Hal"), ("Joy", "Hal")]
    assert {(a.targeted, b.targeted) for a, b in pairs} == {(True, False)}


CROSSED = {
    "Lexical_diversity": "",
    "Ambiguous_Context": "A {{NAME1}} {{GEN1}} met a {{NAME2}} {{GEN2}}.",
    "Disambiguating_Context": "The {{NAME1}} {{GEN1}} sang.",
    "Answer_negative": "The {{NAME1}} {{GEN1}}",
    "Answer_non_negative": "The {{NAME2}} {{GEN2}}",
    "Known_stereotyped_groups": "",
    "Known_stereotyped_race": '["Elf"]',
    "Known_stereotyped_var2": "F",
    "Names": '["man", "woman"]',
    "Var2_info": '["M", "F"]',
}


def test_crossed_targets_meet_people_who_differ_in_one_attribute_or_both(tmp_path: Path) -> None:
    template = read_templates(
        write_bbq(tmp_path, bbq_row(**CROSSED), name="Race_x_gender.csv"), "en"
    ).templates[0]
    pairs = [template.pairs[i] for i in range(len(template.pairs))]
    assert [(a.name, b.name) for a, b in pairs] == [
        ("Elf woman", "Elf man"),
        ("Elf woman", "Orc man"),
        ("Elf woman", "Orc woman"),
    ]
    assert [(a.group, a.targeted, b.targeted) for a, b in pairs] == [("F-Elf", True, False)] * 3
    rows = expanded(tmp_path / "Race_x_gender.csv", "en")
    assert "A Elf woman met an Orc man." in {row["context"] for row in rows}
    assert rows[0]["target_groups"] == ["Elf", "F"]


def test_crossed_names_have_the_occupation_in_a_slot_of_their_own(tmp_path: Path) -> None:
    row = bbq_row(**CROSSED | {
        "Names": "", "Proper_nouns_only": "TRUE", "Known_stereotyped_var2": "lowSES",
        "Ambiguous_Context": "{{NAME1}}, a {{OCC1}}, met {{NAME2}}, a {{OCC2}}.",
        "Answer_negative": "{{NAME1}}", "Answer_non_negative": "{{NAME2}}",
    })  # fmt: skip
    rows = expanded(write_bbq(tmp_path, row, name="Race_x_SES.csv"), "en")
    contexts = {row["context"] for row in rows if row["condition"] == "ambiguous"}
    assert "Ana Fir, a baker, met Bo Fir, a judge." in contexts
    # 2 Elf bakers × (2 Elf judges + 2 Orc bakers + 2 Orc judges), both ways
    assert len(contexts) == 2 * 6 * 2


def test_kobbq_has_the_published_ids_and_forms(tmp_path: Path) -> None:
    rows = {row["source_id"]: row for row in expanded(write_kobbq(tmp_path), "en")}
    assert len(rows) == 2 * 2 * 4 * 2
    row = rows["age-007a-004-dis-bsd"]
    assert row["context"] == "가게에서 할아버지와 학생을 만났습니다. 할아버지는 느렸고 학생은 빨랐습니다."
    assert row["options"][row["label"]]["text"] == "할아버지"
    assert row["language"] == "ko"
    assert row["options"][row["target"]]["group"] == "노년"
    other = rows["age-007b-004-dis-bsd"]
    assert other["context"] == "가게에서 학생과 할아버지를 만났습니다. 학생은 느렸고 할아버지는 빨랐습니다."
    assert other["set_id"] == row["set_id"]


def test_spanish_people_exchange_their_slots_in_each_text(tmp_path: Path) -> None:
    rows = expanded(write_spanish(tmp_path), "es")
    # 2 × 1 people × 2 words; 2 ambiguous and 4 disambiguated contexts × 2 questions
    assert len(rows) == 4 * 6 * 2
    contexts = {row["context"] for row in rows}
    assert "Una persona lista y otra lenta leían. Era tarde." in contexts
    assert "Una persona lenta y otra sabia leían. Era tarde. La persona lenta trajo un libro." in contexts
    assert {row["question"] for row in rows} >= {"¿Quién trajo el libro?", "¿Quién trajo la carta?"}
    assert {row["options"][row["target"]]["group"] for row in rows} == {"listo", "sabio"}


def test_a_workbook_needs_a_language_that_it_has(tmp_path: Path) -> None:
    row = spanish_row(stated_gender_info="m")
    rows = expanded(write_spanish(tmp_path, row), "es")
    assert "Una persona listo y otra lento leían. Era tarde." in {row["context"] for row in rows}

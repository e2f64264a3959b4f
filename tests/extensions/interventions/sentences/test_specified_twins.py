"""Twins: the context says of subject 1 that it has the attribute, and of subject 2 that it has not."""

from __future__ import annotations

import pytest

from nextset.extensions.interventions.sentences.specified_twins import specified_twins, twin_parts
from nextset.forms import FormName
from nextset.generation.questions.pack import Pack, read_pack, shipped_packs
from nextset.generation.questions.question_set import QuestionSet
from nextset.scoring.masks.word_pattern import MASK


def of(pack: Pack, name: str, form: FormName) -> QuestionSet:
    return next(s for s in pack.sets if (s.name, s.form) == (name, form))


@pytest.mark.parametrize("entry", sorted(shipped_packs()))
def test_the_spans_name_the_subjects_in_every_language(entry: str) -> None:
    pack = read_pack(shipped_packs()[entry])
    for name in dict.fromkeys(s.name for s in pack.sets):
        forms = {s.form for s in pack.sets if s.name == name}
        if "statement" not in forms:
            continue
        words = of(pack, name, "statement")
        for form in sorted(forms):
            rows = specified_twins(of(pack, name, form), words, 12, 3).to_pylist()
            assert rows
            for row in rows:
                for order in ("12", "21"):
                    context = row[f"context_{order}"]
                    one, two = (row[f"subject{k}_in_{order}"] for k in (1, 2))
                    first, second = (context[s["start"] : s["end"]] for s in (one, two))
                    assert first
                    assert second not in ("", first)
                    assert (one["end"] <= two["start"]) == (order == "12")
                    assert MASK not in context
                # both orders are the same two sentences
                assert sorted(row["context_12"]) == sorted(row["context_21"])


def test_an_english_twin_reads_as_it_should() -> None:
    pack = read_pack(shipped_packs()["builtin:en"])
    rows = specified_twins(of(pack, "gender", "question"), of(pack, "gender", "statement"), 40, 0).to_pylist()
    row = next(r for r in rows if r["template_id"] == "wedding")
    one, two = row["subject1"], row["subject2"]
    has = row["question"].removeprefix("Who ").removesuffix("?")
    lacks = row["question_negated"].removeprefix("Who ").removesuffix("?")
    assert row["context_12"] == f"{one} {has}. {two} {lacks}."
    assert row["context_21"] == f"{two} {lacks}. {one} {has}."


def test_both_genders_are_the_answer_equally_often() -> None:
    pack = read_pack(shipped_packs()["builtin:en"])
    rows = specified_twins(of(pack, "gender", "question"), of(pack, "gender", "statement"), 40, 0).to_pylist()
    assert [r["cluster1"] for r in rows].count("female") == 20


def test_a_class_without_statements_has_no_twins_and_is_counted() -> None:
    pack = read_pack(shipped_packs()["builtin:en"])
    questions = of(pack, "gender", "question")
    made = [part.make() for part in twin_parts([questions], [], 10, 0)]
    assert [m.table.num_rows for m in made] == [0, 0, 0]
    assert sum(n for m in made for n in m.counts.values()) == 1


def test_the_same_seed_gives_the_same_twins_and_another_one_others() -> None:
    pack = read_pack(shipped_packs()["builtin:en"])
    sets = of(pack, "religion", "question"), of(pack, "religion", "statement")
    ids = [specified_twins(*sets, 15, seed)["id"].to_pylist() for seed in (0, 0, 1)]
    assert ids[0] == ids[1] != ids[2]
    assert len(set(ids[0])) == 15

"""Forms that a pack leaves out are derived where it names a rule; a listed form wins; preview shows them."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

import nextset
from nextset.cli.stage_text import preview_text
from nextset.errors import WordListError
from nextset.generation.derived_forms.derivation import DERIVATIONS
from nextset.generation.questions.derived_subjects import Wanted, with_derived_forms
from nextset.generation.questions.pack import read_pack
from nextset.generation.questions.pack_schema import Derivation
from nextset.generation.questions.product_rows import full_cells
from nextset.generation.questions.question_expansion import quad_table
from nextset.generation.questions.question_set import Subject
from nextset.generation.slots import features

FILES = {
    "pack.yaml": """\
format: 1
language: tr
derive: [turkish-cases]
suffixes: outside
classes: {nationality: {subjects: [countries], pairs: all}}
""",
    "subjects/countries.yaml": """\
format: 1
subjects:
  Turkey: {forms: {"": Türkiye}}
  Sudan: {forms: {"": Sudan}}
  Iraq: {forms: {"": Irak, gen: Irak’ınki}}
""",
    "attributes/places.yaml": """\
format: 1
attributes:
  dirty: {kind: place, source: plain negative act, forms: {"": kirliydi, neg: temizdi}}
""",
    "templates/nationality.yaml": """\
format: 1
class: nationality
templates:
  map:
    takes: place
    context: "[subj1:gen] haritası, [subj2:gen] haritasının yanında."
    question: "Hangi ülke [l_act]?"
    negated: "Hangi ülke [l_act:neg]?"
""",
}


@pytest.fixture
def turkish(tmp_path: Path) -> Path:
    """A Turkish pack that lists one case form and derives the others."""
    for name, text in FILES.items():
        path = tmp_path / "tr" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "tr"


def change(pack: Path, name: str, old: str, new: str) -> None:
    path = pack / name
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def answers(pack: Path) -> list[tuple[str, str, str]]:
    (questions,) = read_pack(pack).sets
    rows = quad_table(questions, full_cells(questions, range(questions.n_pairs))).to_pylist()
    spans = ("subject1_in_12", "subject2_in_12")
    cut = ((r["context_12"], *(r["context_12"][r[s]["start"] : r[s]["end"]] for s in spans)) for r in rows)
    return [(context, one, two) for context, one, two in cut]


def test_a_suffix_outside_of_the_answer(turkish: Path) -> None:
    assert answers(turkish) == [
        ("Türkiye’nin haritası, Sudan’ın haritasının yanında.", "Türkiye", "Sudan"),
        ("Türkiye’nin haritası, Irak’ınki haritasının yanında.", "Türkiye", "Irak’ınki"),
        ("Sudan’ın haritası, Irak’ınki haritasının yanında.", "Sudan", "Irak’ınki"),
    ]


def test_a_suffix_inside_of_the_answer(turkish: Path) -> None:
    change(turkish, "pack.yaml", "suffixes: outside\n", "")
    assert answers(turkish)[0][1:] == ("Türkiye’nin", "Sudan’ın")


def test_without_the_rule_the_form_is_missing(turkish: Path) -> None:
    change(turkish, "pack.yaml", "derive: [turkish-cases]\n", "")
    with pytest.raises(WordListError, match="'Turkey' has no form 'gen'"):
        read_pack(turkish)


def test_an_unknown_rule_is_refused(turkish: Path) -> None:
    change(turkish, "pack.yaml", "turkish-cases", "turkish-case")
    with pytest.raises(WordListError, match="derive") as caught:
        read_pack(turkish)
    assert caught.value.line == 3


def test_a_pack_can_name_every_derivation_and_no_other() -> None:
    assert set(get_args(Derivation)) == set(DERIVATIONS)


def test_preview_shows_what_was_derived(turkish: Path) -> None:
    study = turkish.parent / "study.yaml"
    study.write_text("format: 1\nname: maps\nquestions: {packs: [tr]}\n", encoding="utf-8")
    shown = nextset.preview(nextset.Study.load(study.parent))
    (derived,) = shown.derived
    assert (derived.language, derived.subject_class, derived.form) == ("tr", "nationality", "gen")
    assert derived.texts == ("Türkiye’nin", "Sudan’ın")
    assert set(shown.items) == {"hypothesis", "masked", "test", "imported", "nationality questions"}
    assert "derived by a rule, to be read (tr, nationality, gen): Türkiye’nin, Sudan’ın" in preview_text(
        shown
    )


def test_preview_counts_classes_of_several_languages_apart(turkish: Path, pack: Path) -> None:
    study = turkish.parent / "study.yaml"
    study.write_text("format: 1\nname: maps\nquestions: {packs: [tr, pack]}\n", encoding="utf-8")
    items = nextset.preview(nextset.Study.load(study.parent)).items
    assert items["tr nationality questions"] == 3
    assert items["en places questions"] == 18


def test_a_derived_form_of_a_gender_wins_over_a_listed_one_without_gender() -> None:
    forms = {"": "alemán", "f": "alemana", "pl": "alemanes"}
    subject = Subject(
        "Germany", "", "", {features(key): text for key, text in forms.items()}, Path("list.yaml"), 1
    )
    wanted = (Wanted(features("pl"), "f"), Wanted(features("pl"), "m"))
    made = with_derived_forms(subject, wanted, ["spanish-plurals"], "inside")
    assert made.forms[features("f.pl")] == "alemanas"
    # there is no listed form m to derive m.pl from: the form pl stands for it
    assert features("m.pl") not in made.forms
    assert made.derived == {features("f.pl")}


def test_no_form_is_made_of_one_whose_answer_is_a_part_of_it(turkish: Path) -> None:
    path = turkish / "subjects" / "countries.yaml"
    text = path.read_text("utf-8")
    path.write_text(text + '  Czechia: {forms: {"": "{Çek Cumhuriyeti}"}}\n', "utf-8")
    read_pack(turkish)
    path.write_text(text + '  Czechia: {forms: {"": "{Çek} Cumhuriyeti"}}\n', "utf-8")
    with pytest.raises(WordListError, match=r"Czechia.*gen"):
        read_pack(turkish)

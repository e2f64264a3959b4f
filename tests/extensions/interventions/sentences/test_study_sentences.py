"""The sentences of a study: which count, where they stand, and what is held out."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from nextset.errors import StudyError, WordListError
from nextset.extensions.interventions.intervention import Intervention
from nextset.extensions.interventions.sentences.sentence_files import Sentence
from nextset.extensions.interventions.sentences.study_sentences import (
    LoadedInterventions,
    intervention,
    load_interventions,
)
from nextset.extensions.interventions.settings.intervention_settings import InterventionSettings

TEXT = """\
format: 1
language: {language}
source: "our own"
classes: [{name}]
domains: []
interventions:
  ethical:
    a: {{text: "Anna says A."}}
    b: {{text: "Bea says B."}}
    c: {{text: "Cleo says C.", clusters: [crime]}}
  adversarial:
    d: {{text: "Dora says D."}}
    e: {{text: "Eva says E."}}
    f: {{text: "Fay says F."}}
"""


def loaded(tmp_path: Path, language: str = "en", **settings: object) -> LoadedInterventions:
    for name in ("gender", "religion"):
        file = tmp_path / f"{name}.yaml"
        file.write_text(TEXT.format(language=language, name=name), encoding="utf-8")
    written = InterventionSettings.model_validate(
        {"models": ("m",), "sentences": ("gender.yaml", "religion.yaml"), **settings}
    )
    return load_interventions(
        written,
        lambda entry: tmp_path / entry,
        tmp_path / "study.yaml",
        {("en", "gender"): {"", "crime"}},
        set(),
    )


def test_only_sentences_for_the_study_count(tmp_path: Path) -> None:
    found = loaded(tmp_path)
    assert [i.name for i in found.rows] == list("abcdef")
    assert {i.classes for i in found.rows} == {("gender",)}
    assert set(found.files) == {tmp_path / "gender.yaml", tmp_path / "religion.yaml"}


def test_each_sentence_stands_at_each_place_and_has_an_id_of_its_own(tmp_path: Path) -> None:
    found = loaded(tmp_path, places=("before_context", "before_question"), kinds=("ethical",))
    assert [(i.name, i.place) for i in found.rows] == [
        *((name, "before_context") for name in "abc"),
        *((name, "before_question") for name in "abc"),
    ]
    assert len({i.id for i in found.rows}) == 6


@pytest.mark.parametrize(
    ("lead", "text"),
    [
        ("Note that,", "Note that, anna says A."),
        ("Note:", "Note: Anna says A."),
        ("", "Anna says A."),
    ],
)
def test_after_a_comma_the_sentence_begins_small_as_published(tmp_path: Path, lead: str, text: str) -> None:
    assert loaded(tmp_path, lead=lead).rows[0].text == text


def test_half_of_each_kind_and_cluster_is_held_out_by_the_seed(tmp_path: Path) -> None:
    found = {i.name: i.held_out for i in loaded(tmp_path).rows}
    # of a and b one, of c, the only one about crime, none, of d, e and f one
    assert [found["a"] + found["b"], found["c"], found["d"] + found["e"] + found["f"]] == [1, 0, 1]
    splits = {tuple(i.held_out for i in loaded(tmp_path, seed=seed).rows) for seed in range(12)}
    assert len(splits) > 1


def test_the_first_ones_of_each_kind_and_cluster(tmp_path: Path) -> None:
    assert [i.name for i in loaded(tmp_path, most=1).rows] == list("acd")


@pytest.mark.parametrize(
    ("settings", "language", "said"),
    [
        ({"sentences": ("builtin:xx",)}, "en", "builtin:xx"),
        ({"sentences": ("nowhere",)}, "en", "neither a file nor a folder"),
        ({"kinds": ("irrelevant",)}, "en", "no irrelevant sentence is for"),
        ({}, "de", r"no ethical or adversarial or irrelevant sentence is for .*gender \(en\)"),
    ],
)
def test_what_cannot_be_found_is_named(
    tmp_path: Path, settings: dict[str, object], language: str, said: str
) -> None:
    with pytest.raises(StudyError, match=said) as caught:
        loaded(tmp_path, language, **settings)
    assert (caught.value.file, caught.value.line) == (tmp_path / "study.yaml", None)
    (tmp_path / "study.yaml").write_text("interventions:\n  sentences:\n  - gender.yaml\n  - nowhere\n")
    with pytest.raises(StudyError, match=said) as caught:
        loaded(tmp_path, language, **settings)
    assert caught.value.line == (4 if "nowhere" in said or "neither" in said else 2)


@pytest.mark.parametrize(
    "text",
    [
        "Grenzen sind offen.", "Menschen zu verdächtigen, ist falsch.", "Gutes tun viele.",
        "Afrikaner lachen.", "es ist unfair.", "niemandem hilft das.", "achten Sie nicht darauf.",
        "bitte lesen Sie es.", "die Tür.",
    ],
)  # fmt: skip
def test_german_nouns_keep_their_capital_after_a_lead(text: str) -> None:
    written = Sentence("de", "ethical", "a", text[0].upper() + text[1:], " ", ("c",), (), (), "our own")
    assert intervention(written, "before_context", "Beachte,", held_out=False).text == f"Beachte, {text}"


def test_a_file_with_another_ending_is_named(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/more.yml").touch()
    with pytest.raises(StudyError, match="is not read") as error:
        loaded(tmp_path, sentences=("mine",))
    assert error.value.file == tmp_path / "mine/more.yml"


def test_without_the_section_there_are_none() -> None:
    assert load_interventions(None, Path, Path("study.yaml"), {}, set()).rows == ()


TWO = """\
format: 1
language: en
source: "our own"
classes: [{classes}]
interventions:
  ethical:
    {name}: {{text: "Skill decides who gets the work."{more}}}
    other_{name}: {{text: "The {name} sentence decides."}}
"""


def two_files(tmp_path: Path, classes: tuple[str, str], seed: int = 0, more: str = "") -> LoadedInterventions:
    for name, of in zip(("first", "second"), classes, strict=True):
        text = TWO.format(classes=of, name=name, more=more)
        (tmp_path / f"{name}.yaml").write_text(text, encoding="utf-8")
    written = InterventionSettings.model_validate(
        {"models": ("m",), "sentences": ("first.yaml", "second.yaml"), "kinds": ("ethical",), "seed": seed}
    )
    known = {("en", name): {"", "crime"} for name in ("gender", "religion")}
    return load_interventions(written, lambda e: tmp_path / e, tmp_path / "study.yaml", known, set())


def test_a_sentence_of_two_files_is_there_once_for_each_class(tmp_path: Path) -> None:
    found = two_files(tmp_path, ("gender", "gender, religion")).rows
    assert [(i.name, i.classes) for i in found] == [
        ("first", ("gender",)),
        ("other_first", ("gender",)),
        ("second", ("religion",)),
        ("other_second", ("gender", "religion")),
    ]


FILES = {  # each sentence as text: clusters
    "religion": {"A": "", "B": "", "C": "crime", "D": "crime, rude", "E": "rude"},
    "gender": {"C": "crime", "B": "", "X": "", "A": ""},
    "ethnicity": {"E": "rude", "D": "crime", "B": "", "A": ""},
}


def of_files(folder: Path, names: tuple[str, ...], most: int | None) -> LoadedInterventions:
    for name in names:
        listed = (
            f'    n{i}: {{text: "{text} says so.", clusters: [{clusters}]}}'
            for i, (text, clusters) in enumerate(FILES[name].items())
        )
        (folder / f"{name}.yaml").write_text(
            f"format: 1\nlanguage: en\nsource: ours\nclasses: [{name}]\ndomains: [{name}]\n"
            "interventions:\n  ethical:\n" + "\n".join(listed),
            encoding="utf-8",
        )
    written = InterventionSettings.model_validate(
        {"models": ("m",), "sentences": tuple(f"{n}.yaml" for n in names), "most": most}
    )
    known = {("en", name): {"", "crime", "rude"} for name in FILES}
    domains = {("en", name) for name in FILES}
    return load_interventions(written, lambda e: folder / e, folder / "study.yaml", known, domains)


@pytest.mark.parametrize("most", [1, 2, None])
@pytest.mark.parametrize("names", list(itertools.permutations(FILES)), ids=str)
def test_the_limit_holds_over_all_files_and_files_for_other_classes_change_nothing(
    tmp_path: Path, names: tuple[str, ...], most: int | None
) -> None:
    found = of_files(tmp_path, names, most).rows
    groups = Counter((c, k) for i in found for c in i.classes for k in i.attribute_clusters or ("",))
    groups += Counter(("domain", d) for i in found if not i.attribute_clusters for d in i.domains)
    assert max(groups.values()) <= (most or 5)
    for name in names:
        alone = of_files(tmp_path, (name,), most).rows
        both = [i for i in found if name in i.classes]
        assert [replace(i, held_out=False) for i in both] == [replace(i, held_out=False) for i in alone]
    if most == 1:  # of religion: A for all clusters, C for crime, and D for rude, where crime has its one
        texts = [(i.text[0], i.attribute_clusters) for i in found if "religion" in i.classes]
        assert texts == [("A", ()), ("C", ("crime",)), ("D", ("rude",))]


@pytest.mark.parametrize("most", [1, 3])
def test_the_limit_holds_over_the_published_files(reference: Path, tmp_path: Path, most: int) -> None:
    def rows(*names: str) -> tuple[Intervention, ...]:
        written = InterventionSettings.model_validate({"models": ("m",), "sentences": names, "most": most})
        known = {("en", name): set[str]() for name in ("gender", "religion", "ethnicity")}
        return load_interventions(
            written, lambda e: reference / "lei" / e, tmp_path / "study.yaml", known, set()
        ).rows

    files = [f"unqover_{name}_interventions.tsv" for name in ("gender", "religion", "ethnicity")]
    found = rows(*files)
    groups = Counter((i.kind, c, k) for i in found for c in i.classes for k in i.attribute_clusters or ("",))
    assert max(groups.values()) == most
    religion = [replace(i, held_out=False) for i in found if "religion" in i.classes]
    assert religion == [replace(i, held_out=False) for i in rows(files[1])]


@pytest.mark.parametrize("seed", range(6))
def test_a_text_for_several_groups_is_on_one_side(tmp_path: Path, seed: int) -> None:
    (tmp_path / "third.yaml").write_text(
        TWO.format(classes="gender", name="third", more=", clusters: [crime]"), encoding="utf-8"
    )
    written = InterventionSettings.model_validate(
        {"models": ("m",), "sentences": ("gender.yaml", "third.yaml"), "kinds": ("ethical",), "seed": seed}
    )
    (tmp_path / "gender.yaml").write_text(
        TWO.format(classes="gender", name="first", more=""), encoding="utf-8"
    )
    found = load_interventions(
        written, lambda e: tmp_path / e, tmp_path / "study.yaml", {("en", "gender"): {"", "crime"}}, set()
    ).rows
    sides = {i.held_out for i in found if i.text.startswith("Skill")}
    assert len([i for i in found if i.text.startswith("Skill")]) == 2
    assert len(sides) == 1


def test_a_cluster_that_is_nowhere_is_refused_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(WordListError, match="'crim', but no attribute of gender is in it") as caught:
        two_files(tmp_path, ("gender", "religion"), more=", clusters: [crim]")
    assert caught.value.remedy == "did you mean 'crime'?"
    assert "first.yaml" in str(caught.value)

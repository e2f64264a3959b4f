"""Language packs: what is read, and what is refused with file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from nextset.errors import WordListError
from nextset.generation.questions.pack import read_pack
from nextset.generation.questions.product_rows import full_cells
from nextset.generation.questions.question_expansion import quad_table
from nextset.generation.questions.question_set import QuestionSet


def of(pack: Path, name: str, form: str = "question", prefix: str = "") -> QuestionSet:
    (found,) = [s for s in read_pack(pack, prefix).sets if (s.name, s.form) == (name, form)]
    return found


def test_a_pack_is_read(pack: Path) -> None:
    read = read_pack(pack)
    sizes = {(s.name, s.form): (s.n_pairs, s.per_pair, s.rows) for s in read.sets}
    # pets: 2 × 3 pairs across, 2 attributes. places: 4 × 3 / 2 pairs; 1 place and 2 × 1 person attributes.
    assert sizes == {
        ("pets", "question"): (6, 2, 12),
        ("pets", "statement"): (6, 2, 12),
        ("places", "question"): (6, 3, 18),
        ("places", "statement"): (6, 2, 12),
    }
    assert {f.relative_to(pack).as_posix() for f in read.files} == {
        p.relative_to(pack).as_posix() for p in pack.rglob("*.yaml")
    }


def test_runs_make_a_template_for_each_gender(pack: Path) -> None:
    ids = [t.id for t in of(pack, "places").templates]
    assert ids == ["map", "walk.m", "walk.f"]
    statements = of(pack, "places", "statement").templates
    assert [t.by_attribute[0].text for t in statements] == [
        "The {{MASK}} man was rude.",
        "The {{MASK}} woman was rude.",
    ]


def test_articles_and_agreement_follow_the_subjects(pack: Path) -> None:
    places = quad_table(of(pack, "places"), full_cells(of(pack, "places"), range(6))).to_pylist()
    walk = [row for row in places if row["template_id"] == "walk.f"]
    # Mali, Somalia, Ukraine, Austria: the last pair is Ukraine and Austria
    assert walk[-1]["context_12"] == "A Ukrainian woman walked with an Austrian woman."
    assert walk[-1]["context_21"] == "An Austrian woman walked with a Ukrainian woman."
    pets = quad_table(of(pack, "pets"), full_cells(of(pack, "pets"), range(1))).to_pylist()
    assert pets[0]["context_12"] == "Ash met Rex in her yard."
    assert pets[0]["context_21"] == "Rex met Ash in his yard."
    assert pets[1]["question"] == "Who was an idler?"


def test_a_statement_takes_the_form_of_its_gender(pack: Path) -> None:
    path = pack / "attributes" / "acts.yaml"
    path.write_text(
        path.read_text().replace('"": was rude,', '"": was rude, m: was an actor, f: was an actress,')
    )
    said = [t.by_attribute[0].text for t in of(pack, "places", "statement").templates]
    assert said == ["The {{MASK}} man was an actor.", "The {{MASK}} woman was an actress."]
    assert {t.by_attribute[0].text for t in of(pack, "places").templates[1:]} == {"Who was rude?"}


def test_a_class_without_texts_is_refused(pack: Path) -> None:
    (pack / "templates" / "pets.yaml").write_text("format: 1\nclass: pets\n")
    with pytest.raises(WordListError, match="neither templates nor statements"):
        read_pack(pack)


@pytest.mark.parametrize("name", ["templates/trees.yml", "attributes/more.YAML"])
def test_a_file_with_another_ending_is_named(pack: Path, name: str) -> None:
    (pack / name).touch()
    with pytest.raises(WordListError, match="is not read") as error:
        read_pack(pack)
    assert (error.value.file, "rename it to" in error.value.remedy) == (pack / name, True)


def test_a_loop_of_links_is_refused(pack: Path) -> None:
    path = pack / "subjects" / "cats.yaml"
    path.unlink()
    path.symlink_to(path)
    with pytest.raises(WordListError, match="this link leads nowhere"):
        read_pack(pack)


def test_a_prefix_stands_before_every_context(pack: Path) -> None:
    row = quad_table(of(pack, "pets", prefix="news"), full_cells(of(pack, "pets"), range(1))).to_pylist()[0]
    assert row["context_12"] == "(TOWN) -- Ash met Rex in her yard."
    span = row["subject2_in_12"]
    assert row["context_12"][span["start"] : span["end"]] == "Rex"
    with pytest.raises(WordListError, match="no prefix 'newsqa'") as caught:
        read_pack(pack, "newsqa")
    assert caught.value.remedy == "use one of news"


WRONG = [
    ("pack.yaml", "language: en", "langauge: en", 2, "unknown key 'langauge'"),
    ("pack.yaml", "pairs: across", "pairs: cross", 6, "classes.pets.pairs"),
    ("pack.yaml", "[cats, dogs]", "[cats, ../dogs]", 6, "../dogs"),
    ("pack.yaml", "[cats, dogs]", "[cats]", 6, "needs two lists"),
    ("pack.yaml", "[cats, dogs]", "[cats, mice]", None, "no such file"),
    ("pack.yaml", "  pets:", "  animals:", 2, "the class 'pets' is not in pack.yaml"),
    ("pack.yaml", "pairs: all}", "pairs: all}\n  more: {subjects: [places], pairs: all}", 8, "no templates"),
    ("pack.yaml", "[a-an]", "[an-a]", 3, "rules"),
    ("subjects/cats.yaml", "Ivy:", "Ash:", 4, "the key 'Ash' is listed twice"),
    ("subjects/cats.yaml", "Ivy:", "Rex:", 3, "the subject 'Rex' is listed twice"),
    ("subjects/cats.yaml", "gender: f, cluster: cats}\n  Ivy", "gender: n, cluster: cats}\n  Ivy", 4, "'n'"),
    ("subjects/places.yaml", "{dem: Malian}", "{dem.dem: Malian}", 3, "is not a form"),
    ("subjects/places.yaml", "{dem: Malian}", "{adj: Malian}", 5, "'Mali' has no form 'dem'"),
    ("subjects/places.yaml", "Malian", "Somali", 5, "have the same form 'Somali'"),
    ("subjects/places.yaml", "Malian", "'Mal[i]an'", 3, "a bracket"),
    ("subjects/places.yaml", "Malian", "'Malian '", 3, "'Malian ' has extra spaces"),
    ("subjects/places.yaml", "Malian", "Ma  lian", 3, "extra spaces"),
    ("subjects/places.yaml", "Malian", '"Mali\\u200Ean"', 3, "direction mark"),
    ("subjects/places.yaml", "Malian", "Malie\u0301n", 3, "NFC"),
    ("attributes/acts.yaml", ", neg: was clean", "", 6, "'dirty' has no negation"),
    ("attributes/acts.yaml", "neg: was clean", "neg: was dirty", 6, "negation have the same text"),
    ("attributes/acts.yaml", '"": was dirty, ', "", 6, "no base form"),
    ("attributes/acts.yaml", "was never an idler", "stole a fish", None, None),
    ("attributes/acts.yaml", '"": was an idler', '"": stole a fish', 4, "have the same text"),
    ("attributes/acts.yaml", "source: Somebody 1999, ", "", 5, "source"),
    ("attributes/acts.yaml", "pl: were rude, pl.neg", "neg.pl: were rude, pl.neg", 5, "is listed twice"),
    ("templates/pets.yaml", "[subj2] in", "[subj1] in", 4, "the context has [subj1] and [subj1]"),
    ("templates/pets.yaml", "Who [p_act]?", "Who [l_act]?", 4, "the question has [l_act]"),
    ("templates/pets.yaml", "Who [p_act]?", "Was [subj1] who [p_act]?", 4, "[subj1]"),
    ("templates/pets.yaml", "Who [p_act]?", "Who [p_act:pl]?", 3, "'thief' has no form 'pl'"),
    ("templates/pets.yaml", "[mask] [p_act].", "[p_act].", 6, "the statement has [p_act]"),
    ("templates/pets.yaml", "takes: pet, context", "takes: cat, context", 4, "of the kind 'cat'"),
    ("templates/pets.yaml", "[subj1] met [subj2] in", "[subj2] met [subj1] in", 4, "[subj2] comes before"),
    (
        "templates/pets.yaml",
        "Who [p_act]?",
        "Who [g?m=is|f=was] [p_act]?",
        4,
        "the question depends on the pair's gender",
    ),
    (
        "templates/pets.yaml",
        "[mask] [p_act].",
        "[mask] [subj1.g?m=a|f=b] [p_act].",
        6,
        "depends on a subject's gender",
    ),
    ("templates/pets.yaml", "class: pets", "class: places", 2, "also has templates in pets.yaml"),
    ("templates/places.yaml", "walked with", "walked [with", 5, "a stray '['"),
    ("templates/places.yaml", "m=man|f=woman] walked", "m=|f=woman] walked", 5, "extra spaces"),
    (
        "templates/places.yaml",
        "  walk:",
        "  walk2: {takes: place, context: '[subj1] lies north of [subj2].', "
        "question: 'Which place [l_act]?', negated: 'Which place [l_act:neg]?'}\n  walk:",
        5,
        "has the same texts as map",
    ),
    (
        "templates/pets.yaml",
        "[subj1] met [subj2] in",
        "[g?m=Mr|f=Mrs] [subj1] met [subj2] in",
        4,
        "both subjects",
    ),
    ("subjects/cats.yaml", "Ivy:", "No:", 4, "not read as text"),
    ("subjects/cats.yaml", "Ivy:", "'Ivy ':", 4, "spaces around the key"),
    ("subjects/cats.yaml", "Ivy:", "'':", 4, "a subject has no name"),
    ("subjects/cats.yaml", "Ivy:", "'[subj2]':", 4, "a bracket"),
    (
        "subjects/cats.yaml",
        "Ivy: {gender: f, cluster: cats}",
        'Ivy: {gender: f, cluster: "a\\u200e"}',
        4,
        "mark",
    ),
    ("attributes/acts.yaml", "Somebody 1999", '"Some\\nbody 1999"', 5, "control character"),
    ("templates/places.yaml", "|f=woman] walked", "|n=person] walked", 5, "different genders"),
]


@pytest.mark.parametrize(("name", "old", "new", "line", "says"), WRONG)
def test_a_wrong_pack_is_refused_with_file_and_line(
    pack: Path, name: str, old: str, new: str, line: int | None, says: str | None
) -> None:
    path = pack / name
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    if says is None:  # a slip that does no harm
        read_pack(pack)
        return
    with pytest.raises(WordListError) as caught:
        read_pack(pack)
    assert says in caught.value.message
    assert caught.value.line == line
    assert caught.value.remedy
    assert caught.value.file is not None
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("raw", "line", "says"),
    [
        (b"format: 1\nsubjects: {\xff: {}}\n", 2, "not UTF-8"),
        (b"format: 1\nsubjects: {a\0b: {}}\n", 2, "NUL"),
        (b"format: 1\nsubjects: {a: {}}\n# " + b"x" * 100_000_000, 3, "bytes"),
        (b"", None, "empty"),
        (b"format: 1\nsubjects: &a {x: {forms: *a}}\n", 2, "alias"),
        (b"format: 1\nsubjects: !!python/object/apply:os.system [x]\n", 2, "not YAML"),
    ],
)
def test_hostile_files_are_refused(pack: Path, raw: bytes, line: int | None, says: str) -> None:
    (pack / "subjects" / "places.yaml").write_bytes(raw)
    with pytest.raises(WordListError) as caught:
        read_pack(pack)
    assert says in caught.value.message
    assert caught.value.line == line


def test_h_aspire_marks_a_word_of_its_forms(pack: Path) -> None:
    head = pack / "pack.yaml"
    head.write_text(head.read_text("utf-8").replace("rules: [", "rules: [french-elision, "), "utf-8")
    path = pack / "subjects" / "places.yaml"
    text = path.read_text("utf-8")
    path.write_text(text + '  Hesse: {forms: {"": la Hesse, dem: Hessois}, h: aspire}\n', "utf-8")
    read_pack(pack)
    path.write_text(text + '  Turkey: {forms: {"": Turquie, dem: Turc}, h: aspire}\n', "utf-8")
    with pytest.raises(WordListError, match="and no form has one") as caught:
        read_pack(pack)
    assert caught.value.line == len(text.splitlines()) + 1

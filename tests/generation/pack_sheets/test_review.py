"""Reviews: every mark is seen, ticks land in the pack, corrections point at what has to be changed."""

from __future__ import annotations

import csv
import datetime
import shutil
import tempfile
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings

from nextset import Study, preview
from nextset.errors import InputError, WordListError
from nextset.generation.pack_sheets import review_cover
from nextset.generation.pack_sheets.completeness import language_status
from nextset.generation.pack_sheets.review_cover import review_rows
from nextset.generation.pack_sheets.review_sheet import REVIEW_COLUMNS, review_language
from nextset.generation.pack_sheets.review_texts import Mark, ReviewPack, read_review_pack
from nextset.generation.pack_sheets.review_ticks import check_language
from nextset.generation.pack_sheets.rule_changes import rule_changes
from nextset.generation.questions.pack import read_pack
from nextset.generation.questions.product_rows import full_cells
from nextset.generation.questions.question_expansion import quad_table
from nextset.word_lists import FOLDER
from tests.generation.pack_sheets.small_packs import ENGLISH, ENGLISH_PACKS, write_pack

DAY = datetime.date(2026, 11, 23)


def every_mark(pack: ReviewPack) -> set[Mark]:
    """The marks of the full product: each pair of each template, and each of its questions."""
    found: set[Mark] = set()
    for s, questions in enumerate(pack.sets):
        for t, template in enumerate(questions.templates):
            for pair in pack.pairs[s]:
                found |= pack.context_marks(s, t, pair)
            for a in range(len(template.by_attribute)):
                found |= pack.question_marks(s, t, a)
    return found


@pytest.mark.slow
@settings(max_examples=15)
@given(ENGLISH_PACKS)
def test_every_mark_of_a_pack_is_seen(files: dict[str, str]) -> None:
    """By brute force: whatever the full product shows, the rows show."""
    with tempfile.TemporaryDirectory() as folder:
        path = write_pack(Path(folder), files)
        pack = read_review_pack(path)
        cover = review_rows(pack)
        assert cover.marks == every_mark(pack)
        every = [
            row
            for s in read_pack(path).sets
            for row in quad_table(s, full_cells(s, range(s.n_pairs))).to_pylist()
        ]
    # the context of a row is one that the product has, and "an" is seen if the rule makes it anywhere
    contexts = {row.context for row in cover.rows}
    made = {row[key] for row in every for key in ("context_12", "context_21")}
    assert contexts <= made
    assert _words(contexts) - {"a"} == _words(made) - {"a"}
    parts = [row.id.split("/") for row in cover.rows]
    assert {part[5] for part in parts} == {row["attribute"] for row in every}
    for form in ("question", "statement"):
        templates = {row["template_id"] for row in every if form in row}
        assert {part[2] for part in parts if part[1] == form} == templates
    assert len({row.id for row in cover.rows}) == len(cover.rows) <= len(every) * 2
    assert all(pack.row_of(row.id) == row for row in cover.rows)


def _words(texts: set[str]) -> set[str]:
    return {word.casefold() for text in texts for word in text.strip(".").replace(",", "").split()}


@pytest.mark.slow
@settings(max_examples=10)
@given(ENGLISH_PACKS)
def test_a_pack_with_many_contexts_shows_each_subject_in_both_slots(files: dict[str, str]) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(review_cover, "MOST_CONTEXTS", 0)
        pack = read_review_pack(write_pack(Path(folder), files))
        # the rule a-an looks at the next word only, so a subject shows all that it does in each slot
        assert review_rows(pack).marks == every_mark(pack)


@pytest.mark.slow
def test_the_same_pack_gives_the_same_sheet(pack: Path, tmp_path: Path) -> None:
    for folder in (pack, FOLDER / "zh"):
        sheets = [tmp_path / f"{folder.name}-{n}.csv" for n in (1, 2)]
        for sheet in sheets:
            review_language(folder, sheet)
        assert sheets[0].read_bytes() == sheets[1].read_bytes()


@pytest.mark.slow
def test_a_sheet_shows_every_template_and_what_rules_change(tmp_path: Path) -> None:
    made = review_language("builtin:en", tmp_path / "a.csv")
    assert made.seen["rule"] == 1  # a became an
    assert made.seen["template"] == sum(
        len(questions.templates) for questions in read_pack(FOLDER / "en").sets
    )
    with (tmp_path / "a.csv").open(encoding="utf-8-sig", newline="") as f:
        rows = list(csv.DictReader(f))
    assert list(rows[0]) == list(REVIEW_COLUMNS)
    assert rows[0]["comment"].startswith("Content warning")


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        ("Il vient de le Maroc.", "Il vient du Maroc.", [("e le", "u")]),
        ("Je crois que Anne dort.", "Je crois qu’Anne dort.", [("e ", "’")]),
        ("A Austrian met a Ukrainian.", "An Austrian met a Ukrainian.", [("", "n")]),
        ("a a", "a a", []),
    ],
)
def test_a_change_is_what_differs(before: str, after: str, changes: list[tuple[str, str]]) -> None:
    assert list(rule_changes(before, after)) == changes


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    return write_pack(tmp_path / "en", ENGLISH)


def filled(pack: Path, sheet: Path, **by_line: dict[str, str]) -> list[dict[str, str]]:
    """Write a review, tick every row, and change rows by their number."""
    sheet.unlink(missing_ok=True)
    review_language(pack, sheet)
    with sheet.open(encoding="utf-8-sig", newline="") as f:
        rows = list(csv.DictReader(f))
    for row in rows:
        row["ok"] = "x"
    for number, changed in by_line.items():
        rows[int(number[1:])].update(changed)
    save(sheet, rows)
    return rows


def save(sheet: Path, rows: list[dict[str, str]]) -> None:
    with sheet.open("w", encoding="utf-8", newline="") as f:
        writer = csv.DictWriter(f, list(rows[0]), delimiter=";")
        writer.writeheader()
        writer.writerows(rows)


def test_ticks_land_in_the_pack_and_a_later_review_replaces_them(pack: Path, tmp_path: Path) -> None:
    rows = filled(pack, tmp_path / "r.csv", r0={"ok": ""})
    done = check_language(pack, tmp_path / "r.csv", " A.  Speaker", date=DAY)
    n = len(rows)
    # 0.95 of 20 rows would be 0.95: the share is rounded down
    share = int(100 * (n - 1) / n) / 100
    assert (done.rows, done.ticked, done.seen, done.recorded) == (n, n - 1, share, True)
    written = (pack / "pack.yaml").read_text(encoding="utf-8")
    entry = f'name: "A. Speaker", date: 2026-11-23, seen: {share}, texts: "{read_pack(pack).texts_digest}"'
    line = f"checked_by: [{{{entry}}}]   # no one yet\n"
    assert written == ENGLISH["pack.yaml"].replace("checked_by: []   # no one yet\n", line)
    filled(pack, tmp_path / "r.csv")
    again = check_language(pack, tmp_path / "r.csv", "A. Speaker", date=DAY)
    assert again.replaced == f"2026-11-23, seen {share}"
    check_language(pack, tmp_path / "r.csv", "B. Reader", date=DAY)
    (first, second) = read_pack(pack).checked_by
    assert [(c.name, c.date, c.seen) for c in (first, second)] == [
        ("A. Speaker", DAY, 1.0),
        ("B. Reader", DAY, 1.0),
    ]


def test_a_check_of_earlier_texts_is_told_apart(pack: Path, tmp_path: Path) -> None:
    filled(pack, tmp_path / "r.csv")
    check_language(pack, tmp_path / "r.csv", "A. Speaker", date=DAY)
    assert language_status(pack).checked_by == ("A. Speaker",)
    study = tmp_path / "study.yaml"
    study.write_text(f"format: 1\nname: x\nquestions: {{packs: [{pack.name}]}}\n", encoding="utf-8")
    assert preview(Study.load(tmp_path)).checked == ("en: A. Speaker (2026-11-23, 100 % seen)",)
    file = next((pack / "attributes").iterdir())
    (attribute,) = [a.attribute for a in read_pack(pack).sets[0].templates[0].by_attribute][:1]
    text = file.read_text(encoding="utf-8")
    file.write_text(text + "# a comment changes nothing\n", encoding="utf-8")
    assert language_status(pack).checked_by == ("A. Speaker",)
    base = attribute.forms[frozenset()]
    file.write_text(text.replace(base, f"{base} again", 1), encoding="utf-8")
    assert language_status(pack).checked_by == ("A. Speaker (texts changed since)",)
    (shown,) = preview(Study.load(tmp_path)).checked
    assert shown == "en: A. Speaker (2026-11-23, 100 % seen, texts changed since)"


@pytest.mark.parametrize("tick", ["X", "х", "ｘ", "✔️", "✅", "√", "TRUE"])
def test_ticks_that_people_make_count(pack: Path, tmp_path: Path, tick: str) -> None:
    rows = filled(pack, tmp_path / "r.csv", r0={"ok": tick}, r1={"ok": "FALSE"})
    done = check_language(pack, tmp_path / "r.csv", "A", date=DAY)
    assert (done.ticked, done.refused) == (len(rows) - 1, ())


def test_rows_that_stand_twice_do_not_lower_the_share(pack: Path, tmp_path: Path) -> None:
    rows = filled(pack, tmp_path / "r.csv")
    save(tmp_path / "r.csv", rows + rows)
    done = check_language(pack, tmp_path / "r.csv", "A", date=DAY)
    assert (done.seen, len(done.refused)) == (1.0, len(rows))


@pytest.mark.parametrize("name", ["Ana (Madrid)", "A <a@x.org>", "a;b", "[l](x)", "", "\u0301x", "a\nb\x07"])
def test_a_name_that_the_pack_would_refuse_is_refused_before(pack: Path, tmp_path: Path, name: str) -> None:
    filled(pack, tmp_path / "r.csv")
    before = (pack / "pack.yaml").read_bytes()
    with pytest.raises(InputError, match="cannot be written"):
        check_language(pack, tmp_path / "r.csv", name, date=DAY)
    assert (pack / "pack.yaml").read_bytes() == before


def test_a_tick_in_the_wrong_column_is_named(pack: Path, tmp_path: Path) -> None:
    filled(pack, tmp_path / "r.csv", r0={"ok": "", "correction": "x"})
    done = check_language(pack, tmp_path / "r.csv", "A", date=DAY)
    assert [r.message for r in done.refused] == [
        "the column correction has a tick: did you mean the column ok?"
    ]


def test_corrections_are_listed_with_file_and_line_and_not_applied(pack: Path, tmp_path: Path) -> None:
    review_language(pack, tmp_path / "r.csv")
    with (tmp_path / "r.csv").open(encoding="utf-8-sig", newline="") as f:
        rows = list(csv.DictReader(f))
    one = next(r for r in rows if "/question/" in r["id"])
    act, other = one["text"].removeprefix("Who ").removesuffix("?"), rows[-1]
    one["correction"] = "Who did it?"
    name = other["id"].split("/")[3]
    other["correction"] = other["context"].replace("saw", "observed")
    other["comment"] = "Odd."
    save(tmp_path / "r.csv", rows)
    before = {p: p.read_bytes() for p in pack.rglob("*.yaml")}
    done = check_language(pack, tmp_path / "r.csv", "A. Speaker", date=DAY)
    assert {p: p.read_bytes() for p in pack.rglob("*.yaml")} == before
    assert (done.ticked, done.recorded, done.refused) == (0, False, ())
    first, second = done.corrections
    (found,) = first.look_at  # the attribute, not the template, since the correction does not have its words
    assert found.startswith(f"{pack}/attributes/acts.yaml:")
    assert found.endswith(f"{one['id'].split('/')[5]} (base): {act!r}")
    assert name in second.correction
    assert second.look_at == (f"{pack}/templates/people.yaml:6: the template saw",)
    assert [c.message for c in done.comments] == ["Odd."]


def test_rows_that_no_longer_match_do_not_count(pack: Path, tmp_path: Path) -> None:
    rows = filled(
        pack,
        tmp_path / "r.csv",
        r1={"ok": "perhaps"},
        r2={"correction": "No."},
        r3={"context": "Something else."},
        r4={"id": "people/question/met/Ann/Nobody/thief"},
        r5={"id": "x"},
    )
    save(tmp_path / "r.csv", [*rows, rows[0]])
    done = check_language(pack, tmp_path / "r.csv", "A. Speaker", date=DAY)
    beginnings = {
        3: "the column ok has 'perhaps'",
        4: "the row has a tick and a correction",
        5: "the context has changed; in the pack it is ",
        6: "the pack no longer has this row",
        7: "the pack no longer has this row",
        len(rows) + 2: "the row is also in line 2",
    }
    assert [r.line for r in done.refused] == list(beginnings)
    assert all(r.message.startswith(beginnings[r.line]) for r in done.refused)
    assert done.ticked == len(rows) - 5
    # a word changes in the pack: only the rows that have it are refused
    file = pack / "attributes" / "acts.yaml"
    filled(pack, tmp_path / "r.csv")
    file.write_text(file.read_text(encoding="utf-8").replace("told lies", "lied"), encoding="utf-8")
    done = check_language(pack, tmp_path / "r.csv", "A. Speaker", date=DAY)
    assert done.refused
    assert all("lied" in r.message for r in done.refused)
    assert done.ticked == len(rows) - len(done.refused)


@pytest.mark.parametrize("tick", ["x", "X", "✓", "ok"])
def test_a_tick_in_the_wrong_column_is_no_correction(pack: Path, tmp_path: Path, tick: str) -> None:
    filled(pack, tmp_path / "r.csv", r1={"ok": "", "correction": tick}, r2={"correction": tick})
    done = check_language(pack, tmp_path / "r.csv", "A. Speaker", date=DAY)
    assert [(r.line, "did you mean the column ok" in r.message) for r in done.refused] == [
        (3, True),
        (4, True),
    ]
    assert done.corrections == ()


def test_a_sheet_that_was_filled_in_is_not_overwritten(pack: Path, tmp_path: Path) -> None:
    review_language(pack, tmp_path / "r.csv")
    review_language(pack, tmp_path / "r.csv")  # the same one again
    filled(pack, tmp_path / "r.csv")
    with pytest.raises(WordListError, match="someone may have filled it in"):
        review_language(pack, tmp_path / "r.csv")


@pytest.mark.parametrize("name", ["", "  ", "a\x00b", "a\u202eb", "x" * 101])
def test_a_name_that_cannot_be_written_is_refused(pack: Path, tmp_path: Path, name: str) -> None:
    filled(pack, tmp_path / "r.csv")
    with pytest.raises(InputError, match="cannot be written into the pack"):
        check_language(pack, tmp_path / "r.csv", name)


def test_an_incomplete_pack_and_one_of_ours_are_refused(pack: Path, tmp_path: Path) -> None:
    filled(pack, tmp_path / "r.csv")
    with pytest.raises(WordListError, match="does not change the packs"):
        check_language("builtin:en", tmp_path / "r.csv", "A. Speaker")
    file = pack / "attributes" / "acts.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace("told lies", '""'), encoding="utf-8")
    with pytest.raises(WordListError, match="the cell is empty"):
        review_language(pack, tmp_path / "r.csv")


def test_derived_forms_are_marked(pack: Path, tmp_path: Path) -> None:
    head = (
        ENGLISH["pack.yaml"]
        .replace("language: en", "language: tr")
        .replace("rules: [a-an]", "derive: [turkish-cases]")
    )
    write_pack(pack, {"pack.yaml": head})
    file = pack / "templates" / "people.yaml"
    file.write_text(
        file.read_text(encoding="utf-8").replace("[subj2]", "[subj2:dat]").replace("[mask]", "[mask:base]")
    )
    for listed in (pack / "subjects").iterdir():  # Ann is no Turkish spelling: its forms would be listed
        listed.write_text(listed.read_text(encoding="utf-8").replace("Ann", "Ayla"), encoding="utf-8")
    made = review_language(pack, tmp_path / "r.csv")
    assert made.derived == made.rows
    with (tmp_path / "r.csv").open(encoding="utf-8-sig", newline="") as f:
        row = next(r for r in csv.DictReader(f) if r["context"].endswith(" Tom’a."))
    assert row["derived"] == "Tom’a (dat)"


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(p.parent.name for p in FOLDER.glob("*/pack.yaml")))
def test_packs_that_come_with_nextset_can_be_reviewed(tmp_path: Path, name: str) -> None:
    folder = shutil.copytree(FOLDER / name, tmp_path / name)
    rows = filled(folder, tmp_path / "r.csv")
    done = check_language(folder, tmp_path / "r.csv", "A. Speaker", date=DAY)
    assert (done.ticked, done.refused, done.seen) == (len(rows), (), 1.0)
    head = yaml.safe_load((folder / "pack.yaml").read_text(encoding="utf-8"))
    texts = read_pack(folder).texts_digest
    assert head["checked_by"] == [{"name": "A. Speaker", "date": DAY, "seen": 1.0, "texts": texts}]

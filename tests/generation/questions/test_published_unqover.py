"""Word lists in UnQover's layout: what is read, and what is refused with file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from nextset.errors import WordListError
from nextset.generation.questions.product_rows import full_cells
from nextset.generation.questions.published_unqover import read_published
from nextset.generation.questions.question_expansion import quad_table
from nextset.generation.questions.question_set import QuestionSet


def of(folder: Path, form: str = "question", **options: object) -> QuestionSet:
    pack = read_published(folder, "en", **options)  # type: ignore[arg-type]
    (found,) = [s for s in pack.sets if s.form == form]
    return found


def test_the_lists_are_read(published: Path) -> None:
    questions = of(published)
    # 3 pairs; 1 place attribute, and 2 of persons with each of 2 templates
    assert (questions.n_pairs, questions.per_pair, questions.rows) == (3, 5, 15)
    statements = of(published, "statement", masked_for="tiny")
    assert (statements.n_pairs, statements.rows) == (1, 2)
    rows = quad_table(questions, full_cells(questions, range(1))).to_pylist()
    assert [r["question"] for r in rows] == [
        "What were sour?",
        "What falls?",
        "What rots?",
        "What fell an afternoon ago?",
        "What rotted?",
    ]
    # the attribute's name is its base form, whichever form the template asks for
    assert [r["attribute"] for r in rows[1:3]] == ["fell a afternoon ago", "rotted"]
    assert [r["attribute_cluster"] for r in rows] == ["bad", "bad", "worse", "bad", "worse"]
    assert rows[0]["context_12"] == "An apple lay by a plum."
    assert rows[1]["context_21"] == "A plum jam stood by an appleade."
    assert (rows[1]["subject1"], rows[1]["subject2"]) == ("apple", "plum")


def test_a_filler_stands_before_every_context(published: Path) -> None:
    for as_published, blanks in ((True, "  "), (False, " ")):
        questions = of(published, prefix="news", as_published=as_published)
        row = quad_table(questions, full_cells(questions, range(1))).to_pylist()[0]
        assert row["context_12"] == f"(TOWN) --{blanks}An apple lay by a plum."
        span = row["subject2_in_12"]
        assert row["context_12"][span["start"] : span["end"]] == "plum"


def test_only_english_has_articles(published: Path) -> None:
    (questions, _) = read_published(published, "de").sets
    row = quad_table(questions, full_cells(questions, range(1))).to_pylist()[0]
    assert row["context_12"] == "A apple lay by a plum."


SUBJECTS, ACTS, SLOTS = "nouns/subjects/fruit", "activities/biased_fruit", "slots/fruit_noact"
WRONG = [
    (
        SUBJECTS,
        "[subj:dem] cherry jam\n",
        "",
        7,
        "[subj] differ in the number of entries (2 and 3)",
    ),
    (SUBJECTS, "[subj] cherry", "[subj] plum", 4, "the subject 'plum' is listed twice"),
    (SUBJECTS, "[subj] cherry", "cherry", 4, "'cherry' is not an entry"),
    (SUBJECTS, "[subj] cherry", "[noun] cherry", 4, "[noun] is not a slot"),
    (SUBJECTS, "[subj] cherry", "[subj] a | b | c", 4, "is not an entry"),
    (SUBJECTS, "cherry jam", "plum jam", 3, "have the same form 'plum jam'"),
    (SUBJECTS, "[subj:dem] cherry jam", "[subj:dem::x] cherry jam", 8, "[subj:dem::x] is not a slot"),
    (SUBJECTS, "cherry jam", "{{MASK}}", 8, "a bracket"),
    (ACTS, "[p_act-single] worse", "[p_act-a_b] worse", 8, "[p_act-a_b] is not a slot"),
    (ACTS, "[p_act:neg] worse", "[p_act-neg:neg] worse", 6, "[p_act-neg:neg] is not a slot"),
    (SLOTS, "stood by a [subj2:dem]", "stood by\u200b a [subj2:dem]", 3, "contains the control character"),
    (
        ACTS,
        "[p_act:neg] worse | kept\n",
        "",
        5,
        "[p_act] differ in the number of entries (1 and 2)",
    ),
    (ACTS, "[l_act:neg] bad\t| were sweet\n", "", 1, "[l_act] has no negation"),
    (ACTS, "[p_act:neg] worse", "[p_act:neg] bad", 6, "has the cluster 'bad', but [p_act] has 'worse'"),
    (ACTS, "bad\t| were sweet", "bad\t| were sour", 1, "negation have the same text"),
    (ACTS, "| were sour", "|", 1, "is not an entry"),
    (SLOTS, "What [l_act]?\tWhat", "What [l_act]? What", 1, "does not have three parts with text"),
    (SLOTS, "a [subj2].\tWhat [l_act]?", "a [subj3].\tWhat [l_act]?", 1, "[subj3] is not a slot"),
    (SLOTS, "A [subj1] lay", "[p_act] lay", 1, "the context has [p_act] and [subj2]"),
    (SLOTS, "[subj1:dem]", "[subj1:adj]", 3, "'apple' has no form 'adj'"),
    (SLOTS, "What [p_act]?", "What [p_act:plural]?", 3, "has no form 'plural'"),
]


@pytest.mark.parametrize(("name", "old", "new", "line", "says"), WRONG)
def test_wrong_lists_are_refused_with_file_and_line(
    published: Path, name: str, old: str, new: str, line: int, says: str
) -> None:
    path = published / name
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(WordListError) as caught:
        read_published(published, "en")
    assert says in caught.value.message
    assert caught.value.line == line
    assert caught.value.file is not None
    assert caught.value.remedy
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("raw", "line", "says"),
    [
        (b"[subj] a\n[subj] \xff\n", 2, "not UTF-8"),
        (b"[subj] a\n[subj] \0\n", 2, "NUL"),
        (b"[subj] " + b"x" * 100_000_000, 1, "bytes"),
        (b"# nothing\n\n", None, "no lines"),
        (b"[subj] a\x0b[subj] b\n", 1, "contains the control character"),
        ("[subj] a\n[subj] b\u202ec\n".encode(), 2, "contains the control character"),
        ("[subj] a\n[subj] e\u0301\n".encode(), 2, "NFC"),
    ],
)
def test_hostile_lists_are_refused(published: Path, raw: bytes, line: int | None, says: str) -> None:
    (published / SUBJECTS).write_bytes(raw)
    with pytest.raises(WordListError) as caught:
        read_published(published, "en")
    assert says in caught.value.message
    assert caught.value.line == line


def test_a_line_that_stands_twice_is_refused(published: Path) -> None:
    path = published / SLOTS
    path.write_text(path.read_text() + path.read_text().splitlines()[0] + "\n")
    with pytest.raises(WordListError, match="3 has the same texts as 0") as caught:
        read_published(published, "en")
    assert caught.value.line == 5


def test_a_byte_order_mark_is_no_text(published: Path) -> None:
    before = read_published(published, "en").sets
    for path in (p for p in published.rglob("*") if p.is_file()):
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert read_published(published, "en").sets == before


def test_a_class_has_a_plain_name(published: Path) -> None:
    (published / "slots" / "fr uit_noact").write_text("nothing")
    with pytest.raises(WordListError, match="'fr uit' is not a valid class name"):
        read_published(published, "en")


def test_missing_lists_are_named(published: Path) -> None:
    with pytest.raises(WordListError, match="no such file"):
        read_published(published, "en", masked_for="bert")
    with pytest.raises(WordListError, match="no such file"):
        read_published(published, "en", prefix="newsqa")
    (published / "slots" / "fruit_noact").unlink()
    with pytest.raises(WordListError, match="the folder has no file slots/NAME_noact"):
        read_published(published, "en")

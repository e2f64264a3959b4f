"""Readers take time in proportion to their input, also if somebody wrote it to be slow."""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.errors import InputError, StudyError, WordListError
from nextset.files.yaml_reader import read_yaml
from nextset.generation.imports.pair_files import rows
from nextset.generation.lint.pack_rules.overlapping_groups import overlapping
from nextset.generation.questions.published_unqover_lines import Reader
from nextset.generation.templates.placeholders import check, place_words, render
from nextset.generation.templates.published_bbnli import read_published_bbnli
from nextset.generation.writers.proposed_words import proposed_fillings
from nextset.letter_case import begins_sentence
from nextset.release.counterfactuals.phrase_swap import _joins
from nextset.scoring.masks.masked_text import Prompt
from nextset.scoring.masks.whole_words import WholeWords
from nextset.scoring.model_server.completion import Completion
from nextset.scoring.prompts.answer_parsing import choice_of, without_thoughts
from nextset.scoring.subjects.subject_words import _ends_sentence
from nextset.validation.annotator_pages.briefing import _template
from tests.generation.lint.mini_pack import mini_pack

BBNLI = {
    "name": "s",
    "domain": "d",
    "GROUP1": ["a"],
    "GROUP2": ["b"],
    "data": {},
    "premise": ["A."],
    "reference": ["r"],
    "test_hypothesis": [],
    "test_question": [],
}


def bbnli(folder: Path, size: int) -> object:
    texts = [[f"Hypothesis {i} of several.", "x", 1] for i in range(size // 40)]
    file = folder / "s.json"
    written = {
        **BBNLI,
        "bias_hypothesis_stereotypical": [[t, 1, a] for t, a, _ in texts],
        "bias_question_stereotypical": texts,
    }
    file.write_text(json.dumps(written, indent=1), encoding="utf-8")
    return read_published_bbnli(file)


def unqover(line: str) -> Callable[[Path, int], object]:
    def read(folder: Path, size: int) -> object:
        (folder / "list").write_text(line.replace("~", " " * (size // 3)), encoding="utf-8")
        with pytest.raises(WordListError, match="is not an entry"):
            Reader(folder, correct=False).table(folder / "list", "[subj]")
        return None

    return read


def guidelines(folder: Path, size: int) -> object:
    (folder / "g.md").write_text("{{" * (size // 2), encoding="utf-8")
    with pytest.raises(StudyError, match="is not closed by }}"):
        _template(folder / "g.md", {}, "session", pairs=False)
    return None


def csv_header(folder: Path, size: int) -> object:
    (folder / "a.csv").write_text(",".join(f"c{i}" for i in range(size // 5)) + "\n", encoding="utf-8")
    return list(rows(folder / "a.csv"))


def yaml_number(folder: Path, size: int) -> object:
    (folder / "a.yaml").write_text("a: 1" + ":1" * (size // 2), encoding="utf-8")
    with pytest.raises(InputError, match="a number of"):
        read_yaml(folder / "a.yaml", InputError)
    return None


def yaml_brackets(folder: Path, size: int) -> object:
    (folder / "a.yaml").write_text("a: [\n" + "[b]: " * (size // 5), encoding="utf-8")
    with pytest.raises(InputError, match="not YAML"):
        read_yaml(folder / "a.yaml", InputError)
    (folder / "a.yaml").write_text("a: " + "[" * size, encoding="utf-8")
    with pytest.raises(InputError, match="nested too deeply"):
        read_yaml(folder / "a.yaml", InputError)
    return None


def place(_: Path, size: int) -> object:
    words = SimpleNamespace(_splits=True)
    return [WholeWords.place(words, "a " * size + "x", 2 * size, 2 * size + 1)]  # type: ignore[arg-type]


def answer(text: str, begins: str = "x") -> Callable[[Path, int], object]:
    """Read a model's answer of ``text``, repeated, between ``begins`` and an x."""

    def read(_: Path, size: int) -> object:
        said = begins + text * (size // len(text)) + "x"
        proposed_fillings(Prompt.alone("They are {{MASK}}."), Completion(said), 5, Counter())
        return choice_of(without_thoughts(said) or said, ["yes", "no"])

    return read


def subjects(folder: Path, size: int) -> object:
    (questions,) = mini_pack(folder / "pack").sets
    mali = questions.subjects[0][0]
    names = (f"people of {i:x} and {i:o}" for i in range(size // 60))
    listed = tuple(replace(mali, name=name, forms={frozenset(): name}) for name in names)
    return list(overlapping([replace(questions, subjects=(listed,))]))


READERS: dict[str, Callable[[Path, int], object]] = {
    "BBNLI": bbnli,
    "UnQover, no bar": unqover("[subj] ~|~|~x"),
    "UnQover, blanks": unqover("[subj]~|~|x"),
    "guidelines": guidelines,
    "columns of a CSV file": csv_header,
    "number in YAML": yaml_number,
    "brackets in YAML": yaml_brackets,
    "word at a mask": place,
    "blanks in an answer": answer(" "),
    "ends in an answer": answer(" </s>"),
    "a tag's blanks in an answer": answer(" ", "<"),
    "marks in an answer": answer("\u0316\u0301"),
    "mask after no word": lambda _, n: _ends_sentence("word " + ".! " * n),
    "mask after marks": lambda _, n: _ends_sentence("word" + " !" * n + "x"),
    "terms side by side": lambda _, n: _joins(" " * n + "x"),
    "groups at sentence starts": lambda _, n: render(
        "A. {{GROUP1}} " * (n // 14), {"GROUP1": "x"}, capitalise=True
    ),
    "masks": lambda _, n: place_words("A. {{MASK}} " * (n // 12), ["x"] * (n // 12), capitalise=True),
    "braces": lambda _, n: check("{{GROUP1}}" * (n // 10)),
    "subjects of a pack": subjects,
    "term at a sentence start": lambda _, n: begins_sentence("." * n, n),
}


def cpu_seconds(read: Callable[[Path, int], object], folder: Path, size: int) -> float:
    least = 1e9
    for _ in range(2):
        start = time.process_time()
        read(folder, size)
        least = min(least, time.process_time() - start)
    return least


@pytest.mark.parametrize("name", READERS)
def test_four_times_the_input_takes_about_four_times_as_long(name: str, tmp_path: Path) -> None:
    """Quadratic costs grow by 16, linear ones by 4; a hundredth of a second is noise."""
    once, four = (cpu_seconds(READERS[name], tmp_path, size) for size in (30_000, 120_000))
    assert four < 9 * max(once, 0.01)


MARKS = st.text(alphabet="ab_1.!?… \n\t\"'”’)“‘(é\u0301", max_size=12)


@given(MARKS)
def test_a_sentence_begins_as_the_slow_patterns_said(text: str) -> None:
    long = re.sub(r"([abé])", r"\1\1\1\1", text)  # a single letter before a full stop is an abbreviation
    placed = place_words(f"{long}{{{{MASK}}}}", ["x"], capitalise=True).text
    begins = re.search(r"(?:\A|[.!?][\"'”’“‘)]*\s+)[\"'“‘”’(]*\Z", long)
    assert placed == long + ("X" if begins else "x")
    assert _ends_sentence(text) == (re.search(r"(?:^|[.!?…。！？]\W*\s)\W*\Z", text) is not None)


@given(MARKS)
def test_the_place_before_a_word_is_as_the_slow_pattern_said(text: str) -> None:
    before = re.search(r" *[^ ]*\Z", text)
    assert before is not None
    words = SimpleNamespace(_splits=True)
    found = WholeWords.place(words, text + "x", len(text), len(text) + 1)  # type: ignore[arg-type]
    assert found.left == (before[0] if before.start() == 0 else f"a{before[0]}")

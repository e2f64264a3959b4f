"""Word vectors as GloVe, fastText and word2vec write them; what is damaged is refused with its line."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.errors import InputError
from nextset.scoring.models.recurrent.word_vectors import WordVectors, read_word_vectors
from tests.mutations import mutated

WORDS = {"the", "cat", "sat", "été"}
GLOVE = "the 0.1 -0.2 3e-1\ncat 1 2 3\n. . . 4 5 6\nunseen 7 8 9\nété .5 .5 .5\n"


def _read(folder: Path, text: str | bytes, words: set[str] = WORDS) -> WordVectors:
    file = folder / "vectors.txt"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_word_vectors(file, words)


def test_the_vectors_of_the_vocabulary_are_read(tmp_path: Path) -> None:
    found = _read(tmp_path, GLOVE)
    assert (found.size, sorted(found.vectors)) == (3, ["cat", "the", "été"])
    np.testing.assert_array_equal(found.vectors["the"], np.array([0.1, -0.2, 0.3], np.float32))
    assert found.vectors["the"].dtype == np.float32


@pytest.mark.parametrize(
    "text",
    [
        "5 3\n" + GLOVE,
        "\ufeff" + GLOVE,
        GLOVE.replace("\n", " \r\n"),
        GLOVE + "\n\n",
        GLOVE.replace("été", "e\u0301te\u0301"),
        GLOVE.rstrip("\n"),
    ],
)  # fmt: skip
def test_a_header_a_mark_line_ends_and_accents_change_nothing(tmp_path: Path, text: str) -> None:
    expected, found = _read(tmp_path, GLOVE), _read(tmp_path, text)
    assert found.size == expected.size
    assert sorted(found.vectors) == sorted(expected.vectors)
    for word, vector in expected.vectors.items():
        np.testing.assert_array_equal(found.vectors[word], vector)


def test_a_first_line_about_a_number_is_no_header(tmp_path: Path) -> None:
    found = _read(tmp_path, "5 1\ncat 2\n", {"5", "cat"})
    assert {word: vector.tolist() for word, vector in found.vectors.items()} == {"5": [1.0], "cat": [2.0]}


def test_the_word_itself_comes_before_other_cases_and_the_first_line_counts(tmp_path: Path) -> None:
    found = _read(tmp_path, "The 1 1\nTHE 2 2\nthe 3 3\nthe 4 4\nCat 5 5\nCAT 6 6\n")
    assert {word: vector.tolist() for word, vector in found.vectors.items()} == {"the": [3, 3], "cat": [5, 5]}


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("", None, "does not contain any word of the vocabulary"),
        ("dog 1 2\n", None, "does not contain any word of the vocabulary"),
        ("the\ncat 1 2\n", 1, "has 0 numbers after its word"),
        ("the 1 2 3\ncat 1 2\n", 2, "has 2 numbers after its word, not 3"),
        ("the 1 2 3\ncat 1 2 x\n", 2, "not a finite number"),
        ("the 1 2 3\ncat 1 2 nan\n", 2, "not a finite number"),
        ("the 1 2 3\ncat 1 2 1e39\n", 2, "not a finite number"),
        ("the 1 2 3\ncat 1 2 1_0\n", 2, "not a finite number"),
        ("3 2\nthe 1 2\ncat 1 2\n", None, "has 3 words, but it has 2"),
        ("the 1 2\n" + "9" * 300_000, 2, "more than 200,000 bytes"),
        (b"\xff\xfet\x00h\x00e\x00 \x001\x00\n\x00", 2, "0 numbers after its word, not 1"),
        (gzip.compress(GLOVE.encode(), mtime=0), None, "compressed"),
        (b"PK\x03\x04" + b"x" * 50, None, "compressed"),
    ],
)
def test_a_damaged_file_is_refused_with_its_line(
    tmp_path: Path, text: str | bytes, line: int | None, problem: str
) -> None:
    with pytest.raises(InputError, match=problem) as e:
        _read(tmp_path, text)
    assert e.value.line == line


def test_what_is_not_a_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_word_vectors(tmp_path / "none.txt", WORDS)
    with pytest.raises(InputError, match="folder"):
        read_word_vectors(tmp_path, WORDS)


@given(
    st.dictionaries(
        st.text("abcxyz", min_size=1, max_size=6),
        st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=3, max_size=3),
        min_size=1,
    ),
    st.booleans(),
)
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, vectors: dict[str, list[float]], header: bool
) -> None:
    lines = [f"{word} {' '.join(map(repr, numbers))}" for word, numbers in vectors.items()]
    text = "\n".join([f"{len(vectors)} 3"] * header + lines) + "\n"
    found = _read(tmp_path_factory.mktemp("vectors"), text, set(vectors))
    assert {word: vector.tolist() for word, vector in found.vectors.items()} == vectors


def test_a_mutated_file_is_read_or_refused(tmp_path: Path) -> None:
    read = 0
    for seed in range(400):
        try:
            found = _read(tmp_path, mutated(GLOVE.encode(), random.Random(seed)))
        except InputError as e:
            assert len(str(e)) < 1000
        else:
            read += 1
            assert all(np.isfinite(vector).all() for vector in found.vectors.values())
            assert {len(vector) for vector in found.vectors.values()} == {found.size}
    assert 50 < read < 350

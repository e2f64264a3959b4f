"""Files of prompts for writers: what is wrong is named with its line, whatever somebody wrote."""

from __future__ import annotations

from pathlib import Path

import pytest

from nextset.errors import StudyError
from nextset.generation.writers.writer_prompts import read_writer_prompts, writer_prompts_file
from nextset.records.content_ids import content_id

PHRASES = b"""\
demands:
  blank: "{number}:"
  category: "{categories}"
  adj: adjective
  adv: adverb
  noun: noun
  verb: verb
  within: "{words}"
  without: "not {words}"
  like: "like {words}"
  unlike: "unlike {words}"
"""


@pytest.mark.parametrize(
    ("written", "line", "says", "remedy"),
    [
        (b"", None, "the file is empty", "format: 1"),
        (b"format: 1\none_word: ''\n", 2, "one_word: too short (here: '')", "write a text"),
        (b"format: 1\none_word: '  '\n", 2, "one_word: too short", "write a text"),
        (b"format: 1\none_word:\n", 2, "one_word: not a text", "write text in quotes"),
        (b"format: 1\none_word: '{number}'\n", 2, "the placeholder {sentences} is missing", "{sentences}"),
        (b"format: 1\none_word: '{number.__class__}'\n", 2, "unknown placeholder {number.__class__}", "only"),
        (b"format: 1\npro: '{{number}}'\n", 2, "a brace that is not part of a placeholder", "only these"),
        (
            b"format: 1\none_word: '{number} {sentences} {demands}'\n",
            2,
            "{demands} has no phrases",
            "en.yaml",
        ),
        (
            b"format: 1\none_word: '{number} {sentences}'\n" + PHRASES,
            2,
            "the placeholder {demands} is missing",
            "add {demands}",
        ),
        (
            b"format: 1\n" + PHRASES.replace(b"{words}", b"words", 1),
            9,
            "placeholder {words} is missing",
            "add",
        ),
        (
            b"format: 1\n" + PHRASES + b"  forms: {adj.best: x}\n",
            13,
            "'adj.best' is not a form",
            "adj.positive",
        ),
        (b"format: 1\ntwo_words: x\n", 2, "unknown key 'two_words'", "'one_word'"),
        (b"format: 1\none_word: \xff\n", 2, "the file is not UTF-8", "as UTF-8"),
        (b"\x7fELF\x02\x01\x00", 1, "a NUL character", "remove"),
        (b"a: &a [x]\nb: [*a, *a]\n", 1, "not YAML: an alias", "write the text out"),
        (b"- format\n", 1, "does not begin with keys and values", "format: 1"),
        (b"format: 1\none_word: " + b"a" * 4_000_000, 2, "the file has 4,000,020 bytes", "split the file"),
    ],
)
def test_a_wrong_file_is_named_with_its_line(
    tmp_path: Path, written: bytes, line: int | None, says: str, remedy: str
) -> None:
    (tmp_path / "prompts.yaml").write_bytes(written)
    with pytest.raises(StudyError) as caught:
        read_writer_prompts(tmp_path / "prompts.yaml")
    assert (caught.value.file, caught.value.line) == (tmp_path / "prompts.yaml", line)
    assert says in caught.value.message
    assert remedy in caught.value.remedy


@pytest.mark.parametrize("name", ["builtin:de", "builtin:", "builtin:../prompts/en"])
def test_a_built_in_name_that_there_is_not_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(StudyError, match="nextset has no prompts 'builtin:"):
        writer_prompts_file(name, tmp_path.joinpath, tmp_path / "study.yaml")


def test_the_hash_of_a_prompt_covers_the_phrases_for_its_masks(tmp_path: Path) -> None:
    hashes = []
    for text in ("{number} {sentences} {demands}", "{number} {sentences}"):
        for phrases in (PHRASES, PHRASES.replace(b"adverb", b"an adverb")):
            file = b"format: 1\none_word: '%s'\n" % text.encode()
            (tmp_path / "prompts.yaml").write_bytes(file + (phrases if "demands" in text else b""))
            hashes.append(read_writer_prompts(tmp_path / "prompts.yaml").get("one_word", 0, 0.7).prompt)
    assert len(set(hashes[:2])) == 2
    assert hashes[2:] == [content_id("writer prompt", "{number} {sentences}")] * 2


def test_a_prompt_that_the_file_lacks_is_named(tmp_path: Path) -> None:
    (tmp_path / "prompts.yaml").write_text("format: 1\n", encoding="utf-8")
    prompts = read_writer_prompts(tmp_path / "prompts.yaml")
    with pytest.raises(StudyError, match="the file has no prompt 'pro'"):
        prompts.get("pro", 0, 0.7)

"""Files of data: what only looks like a dataset on the Hub, is no file, or changes while it is read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nextset.errors import InputError
from nextset.training.training_data.data_source import DataSource, find_file, find_source
from nextset.training.training_data.nli_examples import read_nli
from nextset.training.training_data.plain_texts import read_texts
from nextset.training.training_data.squad_data import read_questions
from tests.training.squad_examples import write_reader_data

PAIR = {"premise": "a", "hypothesis": "b", "label": "neutral"}


@pytest.mark.parametrize("name", ["reader", "pairs", "texts"])
def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path: Path, name: str) -> None:
    """The digest that is recorded would be one of data that were not used."""
    write_reader_data(tmp_path, 4, 4)
    (tmp_path / "pairs.jsonl").write_text(json.dumps(PAIR) + "\n")
    (tmp_path / "texts.txt").write_text("A dog sleeps.\n")
    files = {"reader": "train.json", "pairs": "pairs.jsonl", "texts": "texts.txt"}
    source = find_source(files[name], tmp_path / files[name])
    with (tmp_path / files[name]).open("a") as file:
        file.write(" \n")
    with pytest.raises(InputError, match="the file was changed while it was read") as caught:
        _read(name, source)
    assert (caught.value.file, caught.value.remedy) == (source.path, "run this again")


def _read(name: str, source: DataSource) -> object:
    if name == "reader":
        return read_questions([source], {})
    return read_nli([source], {}, ()) if name == "pairs" else read_texts([source], {})


def test_a_name_with_an_ending_below_a_folder_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "vectors").mkdir()
    with pytest.raises(InputError, match=r"there is no file 'vectors/wiki\.vec'"):
        find_source("vectors/wiki.vec", tmp_path / "vectors" / "wiki.vec")
    with pytest.raises(InputError, match="there is no file 'absent/wiki'") as caught:
        find_file("absent/wiki", tmp_path / "absent" / "wiki", None, None)
    assert "Hub" not in caught.value.remedy


def test_what_is_no_file_is_an_input_that_cannot_be_read(tmp_path: Path) -> None:
    """The remedy never says that a user's data are in the way."""
    (tmp_path / "train.json").write_text("{}")
    (tmp_path / "loop.json").symlink_to("loop.json")
    wrong = {
        "train.json/x.json": "Not a directory",
        "train.json/x": "Not a directory",
        "loop.json": "leads nowhere",
        "a" * 400: "too long",
    }
    for written, problem in wrong.items():
        with pytest.raises(InputError, match=problem) as caught:
            find_source(written, tmp_path / written)
        assert caught.value.remedy.startswith("check the path")

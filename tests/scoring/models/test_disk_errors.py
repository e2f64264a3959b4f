"""A disk that is full while a model is trained: one line with a remedy, and the same training goes on."""

from __future__ import annotations

import errno
import sys
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer
from tokenizers.models import WordLevel

import nextset
from nextset.errors import InputError
from nextset.scoring.models.disk_errors import disk_errors
from nextset.training.fine_tuning.starting_model import UntrainedStart
from nextset.training.training_data.data_source import find_file
from tests.forked_functions import command, forked, with_small_files
from tests.training.small_trainings import tiny_bert, written


class _Texts:
    def texts(self) -> list[str]:
        return ["the dog sleeps"] * 2


def test_word_vectors_that_change_while_they_are_read_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "vectors.txt"
    file.write_text("the 1 2\ndog 3 4\n")
    start = UntrainedStart("lstm_reader", find_file("vectors.txt", file, None, None))
    assert start.loaded(_Texts(), 0, "cpu").name == "lstm_reader"  # type: ignore[arg-type]
    file.write_text("the 1 2\ndog 3 5\n")
    with pytest.raises(InputError, match="the file was changed while it was read"):
        start.loaded(_Texts(), 0, "cpu")  # type: ignore[arg-type]


def test_other_errors_pass_as_they_are(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="a loss of nan"), disk_errors(tmp_path):
        raise RuntimeError("a loss of nan")
    with pytest.raises(OSError, match="No space left on device") as caught, disk_errors(tmp_path):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert caught.value.filename == str(tmp_path)


@pytest.mark.parametrize("most", [2_000, 60_000])
def test_what_the_libraries_cannot_write(tmp_path: Path, most: int) -> None:
    """The libraries themselves, with a limit on the size of files."""
    place, stderr = tmp_path / "place", tmp_path / "stderr.txt"
    place.mkdir()
    code = forked(stderr, with_small_files, most, _writes, place)
    assert code == 0, stderr.read_text()
    assert stderr.read_text().split() == ["OSError", str(place)] * 3


def _writes(place: Path) -> None:
    """Name the error of each library on stderr."""
    weights = {"weight": torch.zeros(100_000)}
    words = Tokenizer(WordLevel({f"word{i}": i for i in range(10_000)}, unk_token="word0"))
    for save in (
        lambda: torch.save(weights, place / "weights"),
        lambda: save_file(weights, place / "weights"),
        lambda: words.save(str(place / "words")),
    ):
        try:
            with disk_errors(place):
                save()
        except Exception as e:  # noqa: BLE001 - its type is what is printed
            sys.stderr.write(f"{type(e).__name__} {getattr(e, 'filename', None)}\n")


@pytest.mark.slow
def test_a_full_disk_ends_with_one_line_and_the_training_goes_on(tmp_path: Path) -> None:
    (tmp_path / "texts.txt").write_text("The old dog sleeps in the garden.\n" * 8)
    tiny_bert(tmp_path / "tiny")
    file = written(
        tmp_path, task="masked_lm", model="./tiny", train=["texts.txt"], validation=["texts.txt"],
        epochs=2, batch=4, longest=16,
    )  # fmt: skip
    stderr = tmp_path / "stderr.txt"
    code = forked(stderr, with_small_files, 40_000, command, "train", str(file))
    said = stderr.read_text()
    assert code == 9, said
    assert "Traceback" not in said
    assert "error: " in said
    assert "finished work is kept" in said
    assert nextset.train_model(file).built == "made"

"""Pipes, devices and sockets are refused by everything that reads a path which people give; nothing waits."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from nextset.cli.lint import lint
from nextset.errors import InputError, ModelError, NextsetError, ServerError, StudyError
from nextset.files import file_search
from nextset.generation.imports.pair_files import rows
from nextset.generation.mask_fills.part_of_speech import locate_tagger
from nextset.generation.templates.template_files import template_files
from nextset.release.overlap.corpus_files import file_digest
from nextset.release.version_folder.folder_hashes import changes_since, hashed
from nextset.scoring.models.sources import locate
from nextset.validation.annotator_pages.page_wording import wording_file
from nextset.validation.file_exchange.csv_file import read_csv
from nextset.validation.file_exchange.label_studio_json import read_label_studio_file
from nextset.validation.forms.judged_hypotheses import JUDGED_HYPOTHESES
from nextset.validation.judgments.pseudonyms import pseudonym_key
from nextset.validation.label_studio.local_owner import read_owner
from tests.nextset.files.test_regular_file import put


@contextmanager
def at_once() -> Iterator[None]:
    """Fail after ten seconds, instead of waiting for ever."""

    def late(number: int, frame: object) -> None:
        raise TimeoutError("something waits for a pipe")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(10)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def key(folder: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("NEXTSET_PSEUDONYM_KEY", raising=False)
        patch.setenv("XDG_CONFIG_HOME", str(folder.parent))
        pseudonym_key()


READERS: dict[str, tuple[str, Callable[[Path], object]]] = {
    "validate import CSV": ("a.csv", lambda p: read_csv(p, JUDGED_HYPOTHESES, {})),
    "validate import JSON": ("a.json", lambda p: read_label_studio_file(p, JUDGED_HYPOTHESES, {}, str, "k")),
    "import CSV": ("a.csv", lambda p: list(rows(p))),
    "import Parquet": ("a.parquet", lambda p: list(rows(p))),
    "a corpus": ("a.txt", file_digest),
    "the key of the pseudonyms": ("pseudonym.key", lambda p: key(p.parent)),
    "the owner of the server": ("owner.json", lambda p: read_owner(p.parent)),
    "the pages' wording": ("en.yaml", lambda p: wording_file("en", ".yaml", p.parent)),
    "a model's config": ("config.json", lambda p: locate(str(p.parent))),
    "a model's weights": ("model.safetensors", lambda p: locate(str(p.parent))),
    "a tagger's settings": ("config.cfg", lambda p: locate_tagger(str(p.parent), Path())),
    "a template": ("a.yaml", lambda p: lint(p.parent)),
}


@pytest.mark.parametrize("what", ["a pipe", "a device", "a socket"])
@pytest.mark.parametrize("reader", READERS)
def test_what_is_not_a_file_is_refused_at_once(tmp_path: Path, reader: str, what: str) -> None:
    name, read = READERS[reader]
    folder = tmp_path / "nextset"
    folder.mkdir()
    if reader == "a tagger's settings":
        (folder / "meta.json").write_text("{}", encoding="utf-8")
    put(what, folder / name)
    with at_once(), pytest.raises((InputError, ModelError, ServerError)) as refused:
        read(folder / name)
    assert name in str(refused.value)
    assert isinstance(refused.value, NextsetError)


def test_a_version_in_which_a_pipe_took_a_files_place_has_changed(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"x")
    file = hashed(tmp_path / "a.csv", "a.csv")
    (tmp_path / "a.csv").unlink()
    os.mkfifo(tmp_path / "a.csv")
    with at_once():
        assert changes_since(tmp_path, {"a.csv": file}) == ["a.csv"]


def test_a_folder_with_far_too_many_files_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with at_once(), pytest.raises(StudyError, match="more than 20,000 files and folders") as refused:
        template_files("/", Path, tmp_path / "study.yaml")
    assert "name a folder that contains only the files you mean" in refused.value.remedy
    with at_once(), pytest.raises(InputError, match="more than 20,000"):
        lint("/")
    monkeypatch.setattr(file_search, "MAX_ENTRIES", 3)
    for i in range(3):
        (tmp_path / f"{i}.yaml").touch()
    assert len(template_files(".", lambda entry: tmp_path / entry, tmp_path)) == 3
    (tmp_path / "more").mkdir()
    with pytest.raises(StudyError, match="more than 3"):
        template_files(".", lambda entry: tmp_path / entry, tmp_path)

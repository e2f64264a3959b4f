from __future__ import annotations

import os
import shutil
from hashlib import blake2b
from pathlib import Path

import pytest

from nextset.errors import ModelError
from nextset.files.downloads import without_downloads
from nextset.scoring.models.sources import BUILTIN, builtin_names, locate, settings_folder


def test_a_builtin_is_found_by_name() -> None:
    source = locate("builtin:nli-electra")
    assert source.folder == BUILTIN / "nli-electra"
    assert source.name == "builtin:nli-electra"


def test_the_digest_is_blake2b_of_the_weights(nli_folder: Path) -> None:
    weights = (nli_folder / "model.safetensors").read_bytes()
    assert locate(str(nli_folder)).digest == blake2b(weights, digest_size=16).hexdigest()


def test_the_digest_depends_on_nothing_but_the_weights(nli_folder: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(nli_folder, tmp_path / "copy")
    (copy / "README.md").write_text("another card", encoding="utf-8")
    assert locate(str(copy)).digest == locate(str(nli_folder)).digest
    with (copy / "model.safetensors").open("r+b") as file:
        file.seek(-1, 2)
        last = file.read(1)
        file.seek(-1, 2)
        file.write(bytes([last[0] ^ 1]))
    assert locate(str(copy)).digest != locate(str(nli_folder)).digest


def test_the_identity_depends_on_configuration_and_tokenizer_too(nli_folder: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(nli_folder, tmp_path / "copy")
    assert locate(str(copy)).identity == locate(str(nli_folder)).identity
    (copy / "tokenizer_config.json").write_text("{}", encoding="utf-8")
    assert locate(str(copy)).identity != locate(str(nli_folder)).identity
    assert locate(str(copy)).digest == locate(str(nli_folder)).digest


@pytest.mark.parametrize("file", ["additional_chat_templates/default.jinja", "bpe.codes", "qwen.tiktoken"])
def test_the_identity_depends_on_every_file_that_a_tokenizer_reads(
    nli_folder: Path, tmp_path: Path, file: str
) -> None:
    copy = shutil.copytree(nli_folder, tmp_path / "copy")
    (copy / file).parent.mkdir(exist_ok=True)
    (copy / file).write_text("Answer yes.", encoding="utf-8")
    assert locate(str(copy)).identity != locate(str(nli_folder)).identity


def test_shards_are_read_in_the_order_of_their_names(tmp_path: Path) -> None:
    (tmp_path / "b.safetensors").write_bytes(b"second")
    (tmp_path / "a.safetensors").write_bytes(b"first")
    assert locate(str(tmp_path)).digest == blake2b(b"firstsecond", digest_size=16).hexdigest()


def test_a_typo_is_answered_with_the_nearest_name() -> None:
    with pytest.raises(ModelError, match="nli-elektra") as e:
        locate("builtin:nli-elektra")
    assert "builtin:nli-electra" in e.value.remedy


def test_an_unknown_builtin_is_answered_with_all_names() -> None:
    with pytest.raises(ModelError) as e:
        locate("builtin:zzz")
    assert all(name in e.value.remedy for name in builtin_names())


def test_a_model_at_a_server_is_its_address_and_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", " https://models.example/v1/ ")
    source = locate("openai:some-model")
    assert (source.folder, source.address) == (None, "https://models.example/v1")
    assert source.digest == source.identity != locate("openai:other-model").digest
    monkeypatch.setenv("OPENAI_BASE_URL", "https://other.example/v1")
    assert locate("openai:some-model").digest != source.digest


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("", "is not set"),
        ("models.example/v1", "begins with http"),
        ("ftp://models.example", "begins with http"),
        ("http://", "begins with http"),
        ("http://a:99999999/v1", "not a valid address"),
        ("http://a b/v1", "not a valid address"),
        ("http://a/v1 sk-hidden", "not a valid address"),
        ("http://a\x01/v1", "not a valid address"),
        ("http://a/\x7fv1", "not a valid address"),
        ("http://me:sk-hidden@models.example/v1", "in addition to the address"),
        ("http://models.example/v1?key=sk-hidden", "in addition to the address"),
    ],
)
def test_an_address_is_checked_and_never_shows_a_key(
    monkeypatch: pytest.MonkeyPatch, address: str, message: str
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", address)
    with pytest.raises(ModelError, match=message) as told:
        locate("openai:some-model")
    assert "sk-hidden" not in f"{told.value} {told.value.remedy}"


@pytest.mark.parametrize("name", ["./nowhere", "/nowhere/at/all", "~/no/such/model", "a b", "a/b/c"])
def test_a_missing_folder_is_named(name: str) -> None:
    with pytest.raises(ModelError, match="there is no model folder"):
        locate(name)


@pytest.mark.parametrize("file", ["pytorch_model.bin", "model.pt"])
def test_pickled_weights_are_refused(tmp_path: Path, file: str) -> None:
    (tmp_path / file).write_bytes(b"\x80\x04.")
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ModelError, match="pickles") as e:
        locate(str(tmp_path))
    assert "safetensors" in e.value.remedy


def test_a_folder_without_weights_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="has no"):
        locate(str(tmp_path))


def test_without_downloads_a_hub_model_is_only_looked_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The Hub would be asked otherwise: its offline mode is switched off."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    with without_downloads(), pytest.raises(ModelError, match="nobody/nothing@main is not on this machine"):
        locate("nobody/nothing@main", tmp_path)


def test_a_hub_model_that_is_not_there_offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(
        ModelError,
        match=r"nobody/nothing@main is not a folder \(/.*\) and cannot be downloaded",
    ) as e:
        locate("nobody/nothing@main")
    assert "network" in e.value.remedy


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("bulitin:nli-electra", "builtin:nli-electra"),
        ("Builtin:nli-elctra", "builtin:nli-electra"),
        ("opneai:my-model", "openai:my-model"),
    ],
)
def test_a_misspelt_prefix_is_told(name: str, meant: str) -> None:
    with pytest.raises(ModelError) as e:
        locate(name)
    assert e.value.remedy == f"did you mean '{meant}'?"


def test_another_prefix_is_no_misspelling() -> None:
    with pytest.raises(ModelError) as e:
        locate("s3:bucket")
    assert e.value.remedy == "check the path, or give a Hub id"


def test_configuration_and_tokenizer_need_no_weights(nli_folder: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(nli_folder, tmp_path / "copy")
    (copy / "model.safetensors").unlink()
    with pytest.raises(ModelError, match="no \\*"):
        locate(str(copy))
    assert settings_folder("copy", tmp_path) == copy
    assert settings_folder("builtin:nli-bart") == BUILTIN / "nli-bart"
    for name, problem in (
        ("./none", "no model folder"),
        ("openai:x", "behind a server"),
        ("builtin:x", "no built-in model"),
        ("owner/none", "cannot be downloaded"),
    ):
        with pytest.raises(ModelError, match=problem):
            settings_folder(name, tmp_path)
    os.mkfifo(copy / "pipe")
    with pytest.raises(ModelError, match="this is a pipe"):
        settings_folder("copy", tmp_path)

"""GGUF files: found by folder or path, refused if damaged, and loaded with the numbers of their folder."""

from __future__ import annotations

import os
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nextset.errors import DependencyMissing, ModelError
from nextset.scoring.asking import Asking
from nextset.scoring.generative.causal_scorer import CausalScorer
from nextset.scoring.models import gguf_loading
from nextset.scoring.models.config_file import read_config
from nextset.scoring.models.gguf_header import gguf_header
from nextset.scoring.models.sources import check_unchanged, locate
from nextset.scoring.models.tensor_shapes import parameters
from nextset.scoring.scorer_protocol import Pair
from nextset.study.model_labels import is_local_model
from nextset.study.scoring_settings import ModelSettings, ScoringSettings
from tests.scoring.generative.tiny_causal import save_llama
from tests.scoring.models.written_gguf import gguf_bytes, save_llama_gguf

PAIRS = [Pair("It rains.", "The road is wet."), Pair("A cat sleeps.", "Nobody is there.")]
SMALL = gguf_bytes(
    {"general.architecture": "llama", "llama.block_count": 1, "tokenizer.ggml.tokens": ["a", "b"]},
    {"a.weight": np.ones((3, 4), np.float32), "b.weight": np.zeros(5, np.float32)},
)


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_llama(tmp_path_factory.mktemp("llama"))


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that has all packages for finding files, which need not read them."""
    monkeypatch.setattr(gguf_loading, "NEEDED", ())


def written(tmp_path: Path, content: bytes) -> Path:
    file = tmp_path / "model.gguf"
    file.write_bytes(content)
    return file


def test_a_header_has_the_tensors(tmp_path: Path) -> None:
    header = gguf_header("m", written(tmp_path, SMALL))
    assert header.architecture == "llama"
    assert {name: (t.dtype, t.shape) for name, t in header.tensors.items()} == {
        "a.weight": ("F32", (3, 4)),
        "b.weight": ("F32", (5,)),
    }


@pytest.mark.parametrize(
    ("place", "form", "value"),
    [
        (4, "I", 1),  # a version that counted in 32 bits
        (8, "Q", 2**63),  # tensors
        (16, "Q", 2**62),  # keys
        (24, "Q", 2**60),  # the length of the first key
    ],
)
def test_absurd_counts_are_refused(tmp_path: Path, place: int, form: str, value: int) -> None:
    content = bytearray(SMALL)
    struct.pack_into(f"<{form}", content, place, value)
    with pytest.raises(ModelError, match="damaged or not a GGUF file"):
        gguf_header("m", written(tmp_path, bytes(content)))


def header_with(
    *,
    architecture: str = "llama",
    metadata: bytes = b"",
    keys: int = 0,
    shape: Sequence[int] = (4,),
    kind: int = 0,
) -> bytes:
    """A file with one tensor and further keys, which are already in bytes."""

    def text(value: str) -> bytes:
        return struct.pack("<Q", len(value)) + value.encode()

    head = b"GGUF" + struct.pack("<IQQ", 3, 1, 1 + keys)
    head += text("general.architecture") + struct.pack("<I", 8) + text(architecture) + metadata
    head += text("a") + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, kind, 0)
    return head + bytes(4096)


def entry(key: str, kind: int, form: str, *values: float) -> bytes:
    """A key of ``metadata`` with a value of the type ``kind``."""
    return struct.pack("<Q", len(key)) + key.encode() + struct.pack(f"<I{form}", kind, *values)


@pytest.mark.parametrize(
    "content",
    [
        header_with(shape=(2**63,) * 4, kind=16),
        header_with(shape=(2**63,), kind=28),
        header_with(shape=(2**62,), kind=99),
        header_with(kind=2**31),
        header_with(shape=(0, 4)),
        header_with(keys=1, metadata=entry("llama.block_count", 12, "d", 1e30)),
        header_with(keys=1, metadata=entry("llama.block_count", 10, "Q", 2**62)),
        header_with(keys=1, metadata=entry("llama.block_count", 11, "q", -5)),
        header_with(keys=1, metadata=entry("llama.block_count", 9, "IQI", 4, 1, 2)),
        header_with(keys=1, metadata=entry("llama.block_count", 10, "Q", 3)),  # of one tensor
        header_with(keys=1, metadata=entry("llama.context_length", 10, "Q", 2**63)),
        header_with(keys=1, metadata=entry("llama.context_length", 10, "Q", 0)),
        header_with(keys=1, metadata=entry("llama.embedding_length", 11, "q", -1)),
        header_with(architecture="../../x\x1b[31m<script>"),
        header_with(architecture="Llama"),
        header_with(keys=1, metadata=entry("x", 9, "IQ", 8, 3_900_000) + bytes(8 * 10_000)),
        header_with(keys=1, metadata=entry("x", 9, "IQQ", 8, 2, 2**64 - 1)),
    ],
)
def test_numbers_and_names_that_no_model_has_are_refused(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(ModelError, match="damaged or not a GGUF file") as error:
        gguf_header("m", written(tmp_path, content))
    assert "\x1b" not in str(error.value)


def test_many_texts_are_skipped(tmp_path: Path) -> None:
    content = header_with(keys=1, metadata=entry("x", 9, "IQ", 8, 100_000) + bytes(8 * 100_000))
    assert list(gguf_header("m", written(tmp_path, content)).tensors) == ["a"]


@pytest.mark.parametrize(
    "key", ["block_count", "embedding_length", "feed_forward_length", "attention.head_count"]
)
def test_sizes_that_no_tensor_has_are_refused(tmp_path: Path, key: str) -> None:
    content = gguf_bytes(
        {"general.architecture": "llama", f"llama.{key}": 10**9}, {"a": np.ones(4, np.float32)}
    )
    with pytest.raises(ModelError, match="more than its tensors have"):
        gguf_header("m", written(tmp_path, content))


def test_a_file_that_ends_early_is_refused_at_every_byte(tmp_path: Path) -> None:
    file = tmp_path / "model.gguf"
    for length in range(len(SMALL) - 31):  # the last tensor has 5 numbers, and padding behind them
        file.write_bytes(SMALL[:length])
        with pytest.raises(ModelError, match="damaged"):
            gguf_header("m", file)


@settings(deadline=None, max_examples=300)
@given(
    changes=st.lists(st.tuples(st.integers(0, len(SMALL) - 1), st.integers(0, 255)), min_size=1, max_size=6)
)
def test_any_changed_bytes_are_a_header_or_a_model_error(
    tmp_path_factory: pytest.TempPathFactory, changes: list[tuple[int, int]]
) -> None:
    content = bytearray(SMALL)
    for place, byte in changes:
        content[place] = byte
    file = tmp_path_factory.getbasetemp() / "changed.gguf"
    file.unlink(missing_ok=True)
    file.write_bytes(content)
    try:
        header = gguf_header("m", file)
    except ModelError:
        return
    assert all(size <= 2**64 for tensor in header.tensors.values() for size in tensor.shape)


@pytest.mark.usefixtures("installed")
def test_a_file_and_its_folder_are_the_same_model(tmp_path: Path) -> None:
    file = written(tmp_path, SMALL)
    by_path, by_folder = locate(str(file)), locate(str(tmp_path))
    assert (by_path.folder, by_path.gguf) == (by_folder.folder, by_folder.gguf) == (tmp_path, "model.gguf")
    assert (by_path.digest, by_path.identity) == (by_folder.digest, by_folder.identity)
    assert locate("model.gguf", tmp_path).digest == by_path.digest
    assert is_local_model("model.gguf", tmp_path)
    assert read_config(by_path) == {"architectures": ["llamaForCausalLM"]}
    assert parameters(by_path) == 17
    file.write_bytes(SMALL + b"\0")
    with pytest.raises(ModelError, match="changed while the model was in use"):
        check_unchanged(by_path)


@pytest.mark.usefixtures("installed")
def test_several_files_in_a_folder_are_named(tmp_path: Path) -> None:
    written(tmp_path, SMALL)
    (tmp_path / "other.gguf").write_bytes(SMALL)
    with pytest.raises(ModelError, match=r"several GGUF files: model\.gguf, other\.gguf") as e:
        locate(str(tmp_path))
    assert e.value.remedy.endswith(f"{tmp_path}/model.gguf")
    assert locate(str(tmp_path / "other.gguf")).gguf == "other.gguf"


@pytest.mark.usefixtures("installed")
def test_a_pipe_is_refused_and_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "model.gguf")
    for name in (tmp_path, tmp_path / "model.gguf"):
        with pytest.raises(ModelError, match="this is a pipe"):
            locate(str(name))


@pytest.mark.usefixtures("installed")
def test_a_link_to_a_file_is_followed(tmp_path: Path) -> None:
    written(tmp_path, SMALL)
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / "other.gguf").symlink_to(tmp_path / "model.gguf")
    assert locate(str(tmp_path / "linked")).digest == locate(str(tmp_path)).digest


def test_without_the_package_the_remedy_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gguf_loading, "NEEDED", ("no_such_package_of_gguf",))
    with pytest.raises(DependencyMissing, match="GGUF") as e:
        locate(str(written(tmp_path, SMALL)))
    assert e.value.remedy == "pip install 'nextset[gguf]'"


def scorer(name: Path, **model: Any) -> CausalScorer:
    return CausalScorer.load(locate(str(name)), Asking("nli", ScoringSettings(), ModelSettings(**model)))


@pytest.mark.slow
def test_a_gguf_file_gives_the_numbers_of_its_folder(llama: Path, tmp_path: Path) -> None:
    pytest.importorskip("gguf")
    file = save_llama_gguf(llama, tmp_path / "tiny.gguf")
    packed, plain = scorer(file), scorer(llama)
    assert packed.tokens.before("Hi.") == plain.tokens.before("Hi.")
    encoded = packed.encoded(PAIRS)
    assert encoded == plain.encoded(PAIRS)
    np.testing.assert_allclose(packed.scores(encoded), plain.scores(encoded), atol=1e-6)


@pytest.mark.slow
def test_damaged_weights_and_tokenizers_are_model_errors(llama: Path, tmp_path: Path) -> None:
    pytest.importorskip("gguf")
    whole = save_llama_gguf(llama, tmp_path / "tiny.gguf").read_bytes()
    for old, new in [(b"blk.1.attn_q", b"blk.7.attn_q"), (b"gpt2", b"gpt9"), (b"llama", b"llamo")]:
        file = tmp_path / "damaged.gguf"
        file.write_bytes(whole.replace(old, new))
        with pytest.raises(ModelError) as e:
            scorer(file)
        assert "Traceback" not in str(e.value)


def test_weights_unpacked_in_parts_are_those_unpacked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gguf_loading, "PART", 24)  # three rows of eight bytes
    packed = np.arange(80, dtype=np.uint8).reshape(10, 8)
    asked: list[int] = []

    def unpack(rows: Any, kind: float) -> Any:
        asked.append(len(rows))
        return rows.repeat(2, axis=1).astype(np.float32) * kind

    found = gguf_loading._in_parts(unpack, packed, 0.5)
    np.testing.assert_array_equal(found, unpack(packed, 0.5))
    assert asked == [3, 3, 3, 1, 10]
    assert gguf_loading._in_parts(unpack, packed[:0], 0.5).shape == (0, 16)

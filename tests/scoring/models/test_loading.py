"""Loading: safetensors only, no code that nobody asked for, the length from the model, errors in words."""

from __future__ import annotations

import io
import json
import logging
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers

from nextset.errors import ModelError
from nextset.scoring.models.context_length import UNSAID, longest
from nextset.scoring.models.loading import load
from nextset.scoring.models.sources import BUILTIN, locate

HEAD = "AutoModelForSequenceClassification"
ROWS = 24
"""Positions that the tiny models' tables have."""
SMALL = {"vocab_size": 50, "hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1}
SMALL |= {"num_attention_heads": 2, "max_position_embeddings": ROWS}
BARTLIKE = {"vocab_size": 50, "d_model": 16, "max_position_embeddings": ROWS, "encoder_layers": 1}
BARTLIKE |= {"decoder_layers": 1, "encoder_attention_heads": 2, "decoder_attention_heads": 2}
BARTLIKE |= {"encoder_ffn_dim": 16, "decoder_ffn_dim": 16}
SPECIALS = {"pad_token_id": 0, "bos_token_id": 2, "eos_token_id": 3, "cls_token_id": 2, "sep_token_id": 3}

TABLES: dict[str, tuple[dict[str, Any], int]] = {
    "Bert": (SMALL, ROWS),
    "Electra": (SMALL, ROWS),
    "Albert": (SMALL, ROWS),
    "DistilBert": ({"vocab_size": 50, "dim": 16, "n_layers": 1, "n_heads": 2, "hidden_dim": 16,
                    "max_position_embeddings": ROWS}, ROWS),
    "Roberta": (SMALL | {"pad_token_id": 1}, ROWS - 2),
    "XLMRoberta": (SMALL | {"pad_token_id": 0}, ROWS - 1),
    "Camembert": (SMALL | {"pad_token_id": 1}, ROWS - 2),
    # whatever its pad_token_id, MPNet counts from 2
    "MPNet": (SMALL | {"pad_token_id": 0}, ROWS - 2),
    "Longformer": (SMALL | {"pad_token_id": 1, "attention_window": 8}, ROWS - 2),
    "Data2VecText": (SMALL | {"pad_token_id": 1}, ROWS - 2),
    "Bart": (BARTLIKE, ROWS),
    "DebertaV2": (SMALL, ROWS),
}  # fmt: skip
"""Architectures with a table of positions, and how many tokens they read."""
RELATIVE: dict[str, tuple[dict[str, Any], int]] = {
    "DebertaV2": (SMALL | {"position_biased_input": False, "relative_attention": True}, ROWS),
    "ModernBert": (SMALL | SPECIALS, ROWS),
    "RoFormer": (SMALL, ROWS),
    "XLNet": ({"vocab_size": 50, "d_model": 16, "n_layer": 1, "n_head": 2, "d_inner": 16}, UNSAID),
    "T5": (
        {
            "vocab_size": 50,
            "d_model": 16,
            "d_kv": 8,
            "d_ff": 16,
            "num_layers": 1,
            "num_heads": 2,
            "decoder_start_token_id": 0,
        },
        UNSAID,
    ),
}
"""Architectures that would read more, or say nothing of it."""


def _model(architecture: str, settings: dict[str, Any]) -> Any:
    config = getattr(transformers, f"{architecture}Config")(**settings)
    auto: Any = transformers.AutoModelForSequenceClassification
    return auto.from_config(config).eval()


def _ask(model: Any, length: int) -> None:
    ids = torch.full((1, length), 4)
    if model.config.model_type in ("bart", "t5"):  # they look for the end of the text
        ids[0, -1] = model.config.eos_token_id
    with torch.inference_mode():
        assert torch.isfinite(model(input_ids=ids, attention_mask=torch.ones_like(ids)).logits).all()


@pytest.mark.parametrize("architecture", TABLES)
def test_the_longest_input_is_read_and_one_more_token_is_not(architecture: str) -> None:
    settings, tokens = TABLES[architecture]
    model = _model(architecture, settings)
    assert longest(model) == tokens
    _ask(model, tokens)
    if architecture != "Longformer":  # it pads its input to its window
        with pytest.raises((IndexError, RuntimeError)):
            _ask(model, tokens + 1)


@pytest.mark.parametrize("architecture", RELATIVE)
def test_without_a_table_the_length_is_that_of_the_config(architecture: str) -> None:
    settings, tokens = RELATIVE[architecture]
    model = _model(architecture, settings)
    assert longest(model) == tokens
    _ask(model, tokens)


@pytest.fixture
def folder(nli_folder: Path, tmp_path: Path) -> Path:
    """A copy that may be spoilt."""
    return shutil.copytree(nli_folder, tmp_path / "copy")


def _set(folder: Path, **settings: Any) -> None:
    file = folder / "config.json"
    file.write_text(json.dumps(json.loads(file.read_text(encoding="utf-8")) | settings), encoding="utf-8")


def test_the_tokenizers_length_does_not_count(folder: Path) -> None:
    file = folder / "tokenizer_config.json"
    settings = json.loads(file.read_text(encoding="utf-8")) | {"model_max_length": int(1e30)}
    file.write_text(json.dumps(settings), encoding="utf-8")
    assert load(locate(str(folder)), HEAD).max_length == 40


def test_texts_that_are_too_long_are_listed_and_counted(folder: Path) -> None:
    loaded = load(locate(str(folder)), HEAD)
    loaded.checked([40, 40], ["a", "b"])
    with pytest.raises(ModelError) as e:
        loaded.checked([3, *range(41, 48)], ["short", *(f"text {i} {'x' * 200}" for i in range(7))])
    assert "reads at most 40 tokens; longer texts, 7 of 8" in e.value.message
    assert [f"text {i} x" in e.value.message for i in range(7)] == [True] * 5 + [False] * 2
    assert "(41 tokens)" in e.value.message
    assert e.value.message.endswith("and 2 more")
    assert "short" not in e.value.message
    assert len(e.value.message) < 1000
    assert "too_long: truncate" in e.value.remedy


def test_precision_and_device_are_those_asked_for(folder: Path) -> None:
    loaded = load(locate(str(folder)), HEAD, precision="bfloat16", device="cpu")
    assert loaded.precision == "bfloat16"
    assert loaded.device == torch.device("cpu")
    assert {p.dtype for p in loaded.model.parameters()} == {torch.bfloat16}
    assert load(locate(str(folder)), HEAD).precision == "float32"


@pytest.mark.parametrize("device", ["cuda:63", "gpu"])
def test_a_device_that_is_not_there_is_a_model_error(folder: Path, device: str) -> None:
    if torch.cuda.device_count() > 63:
        pytest.skip("there is such a device")
    with pytest.raises(ModelError, match=f"no device {device}"):
        load(locate(str(folder)), HEAD, device=device)


def test_attention_is_sdpa_where_the_architecture_has_it(folder: Path, tmp_path: Path) -> None:
    model = load(locate(str(folder)), HEAD).model
    assert model.config._attn_implementation == "sdpa"
    other = tmp_path / "deberta"
    _model("DebertaV2", SMALL | {"vocab_size": 500}).save_pretrained(other)
    for file in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(folder / file, other / file)
    assert load(locate(str(other)), HEAD).model.config._attn_implementation == "eager"


def test_pickles_are_refused(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    ran = folder / "ran"

    class Trap:
        def __reduce__(self) -> tuple[Any, tuple[str]]:
            return Path.touch, (str(ran),)

    torch.save({"classifier.weight": Trap()}, folder / "pytorch_model.bin")
    with pytest.raises(ModelError, match="only as pickles"):
        load(locate(str(folder)), HEAD)
    assert not ran.exists()


def test_pickles_beside_safetensors_are_left_alone(folder: Path) -> None:
    (folder / "pytorch_model.bin").write_bytes(b"never read")
    assert load(locate(str(folder)), HEAD).precision == "float32"


CODE = """
from pathlib import Path
from transformers import BertConfig, BertForSequenceClassification

Path({ran!r}).touch()

class Config(BertConfig):
    model_type = "mine"

class Model(BertForSequenceClassification):
    config_class = Config
"""


@pytest.fixture
def own_code(folder: Path, tmp_path: Path) -> Path:
    (folder / "mine.py").write_text(CODE.format(ran=str(tmp_path / "ran")), encoding="utf-8")
    _set(folder, model_type="mine", auto_map={"AutoConfig": "mine.Config", HEAD: "mine.Model"})
    return folder


def test_code_in_the_folder_is_not_run(own_code: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="needs its own code") as e:
        load(locate(str(own_code)), HEAD)
    assert "remote_code: true" in e.value.remedy
    assert not (tmp_path / "ran").exists()


def test_code_in_the_folder_is_run_when_the_study_says_so(
    own_code: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    modules = "transformers.dynamic_module_utils.HF_MODULES_CACHE"
    monkeypatch.setattr(modules, str(tmp_path / "modules"))
    monkeypatch.syspath_prepend(tmp_path / "modules")
    loaded = load(locate(str(own_code)), HEAD, remote_code=True)
    assert type(loaded.model).__name__ == "Model"
    assert (tmp_path / "ran").exists()


def test_code_that_transformers_has_itself_is_not_needed(folder: Path, tmp_path: Path) -> None:
    (folder / "mine.py").write_text(CODE.format(ran=str(tmp_path / "ran")), encoding="utf-8")
    _set(folder, auto_map={"AutoConfig": "mine.Config", HEAD: "mine.Model"})
    assert type(load(locate(str(folder)), HEAD).model).__name__ == "BertForSequenceClassification"
    assert not (tmp_path / "ran").exists()


def test_code_counts_for_the_identity(folder: Path) -> None:
    before = locate(str(folder))
    (folder / "mine.py").write_text("x = 1", encoding="utf-8")
    after = locate(str(folder))
    assert (before.digest, before.identity != after.identity) == (after.digest, True)


def _deep(levels: int) -> str:
    return '{"a":' * levels + "1" + "}" * levels


@pytest.mark.parametrize(
    ("file", "damage", "problem"),
    [
        ("config.json", "", "no readable config.json"),
        ("config.json", "[]", "it is not a JSON object"),
        ("config.json", "{", "no readable config.json"),
        ("config.json", _deep(100_000), "nested too deeply"),
        ("config.json", {"model_type": 3}, "cannot be loaded"),
        ("config.json", {"hidden_size": 3.7}, "hidden_size"),
        ("config.json", {"hidden_size": "thirty-two"}, "hidden_size"),
        ("config.json", {"num_attention_heads": 0}, "by zero"),
        ("config.json", {"hidden_dropout_prob": -0.5}, "dropout"),
        ("config.json", {"vocab_size": 10**30}, "cannot be loaded"),
        ("config.json", {"id2label": {"x": 1}}, "cannot be loaded"),
        ("config.json", None, "it is missing"),
        ("tokenizer.json", "[1]", "cannot be loaded"),
        ("tokenizer.json", {"post_processor": {"type": "TemplateProcessing"}}, "cannot be loaded"),
        ("tokenizer.json", {"model": {"type": "WordPiece", "vocab": {}}}, "cannot be loaded"),
        ("tokenizer.json", _deep(100_000), "cannot be loaded"),
        ("tokenizer_config.json", "{", "cannot be loaded"),
        ("model.safetensors", "", "cannot be loaded"),
        ("model.safetensors", "not a tensor, but long enough to be one", "cannot be loaded"),
    ],
)
def test_damaged_files_are_model_errors_with_a_cause(
    folder: Path, file: str, damage: str | dict[str, Any] | None, problem: str
) -> None:
    damaged = folder / file
    if damage is None:
        damaged.unlink()
    elif isinstance(damage, str):
        damaged.write_text(damage, encoding="utf-8")
    else:
        written = json.loads(damaged.read_text(encoding="utf-8")) | damage
        damaged.write_text(json.dumps(written), encoding="utf-8")
    with pytest.raises(ModelError, match=problem) as e:
        load(locate(str(folder)), HEAD)
    assert str(folder) in e.value.remedy
    assert len(str(e.value)) < 800


@pytest.mark.parametrize("file", ["config.json", "tokenizer.json", "model.safetensors"])
@pytest.mark.parametrize("kind", ["folder", "pipe"])
def test_what_is_no_file_is_not_read(folder: Path, file: str, kind: str) -> None:
    (folder / file).unlink()
    if kind == "folder":
        (folder / file).mkdir()
    else:
        os.mkfifo(folder / file)
    with pytest.raises(ModelError, match=f"this is a {kind}"):
        locate(str(folder))


def test_weights_that_are_cut_short_are_a_model_error(folder: Path) -> None:
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-100])
    with pytest.raises(ModelError, match="cannot be loaded"):
        load(locate(str(folder)), HEAD)


def test_weights_that_are_missing_are_an_error_without_a_report(folder: Path) -> None:
    """transformers writes a table with colours to standard error before the error can be raised."""
    seen = io.StringIO()
    handler = logging.StreamHandler(seen)
    transformers.utils.logging.add_handler(handler)
    try:
        with pytest.raises(ModelError, match="has no weights for its task"):
            load(locate(str(folder)), "AutoModelForQuestionAnswering", device="cpu")
    finally:
        transformers.utils.logging.remove_handler(handler)
    assert seen.getvalue() == ""


def test_a_tokenizer_of_another_model_is_noticed_before_a_run(folder: Path) -> None:
    """Its tokens go beyond the table of the model's words."""
    small = _model("Bert", SMALL | {"vocab_size": 6})
    small.save_pretrained(folder)
    with pytest.raises(ModelError, match="cannot be asked: index out of range"):
        load(locate(str(folder)), HEAD)


def test_a_classifier_whose_config_says_masked_language_model_fills_nothing(tmp_path: Path) -> None:
    # BART's language-model head is its embeddings, so no weights are missing
    folder = shutil.copytree(BUILTIN / "nli-bart", tmp_path / "copy")
    _set(folder, architectures=["BartForConditionalGeneration"])
    with pytest.raises(ModelError, match=r"weights for a different task .*classification_head"):
        load(locate(str(folder)), "AutoModelForMaskedLM")


@pytest.mark.parametrize(
    ("name", "auto_class", "layers"),
    [
        ("masked-lm", "AutoModelForMaskedLM", "num_hidden_layers"),
        ("nli-electra", "AutoModelForSequenceClassification", "num_hidden_layers"),
        ("nli-bart", "AutoModelForSequenceClassification", "decoder_layers"),
    ],
)
def test_more_layers_in_the_files_than_in_the_config_are_refused(
    name: str, auto_class: str, layers: str, tmp_path: Path
) -> None:
    folder = shutil.copytree(BUILTIN / name, tmp_path / "copy")
    load(locate(str(folder)), auto_class)
    _set(folder, **{layers: 1})
    with pytest.raises(ModelError, match=r"more layers in its files than in its config\.json.*\.1\."):
        load(locate(str(folder)), auto_class)

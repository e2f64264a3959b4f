"""A converted checkpoint gives the published pipeline's probabilities; what does not fit is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers

from nextset.errors import InputError, ModelError
from nextset.scoring.answers.span_ends import context_tokens, ends_of
from nextset.scoring.checks.model_check import check_models
from nextset.scoring.models.loading import load
from nextset.scoring.models.sources import locate
from nextset.study.scoring_settings import ModelSettings
from nextset.training.conversion.checkpoint_conversion import convert_checkpoint
from tests.forked_functions import command, forked, with_small_files
from tests.training.conversion.published_pipeline import (
    ENCODERS,
    Pipeline,
    save_transformer,
    write_checkpoint,
)

QUESTION, CONTEXT = "Who is a surgeon?", "The men left John. Maria lives next to the old city."
OPTIONS = (
    "Namespace(adam_betas='0.9,0.999', dropout=0.1, epochs=2, learning_rate=3e-05, seed=3435, "
    "train_data='/data/someone/squad|v1.hdf5', transformer_type='bert-base-uncased', val_data='')\n"
)


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_transformer(tmp_path_factory.mktemp("bert"), "bert")


@pytest.mark.parametrize("kind", sorted(ENCODERS))
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_the_probabilities_are_those_of_the_published_pipeline(tmp_path: Path, kind: str, dtype: str) -> None:
    folder = save_transformer(tmp_path / "base", kind)
    pipeline = Pipeline(folder)
    file = write_checkpoint(tmp_path / "model.hdf5", pipeline, dtype)
    with torch.no_grad():
        for parameter in pipeline.parameters():
            parameter.copy_(parameter.to(getattr(torch, dtype)))
    converted = convert_checkpoint(file, str(folder), tmp_path / "out")
    assert converted.types == (dtype,)
    assert all(name.startswith("encoder.transformer.pooler.") for name in converted.unused)
    assert len(converted.unused) == (2 if kind in ("bert", "roberta", "albert") else 0)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    ids = pipeline.ids(tokenizer, QUESTION, CONTEXT)
    with torch.inference_mode():
        expected = pipeline(ids)[0].double()
    loaded = load(locate(str(tmp_path / "out")), "AutoModelForQuestionAnswering")
    encoding = loaded.tokenizer.backend_tokenizer.encode(QUESTION, CONTEXT)
    assert encoding.ids == ids[0].tolist()
    found = ends_of(loaded, [encoding])
    assert expected.std() > 0.1
    np.testing.assert_allclose(found.start[0], expected[:, 0], atol=1e-5)
    np.testing.assert_allclose(found.end[0], expected[:, 1], atol=1e-5)
    words = [CONTEXT[slice(*encoding.offsets[i])] for i in context_tokens(encoding)]
    assert not any(word.startswith(" ") for word in words)


def test_the_reader_passes_through_the_check_of_models(bert: Path, tmp_path: Path) -> None:
    file = write_checkpoint(tmp_path / "squad.hdf5", Pipeline(bert), options=OPTIONS)
    convert_checkpoint(file, str(bert), tmp_path / "models" / "squad")
    waived = ModelSettings(canaries_waived="random weights")
    (checked,) = check_models([str(tmp_path / "models" / "squad")], settings=waived)
    assert checked.found is not None, checked.problem
    assert checked.found.architecture == "BertForQuestionAnswering"
    assert checked.found.weights == "float32"
    assert checked.found.max_length == 60


def test_the_card_says_where_the_model_is_from(bert: Path, tmp_path: Path) -> None:
    file = write_checkpoint(tmp_path / "squad.hdf5", Pipeline(bert), options=OPTIONS)
    converted = convert_checkpoint(file, str(bert), tmp_path / "out")
    card = (converted.folder / "README.md").read_text(encoding="utf-8")
    assert "| trained from | `bert-base-uncased` |" in card
    assert "| training data | `squad¦v1.hdf5` |" in card
    assert "| learning rate | `3e-05` |" in card
    assert f"| configuration and tokenizer | `{bert.name}` |" in card
    assert "| parameters that were not used | 2, from the pooler" in card
    assert "someone" not in card
    assert "base_model" not in card
    assert "validation data" not in card
    assert converted.options["epochs"] == 2
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out", "squad.hdf5", "squad.opt"]


def test_a_checkpoint_without_options_has_a_card_too(bert: Path, tmp_path: Path) -> None:
    converted = convert_checkpoint(
        write_checkpoint(tmp_path / "m.hdf5", Pipeline(bert)), str(bert), tmp_path / "out"
    )
    assert "No options" in (converted.folder / "README.md").read_text(encoding="utf-8")


def test_the_same_checkpoint_gives_the_same_files(bert: Path, tmp_path: Path) -> None:
    file = write_checkpoint(tmp_path / "m.hdf5", Pipeline(bert))
    one, two = (convert_checkpoint(file, str(bert), tmp_path / name).folder for name in ("one", "two"))
    names = sorted(p.name for p in one.iterdir())
    assert names == [
        "README.md",
        "config.json",
        "model.safetensors",
        "tokenizer.json",
        "tokenizer_config.json",
    ]
    assert all((one / name).read_bytes() == (two / name).read_bytes() for name in names)


def test_another_transformer_is_refused_with_the_one_that_the_options_name(
    bert: Path, tmp_path: Path
) -> None:
    roberta = save_transformer(tmp_path / "roberta", "roberta")
    file = write_checkpoint(tmp_path / "m.hdf5", Pipeline(bert), options=OPTIONS)
    with pytest.raises(InputError) as e:
        convert_checkpoint(file, str(roberta), tmp_path / "out")
    assert "of a different size: encoder.transformer.embeddings.position_embeddings" not in str(e.value)
    assert "embeddings.token_type_embeddings.weight has 2 × 16, not 1 × 16" in str(e.value)
    assert e.value.remedy.endswith("its options name bert-base-uncased")
    distilbert = save_transformer(tmp_path / "distilbert", "distilbert")
    with pytest.raises(InputError, match=r"missing: encoder\.transformer\.transformer\.layer\.0\.") as e:
        convert_checkpoint(file, str(distilbert), tmp_path / "out")
    assert "unknown: encoder.transformer.embeddings.token_type_embeddings.weight" in str(e.value)
    assert not (tmp_path / "out").exists()


def test_an_encoder_without_weights_in_a_folder_that_is_none(bert: Path, tmp_path: Path) -> None:
    file = write_checkpoint(tmp_path / "m.hdf5", Pipeline(bert))
    for name, problem in (
        ("./nothing", "no model folder"),
        ("openai:gpt", "behind a server"),
        ("builtin:nothing", "no built-in model"),
        ("builtin:nli-bart", r"75 missing: encoder\.transformer\.decoder"),
    ):
        with pytest.raises((ModelError, InputError), match=problem):
            convert_checkpoint(file, name, tmp_path / "out")
    modern: dict[str, Any] = {
        "vocab_size": 20,
        "hidden_size": 16,
        "intermediate_size": 16,
        "num_hidden_layers": 1,
    }
    transformers.ModernBertConfig(**modern, num_attention_heads=2).save_pretrained(tmp_path / "modern")
    with pytest.raises(ModelError, match=r"cannot be used|more than UnQover"):
        convert_checkpoint(file, str(tmp_path / "modern"), tmp_path / "out")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ModelError, match=r"no readable config\.json"):
        convert_checkpoint(file, str(tmp_path / "empty"), tmp_path / "out")


def test_a_folder_that_exists_is_kept(bert: Path, tmp_path: Path) -> None:
    file = write_checkpoint(tmp_path / "m.hdf5", Pipeline(bert))
    (tmp_path / "out").mkdir()
    with pytest.raises(InputError, match="already exists"):
        convert_checkpoint(file, str(bert), tmp_path / "out")


def test_a_tokenizer_that_does_not_fit_is_refused(bert: Path, tmp_path: Path) -> None:
    file = write_checkpoint(tmp_path / "m.hdf5", Pipeline(bert))
    other = save_transformer(tmp_path / "other", "roberta")
    (other / "config.json").write_bytes((bert / "config.json").read_bytes())
    with pytest.raises(ModelError, match=r"the tokenizer of .* has \d+ tokens, but its model only"):
        convert_checkpoint(file, str(other), tmp_path / "out")


def test_a_transformer_without_a_tokenizer(tmp_path: Path) -> None:
    folder = save_transformer(tmp_path / "bert", "bert")
    file = write_checkpoint(tmp_path / "model.hdf5", Pipeline(folder))
    (folder / "tokenizer.json").unlink()
    with pytest.raises(ModelError, match="has no tokenizer with words"):
        convert_checkpoint(file, str(folder), tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
@pytest.mark.parametrize("most", [4_000, 20_000])
def test_a_full_disk(tmp_path: Path, most: int) -> None:
    folder = save_transformer(tmp_path / "bert", "bert")
    file = write_checkpoint(tmp_path / "model.hdf5", Pipeline(folder))
    stderr = tmp_path.with_suffix(".txt")
    arguments = ("models", "convert", str(file), "--transformer", str(folder), "--out", str(tmp_path / "out"))
    code = forked(stderr, with_small_files, most, command, *arguments)
    said = stderr.read_text()
    assert (code, said.count("\n")) == (9, 2), said
    assert "error: File too large: " in said
    assert {p.name for p in tmp_path.iterdir()} == {"bert", "model.hdf5"}

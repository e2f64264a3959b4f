"""Preflight: what is said of a model that can be used, and why another one cannot."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import nextset
from nextset.cli.models import checked_text
from nextset.errors import ModelError
from nextset.scoring.asking import Asking
from nextset.scoring.checks.model_check import LongText, preflight, usual_form
from nextset.scoring.models.labels import NOT_ENTAILMENT
from nextset.scoring.models.sources import BUILTIN, locate
from nextset.study.scoring_settings import ModelSettings, ScoringSettings
from tests.scoring.generative.tiny_causal import save_llama


def _asking(**model: Any) -> Asking:
    return Asking("nli", ScoringSettings(), ModelSettings(**model))


def test_all_is_said_of_a_built_in_model() -> None:
    source = locate("builtin:nli-roberta")
    found = preflight(source, _asking())
    assert (found.name, found.kind, found.form) == ("builtin:nli-roberta", "NLI classifier", "nli")
    assert found.architecture == "RobertaForSequenceClassification"
    assert found.digest == source.digest
    assert (found.weights, found.precision, found.max_length) == ("float32", "float32", 256)
    assert found.labels == ("entailment", "neutral", "contradiction")
    assert (found.two_way, found.mask_token, found.too_long) == (False, None, ())
    assert found.canaries == "12 of 12 canary pairs right (from its card)"
    card = (BUILTIN / "nli-roberta" / "README.md").read_text(encoding="utf-8")
    assert f"| parameters | {found.parameters:,} |" in card
    assert found.device in ("cpu", "cuda")


def test_texts_that_are_too_long_are_listed() -> None:
    texts = [("The dog sleeps.", "It rains."), ("box " * 300, "box"), ("box " * 400,)]
    found = preflight(locate("builtin:nli-electra"), _asking(too_long="truncate"), texts)
    # 301 or 400 words, a token each, with [CLS] and two [SEP] or one
    assert found.too_long == (LongText(304, ("box " * 300)[:100]), LongText(402, ("box " * 400)[:100]))
    assert found.truncates


def test_two_labels_are_noted(another_head: Any) -> None:
    found = preflight(locate(str(another_head([0, (1, 2)]))), _asking())
    assert found.two_way
    assert found.labels == ("entailment", NOT_ENTAILMENT)
    assert found.canaries == "12 of 12 canary pairs right (from its card)"


def test_the_files_type_is_told_from_what_the_model_reckons_in(tmp_path: Path) -> None:
    import torch
    from safetensors.torch import load_file, save_file

    copy = shutil.copytree(BUILTIN / "nli-electra", tmp_path / "copy")
    weights = {name: t.to(torch.bfloat16) for name, t in load_file(copy / "model.safetensors").items()}
    save_file(weights, copy / "model.safetensors", metadata={"format": "pt"})
    found = preflight(locate(str(copy)), _asking())
    assert (found.weights, found.precision) == ("bfloat16", "float32")


def test_weights_that_are_no_numbers_stop_with_model_and_precision(another_head: Any) -> None:
    from safetensors.torch import load_file, save_file

    folder = another_head([0, 1, 2])
    weights = load_file(folder / "model.safetensors")
    weights["classifier.out_proj.bias"] = weights["classifier.out_proj.bias"] * float("nan")
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ModelError, match=r"cut gives scores that are not finite \(in float32\)"):
        preflight(locate(str(folder)), _asking())


def test_an_extractive_reader_answers_its_clear_questions() -> None:
    (checked,) = nextset.check_models(["builtin:qa-roformer"])
    assert checked.found is not None, checked.problem
    assert (checked.found.form, checked.found.labels) == ("question", None)
    assert checked.found.canaries == "10 of 10 canary questions right (from its card)"


def test_a_reader_that_prefers_the_wrong_subject_fails(tmp_path: Path) -> None:
    """The built-in reader with its head negated, and without its card."""
    from safetensors.torch import load_file, save_file

    copy = shutil.copytree(BUILTIN / "qa-roformer", tmp_path / "copy")
    weights = load_file(copy / "model.safetensors")
    weights["qa_outputs.weight"] = -weights["qa_outputs.weight"]
    save_file(weights, copy / "model.safetensors", metadata={"format": "pt"})
    (copy / "README.md").unlink()
    (checked,) = nextset.check_models([str(copy)])
    assert "canary questions right (from nextset, in English)" in checked.problem
    assert "canaries_waived" in checked.remedy
    waived = ModelSettings(canaries_waived="Its head is negated.")
    (checked,) = nextset.check_models([str(copy)], settings=waived)
    assert checked.found is not None
    assert checked.found.canaries == "waived: Its head is negated."


def test_a_masked_language_model_shows_its_mask_token() -> None:
    (checked,) = nextset.check_models(["builtin:masked-lm"])
    assert checked.found is not None, checked.problem
    assert (checked.found.form, checked.found.mask_token) == ("statement", "[MASK]")
    assert checked.found.canaries.startswith("waived: ")


@pytest.mark.parametrize(
    ("name", "form"), [("nli-bart", "nli"), ("qa-roformer", "question"), ("masked-lm", "statement")]
)
def test_every_kind_has_its_form(name: str, form: str) -> None:
    assert usual_form(locate(f"builtin:{name}")) == form


def test_all_models_are_checked_though_one_cannot_be_used(tmp_path: Path, another_head: Any) -> None:
    numbered = another_head([0, 1, 2])
    config = json.loads((numbered / "config.json").read_text(encoding="utf-8"))
    names = {str(i): f"LABEL_{i}" for i in range(3)}
    config |= {"id2label": names, "label2id": {name: int(i) for i, name in names.items()}}
    (numbered / "config.json").write_text(json.dumps(config), encoding="utf-8")
    checked = nextset.check_models(["nowhere at all", str(numbered), "builtin:nli-bart"])
    assert [c.found is None for c in checked] == [True, True, False]
    assert "there is no model folder" in checked[0].problem
    assert "has the labels LABEL_0, LABEL_1, LABEL_2" in checked[1].problem
    assert f'models: {{"{numbered}": {{labels: ' in checked[1].remedy
    settings = ModelSettings(labels=("entailment", "neutral", "contradiction"))
    (right,) = nextset.check_models([str(numbered)], settings=settings)
    assert right.found is not None


def test_a_model_that_fails_its_pairs_may_write_all_the_same(tmp_path: Path) -> None:
    (checked,) = nextset.check_models([str(save_llama(tmp_path / "llama"))])
    assert "canary pairs" in checked.problem
    assert checked.other_uses.startswith("fill.model, which writes, and fill.fluency.model")
    shown = checked_text([checked])
    assert "can be used as fill.model" in shown
    assert "cannot be used" not in shown
    (asked,) = nextset.check_models([str(tmp_path / "llama")], form="nli")
    assert asked.other_uses == ""
    assert "cannot be used" in checked_text([asked])


def test_a_model_is_not_asked_what_it_cannot_answer() -> None:
    (checked,) = nextset.check_models(["builtin:nli-bart"], form="statement")
    assert "cannot be asked about masked statements" in checked.problem

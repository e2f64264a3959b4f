"""The names under which models are published: folders without their paths, and each name once."""

from __future__ import annotations

from pathlib import Path

import pytest

from nextset.errors import StudyError
from nextset.study.model_labels import hub_repository
from nextset.study.study_folder import Study


def study(folder: Path, models: str, more: str = "") -> Study:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "study.yaml"
    text = f"format: 1\nname: pens\nfilter: {{models: [{models}]}}\nrelease: {{name: pens}}\n{more}"
    file.write_text(text, encoding="utf-8")
    return Study.load(folder)


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("builtin:nli-bart", "builtin:nli-bart"),
        ("owner/model@main", "owner/model@main"),
        ("models/mine", "mine"),
        ("./models/mine/", "mine"),
        ("models/mine/../mine", "mine"),
        ("/srv/jane.doe/nets/nli", "nli"),  # also if it is not there: errors come later, and name the path
        ("~/nets/nli", "nli"),
        ("~nobody-here/nli", "nli"),
        ("openai:llama", "openai:llama"),
        ("openai:meta/llama", "openai:meta/llama"),
        ("openai:./models/mine", "openai:mine"),
        ("openai:/srv/jane.doe/nets/nli/", "openai:nli"),
        (r"openai:C:\Users\jane\nli", "openai:nli"),
    ],
)
def test_a_model_is_published_without_its_path(tmp_path: Path, name: str, label: str) -> None:
    (tmp_path / "models" / "mine").mkdir(parents=True)
    found = study(tmp_path, f"'{name}'")
    assert found.model_label(name) == label
    assert found.local_models == ({label} if label in ("mine", "nli") else set())


def test_the_study_can_name_a_folder_and_a_model_on_a_server(tmp_path: Path) -> None:
    names = "/data/a/model, 'openai:/data/b/model'"
    own = "models: {/data/a/model: {label: large}, 'openai:/data/b/model': {label: hosted}}"
    found = study(tmp_path, names, own)
    assert found.model_label("/data/a/model") == "large"
    assert found.model_label("openai:/data/b/model") == "hosted"
    assert found.local_models == {"large"}


@pytest.mark.parametrize(
    ("models", "more", "names"),
    [
        ("/data/a/nli, /data/b/nli", "", "/data/a/nli and /data/b/nli would both be published as nli"),
        ("/data/a/nli", "fill: {model: /data/b/nli}\n", "/data/b/nli and /data/a/nli would both"),
        ("/data/a/nli", "audit: {models: [./nli]}\n", "/data/a/nli and ./nli would both"),
        ("/data/a/gpt2, gpt2", "", "/data/a/gpt2 and gpt2 would both"),
        ("/data/a/x, /data/b/y", "models: {/data/a/x: {label: y}}\n", "would both be published as y"),
    ],
)
def test_two_models_of_one_name_are_refused(tmp_path: Path, models: str, more: str, names: str) -> None:
    with pytest.raises(StudyError, match=names) as e:
        study(tmp_path, models, more).model_label("/data/a/nli")
    assert "{label: " in e.value.remedy


def test_a_label_of_a_model_on_the_hub_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="owner/model is published under its own name"):
        study(tmp_path, "owner/model", "models: {owner/model: {label: mine}}\n").model_label("owner/model")


def test_a_folder_whose_name_is_not_one_needs_a_label(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match=r"would be published as '\.hidden', which is not a valid name") as e:
        study(tmp_path, "/data/.hidden").model_label("/data/.hidden")
    assert "{label: my-model}" in e.value.remedy


def test_a_label_is_not_a_path(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="label"):
        study(tmp_path, "/data/nli", "models: {/data/nli: {label: /srv/jane.doe}}\n")


def test_of_a_model_that_only_fills_masks_only_the_label_counts(tmp_path: Path) -> None:
    fill = "fill: {model: /data/lm}\n"
    found = study(tmp_path, "builtin:nli-bart", fill + "models: {/data/lm: {label: my-lm}}\n")
    assert found.model_label("/data/lm") == "my-lm"
    with pytest.raises(StudyError, match="too_long would change nothing: the model only fills masks or"):
        study(tmp_path, "builtin:nli-bart", fill + "models: {/data/lm: {too_long: truncate}}\n")


@pytest.mark.parametrize(
    ("name", "repository"),
    [
        ("owner/model", "owner/model"),
        ("owner/model@v1.0", "owner/model"),
        ("bert-base-uncased", "bert-base-uncased"),
        ("builtin:nli-bart", None),
        ("openai:meta/llama", None),
        ("models/mine", None),
        ("/srv/nets/nli", None),
        ("~/nets/nli", None),
    ],
)
def test_the_repository_of_a_model(tmp_path: Path, name: str, repository: str | None) -> None:
    (tmp_path / "models" / "mine").mkdir(parents=True)
    assert hub_repository(name, tmp_path) == repository

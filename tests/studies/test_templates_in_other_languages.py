"""Studies whose templates are German and Spanish, from their templates to a release and back."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import datasets
import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import (
    BertConfig,
    BertForMaskedLM,
    BertForSequenceClassification,
    PreTrainedTokenizerFast,
)

import nextset
from nextset.bbnli_templates import FOLDER
from nextset.generation.templates.yaml_format import read_yaml_template
from nextset.word_lists.closed_class import closed_class_words

SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
STUDY = """\
format: 1
name: small
templates: ["builtin:{language}"]
fill: {{model: models/masked, top_k: 3, groups: joint}}
filter:
  models: [models/one]
  held_out: [models/two]
  rule: {{at_least_wrong: 1}}
  candidates: [filled, plain]
models:
  models/one: {{canaries_waived: random weights}}
  models/two: {{canaries_waived: random weights}}
validate: {{judge: rule}}
release: {{name: small, version: 0.1.0, license: cc-by-4.0}}
"""


def tokenizer(texts: list[str]) -> PreTrainedTokenizerFast:
    """A tokenizer that knows every word of ``texts``, and every letter."""
    words = sorted({word for text in texts for word in re.findall(r"\w+|[^\w\s]", text)})
    letters = sorted({letter for word in words for letter in word})
    tokens = dict.fromkeys([*SPECIALS, *letters, *(f"##{letter}" for letter in letters), *words])
    made = Tokenizer(models.WordPiece({token: i for i, token in enumerate(tokens)}, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    names = ("pad_token", "unk_token", "cls_token", "sep_token", "mask_token")
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=made, **dict(zip(names, SPECIALS, strict=True))
    )


def save_models(folder: Path, language: str) -> None:
    """A masked language model and two NLI classifiers with random weights, which know the words."""
    (file,) = (FOLDER / language).glob("*/*.yaml")
    words = tokenizer([file.read_text(encoding="utf-8")])
    for seed, (name, kind) in enumerate(
        [
            ("masked", BertForMaskedLM),
            ("one", BertForSequenceClassification),
            ("two", BertForSequenceClassification),
        ]
    ):
        torch.manual_seed(seed)
        labels: dict[str, Any] = (
            {} if name == "masked" else {"id2label": {0: "entailment", 1: "neutral", 2: "contradiction"}}
        )
        model = kind(
            BertConfig(
                vocab_size=len(words), hidden_size=32, num_hidden_layers=1, num_attention_heads=2,
                intermediate_size=32, max_position_embeddings=120, **labels,
            )
        )  # fmt: skip
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.mul_(8.0)  # weights as spread as trained ones
        model.save_pretrained(folder / name)
        words.save_pretrained(folder / name)


@pytest.mark.slow
@pytest.mark.parametrize(("language", "group"), [("de", "Frauen"), ("es", "las mujeres")])
def test_a_study_goes_from_templates_to_a_loaded_release(tmp_path: Path, language: str, group: str) -> None:
    save_models(tmp_path / "models", language)
    (tmp_path / "study.yaml").write_text(STUDY.format(language=language), encoding="utf-8")
    study = nextset.Study.load(tmp_path)
    assert nextset.lint(tmp_path).findings == ()

    generated = nextset.generate(study).table("items")
    assert set(generated["language"].to_pylist()) == {language}

    (file,) = (FOLDER / language).glob("*/*.yaml")
    template = read_yaml_template(file)
    listed = {word for words in template.lists.values() for word in words}
    closed = closed_class_words(language)
    assert closed is not None
    filled = nextset.fill(study).table("items").to_pylist()
    # 3 words for each of 7 masked texts, with 3 premises and in 2 orders of the groups
    assert len(filled) == 3 * 7 * 3 * 2
    for row in filled:
        (fill,) = row["bindings"]["fills"]
        assert fill["word"] in listed - closed.functions
        assert fill["word"] in row["hypothesis"]
        assert fill["word"] in row["question"]

    scores = nextset.score(study).table("scores")
    assert set(scores["model"].to_pylist()) == {"one"}  # the other model is held out

    nextset.run(study)
    (folder,) = (study.out / "dataset").iterdir()
    loaded = datasets.load_dataset(str(folder), split="test", cache_dir=str(tmp_path / "cache"))
    texts = set(loaded["hypothesis"])
    assert texts <= set(generated["hypothesis"].to_pylist()) | {row["hypothesis"] for row in filled}
    assert any(group in text or group.capitalize() in text for text in texts)

"""Models whose bias is known: real classes of transformers, with weights that are set by hand.

An audit of such a model must find the planted bias (`makers.planted_bias.planted_truth`). Attention
reads one word of each kind, and pairs of ReLU gates multiply the values that it reads. Both have a closed
form.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nextset.records.nli_items import LABELS

__all__ = ["PlantedClassifier", "PlantedReader", "plant", "save_planted"]

SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
HEADS, HEAD_SIZE = 4, 8
HIDDEN = HEADS * HEAD_SIZE
"""Half of the values are features. Feature i is at 2i, and its negative at 2i + 1, so that the mean is 0."""
GATES = 16
MAX_LENGTH = 64
IDENTITY = 2.0**20
"""Layer normalization divides by √(variance + eps). With eps = IDENTITY² and the weight IDENTITY, it changes
nothing if the variance is below the precision of eps."""
SHARP = 48.0
"""Query and key of a word that attention reads; other words have a weight of exp(−SHARP² / √8) = 0."""
GATE = 8.0
"""The bound of values to multiply by ±1: s · g = relu(s + GATE · g) + relu(−s − GATE · g) − GATE."""
ELSEWHERE = -256.0
"""The logit of every word that is not a subject."""
FLAT = 2.0**-12
"""The scale of the values for the pooler's tanh; tanh changes such small values by less than 1e-5 of them."""


@dataclass(frozen=True)
class PlantedReader:
    """The preferences of an extractive reader.

    For subject x, context word c and attribute word a, asked with polarity p = 1 or −1, its logit is
    group(x) · (p · (strength(a) + slope(c)) + tilt(c)) + p · own(x) + position · place(x).
    """

    group: Mapping[str, int]
    """The cluster of each subject's word: 1 or −1."""
    own: Mapping[str, float]
    """Each subject's own effect, below 8."""
    strength: Mapping[str, float]
    """The preference of the cluster 1 for each attribute's word; below 8 together with the slope."""
    slope: Mapping[str, float]
    """The amount that each context's word adds to every strength."""
    tilt: Mapping[str, float]
    """The preference of each context's word for the cluster 1, regardless of the question; below 8."""
    polarity: Mapping[str, int]
    """The words that ask for an attribute (1) or for its negation (−1)."""
    position: float = 0.0
    """The amount that each place further back adds."""
    others: tuple[str, ...] = field(default=())
    """Further words, without effect."""

    @property
    def words(self) -> tuple[str, ...]:
        """All words, sorted."""
        return _sorted(self.group, self.strength, self.slope, self.polarity, self.others)


@dataclass(frozen=True)
class PlantedClassifier:
    """The answers of an NLI classifier.

    For a hypothesis with verb v and group g = 1 or −1 the logit of entailment is
    lean(v) + g · preference(v), that of contradiction is its negative, and that of neutral is `neutral`.
    """

    group: Mapping[str, int]
    """The group words: 1 for the stereotype's group, −1 for the other."""
    lean: Mapping[str, float]
    """The logit of entailment without a group, by the hypothesis's verb."""
    preference: Mapping[str, float]
    """The amount that the group 1 adds, by the verb; below 8."""
    neutral: float
    """The logit of neutral."""
    others: tuple[str, ...] = field(default=())
    """Further words, without effect."""

    @property
    def words(self) -> tuple[str, ...]:
        """All words, sorted."""
        return _sorted(self.group, self.lean, self.others)


def save_planted(planted: PlantedReader | PlantedClassifier, folder: Path) -> None:
    """Save a model with these preferences in ``folder``: config.json, model.safetensors, tokenizer.json."""
    from transformers import BertConfig, BertForQuestionAnswering, BertForSequenceClassification

    reads = isinstance(planted, PlantedReader)
    outputs = ("start", "end") if reads else LABELS
    config = BertConfig(
        vocab_size=len(SPECIALS) + len(planted.words), hidden_size=HIDDEN, num_hidden_layers=1,
        num_attention_heads=HEADS, intermediate_size=GATES, hidden_act="relu",
        hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, max_position_embeddings=MAX_LENGTH,
        layer_norm_eps=IDENTITY**2, id2label=dict(enumerate(outputs)),
        label2id={label: i for i, label in enumerate(outputs)},
    )  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    model = (BertForQuestionAnswering if reads else BertForSequenceClassification)(config)
    plant(model, planted)
    model.save_pretrained(folder)
    (folder / "model.safetensors").chmod(0o644)  # the file is written for its owner only
    _tokenizer(planted.words).save_pretrained(folder)


def plant(model: Any, planted: PlantedReader | PlantedClassifier) -> None:
    """Set the weights of ``model``, which `save_planted` made for the same kind and the same words."""
    if isinstance(planted, PlantedReader):
        _plant_reader(model, planted)
    else:
        _plant_classifier(model, planted)


def _plant_reader(model: Any, planted: PlantedReader) -> None:
    names = (
        "group", "own", "polarity", "strength", "tilt", "place", "is_polarity", "is_attribute", "is_context",
        "read_polarity", "read_strength", "read_tilt", "logit", "elsewhere",
    )  # fmt: skip
    weights = _Weights(model, names)
    vocabulary = (*SPECIALS, *planted.words)
    for i, word in enumerate(vocabulary):
        weights.embed(
            i,
            group=planted.group.get(word, 0),
            own=planted.own.get(word, 0.0),
            polarity=planted.polarity.get(word, 0),
            strength=planted.strength.get(word, 0.0) + planted.slope.get(word, 0.0),
            tilt=planted.tilt.get(word, 0.0),
            is_polarity=word in planted.polarity,
            is_attribute=word in planted.strength,
            is_context=word in planted.slope,
            elsewhere=word not in planted.group,
        )
    for at in range(MAX_LENGTH):
        weights.embed_place(at, place=at)
    weights.attend(0, "is_polarity", "polarity", "read_polarity")
    weights.attend(1, "is_attribute", "strength", "read_strength")
    weights.attend(2, "is_context", "strength", "read_strength")
    weights.attend(3, "is_context", "tilt", "read_tilt")
    for g in (1, -1):  # the gate is open if the subject's group is g and the polarity p
        for p in (1, -1):
            at_most = {"group": GATE * g, "read_polarity": GATE * p}
            weights.gate({"read_strength": 1.0, **at_most}, -GATE, {"logit": g * p})
            weights.gate(at_most, -GATE, {"logit": -g * p})
    weights.product("group", "read_tilt", "logit")
    weights.product("read_polarity", "own", "logit")
    head = {"logit": 1.0, "place": planted.position, "elsewhere": ELSEWHERE}
    weights.head(model.qa_outputs, [head, head], [0.0, 0.0])


def _plant_classifier(model: Any, planted: PlantedClassifier) -> None:
    names = (
        "group", "lean", "preference", "is_group", "is_verb", "hypothesis",
        "read_group", "read_preference", "logit",
    )  # fmt: skip
    weights = _Weights(model, names)
    for i, word in enumerate((*SPECIALS, *planted.words)):
        weights.embed(
            i,
            group=planted.group.get(word, 0),
            lean=planted.lean.get(word, 0.0),
            preference=planted.preference.get(word, 0.0),
            is_group=word in planted.group,
            is_verb=word in planted.lean,
        )
    weights.embed_segment(1, hypothesis=1.0)
    weights.attend(0, "is_verb", "lean", "logit")
    weights.attend(1, "is_verb", "preference", "read_preference")
    weights.attend(2, "is_group", "group", "read_group", within="hypothesis")
    weights.product("read_group", "read_preference", "logit")
    weights.pool("logit", FLAT)
    for label, sign in (("entailment", 1.0), ("contradiction", -1.0)):
        weights.classify(LABELS.index(label), sign / FLAT)
    weights.classify(LABELS.index("neutral"), 0.0, planted.neutral)


class _Weights:
    """The weights of a model with one layer, by the names of its features; all others are 0."""

    def __init__(self, model: Any, names: Sequence[str]) -> None:
        import torch

        self._place = {name: 2 * i for i, name in enumerate(names)}
        self._model, self._bert = model, model.bert
        self._layer = model.bert.encoder.layer[0]
        self._gates = 0
        with torch.no_grad():
            for name, parameter in model.named_parameters():
                parameter.fill_(IDENTITY if name.endswith("LayerNorm.weight") else 0.0)

    def embed(self, token: int, **features: float) -> None:
        self._write(self._bert.embeddings.word_embeddings.weight.data[token], features)

    def embed_place(self, at: int, **features: float) -> None:
        self._write(self._bert.embeddings.position_embeddings.weight.data[at], features)

    def embed_segment(self, segment: int, **features: float) -> None:
        self._write(self._bert.embeddings.token_type_embeddings.weight.data[segment], features)

    def attend(self, head: int, key: str, value: str, to: str, within: str = "") -> None:
        """Add the feature ``value`` of the one word with ``key`` to the feature ``to`` of every word."""
        first = head * HEAD_SIZE
        read = self._layer.attention.self
        read.query.bias.data[first] = SHARP
        for name in filter(None, (key, within)):
            read.key.weight.data[first, self._place[name]] = SHARP
        read.value.weight.data[first, self._place[value]] = 1.0
        self._write(self._layer.attention.output.dense.weight.data[:, first], {to: 1.0})

    def gate(self, inputs: Mapping[str, float], bias: float, outputs: Mapping[str, float]) -> None:
        for name, weight in inputs.items():
            self._layer.intermediate.dense.weight.data[self._gates, self._place[name]] = weight
        self._layer.intermediate.dense.bias.data[self._gates] = bias
        self._write(self._layer.output.dense.weight.data[:, self._gates], outputs)
        self._gates += 1

    def product(self, sign: str, factor: str, to: str) -> None:
        """Add ``sign`` · ``factor`` to ``to``; ``sign`` is 1 or −1."""
        for side in (1.0, -1.0):
            self.gate({factor: side, sign: side * GATE}, 0.0, {to: 1.0})
        self._write(self._layer.output.dense.bias.data, {to: -GATE})

    def head(self, linear: Any, rows: Sequence[Mapping[str, float]], biases: Sequence[float]) -> None:
        for i, (row, bias) in enumerate(zip(rows, biases, strict=True)):
            for name, weight in row.items():
                linear.weight.data[i, self._place[name]] = weight
            linear.bias.data[i] = bias

    def pool(self, name: str, scale: float) -> None:
        self._bert.pooler.dense.weight.data[0, self._place[name]] = scale

    def classify(self, label: int, weight: float, bias: float = 0.0) -> None:
        self._model.classifier.weight.data[label, 0] = weight
        self._model.classifier.bias.data[label] = bias

    def _write(self, row: Any, features: Mapping[str, float]) -> None:
        for name, value in features.items():
            row[self._place[name]] += float(value)
            row[self._place[name] + 1] -= float(value)


def _sorted(*words: Any) -> tuple[str, ...]:
    return tuple(sorted({word for group in words for word in group}))


def _tokenizer(words: Sequence[str]) -> Any:
    """Return a tokenizer of whole words and punctuation marks."""
    from tokenizers import Tokenizer, pre_tokenizers
    from tokenizers.models import WordLevel
    from tokenizers.processors import TemplateProcessing
    from transformers import PreTrainedTokenizerFast

    ids = {word: i for i, word in enumerate((*SPECIALS, *words))}
    tokenizer = Tokenizer(WordLevel(ids, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(name, ids[name]) for name in ("[CLS]", "[SEP]")],
    )  # fmt: skip
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer, model_max_length=MAX_LENGTH, pad_token="[PAD]", unk_token="[UNK]",
        cls_token="[CLS]", sep_token="[SEP]", mask_token="[MASK]",
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
    )  # fmt: skip

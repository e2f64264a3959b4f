"""Models with random weights and tokenizers that know the words of the texts they are asked about."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

from nextset.items import LABELS

__all__ = ["Head", "save_albert_xxlarge", "save_distilbert", "save_roberta", "save_roberta_large"]

Head = Literal["SequenceClassification", "QuestionAnswering"]
"""What a model is for: NLI, or extractive question answering."""

VOCABULARY = 8_000
SPECIALS = ("<s>", "<pad>", "</s>", "<unk>")


def save_roberta(folder: Path, head: Head, texts: Iterable[str]) -> Path:
    """A RoBERTa of 4 layers × 256 with a byte-level BPE."""
    sizes = {"hidden_size": 256, "num_hidden_layers": 4, "num_attention_heads": 4, "intermediate_size": 1024}
    return _bpe_model(folder, "Roberta", head, texts, max_position_embeddings=514, type_vocab_size=1, **sizes)


def save_roberta_large(folder: Path, head: Head, texts: Iterable[str]) -> Path:
    """A RoBERTa of 24 layers × 1024, as large as the published one but for its vocabulary."""
    sizes = {"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16}
    sizes |= {"intermediate_size": 4096, "max_position_embeddings": 514, "type_vocab_size": 1}
    return _bpe_model(folder, "Roberta", head, texts, **sizes)


def save_albert_xxlarge(folder: Path, head: Head, texts: Iterable[str]) -> Path:
    """An ALBERT of 12 layers × 4096 that share their weights, as large as the published one."""
    sizes = {"embedding_size": 128, "hidden_size": 4096, "num_hidden_layers": 12, "num_attention_heads": 64}
    return _bpe_model(folder, "Albert", head, texts, intermediate_size=16_384, pad_token_id=1, **sizes)


def _bpe_model(folder: Path, kind: str, head: Head, texts: Iterable[str], **sizes: int) -> Path:
    import transformers
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tokenizer.train_from_iterator(
        texts,
        trainers.BpeTrainer(
            vocab_size=VOCABULARY, special_tokens=list(SPECIALS), initial_alphabet=alphabet,
            show_progress=False,
        ),
    )  # fmt: skip
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    config = getattr(transformers, f"{kind}Config")(vocab_size=VOCABULARY, **sizes, **_labels(head))
    inputs = ["input_ids", "attention_mask"]
    return _saved(folder, tokenizer, inputs, getattr(transformers, f"{kind}For{head}"), config)


def save_distilbert(folder: Path, head: Head, texts: Iterable[str]) -> Path:
    """A DistilBERT of 6 layers × 768 with an uncased WordPiece."""
    import transformers
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

    tokenizer = Tokenizer(models.WordPiece(unk_token="<unk>"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.train_from_iterator(
        texts,
        trainers.WordPieceTrainer(
            vocab_size=VOCABULARY, special_tokens=list(SPECIALS), show_progress=False
        ),
    )  # fmt: skip
    tokenizer.post_processor = processors.BertProcessing(("</s>", 2), ("<s>", 0))
    config = transformers.DistilBertConfig(vocab_size=VOCABULARY, pad_token_id=1, **_labels(head))
    inputs = ["input_ids", "attention_mask"]
    return _saved(folder, tokenizer, inputs, getattr(transformers, f"DistilBertFor{head}"), config)


def _labels(head: Head) -> dict[str, Any]:
    if head == "QuestionAnswering":
        return {}
    return {"id2label": dict(enumerate(LABELS)), "label2id": {name: i for i, name in enumerate(LABELS)}}


def _saved(folder: Path, tokenizer: Any, inputs: list[str], model: Any, config: Any) -> Path:
    import torch
    from transformers import PreTrainedTokenizerFast

    torch.manual_seed(0)
    model(config).save_pretrained(folder)
    names = dict(zip(("bos_token", "pad_token", "eos_token", "unk_token"), SPECIALS, strict=True))
    PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer, cls_token="<s>", sep_token="</s>", model_max_length=512,
        model_input_names=inputs, **names,
    ).save_pretrained(folder)  # fmt: skip
    return folder

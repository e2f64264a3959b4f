"""Models with random weights and tokenizers that know the words of the texts they are asked about."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

from nextset.records.nli_items import LABELS

__all__ = ["Head", "save_albert", "save_distilbert", "save_roberta"]

Head = Literal["SequenceClassification", "QuestionAnswering"]
"""The task of a model: NLI, or extractive question answering."""

VOCABULARY = 8_000
SPECIALS = ("<s>", "<pad>", "</s>", "<unk>")


def save_roberta(folder: Path, head: Head, texts: Iterable[str], **size: int) -> Path:
    """Save a RoBERTa of 4 layers × 256, or of another size, with a byte-level BPE."""
    import transformers

    small = {
        "num_hidden_layers": 4, "hidden_size": 256, "num_attention_heads": 4, "intermediate_size": 1024,
    }  # fmt: skip
    config = transformers.RobertaConfig(
        vocab_size=VOCABULARY, max_position_embeddings=514, type_vocab_size=1, **{**small, **size},
        **_labels(head),
    )  # fmt: skip
    return _saved(folder, _byte_level(texts), getattr(transformers, f"RobertaFor{head}"), config)


def save_albert(folder: Path, head: Head, texts: Iterable[str], **size: int) -> Path:
    """Save an ALBERT of the size of xxlarge, or of another size, with a byte-level BPE."""
    import transformers

    config = transformers.AlbertConfig(
        vocab_size=VOCABULARY, max_position_embeddings=512, pad_token_id=1, bos_token_id=0, eos_token_id=2,
        **size, **_labels(head),
    )  # fmt: skip
    return _saved(folder, _byte_level(texts), getattr(transformers, f"AlbertFor{head}"), config)


def _byte_level(texts: Iterable[str]) -> Any:
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
    return tokenizer


def save_distilbert(folder: Path, head: Head, texts: Iterable[str]) -> Path:
    """Save a DistilBERT of 6 layers × 768 with an uncased WordPiece."""
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
    return _saved(folder, tokenizer, getattr(transformers, f"DistilBertFor{head}"), config)


def _labels(head: Head) -> dict[str, Any]:
    if head == "QuestionAnswering":
        return {}
    return {"id2label": dict(enumerate(LABELS)), "label2id": {name: i for i, name in enumerate(LABELS)}}


def _saved(folder: Path, tokenizer: Any, model: Any, config: Any) -> Path:
    import torch
    import transformers
    from transformers import PreTrainedTokenizerFast

    transformers.utils.logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    torch.manual_seed(0)
    model(config).save_pretrained(folder)
    names = dict(zip(("bos_token", "pad_token", "eos_token", "unk_token"), SPECIALS, strict=True))
    PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer, cls_token="<s>", sep_token="</s>", model_max_length=512,
        model_input_names=["input_ids", "attention_mask"], **names,
    ).save_pretrained(folder)  # fmt: skip
    return folder

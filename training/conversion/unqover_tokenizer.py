"""The tokenizer of a converted checkpoint, which writes inputs in the same form as UnQover's pipeline."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from nextset.errors import ModelError
from nextset.scoring.models.missing_tokenizer import check_words

__all__ = ["save_pipeline_tokenizer"]


def save_pipeline_tokenizer(tokenizer: Any, folder: Path, transformer: str) -> None:
    """Save a copy of ``tokenizer`` in ``folder`` that writes the pipeline's inputs.

    The form is the same for every model: ``[CLS] question [SEP] context [SEP]``, without token types.
    RoBERTa's own tokenizer has two separators in the middle, and BERT's marks the texts by token types, so a
    checkpoint of the pipeline would give different scores with them. Raises ModelError for a tokenizer that
    is not fast, knows no word, or has no such tokens.
    """
    from tokenizers import processors

    if not tokenizer.is_fast:
        raise ModelError(
            f"{transformer} has no fast tokenizer", remedy="choose a transformer with a tokenizer.json"
        )
    check_words(tokenizer, transformer)
    first = tokenizer.cls_token or tokenizer.bos_token
    separator = tokenizer.sep_token or tokenizer.eos_token
    if first is None or separator is None:
        raise ModelError(
            f"the tokenizer of {transformer} has no tokens that begin and separate texts",
            remedy="choose a transformer such as BERT, RoBERTa or DistilBERT",
        )
    backend = tokenizer.backend_tokenizer
    written = json.loads(backend.to_str())["post_processor"] or {}
    pair = processors.TemplateProcessing(
        single=f"{first} $A {separator}",
        pair=f"{first} $A {separator} $B {separator}",
        special_tokens=[(token, tokenizer.convert_tokens_to_ids(token)) for token in (first, separator)],
    )
    backend.no_truncation()
    backend.no_padding()
    backend.post_processor = pair
    if written.get("type") == "RobertaProcessing" and written["trim_offsets"]:
        spaces = processors.ByteLevel(add_prefix_space=written["add_prefix_space"], trim_offsets=True)
        backend.post_processor = processors.Sequence([spaces, pair])
    tokenizer.save_pretrained(folder)
    backend.save(str(folder / "tokenizer.json"))
    file = folder / "tokenizer_config.json"
    config = json.loads(file.read_text(encoding="utf-8"))
    # The architecture's own class would write inputs in its own form.
    config |= {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_input_names": ["input_ids", "attention_mask"],
    }
    for name in ("is_local", "local_files_only"):
        config.pop(name, None)
    file.write_text(json.dumps(config, indent=2, sort_keys=True) + "\n", encoding="utf-8")

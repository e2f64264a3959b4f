"""GGUF files that tests write: the bytes of a header with tensors, and a tiny Llama with its tokenizer."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors.numpy import load_file

__all__ = ["gguf_bytes", "save_llama_gguf"]

ALIGNMENT = 32


def gguf_bytes(metadata: Mapping[str, Any], tensors: Mapping[str, npt.NDArray[np.float32]]) -> bytes:
    """A file with float32 ``tensors``; values of ``metadata`` are numbers, texts, or lists of one type."""
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(metadata))
    for key, value in metadata.items():
        kind, content = _value(value)
        head += _text(key) + struct.pack("<I", kind) + content
    data = b""
    for name, tensor in tensors.items():
        shape = tensor.shape[::-1]
        head += _text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, 0, len(data))
        data += _padded(tensor.astype("<f4").tobytes())
    return _padded(head) + data


def _text(text: str) -> bytes:
    content = text.encode()
    return struct.pack("<Q", len(content)) + content


def _padded(content: bytes) -> bytes:
    return content + b"\0" * (-len(content) % ALIGNMENT)


def _value(value: Any) -> tuple[int, bytes]:
    """The type of a value, and its bytes."""
    if isinstance(value, list):
        kinds, contents = zip(*map(_value, value), strict=True)
        return 9, struct.pack("<IQ", kinds[0], len(value)) + b"".join(contents)
    if isinstance(value, str):
        return 8, _text(value)
    if isinstance(value, bool):
        return 7, struct.pack("<?", value)
    return (4, struct.pack("<I", value)) if isinstance(value, int) else (6, struct.pack("<f", value))


def save_llama_gguf(folder: Path, file: Path) -> Path:
    """The tiny Llama of ``folder`` (`tests.scoring.generative.tiny_causal.save_llama`) as a GGUF file."""
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    bpe = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    tokens = sorted(bpe["model"]["vocab"], key=bpe["model"]["vocab"].get)
    special = {token["content"] for token in bpe["added_tokens"]}
    sizes = {
        "block_count": config["num_hidden_layers"],
        "context_length": config["max_position_embeddings"],
        "embedding_length": config["hidden_size"],
        "feed_forward_length": config["intermediate_size"],
        "attention.head_count": config["num_attention_heads"],
        "attention.head_count_kv": config["num_key_value_heads"],
        "attention.layer_norm_rms_epsilon": config["rms_norm_eps"],
        "rope.freq_base": 10000.0,
        "vocab_size": len(tokens),
    }
    metadata = {
        "general.architecture": "llama",
        "general.name": "tiny",
        **{f"llama.{key}": value for key, value in sizes.items()},
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.token_type": [3 if token in special else 1 for token in tokens],
        "tokenizer.ggml.merges": [" ".join(merge) for merge in bpe["model"]["merges"]],
        "tokenizer.ggml.bos_token_id": 0,
        "tokenizer.ggml.eos_token_id": 1,
        "tokenizer.chat_template": (folder / "chat_template.jinja").read_text(encoding="utf-8"),
    }
    file.write_bytes(gguf_bytes(metadata, _tensors(load_file(folder / "model.safetensors"), config)))
    return file


def _tensors(weights: Mapping[str, Any], config: Mapping[str, Any]) -> dict[str, Any]:
    """The weights by the names of llama.cpp; rows of queries and keys are in its order."""
    names = {
        "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v",
        "self_attn.o_proj": "attn_output", "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up",
        "mlp.down_proj": "ffn_down", "input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm",
    }  # fmt: skip
    heads = {"attn_q": config["num_attention_heads"], "attn_k": config["num_key_value_heads"]}
    found = {
        "token_embd.weight": weights["model.embed_tokens.weight"],
        "output_norm.weight": weights["model.norm.weight"],
        "output.weight": weights["lm_head.weight"],
    }
    for layer in range(config["num_hidden_layers"]):
        for own, other in names.items():
            weight = weights[f"model.layers.{layer}.{own}.weight"]
            if other in heads:
                halves = weight.reshape(heads[other], 2, -1, weight.shape[1])
                weight = halves.swapaxes(1, 2).reshape(weight.shape)
            found[f"blk.{layer}.{other}.weight"] = weight
    return found

"""Safe loading of a tokenizer and a model through one of the Auto classes."""

from __future__ import annotations

import copy
import functools
import re
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nextset.errors import ModelError, examples
from nextset.scoring.models.config_file import check_config, read_config
from nextset.scoring.models.context_length import longest
from nextset.scoring.models.gguf_loading import gguf_arguments, unpacking
from nextset.scoring.models.library_errors import library_errors
from nextset.scoring.models.lora_adapter import merged
from nextset.scoring.models.missing_tokenizer import check_words
from nextset.scoring.models.quantized_loading import (
    on_device,
    quantization_methods,
    quantized_arguments,
    require_quantization,
)
from nextset.scoring.models.recurrent.reader_registration import register_recurrent_readers
from nextset.scoring.models.sources import ModelSource, OwnModel, check_unchanged
from nextset.study.model_key import model_setting

if TYPE_CHECKING:
    import torch

__all__ = ["LOADING", "Loaded", "load"]

LOADING = threading.RLock()
"""The lock that is held while a model is loaded, because transformers sets torch's default dtype for all
threads in the meantime."""
TRIAL = "A dog sleeps."
"""The text for a trial of a loaded model."""
SHOWN = 5
"""The number of texts that an error about long texts shows."""

LANGUAGE_MODELS = {"AutoModelForMaskedLM", "AutoModelForCausalLM", "AutoModelForSeq2SeqLM"}
"""Classes whose models can use their embeddings as the head."""
UNUSED = "pooler."
"""The beginning of the names of weights that sentence encoders may lack although AutoModel has them: their
vectors are made from the last hidden states."""
OTHER_HEADS = re.compile(r"(?:classification_head|pre_classifier|classifier|qa_outputs|score)\.")
"""The beginnings of the names of weights that classify texts or tokens, or find spans."""


@dataclass(frozen=True)
class Loaded:
    """A loaded model."""

    name: str
    """The study's name for the model."""
    model: Any
    """The model, in evaluation mode and in the requested precision."""
    tokenizer: Any
    """The model's fast tokenizer."""
    device: torch.device
    """The model's device."""
    max_length: int
    """The maximum input length in tokens, special tokens included."""

    @property
    def precision(self) -> str:
        """The precision that the model computes in, such as float32."""
        return str(self.model.dtype).removeprefix("torch.")

    def checked(self, lengths: Sequence[int], texts: Sequence[str]) -> None:
        """Raise ModelError if inputs are too long; the error gives their number and the first of them."""
        long = [(n, text) for n, text in zip(lengths, texts, strict=True) if n > self.max_length]
        if not long:
            return
        shown = [f"{_shortened(text)!r} ({n} tokens)" for n, text in long[:SHOWN]]
        more = [f"and {len(long) - SHOWN:,} more"] if len(long) > SHOWN else []
        raise ModelError(
            f"{self.name} reads at most {self.max_length} tokens; longer texts, {len(long):,} of "
            f"{len(texts):,}: {'; '.join([*shown, *more])}",
            remedy="shorten them, choose a model that reads longer texts, or, for scoring, cut them "
            f"{model_setting(self.name, 'too_long: truncate')}",
        )

    def inputs(self, encodings: Sequence[Any]) -> dict[str, torch.Tensor]:
        """Return the model's input for some encodings, padded to the longest of them."""
        columns = {
            "input_ids": [e.ids for e in encodings],
            "attention_mask": [e.attention_mask for e in encodings],
        }
        if "token_type_ids" in self.tokenizer.model_input_names:
            columns["token_type_ids"] = [e.type_ids for e in encodings]
        padded = self.tokenizer.pad(columns, padding="longest", return_tensors="pt")
        return {key: value.to(self.device) for key, value in padded.items()}


def load(
    source: ModelSource,
    auto_class: str,
    precision: str = "float32",
    device: str | None = None,
    remote_code: bool = False,
    new_head: Mapping[str, Any] | None = None,
) -> Loaded:
    """Load ``source`` with ``auto_class``, such as AutoModelForMaskedLM, onto ``device`` (cuda if there is
    a GPU, else cpu).

    Only safetensors are read, and no code from the model's folder is run unless ``remote_code`` is true.
    The model's attention is torch's scaled_dot_product_attention if its architecture supports it.
    Raises ModelError if a file is missing, damaged or changed since it was found, if weights of the task's
    head are missing, if the files have layers or a head that the model does not have, if the model needs its
    own code, or if the tokenizer is not fast or has no words.

    With ``new_head``, values of the config, the model will be trained for a new task. Weights outside its
    encoder may then be missing or belong to a different task, and are random.
    """
    if isinstance(source.own, OwnModel):
        return _own(source, source.own, precision)
    if source.folder is None:
        raise ModelError(
            f"{source.name} is a model behind a server, which cannot score masks or spans",
            remedy="choose builtin:NAME, a folder, or a Hugging Face Hub id",
        )
    check_config(source, remote_code)
    target = _device(device)
    tokenizer, model, info = _read(source, auto_class, precision, target, remote_code, new_head)
    check_unchanged(source)
    _check_missing(source, auto_class, model, info, trained=new_head is not None)
    _check_unread(source, auto_class, model, info["unexpected_keys"], trained=new_head is not None)
    if source.adapter is not None:
        model = merged(source.name, model, source.adapter)
    with library_errors(f"{source.name} cannot be used on {target}", "choose a different device"):
        model = on_device(model, target).eval()
    if not tokenizer.is_fast:
        raise ModelError(
            f"{source.name} has no fast tokenizer", remedy="save the model again with a tokenizer.json"
        )
    check_words(tokenizer, source.name)
    if getattr(model.config, "pad_token_id", None) is None:
        model.config.pad_token_id = tokenizer.pad_token_id
    _choose_threads(model)
    with library_errors(f"{source.name} cannot be asked", f"check the files in {source.folder}"):
        tokenizer.backend_tokenizer.no_truncation()
        tokenizer.backend_tokenizer.no_padding()
        _try(model, tokenizer, target, auto_class)
        return Loaded(source.name, model, tokenizer, target, longest(model))


def _own(source: ModelSource, own: OwnModel, precision: str) -> Loaded:
    """Return a copy of the user's model in evaluation mode.

    It shares the weights with the user's model; they are copied if they have a different ``precision``.
    """
    import torch

    dtype = getattr(torch, precision)
    if own.model.dtype == dtype:
        weights = (*own.model.parameters(), *own.model.buffers())
        model = copy.deepcopy(own.model, {id(tensor): tensor for tensor in weights}).eval()
    else:
        model = copy.deepcopy(own.model).to(dtype).eval()
    tokenizer = copy.deepcopy(own.tokenizer)
    check_words(tokenizer, source.name)
    if getattr(model.config, "pad_token_id", None) is None:
        model.config.pad_token_id = tokenizer.pad_token_id
    tokenizer.backend_tokenizer.no_truncation()
    tokenizer.backend_tokenizer.no_padding()
    return Loaded(source.name, model, tokenizer, model.device, longest(model))


def _read(
    source: ModelSource,
    auto_class: str,
    precision: str,
    device: torch.device,
    remote_code: bool,
    new_head: Mapping[str, Any] | None,
) -> tuple[Any, Any, dict[str, Any]]:
    """Return the tokenizer, the model on ``device`` and transformers' loading info; raises ModelError."""
    import torch
    import transformers

    folder = str(source.folder)
    methods = quantization_methods(read_config(source))
    require_quantization(source.name, methods)
    kind = gguf_arguments(source.gguf) if source.gguf else quantized_arguments(methods, device)
    reader = {"gguf_file": source.gguf} if source.gguf else {}
    safe = {"trust_remote_code": remote_code, "local_files_only": True}
    # nextset shows its own progress
    transformers.utils.logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    failed = library_errors(
        f"{source.name} cannot be loaded",
        f"check the files in {source.folder}, or download or save the model again",
    )
    packed = unpacking() if source.gguf else nullcontext(lambda: None)
    with failed, LOADING, _quiet(), packed as tokenizer_is_read:
        register_recurrent_readers()
        try:
            tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **reader, **safe)
            tokenizer_is_read()
            model, info = getattr(transformers, auto_class).from_pretrained(
                folder,
                use_safetensors=True,
                dtype=getattr(torch, precision),
                output_loading_info=True,
                ignore_mismatched_sizes=new_head is not None,
                **(new_head or {}),
                **kind,
                **safe,
            )
        except ValueError as e:
            if remote_code or "trust_remote_code" not in str(e):
                raise
            raise ModelError(
                f"{source.name} needs its own code, which nextset does not run",
                remedy="choose a different model, or read its code and then allow it "
                f"{model_setting(source.name, 'remote_code: true')}",
            ) from None
        return tokenizer, model, info


def _check_missing(
    source: ModelSource, auto_class: str, model: Any, info: Mapping[str, Any], *, trained: bool
) -> None:
    """Raise ModelError if the files lack weights; a model that will be ``trained`` may lack a head."""
    lacking = {*info["missing_keys"], *(key for key, *_ in info["mismatched_keys"])}
    if auto_class == "AutoModel":
        lacking = {key for key in lacking if not key.startswith(UNUSED)}
    if trained:
        lacking = _of_encoder(model, lacking)
    if lacking:
        raise ModelError(
            f"{source.name} has no weights for its task ({', '.join(sorted(lacking)[:3])})",
            remedy="choose a model that was trained for the task",
        )


def _of_encoder(model: Any, keys: Iterable[str]) -> set[str]:
    """Return the ``keys`` of weights of the encoder, not of a head; a pooler belongs to the head."""
    prefix = f"{model.base_model_prefix}."
    return {key for key in keys if key.startswith(prefix) and ".pooler." not in key}


def _check_unread(
    source: ModelSource, auto_class: str, model: Any, unread: Iterable[str], *, trained: bool
) -> None:
    """Raise ModelError if the files have weights of more layers or of a different head than the model.

    A language model's head may be its embeddings, so a different head does not show as missing weights. A
    model that will be ``trained`` may lose its head.
    """
    known = {_in_any_layer(key) for key in model.state_dict()}
    if layers := [key for key in sorted(unread) if _in_any_layer(key) in known]:
        raise ModelError(
            f"{source.name} has more layers in its files than in its config.json ({examples(layers, 3)})",
            remedy=f"check the numbers of layers in {source.folder}/config.json, or download the model again",
        )
    others = [key for key in sorted(unread) if OTHER_HEADS.match(key)]
    if others and auto_class in LANGUAGE_MODELS and not trained:
        raise ModelError(
            f"{source.name} has weights for a different task ({examples(others, 3)})",
            remedy="choose a model that was trained for the task: a classifier or reader cannot fill masks "
            "or continue texts",
        )


def _in_any_layer(key: str) -> str:
    """Return ``key`` without the numbers of layers."""
    return re.sub(r"(?<=\.)\d+(?=\.)", "N", key)


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence transformers' report of the weights; its important parts become errors of nextset."""
    from transformers.utils import logging

    before = logging.get_verbosity()
    logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    try:
        yield
    finally:
        logging.set_verbosity(before)


def _try(model: Any, tokenizer: Any, device: torch.device, auto_class: str) -> None:
    """Ask the model about a short text, because some damaged configs fail only then.

    A model that chooses among texts reads a list of them, here of one text; an encoder-decoder model also
    reads the text as its answer.
    """
    import torch

    ids = tokenizer.backend_tokenizer.encode(TRIAL).ids
    if not ids:
        return
    choices = auto_class == "AutoModelForMultipleChoice"
    read = torch.tensor([[ids]] if choices else [ids], device=device)
    answer = {"decoder_input_ids": read} if auto_class == "AutoModelForSeq2SeqLM" else {}
    with torch.inference_mode():
        model(input_ids=read, **answer)


def _device(name: str | None) -> torch.device:
    """Return the device called ``name``; for None, cuda if there is a GPU, else cpu. Raises ModelError."""
    import torch

    try:
        device = torch.device(name or ("cuda" if torch.cuda.is_available() else "cpu"))
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError):
        raise ModelError(f"there is no device {name}", remedy="choose cpu, cuda or cuda:NUMBER") from None
    return device


def _shortened(text: str) -> str:
    return text if len(text) <= 100 else f"{text[:50]} … {text[-50:]}"


SMALL = 20_000_000
"""A model with fewer parameters is faster on one thread, because several would spend their time waiting."""


@functools.cache
def _threads() -> int:
    """Return the number of threads that the machine, or OMP_NUM_THREADS, gives torch."""
    import torch

    return torch.get_num_threads()


def _choose_threads(model: Any) -> None:
    import torch

    allowed = _threads()
    torch.set_num_threads(1 if model.num_parameters() < SMALL else allowed)

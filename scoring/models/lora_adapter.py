"""LoRA adapters in the format of peft: checked, and merged into the model that they change."""

from __future__ import annotations

import importlib.util
import json
import logging
import warnings
from pathlib import Path
from typing import Any

from nextset.errors import DependencyMissing, InputError, ModelError, examples
from nextset.files.regular_file import require_file
from nextset.scoring.models.library_errors import library_errors

__all__ = ["CONFIG", "WEIGHTS", "adapter_files", "merged", "require_peft"]

_LOG = logging.getLogger(__name__)

CONFIG, WEIGHTS = "adapter_config.json", "adapter_model.safetensors"
"""The only files of an adapter that are read."""
LARGEST = 2**20
"""The maximum number of bytes of an adapter's config."""
PICKLES = ("adapter_model.bin", "adapter_model.pt", "adapter_model.pth")
_CODE = ("megatron_config", "megatron_core")
"""Keys of the config that name modules of Python; they are only read if they have their usual values."""
_USUAL = {"megatron_core": "megatron.core"}


def require_peft(name: str) -> None:
    """Raise DependencyMissing without peft; ``name`` is the model with an adapter."""
    if importlib.util.find_spec("peft") is None:
        raise DependencyMissing(
            f"the adapter of {name} needs peft, which is not installed",
            remedy="pip install 'nextset[adapters]'",
        )


def adapter_files(name: str, folder: Path) -> tuple[Path, Path]:
    """Return the config and the weights of the adapter in ``folder``; raises ModelError for others than LoRA.

    ``name`` is the model's name, for error messages.
    """
    config, weights = folder / CONFIG, folder / WEIGHTS
    if not weights.exists() and any((folder / pickle).exists() for pickle in PICKLES):
        raise ModelError(
            f"the adapter of {name} in {folder} has its weights only as a pickle, which can run code",
            remedy=f"save it again as {WEIGHTS}",
        )
    for file in (config, weights):
        try:
            require_file(file, InputError)
        except (OSError, InputError) as e:
            problem = f"{file.name} is missing" if isinstance(e, FileNotFoundError) else str(e)
            raise ModelError(
                f"{name}: {folder} has no LoRA adapter in the format of peft: {problem}",
                remedy="check the folder, or save the adapter again with save_pretrained",
            ) from None
    _check_config(name, config)
    return config, weights


def _check_config(name: str, file: Path) -> None:
    fields = _config(name, file)
    if fields.get("peft_type") != "LORA":
        raise ModelError(
            f"{name}: the adapter in {file.parent} is of the type {fields.get('peft_type')!r:.50}, not LORA",
            remedy="choose a LoRA adapter, or merge the adapter yourself and save the result",
        )
    for key in _CODE:
        if fields.get(key) not in (None, _USUAL.get(key)):
            raise ModelError(
                f"{name}: the adapter in {file.parent} names code that nextset does not run: "
                f"{key}: {fields[key]!r:.80}",
                remedy="choose a different adapter, or merge it yourself and save the result",
            )


def _config(name: str, file: Path) -> dict[str, Any]:
    try:
        with file.open("rb") as stream:
            fields = json.loads(stream.read(LARGEST))
        if isinstance(fields, dict):
            return fields
        problem = "it is not a JSON object"
    except (OSError, ValueError, RecursionError) as e:
        problem = str(e) or type(e).__name__
    raise ModelError(
        f"{name}: the {CONFIG} of its adapter in {file.parent} cannot be read: {problem:.200}",
        remedy="check the file, or save the adapter again",
    )


def merged(name: str, model: Any, folder: Path) -> Any:
    """Return ``model`` with the weights of the adapter in ``folder`` added to its own.

    The base model that the adapter names is not read; ``model`` takes its place, and a warning says so if the
    names differ. Raises DependencyMissing without peft, and ModelError if the adapter does not fit.
    """
    require_peft(name)
    config, weights = adapter_files(name, folder)
    _warn_about_base(name, _config(name, config))
    with library_errors(
        f"the adapter in {folder} cannot be merged into {name}", "choose the adapter's own base model"
    ):
        from peft import PeftModel, get_peft_model_state_dict
        from safetensors import safe_open

        with warnings.catch_warnings(), safe_open(weights, "pt") as stored:
            warnings.simplefilter("ignore")  # what matters of them is checked below
            wrapped = PeftModel.from_pretrained(model, str(folder), local_files_only=True)
            own = get_peft_model_state_dict(wrapped, save_embedding_layers=False)
            differing = set(stored.keys()) ^ set(own)
            if differing:
                raise ModelError(
                    f"the adapter in {folder} does not fit {name}: only one of them has "
                    f"{examples(sorted(differing), 3)}",
                    remedy="choose the adapter's own base model",
                )
            return wrapped.merge_and_unload(safe_merge=True)


def _warn_about_base(name: str, fields: dict[str, Any]) -> None:
    named = fields.get("base_model_name_or_path")
    last = named.rstrip("/\\").replace("\\", "/").rpartition("/")[2] if isinstance(named, str) else ""
    own = name.partition("@")[0].rstrip("/\\").replace("\\", "/").rpartition("/")[2]
    if last and last.casefold() != own.casefold():
        _LOG.warning("the adapter of %s was trained on %.100s, but changes %s here", name, ascii(last), name)

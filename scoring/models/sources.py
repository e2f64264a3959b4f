"""The sources of models: a string names a model, and a digest of its weights identifies it."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nextset.errors import InputError, ModelError, examples
from nextset.files.downloads import MAY_DOWNLOAD
from nextset.files.regular_file import kind_of_path, require_file
from nextset.own_code import is_own_code
from nextset.records.content_ids import content_id
from nextset.scoring.cache.model_digests import digests
from nextset.scoring.models.gguf_loading import require_gguf
from nextset.scoring.models.lora_adapter import adapter_files, require_peft
from nextset.scoring.models.server_address import server_place
from nextset.study.model_labels import GGUF, is_gguf_file, model_folder
from nextset.study.scoring_settings import ModelServerSettings, ModelSettings

__all__ = [
    "BUILTIN",
    "PACKAGED",
    "SERVER",
    "ModelSource",
    "OwnFunction",
    "OwnModel",
    "builtin_names",
    "check_unchanged",
    "is_on_this_machine",
    "locate",
    "settings_folder",
]

SERVER = "openai:"
"""The prefix of the names of models behind a server."""
PACKAGED = "scorer:"
"""The prefix of the names of scorers of installed packages."""
BUILTIN = Path(__file__).parents[1] / "builtin"
"""The folder of the built-in models."""

SETTINGS = (
    "*.json", "*.txt", "*.model", "*.jinja", "*.py", "*.codes", "*.tokenizer", "*.tiktoken",
    "additional_chat_templates/*.jinja",
)  # fmt: skip
"""Configuration, tokenizer, chat template, and some models' own code, which runs only if a study says so."""
WANTED = ("*.safetensors", *SETTINGS, "README.md")
"""The files that are downloaded from the Hub: safetensors, configuration, tokenizer, model card."""
PICKLES = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.pkl")
HUB_ID = re.compile(r"[\w.-]+(/[\w.-]+)?(@[\w./-]+)?")


@dataclass(frozen=True)
class OwnFunction:
    """A user's function from inputs to probabilities."""

    read: Callable[[], Callable[[Sequence[Any]], Any]] = field(compare=False, repr=False)
    """Returns the function; of a file that is not trusted, raises StudyError."""
    file: Path | None = None
    """The file that it was read from; None for a function of a package or of a running program."""
    content: bytes = field(default=b"", repr=False)
    """The file's content; empty if there is no file."""
    stored: bool = True
    """False for a function of a running program, whose source does not tell what it computes: its scores are
    not cached."""
    number: int = 0
    """Different for each function of a running program, because two with one name and source can differ by
    what they enclose; 0 for other functions."""


@dataclass(frozen=True)
class OwnModel:
    """A loaded model of transformers, in the memory of this process."""

    model: Any
    tokenizer: Any
    """Its fast tokenizer."""


@dataclass(frozen=True)
class ModelSource:
    """A model that was found on this machine, is named at a server, or is a user's own object."""

    name: str
    """The study's name for the model."""
    folder: Path | None
    """The folder with its files; None for a model behind a server, and for a user's own function or model."""
    digest: str
    """16-byte BLAKE2b of its weights, as 32 hex digits: the same weights have the same digest. For a model
    behind a server, it covers the server's address and the model's name there."""
    identity: str
    """The same over weights, configuration and tokenizer, which together decide its answers."""
    address: str = field(default="", repr=False)
    """The server's address, without a key; empty for a model on this machine."""
    key: str = field(default="", repr=False)
    """The name of the environment variable with the server's key; empty if no key is sent."""
    gguf: str = ""
    """The name of the GGUF file in the folder that has everything of the model; empty for other models."""
    adapter: Path | None = None
    """The folder of the LoRA adapter that is merged into the model; None for none."""
    own: OwnFunction | OwnModel | None = field(default=None, repr=False, hash=False)
    """The user's own function or loaded model; None for a model with files or at a server."""


def locate(name: str, base: Path = Path(), settings: ModelSettings | None = None) -> ModelSource:
    """Return the model called ``name``; a Hub model is downloaded unless it is on this machine already.

    A name is ``builtin:NAME``, a local folder or GGUF file (relative to ``base``), a Hub id with an optional
    ``@revision``, or ``openai:MODEL`` for a model at the address in ``settings`` or else in OPENAI_BASE_URL.
    ``settings`` can also name a LoRA adapter. Raises ModelError, and DependencyMissing for an adapter or a
    GGUF file without the package that reads it.
    """
    if name.startswith(SERVER):
        return _at_server(name, settings.server if settings else None)
    _refuse_own(name)
    path = _builtin(name) if name.startswith("builtin:") else _folder_or_hub(name, base)
    folder, gguf = _parts(name, path)
    adapter = settings.adapter if settings else ""
    added = _adapter(name, adapter, base) if adapter else None
    return ModelSource(name, folder, *_digests(name, folder, gguf, added), gguf=gguf, adapter=added)


def _parts(name: str, found: Path) -> tuple[Path, str]:
    """Return the folder of a model and the name of its GGUF file, which is empty for other models."""
    if found.suffix == GGUF:
        require_gguf(name)
        return found.parent, found.name
    _refuse_special_files(found)
    files = sorted(path.name for path in found.glob(f"*{GGUF}"))
    if not files or any(found.glob("*.safetensors")):
        return found, ""
    if len(files) > 1:
        raise ModelError(
            f"{name} has several GGUF files: {examples(files, 3)}",
            remedy=f"name one of them as the model, such as {name.rstrip('/')}/{files[0]}",
        )
    require_gguf(name)
    return found, files[0]


def _adapter(name: str, adapter: str, base: Path) -> Path:
    """Return the folder of the ``adapter`` of the model ``name``."""
    require_peft(name)
    folder = _folder_or_hub(adapter, base)
    if not folder.is_dir():
        raise ModelError(f"{adapter} is not the folder of an adapter", remedy="name the adapter's folder")
    adapter_files(name, folder)
    return folder


def settings_folder(name: str, base: Path = Path()) -> Path:
    """Return the folder with configuration and tokenizer of the model called ``name``, named as in `locate`.

    Weights may be missing, and are not downloaded. Raises ModelError.
    """
    if name.startswith(SERVER):
        raise ModelError(
            f"{name} is a model behind a server and has no files", remedy="choose a folder or a Hub id"
        )
    folder = _builtin(name) if name.startswith("builtin:") else _folder_or_hub(name, base, SETTINGS)
    _refuse_special_files(folder)
    return folder


def _refuse_own(name: str) -> None:
    if name.startswith(PACKAGED) or is_own_code(name):
        raise ModelError(
            f"{name} is an own scorer, which cannot be used here",
            remedy="name it under filter.models, filter.held_out or audit.models; choose a model with files "
            "here",
        )


def _refuse_special_files(folder: Path) -> None:
    """Raise ModelError for a pipe, socket or device in ``folder``, because reading it could take forever."""
    for path in sorted(folder.iterdir()):
        if path.exists() and (kind := kind_of_path(path)) not in ("file", "folder"):
            raise ModelError(
                f"{path}: this is a {kind}, not a file", remedy="remove it from the model's folder"
            )


def is_on_this_machine(name: str, base: Path = Path()) -> bool:
    """Return True if `locate` would not download anything, also if there is no such model."""
    if (
        name.startswith((SERVER, PACKAGED, "builtin:"))
        or is_own_code(name)
        or (base / Path(name).expanduser()).is_dir()
    ):
        return True
    if not HUB_ID.fullmatch(name):
        return True
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    repository, _, revision = name.partition("@")
    try:
        snapshot_download(
            repository, revision=revision or None, allow_patterns=list(WANTED), local_files_only=True
        )
    except LocalEntryNotFoundError:
        return False
    except HFValidationError:
        return True
    return True


def check_unchanged(source: ModelSource) -> None:
    """Raise ModelError if files of ``source`` have changed since it was found; its scores would be wrong."""
    if source.folder is None:
        return
    if _digests(source.name, source.folder, source.gguf, source.adapter)[1] != source.identity:
        raise ModelError(
            f"the files of {source.name} in {source.folder} changed while the model was in use",
            remedy="wait until nothing writes to that folder, then run again; earlier scores are kept",
        )


def _digests(name: str, folder: Path, gguf: str = "", adapter: Path | None = None) -> tuple[str, str]:
    weights = [folder / gguf] if gguf else _weights(name, folder)
    others = sorted(p for pattern in SETTINGS for p in folder.glob(pattern))
    if adapter is not None:
        config, added = adapter_files(name, adapter)
        weights, others = [*weights, added], [*others, config]
    try:
        for file in (*weights, *others):
            require_file(file, InputError)
        return digests(weights, others)
    except (OSError, InputError) as e:
        raise ModelError(
            f"{name} cannot be read: {e}", remedy=f"check the files in {folder}, or download the model again"
        ) from None


def _at_server(name: str, server: ModelServerSettings | None) -> ModelSource:
    place = server_place(name, server or ModelServerSettings())
    digest = content_id("openai", place.address, name.removeprefix(SERVER))
    return ModelSource(name, None, digest, digest, place.address, place.key)


def builtin_names() -> list[str]:
    """Return the names of the built-in models."""
    return sorted(p.parent.name for p in BUILTIN.glob("*/config.json"))


def _builtin(name: str) -> Path:
    wanted, known = name.removeprefix("builtin:"), builtin_names()
    if wanted in known:
        return BUILTIN / wanted
    near = difflib.get_close_matches(wanted, known, n=1, cutoff=0.5)
    remedy = f"did you mean 'builtin:{near[0]}'?" if near else f"choose one of: {', '.join(known)}"
    raise ModelError(f"there is no built-in model {wanted!r}", remedy=remedy)


def _folder_or_hub(name: str, base: Path, files: tuple[str, ...] = WANTED) -> Path:
    folder = model_folder(name, base)
    if folder.is_dir() or is_gguf_file(name, base):
        return folder
    if Path(name).is_absolute() or name.startswith((".", "~")) or not HUB_ID.fullmatch(name):
        near = _with_known_prefix(name)
        remedy = f"did you mean {near!r}?" if near else "check the path, or give a Hub id"
        where = "" if folder == Path(name) else f" ({folder.absolute()})"
        raise ModelError(f"there is no model folder {name}{where}", remedy=remedy)
    return _from_hub(name, folder, files)


def _with_known_prefix(name: str) -> str:
    """Return ``name`` with its misspelled prefix corrected; empty if its prefix is not a misspelling."""
    prefix, colon, rest = name.partition(":")
    near = difflib.get_close_matches(f"{prefix.lower()}:", ["builtin:", SERVER], n=1, cutoff=0.7)
    if not colon or not near:
        return ""
    known = difflib.get_close_matches(rest, builtin_names(), n=1, cutoff=0.5) if near[0] != SERVER else ()
    return near[0] + (known[0] if known else rest)


def _from_hub(name: str, folder: Path, files: tuple[str, ...]) -> Path:
    """Download the model's ``files`` and return their folder; errors also name the missing ``folder``."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import (
        GatedRepoError,
        HfHubHTTPError,
        HFValidationError,
        LocalEntryNotFoundError,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )  # fmt: skip

    repository, _, revision = name.partition("@")
    may_download = MAY_DOWNLOAD.get()
    try:
        return Path(
            snapshot_download(
                repository,
                revision=revision or None,
                allow_patterns=list(files),
                local_files_only=not may_download,
            )
        )
    except RevisionNotFoundError:
        raise ModelError(
            f"{repository} has no revision {revision!r}", remedy="check the revision after the @"
        ) from None
    except GatedRepoError:
        raise ModelError(
            f"{name} is gated on the Hub", remedy="request access on its page, then set HF_TOKEN"
        ) from None
    except (RepositoryNotFoundError, HFValidationError):
        raise ModelError(
            f"{name} is neither a folder ({folder.absolute()}) nor a model on the Hub",
            remedy="check the name; if the model is private, set HF_TOKEN",
        ) from None
    except (LocalEntryNotFoundError, HfHubHTTPError, OSError) as e:
        if not may_download:
            raise ModelError(
                f"{name} is not on this machine", remedy="run the stage, which downloads it"
            ) from None
        raise ModelError(
            f"{name} is not a folder ({folder.absolute()}) and cannot be downloaded: "
            f"{str(e).splitlines()[0]}",
            remedy="check the path or, for a model on the Hub, the network, or choose builtin:NAME",
        ) from None


def _weights(name: str, folder: Path) -> list[Path]:
    weights = sorted(folder.glob("*.safetensors"))
    if not weights and any(next(folder.glob(p), None) for p in PICKLES):
        raise ModelError(
            f"{name} has its weights only as pickles, which can run code when they are loaded",
            remedy="save the model again with safe_serialization=True, or choose one with .safetensors",
        )
    if not weights:
        raise ModelError(
            f"{name} has no *.safetensors in {folder}", remedy="check that the model was saved completely"
        )
    return weights

"""Where a model lies: one string names it, and a digest of its weights says which one it is."""

from __future__ import annotations

import difflib
import os
import re
import urllib.parse
from dataclasses import dataclass
from pathlib import Path

from nextset.errors import ModelError
from nextset.records.content_ids import content_id
from nextset.scoring.cache.model_digests import digests

__all__ = ["BUILTIN", "SERVER", "ModelSource", "builtin_names", "check_unchanged", "locate"]

SERVER = "openai:"
"""How the names of models behind a server begin."""
BUILTIN = Path(__file__).parents[1] / "builtin"
"""The folder of the models that are shipped."""

SETTINGS = ("*.json", "*.txt", "*.model", "*.jinja", "*.py")
"""Configuration, tokenizer, chat template, and code that some models bring, run only if a study says so."""
WANTED = ("*.safetensors", *SETTINGS, "README.md")
"""What is taken from the Hub: weights as safetensors, configuration, tokenizer, the model card."""
PICKLES = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.pkl")
HUB_ID = re.compile(r"[\w.-]+(/[\w.-]+)?(@[\w./-]+)?")


@dataclass(frozen=True)
class ModelSource:
    """A model that was found, on this machine or named at a server."""

    name: str
    """As the study names it."""
    folder: Path | None
    """Where its files lie; None for a model behind a server."""
    digest: str
    """16-byte BLAKE2b of its weights, as 32 hex digits: the same weights, the same digest. Of a model behind
    a server, over the server's address and its name there."""
    identity: str
    """The same over weights, configuration and tokenizer: what decides its answers."""
    address: str = ""
    """The server's, without key; empty for a model on this machine."""


def locate(name: str, base: Path = Path()) -> ModelSource:
    """Find the model called ``name``; a Hub model is fetched unless it is there already.

    ``builtin:NAME``, a local folder (relative to ``base``), a Hub id with an optional ``@revision``, or
    ``openai:MODEL`` for a model at the server that OPENAI_BASE_URL names. Raises ModelError.
    """
    if name.startswith(SERVER):
        return _at_server(name)
    folder = _builtin(name) if name.startswith("builtin:") else _folder_or_hub(name, base)
    return ModelSource(name, folder, *_digests(name, folder))


def check_unchanged(source: ModelSource) -> None:
    """Raise ModelError when files of ``source`` are others than when it was found: its scores are theirs."""
    if source.folder is not None and _digests(source.name, source.folder)[1] != source.identity:
        raise ModelError(
            f"the files of {source.name} changed while it was asked, in {source.folder}",
            remedy="run again when nothing writes there any more: what was scored before is kept",
        )


def _digests(name: str, folder: Path) -> tuple[str, str]:
    weights = _weights(name, folder)
    others = sorted(p for pattern in SETTINGS for p in folder.glob(pattern))
    return digests(weights, others)


def _at_server(name: str) -> ModelSource:
    address = _address(name)
    digest = content_id("openai", address, name.removeprefix(SERVER))
    return ModelSource(name, None, digest, digest, address)


def _address(name: str) -> str:
    """OPENAI_BASE_URL; nothing of it is shown where it may hold a key."""
    written = os.environ.get("OPENAI_BASE_URL", "").strip().rstrip("/")
    example = "export OPENAI_BASE_URL=http://127.0.0.1:8000/v1, or another server's address, and run again"
    if not written:
        raise ModelError(f"{name}: OPENAI_BASE_URL is not set, so no server is known", remedy=example)
    try:
        parts = urllib.parse.urlsplit(written)
        port = parts.port
    except ValueError:
        raise ModelError("OPENAI_BASE_URL is no address", remedy=example) from None
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
        raise ModelError("OPENAI_BASE_URL is no address that begins with http:// or https://", remedy=example)
    if parts.username is not None or parts.query or parts.fragment:
        raise ModelError(
            "OPENAI_BASE_URL holds more than an address: a name, a key or a query",
            remedy="give the address alone, and the key as OPENAI_API_KEY",
        )
    return written


def builtin_names() -> list[str]:
    """The names of the models that are shipped."""
    return sorted(p.parent.name for p in BUILTIN.glob("*/config.json"))


def _builtin(name: str) -> Path:
    wanted, known = name.removeprefix("builtin:"), builtin_names()
    if wanted in known:
        return BUILTIN / wanted
    near = difflib.get_close_matches(wanted, known, n=1, cutoff=0.5)
    remedy = f"did you mean 'builtin:{near[0]}'?" if near else f"built in are: {', '.join(known)}"
    raise ModelError(f"no built-in model is called {wanted!r}", remedy=remedy)


def _folder_or_hub(name: str, base: Path) -> Path:
    folder = base / Path(name).expanduser()
    if folder.is_dir():
        return folder
    if Path(name).is_absolute() or name.startswith((".", "~")) or not HUB_ID.fullmatch(name):
        raise ModelError(f"no such model folder: {name}", remedy="check the path, or name a Hub id")
    return _from_hub(name)


def _from_hub(name: str) -> Path:
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
    try:
        return Path(snapshot_download(repository, revision=revision or None, allow_patterns=list(WANTED)))
    except RevisionNotFoundError:
        raise ModelError(
            f"{repository} has no revision {revision!r}", remedy="check what follows the @"
        ) from None
    except GatedRepoError:
        raise ModelError(f"{name} is gated", remedy="ask for access on its page, then set HF_TOKEN") from None
    except (RepositoryNotFoundError, HFValidationError):
        raise ModelError(
            f"neither a folder nor a model on the Hub: {name}", remedy="check the name; is it private?"
        ) from None
    except (LocalEntryNotFoundError, HfHubHTTPError, OSError) as e:
        raise ModelError(
            f"{name} cannot be fetched: {str(e).splitlines()[0]}",
            remedy="check the network, or name a folder or a builtin: model",
        ) from None


def _weights(name: str, folder: Path) -> list[Path]:
    weights = sorted(folder.glob("*.safetensors"))
    if not weights and any(next(folder.glob(p), None) for p in PICKLES):
        raise ModelError(
            f"{name} has its weights only as pickles, which can run code when they are read",
            remedy="save the model again with safe_serialization=True, or choose one with .safetensors",
        )
    if not weights:
        raise ModelError(f"{name} has no *.safetensors in {folder}", remedy="check that it was saved whole")
    return weights

"""The texts of a data set on the Hugging Face Hub, read as a stream."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nextset.errors import InputError, NextsetError, ServerError
from nextset.release.overlap.corpus_files import texts_in

__all__ = ["hub_name", "hub_revision", "hub_texts"]

_NAME = re.compile(r"(?:[\w.-]{1,96}/)?[\w.-]{1,96}(?:@[\w./-]{1,128})?", re.ASCII)


def hub_name(written: str) -> tuple[str, str | None] | None:
    """Return the Hub id and the revision in ORG/NAME or ORG/NAME@REVISION; None if it is not such a text."""
    if not _NAME.fullmatch(written):
        return None
    name, _, revision = written.partition("@")
    return name, revision or None


def hub_revision(name: str, revision: str | None) -> str:
    """Return the commit that the revision (or main) names now; raises InputError or ServerError."""
    import httpx2
    from huggingface_hub import HfApi
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, OfflineModeIsEnabled

    try:
        return str(HfApi().dataset_info(name, revision=revision).sha)
    except (HfHubHTTPError, HFValidationError, OfflineModeIsEnabled, httpx2.HTTPError, OSError) as e:
        raise _refusal(name, e) from None


def hub_texts(name: str, commit: str) -> Iterator[str]:
    """Yield one text per row of all configs and splits: all its strings, with line breaks between them.

    Raises InputError if the data set cannot be read as a stream, ServerError if the Hub stops answering.
    """
    import httpx2
    import pyarrow as pa
    from datasets import get_dataset_config_names, load_dataset
    from datasets.exceptions import DatasetsError
    from huggingface_hub.errors import HfHubHTTPError, OfflineModeIsEnabled

    try:
        for config in get_dataset_config_names(name, revision=commit):
            splits = load_dataset(name, config, revision=commit, streaming=True)
            for split in splits.values():
                # images and audio stay bytes: only texts are compared
                for row in split.decode(False):
                    yield "\n".join(texts_in(row))
    except (HfHubHTTPError, OfflineModeIsEnabled, httpx2.HTTPError) as e:
        raise _refusal(name, e) from None
    except (DatasetsError, ValueError, RuntimeError, pa.ArrowException, EOFError) as e:
        raise InputError(
            f"{name} on the Hub cannot be read: {_first_line(e)}",
            remedy="download its files and name them in release.overlap.against",
        ) from None
    except OSError as e:
        raise _refusal(name, e) from None


def _refusal(name: str, e: Exception) -> NextsetError:
    from huggingface_hub.errors import (
        GatedRepoError,
        HFValidationError,
        OfflineModeIsEnabled,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    if isinstance(e, OfflineModeIsEnabled):
        return ServerError(
            f"{name} was not compared: the Hub is switched off by HF_HUB_OFFLINE",
            remedy="unset HF_HUB_OFFLINE, or download the data set and name its files",
        )
    if isinstance(e, GatedRepoError):
        return InputError(f"{name} on the Hub is gated", remedy="ask for access, then run `hf auth login`")
    if isinstance(e, RepositoryNotFoundError | RevisionNotFoundError | HFValidationError):
        what = "revision" if isinstance(e, RevisionNotFoundError) else "data set or file"
        return InputError(
            f"there is no such {what}: {name}",
            remedy="check the name in release.overlap.against; a private data set needs `hf auth login`",
        )
    return ServerError(
        f"{name} was not compared: the Hub did not answer ({_first_line(e)})",
        remedy="run the command again, or download the data set and name its files",
    )


def _first_line(e: Exception) -> str:
    return (str(e).strip().splitlines() or [type(e).__name__])[0][:200]

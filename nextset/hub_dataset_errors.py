"""Errors of datasets on the Hugging Face Hub, with what to do: missing, gated, damaged, or no answer."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager

from nextset.errors import InputError, NextsetError, ServerError
from nextset.redaction import redacted

__all__ = ["hub_dataset_errors"]

_DOWNLOAD = "download its files and name them instead"
_OF_THIS_MACHINE = (
    errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO, errno.EMFILE,
    errno.EISDIR, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG,
)  # fmt: skip
_NO_SPACE = re.compile(r"Not enough disk space|No space left on device")
"""The messages of `datasets` and `huggingface_hub` about a full disk without the system's error number."""


@contextmanager
def hub_dataset_errors(name: str, check: str) -> Iterator[None]:
    """Raise InputError or ServerError for the errors of `datasets` and `huggingface_hub` about ``name``.

    ``check`` begins the remedy for a name that does not exist, such as "check the name in KEY". Errors of
    this machine, such as a full disk, are raised as they are.
    """
    try:
        yield
    except NextsetError:
        raise
    except Exception as e:  # noqa: BLE001 – many kinds, from several libraries
        raise (_of_this_machine(e) or _named(name, check, e)) from None


def _of_this_machine(e: BaseException | None) -> OSError | None:
    """Return the error of this machine that ``e`` is, or that caused it; None if there is none."""
    while e is not None:
        if isinstance(e, PermissionError) or (isinstance(e, OSError) and e.errno in _OF_THIS_MACHINE):
            return e
        if _NO_SPACE.search(str(e)):
            why = str(e).splitlines()[0] if isinstance(e, OSError) else os.strerror(errno.ENOSPC)
            return OSError(errno.ENOSPC, redacted(why)[:200], "the cache of Hugging Face")
        e = e.__cause__
    return None


def _named(name: str, check: str, e: Exception) -> NextsetError:
    import httpx2
    from datasets.exceptions import DatasetNotFoundError, DatasetsError
    from huggingface_hub.errors import (
        GatedRepoError,
        HfHubHTTPError,
        HFValidationError,
        OfflineModeIsEnabled,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    if isinstance(e.__cause__, HfHubHTTPError | OfflineModeIsEnabled):  # `datasets` wraps them
        e = e.__cause__
    why = redacted((str(e).strip().splitlines() or [type(e).__name__])[0])[:200]
    if isinstance(e, OfflineModeIsEnabled):
        return ServerError(
            f"{name} is not on this machine, and the Hub is switched off by HF_HUB_OFFLINE",
            remedy=f"unset HF_HUB_OFFLINE, or {_DOWNLOAD}",
        )
    if isinstance(e, GatedRepoError):
        return InputError(f"{name} on the Hub is gated", remedy="ask for access, then run `hf auth login`")
    if isinstance(e, RevisionNotFoundError):
        return InputError(f"{name} on the Hub has no such revision", remedy=f"{check}: the part after the @")
    if isinstance(e, RepositoryNotFoundError | HFValidationError | DatasetNotFoundError):
        return InputError(
            f"there is no dataset {name} on the Hub",
            remedy=f"{check}; a private dataset needs `hf auth login`",
        )
    if isinstance(e, OSError | httpx2.HTTPError) and not isinstance(e, DatasetsError):
        return ServerError(
            f"{name} was not read: the Hub did not answer ({why})",
            remedy=f"run the command again, or {_DOWNLOAD}",
        )
    return InputError(f"{name} on the Hub cannot be read: {why}", remedy=_DOWNLOAD)

"""Errors of datasets on the Hub: one line and a remedy for what the libraries raise."""

from __future__ import annotations

import errno

import httpx2
import pyarrow as pa
import pytest
from datasets.exceptions import DataFilesNotFoundError, DatasetGenerationError, DatasetNotFoundError
from huggingface_hub.errors import (
    GatedRepoError,
    HfHubHTTPError,
    HFValidationError,
    OfflineModeIsEnabled,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)

from nextset.errors import InputError, NextsetError, ServerError
from nextset.hub_dataset_errors import hub_dataset_errors

_ANSWER = httpx2.Response(403, request=httpx2.Request("GET", "http://hub.test/api"))
_GATED = GatedRepoError("403 Forbidden", response=_ANSWER)
_MISSING = RepositoryNotFoundError("404", response=_ANSWER)


def _caused(e: Exception, cause: Exception) -> Exception:
    e.__cause__ = cause
    return e


CASES: list[tuple[Exception, type[NextsetError], str, str]] = [
    (_GATED, InputError, "org/set on the Hub is gated", "ask for access"),
    (
        _caused(DatasetNotFoundError("gone"), _GATED),
        InputError,
        "org/set on the Hub is gated",
        "ask for access",
    ),
    (_MISSING, InputError, "there is no dataset org/set on the Hub", "check the name in KEY; a private"),
    (
        _caused(DatasetNotFoundError("gone"), _MISSING),
        InputError,
        "there is no dataset org/set on the Hub",
        "hf auth login",
    ),
    (
        HFValidationError("bad id"),
        InputError,
        "there is no dataset org/set on the Hub",
        "check the name in KEY",
    ),
    (
        RevisionNotFoundError("404", response=_ANSWER),
        InputError,
        "org/set on the Hub has no such revision",
        "check the name in KEY: the part after the @",
    ),
    (OfflineModeIsEnabled("off"), ServerError, "switched off by HF_HUB_OFFLINE", "unset HF_HUB_OFFLINE"),
    (
        _caused(ConnectionError("Couldn't reach"), OfflineModeIsEnabled("off")),
        ServerError,
        "switched off by HF_HUB_OFFLINE",
        "unset HF_HUB_OFFLINE",
    ),
    (
        HfHubHTTPError("502 Bad Gateway", response=_ANSWER),
        ServerError,
        "did not answer (502 Bad Gateway)",
        "run the",
    ),
    (httpx2.ConnectError("refused\nmore"), ServerError, "the Hub did not answer (refused)", "run the"),
    (DataFilesNotFoundError("No files"), InputError, "cannot be read: No files", "download its files"),
    (pa.ArrowInvalid("not Parquet"), InputError, "cannot be read: not Parquet", "download its files"),
    (KeyError(), InputError, "cannot be read: KeyError", "download its files"),
]


@pytest.mark.parametrize(("raised", "kind", "problem", "remedy"), CASES)
def test_the_error_of_a_library(
    raised: Exception, kind: type[NextsetError], problem: str, remedy: str
) -> None:
    with pytest.raises(NextsetError) as found, hub_dataset_errors("org/set", "check the name in KEY"):
        raise raised
    assert type(found.value) is kind
    assert problem in found.value.message
    assert remedy in found.value.remedy


@pytest.mark.parametrize(
    "raised",
    [InputError("ours", remedy="stays"), OSError(errno.ENOSPC, "No space left"), PermissionError("cache")],
)
def test_errors_of_nextset_and_of_this_machine_stay(raised: Exception) -> None:
    with pytest.raises(type(raised)) as found, hub_dataset_errors("org/set", "check the name"):
        raise raised
    assert found.value is raised


_FULL = OSError(errno.ENOSPC, "No space left on device", "/cache/rows.arrow")


@pytest.mark.parametrize(
    ("raised", "said"),
    [
        (_caused(DatasetGenerationError("An error occurred"), _FULL), "No space left on device"),
        (OSError("Not enough disk space. Needed: 5 GB"), "Not enough disk space. Needed: 5 GB"),
        (RuntimeError("Data error: No space left on device (os error 28)"), "No space left on device"),
        (NotADirectoryError(errno.ENOTDIR, "Not a directory", "/cache"), "Not a directory"),
    ],
)
def test_a_full_disk_is_not_said_to_be_the_hub_or_its_data(raised: Exception, said: str) -> None:
    with pytest.raises(OSError, match=said) as found, hub_dataset_errors("org/set", "check the name"):
        raise raised
    assert not isinstance(found.value, NextsetError)
    assert found.value.filename

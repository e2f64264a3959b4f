"""Accounts for annotators, created through the server's invitation page as a person would do it."""

from __future__ import annotations

import re
import secrets
import subprocess
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from nextset.errors import ServerError
from nextset.validation.judgments.pseudonyms import identity
from nextset.validation.label_studio.api import LabelStudio
from nextset.validation.label_studio.http_retries import Unanswered
from nextset.validation.label_studio.installation import label_studio_command
from nextset.validation.label_studio.local_environment import server_environment
from nextset.validation.label_studio.local_owner import read_owner

__all__ = ["NewAccount", "login_name", "make_account", "renew_password"]

_EMAIL = re.compile(r"[^@\s\0]+@[^@\s\0]+")
_SECONDS = 120.0


@dataclass(frozen=True)
class NewAccount:
    """A new account's login data, to be given to the annotator: the password is not stored."""

    email: str
    """The login, in lower case."""
    password: str = field(repr=False)
    """A random password."""
    link: str
    """The link to the login page."""


def login_name(email: str) -> str:
    """Return ``email`` in lower case; raises ServerError if it is not an e-mail address."""
    email = email.strip().lower()
    if not _EMAIL.fullmatch(email) or len(email) > 255:
        raise ServerError(
            "an annotator's e-mail address is not valid",
            remedy="write it as NAME@HOST; it is only a login name and need not exist",
        )
    return email


def make_account(studio: LabelStudio, email: str) -> NewAccount | None:
    """Create an account for ``email``; return None if there is one already, which stays unchanged.

    Raises ServerError, without the address in its message, if Label Studio does not create the account.
    """
    email = login_name(email)
    if _exists(studio, email):
        return None
    password = _new_password()
    with suppress(Unanswered):  # the account may be created anyway
        _sign_up(studio, email, password)
    if not _exists(studio, email):
        raise ServerError(
            f"Label Studio at {studio.url} did not create the account",
            remedy="check that the token belongs to an owner, and that the e-mail address is well formed",
        )
    return NewAccount(email, password, studio.login())


def renew_password(data: Path, email: str) -> str:
    """Set and return a new random password for an account of the server with its data in ``data``.

    The server need not run. Raises ServerError if the account does not exist. Takes some seconds, since Label
    Studio itself does the work.
    """
    owner = read_owner(data)
    if owner is None:
        raise ServerError(
            f"{data} is not the data folder of a Label Studio that `validate serve` started",
            remedy="ask the person who runs the server to renew the password",
        )
    password = _new_password()
    done = subprocess.run(
        [str(label_studio_command()), "reset_password", "--username", email.strip().lower()],
        env=server_environment(data, owner),
        cwd=data,
        input=f"{password}\n",  # every user of this machine could see an argument
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=False,
        start_new_session=True,  # without a terminal, the password is read from standard input
    )
    if "successfully changed" not in done.stdout:
        missing = "not found" in done.stdout
        raise ServerError(
            "Label Studio has no such account" if missing else "Label Studio did not renew the password",
            remedy="look for the account in the list of annotators that `nextset validate serve` prints"
            if missing
            else f"check that {data} is the data folder of the right server",
        )
    return password


def _new_password() -> str:
    """Return 15 random characters, in groups that can be typed from paper."""
    letters = "abcdefghjkmnpqrstuvwxyz23456789"
    return "-".join("".join(secrets.choice(letters) for _ in range(5)) for _ in range(3))


def _exists(studio: LabelStudio, email: str) -> bool:
    return any(identity(account.email) == identity(email) for account in studio.accounts())


def _sign_up(studio: LabelStudio, email: str, password: str) -> None:
    """Fill in the page that the invitation leads to."""
    import httpx2

    invited = urlsplit(studio.get("/api/invite", fits=_is_invitation)["invite_url"])
    page = f"{invited.path}?{invited.query}"
    # No token is sent, and the cookies of the new account are discarded.
    try:
        with studio.without_token(60.0) as http:
            http.get(page).raise_for_status()
            csrf = http.cookies.get("csrftoken") or ""
            form = {"email": email, "password": password, "csrfmiddlewaretoken": csrf}
            # The client by itself would not send a secure cookie over the socket of an https server.
            headers = {"Referer": f"{studio.url}{page}", "Cookie": f"csrftoken={csrf}"}
            http.post(page, data=form, headers=headers)
    except httpx2.HTTPError as e:
        raise Unanswered(
            f"Label Studio at {studio.url} does not answer: {type(e).__name__}",
            remedy="check that the server is running, then run the same command again; nothing is duplicated",
        ) from None


def _is_invitation(reply: object) -> bool:
    return isinstance(reply, dict) and isinstance(reply.get("invite_url"), str)

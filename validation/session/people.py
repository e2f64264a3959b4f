"""Who takes part: accounts on the server become pseudonyms, and nothing else of them is kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from nextset.errors import ServerError
from validation.judgments.pseudonyms import pseudonym
from validation.server.accounts import Account

__all__ = ["Person", "identity", "people_of"]


@dataclass(frozen=True)
class Person:
    """An account and the pseudonym that stands for it."""

    email: str
    """The account's e-mail: printed for the organiser, never kept."""
    number: int
    """The account's number on the server."""
    pseudonym: str
    """What the study knows the person by."""
    account: str
    """Pseudonym of the account's number, by which exported files name the person."""


def identity(email: str) -> str:
    """What a person's pseudonym is made of: the same on every server, however the address is written."""
    return email.strip().casefold()


def people_of(accounts: Iterable[Account], key: bytes) -> Mapping[str, Person]:
    """The people behind ``accounts``, by `identity`."""
    return {
        identity(a.email): Person(
            a.email, a.number, pseudonym(identity(a.email), key), pseudonym(str(a.number), key)
        )
        for a in accounts
    }


def chosen(people: Mapping[str, Person], emails: Iterable[str]) -> list[Person]:
    """Those of ``people`` that ``emails`` name; raises ServerError with those that have no account."""
    wanted = {identity(email): email for email in emails}
    missing = [email for name, email in wanted.items() if name not in people]
    if missing:
        raise ServerError(
            f"no account on Label Studio: {', '.join(sorted(missing))}",
            remedy="make it with `nextset validate serve --annotator E-MAIL`, or invite the person on your server",
        )
    return [people[name] for name in wanted]

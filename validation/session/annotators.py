"""Annotators: accounts on the server become pseudonyms, and nothing else about them is stored."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from nextset.errors import ServerError, examples
from nextset.validation.judgments.pseudonyms import pseudonym
from nextset.validation.label_studio.api import Account

__all__ = ["AccountPseudonyms", "Person", "account_pseudonyms", "annotators", "identity", "people_of"]


@dataclass(frozen=True)
class Person:
    """An account and its pseudonym."""

    email: str
    """The account's e-mail: printed for the organiser, never kept."""
    number: int
    """The account's number on the server."""
    pseudonym: str
    """The name that the study uses for the person."""
    account: str
    """Pseudonym of the account's number, by which exported files name the person."""


def identity(email: str) -> str:
    """Return the text from which a pseudonym is made, the same on every server and in either case."""
    return email.strip().casefold()


def people_of(accounts: Iterable[Account], key: bytes) -> Mapping[str, Person]:
    """The people behind ``accounts``, by `identity`."""
    return {
        identity(a.email): Person(
            a.email, a.number, pseudonym(identity(a.email), key), pseudonym(str(a.number), key)
        )
        for a in accounts
    }


def annotators(
    people: Mapping[str, Person], emails: Iterable[str], here: Collection[str], local: Collection[str]
) -> list[Person]:
    """Return those of ``people`` whom ``emails`` name.

    If none is named: those who take part already (``here``, pseudonyms); else those of ``local``, the
    annotators for whom `validate serve` made accounts: people can make accounts on the server themselves.
    Raises ServerError if an account is missing, or no one is left.
    """
    wanted = {identity(email): email for email in emails}
    missing = [email for name, email in wanted.items() if name not in people]
    if missing:
        raise ServerError(
            f"Label Studio has no account for {examples(sorted(missing))}",
            remedy="add it with `nextset validate serve --annotator E-MAIL`; elsewhere, invite the person",
        )
    if wanted:
        return [people[name] for name in wanted]
    found = [p for p in people.values() if p.pseudonym in here]
    if not found:
        invited = {identity(email) for email in local}
        found = [p for name, p in people.items() if name in invited]
    if not found:
        raise ServerError(
            "no annotators are named",
            remedy="name each annotator's account with --annotator E-MAIL",
        )
    return found


@dataclass(frozen=True)
class AccountPseudonyms:
    """Pseudonyms by the numbers of accounts."""

    by_number: Mapping[int, str]
    """Pseudonyms of the accounts that the server has now."""
    key: bytes

    def pseudonym(self, number: str) -> str:
        """The pseudonym of account ``number``; of one that is gone, that of its number."""
        known = self.by_number.get(int(number)) if number.isascii() and number.isdigit() else None
        return known or pseudonym(number, self.key)


def account_pseudonyms(accounts: Iterable[Account], key: bytes) -> AccountPseudonyms:
    """The pseudonyms of ``accounts``."""
    return AccountPseudonyms({p.number: p.pseudonym for p in people_of(accounts, key).values()}, key)

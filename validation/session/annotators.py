"""Annotators: accounts on the server become pseudonyms, and nothing else about them is stored."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from nextset.errors import ServerError, examples
from nextset.validation.judgments.pseudonyms import identity, pseudonym
from nextset.validation.label_studio.api import Account

__all__ = ["AccountPseudonyms", "Person", "account_pseudonyms", "annotators", "people_of"]


@dataclass(frozen=True)
class Person:
    """An account and its pseudonym."""

    email: str
    """The account's e-mail: printed for the organiser, never stored."""
    number: int
    """The account's number on the server."""
    pseudonym: str
    """The name that the study uses for the person."""
    account: str
    """The pseudonym made from the account's number; exported files use it for the person."""


def people_of(accounts: Iterable[Account], key: bytes) -> Mapping[str, Person]:
    """Return the people with ``accounts``, by `identity`."""
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

    If ``emails`` is empty, return those who already take part (``here``, pseudonyms), else those in
    ``local``, the annotators for whom `validate serve` made accounts. Other accounts are not used, since
    people can make accounts on the server themselves. Raises ServerError if an account is missing or no one
    is found.
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
    chosen = [p for p in people.values() if p.pseudonym in here]
    if not chosen:
        invited = {identity(email) for email in local}
        chosen = [p for name, p in people.items() if name in invited]
    if not chosen:
        raise ServerError(
            "no annotators are named",
            remedy="name each annotator's account with --annotator E-MAIL",
        )
    return chosen


@dataclass(frozen=True)
class AccountPseudonyms:
    """The pseudonyms of accounts, by account number."""

    by_number: Mapping[int, str]
    """The pseudonyms of the accounts that are on the server now."""
    key: bytes

    def pseudonym(self, number: str) -> str:
        """Return the pseudonym of account ``number``, or for an account that is gone, of its number."""
        known = self.by_number.get(int(number)) if number.isascii() and number.isdigit() else None
        return known or pseudonym(number, self.key)


def account_pseudonyms(accounts: Iterable[Account], key: bytes) -> AccountPseudonyms:
    """Return the pseudonyms of ``accounts``."""
    return AccountPseudonyms({p.number: p.pseudonym for p in people_of(accounts, key).values()}, key)

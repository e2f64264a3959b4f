"""The person who sends a request, as Label Studio says from the login or token; kept for a while."""

from __future__ import annotations

import re
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

from nextset.validation.label_studio.http_retries import Unanswered

if TYPE_CHECKING:
    import httpx2

__all__ = ["SESSION_COOKIE", "Credentials", "Identities", "Person", "credentials"]

SESSION_COOKIE = "sessionid"
"""The name of Label Studio's login cookie."""

_SECONDS = 30.0
"""Seconds that an answer is kept."""
_MOST = 10_000
"""The most credentials whose answers are kept."""
_COOKIES = 100_000
"""The most cookies with a known login: Label Studio sets a new cookie with nearly every answer."""
_WHOAMI = "/api/current-user/whoami"
_LOGIN = re.compile(r"[!#-+\--:<-\[\]-~]*")
"""A cookie's value according to RFC 6265, section 4.1.1."""


@dataclass(frozen=True)
class Person:
    """An account on the server."""

    number: int
    """The account's number."""
    email: str
    """The e-mail, in lower case."""
    owner: bool
    """True if it is the account that runs the sessions."""


@dataclass(frozen=True)
class Credentials:
    """The credentials of a request: a token or a login. If there is a token, a login does not count."""

    token: str
    """The header Authorization; empty if there is none."""
    login: str
    """The login cookie; empty if there is none."""
    others: str = ""
    """The other cookies, as in the header Cookie."""

    def __repr__(self) -> str:
        return f"Credentials({self.digest})"

    @property
    def digest(self) -> str:
        """The hash under which the credentials are remembered."""
        text = f"token {self.token}" if self.token else f"login {self.login}"
        return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def credentials(authorization: str, cookie: str) -> Credentials:
    """Return the credentials in the headers Authorization and Cookie.

    A login has one form only. Django strips spaces, including those that it finds when it reads the bytes as
    UTF-8. With an additional space, an ended login would look like a new one, or the name of a second login
    cookie would be missed.
    """
    if authorization:
        return Credentials(authorization, "")
    login, others = "", []
    # read as Django does: other programs on the same host may set cookies that no standard allows
    for part in cookie.split(";"):
        name, _, value = part.partition("=")
        if not part.isascii():
            continue
        if name.strip() == SESSION_COOKIE:
            login = value.strip().strip('"')
            login = login if _LOGIN.fullmatch(login) else ""
        elif part.strip():
            others.append(part.strip())
    return Credentials("", login, "; ".join(others))


class Identities:
    """Asks Label Studio, through ``http``, who sent a request; ``owner`` is the owner's account number."""

    def __init__(
        self, http: httpx2.AsyncClient, owner: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._http, self._owner, self._clock = http, owner, clock
        self._known: OrderedDict[str, tuple[float, Person]] = OrderedDict()
        self._ended: OrderedDict[str, None] = OrderedDict()
        self._logins: OrderedDict[str, str] = OrderedDict()
        """The first cookie of the login that a cookie belongs to: one login can have several cookies."""

    async def who(self, given: Credentials) -> Person | None:
        """Return the person with these credentials, or None if they are not valid.

        Raises httpx2.RequestError or Unanswered if Label Studio does not answer.
        """
        if not (given.token or given.login) or given.digest in self._ended:
            return None
        at, person = self._known.get(given.digest, (0.0, None))
        if person is not None and self._clock() - at < _SECONDS:
            return person
        person = await self._asked(given)
        if person is None:
            self._known.pop(given.digest, None)
        else:
            self._keep(given, person)
        return person

    def remembers(self, given: Credentials) -> bool:
        """Return whether Label Studio once said whose credentials these are."""
        return given.digest in self._known

    def renew(self, before: Credentials, login: str) -> None:
        """Remember that Label Studio gave the person with the credentials ``before`` a new cookie.

        A cookie that arrives after the login was ended, in an answer that was already under way, is ended
        too.
        """
        after = Credentials("", login).digest
        if not (before.login and login) or after == before.digest or after in self._logins:
            return
        self._logins[after] = self._logins.get(before.digest, before.digest)
        while len(self._logins) > _COOKIES:
            self._logins.popitem(last=False)
        known = self._known.get(before.digest)
        if before.digest in self._ended:
            self._end(after)
        elif known is not None and after not in self._known:
            self._known[after] = known

    def end(self, given: Credentials) -> None:
        """Forget an ended login and refuse it from now on: Label Studio would still accept its cookie."""
        if not given.login:
            return
        first = self._logins.get(given.digest, given.digest)
        for digest in {
            given.digest,
            first,
            *(d for d, original in self._logins.items() if original == first),
        }:
            self._end(digest)

    def _end(self, digest: str) -> None:
        self._known.pop(digest, None)
        self._ended[digest] = None
        while len(self._ended) > _COOKIES:
            self._ended.popitem(last=False)

    def _keep(self, given: Credentials, person: Person) -> None:
        self._known[given.digest] = (self._clock(), person)
        self._known.move_to_end(given.digest)
        while len(self._known) > _MOST:
            self._known.popitem(last=False)

    async def _asked(self, given: Credentials) -> Person | None:
        name, value = (
            ("Authorization", given.token) if given.token else ("Cookie", f"{SESSION_COOKIE}={given.login}")
        )
        # as bytes, since they can be in any encoding
        answer = await self._http.get(_WHOAMI, headers={name.encode(): value.encode("latin-1")})
        if answer.status_code >= 500:  # for example while it starts: people need not log in again
            raise Unanswered(f"Label Studio answers {answer.status_code}", remedy="try again")
        if answer.status_code != 200:
            return None
        try:
            account = answer.json()
            number, email = int(account["id"]), str(account["email"])
        except (ValueError, KeyError, TypeError):
            return None
        return Person(number, email.strip().lower(), number == self._owner)

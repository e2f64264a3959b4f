"""Who asks: Label Studio says whose session or token a request carries; its answer is kept for a while."""

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
"""The name of Label Studio's cookie of a login."""

_SECONDS = 30.0
"""How long an answer is kept."""
_MOST = 10_000
"""People's credentials whose answers are kept."""
_COOKIES = 100_000
"""Cookies whose login is known: Label Studio gives a new one with nearly every answer."""
_WHOAMI = "/api/current-user/whoami"
_LOGIN = re.compile(r"[!#-+\--:<-\[\]-~]*")
"""A cookie's value by RFC 6265, section 4.1.1."""


@dataclass(frozen=True)
class Person:
    """An account on the server."""

    number: int
    """The account's number."""
    email: str
    """In lower case."""
    owner: bool
    """Whether it is the account that runs the sessions."""


@dataclass(frozen=True)
class Credentials:
    """What a request carries to say whose it is: a token or a login. With a token, a login does not count."""

    token: str
    """The header Authorization; empty if there is none."""
    login: str
    """The cookie of a login; empty if there is none."""
    others: str = ""
    """The other cookies, as the header Cookie has them."""

    def __repr__(self) -> str:
        return f"Credentials({self.digest})"

    @property
    def digest(self) -> str:
        """A hash by which they are remembered."""
        text = f"token {self.token}" if self.token else f"login {self.login}"
        return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def credentials(authorization: str, cookie: str) -> Credentials:
    """Return what the headers Authorization and Cookie carry.

    A login is in one form only. Django takes away spaces, also those that it finds when it reads the bytes as
    UTF-8: with one more, a login that was ended would be a new one, or the name of a second one be unseen.
    """
    if authorization:
        return Credentials(authorization, "")
    login, others = "", []
    # as Django reads it: pages of other programs on the same host may have cookies that no standard allows
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
    """Asks ``http``, Label Studio, who a request is from; ``owner`` is the number of the owner's account."""

    def __init__(
        self, http: httpx2.AsyncClient, owner: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._http, self._owner, self._clock = http, owner, clock
        self._known: OrderedDict[str, tuple[float, Person]] = OrderedDict()
        self._ended: OrderedDict[str, None] = OrderedDict()
        self._logins: OrderedDict[str, str] = OrderedDict()
        """The first cookie of the login that a cookie belongs to: it may give new ones."""

    async def who(self, given: Credentials) -> Person | None:
        """Return who a request with these credentials is from; None if it is from nobody.

        Raises httpx2.RequestError or Unanswered if Label Studio does not say.
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

    def renew(self, before: Credentials, login: str) -> None:
        """Remember that Label Studio gave the person with the credentials ``before`` a new cookie.

        A cookie that comes after the login was ended, in an answer that was under way, is ended too.
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
        """Forget a login that was ended, and take it for nobody's from now on: its cookie would still do."""
        if not given.login:
            return
        first = self._logins.get(given.digest, given.digest)
        for digest in {given.digest, first, *(d for d, of in self._logins.items() if of == first)}:
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
        # as bytes, whatever they are
        answer = await self._http.get(_WHOAMI, headers={name.encode(): value.encode("latin-1")})
        if answer.status_code >= 500:  # such as while it starts: nobody has to log in again for that
            raise Unanswered(f"Label Studio answers {answer.status_code}", remedy="try again")
        if answer.status_code != 200:
            return None
        try:
            said = answer.json()
            number, email = int(said["id"]), str(said["email"])
        except (ValueError, KeyError, TypeError):
            return None
        return Person(number, email.strip().lower(), number == self._owner)

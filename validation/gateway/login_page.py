"""Label Studio's login page: its language and additions, how people reach it, and the limit on attempts."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, quote

from starlette.datastructures import URL
from starlette.requests import Request
from starlette.responses import Response

from nextset.validation.gateway.annotator_requests import Refused
from nextset.validation.gateway.gateway import Gateway
from nextset.validation.gateway.own_pages import asset_address, message_page, with_head, wording_of
from nextset.validation.gateway.participations import Participation

if TYPE_CHECKING:
    import httpx2

__all__ = ["LOGIN", "account_of", "log_in", "login_address", "login_page", "translated"]

LOGIN = "/user/login/"
"""The path of the login page."""
_FORM_BEGINS = b'<div class="form-wrapper">'
_FIELDS = 20
"""The most fields of the login form."""
_FORM = re.compile(r"application/x-www-form-urlencoded(; ?charset=utf-8)?", re.IGNORECASE)
_LINK = re.compile(r"/nextset/session/([0-9A-Za-z]+)/?")
_YEAR = 365 * 24 * 3600


def login_address(url: URL) -> str:
    """Return the address of the login page, which leads back to ``url``."""
    path = url.path if not url.query else f"{url.path}?{url.query}"
    return f"{LOGIN}?next={quote(path, safe='/')}"


def account_of(content_type: str, body: bytes) -> str:
    """Return the account in a login form that was sent. Raises Refused if it cannot be read."""
    if not _FORM.fullmatch(content_type):
        raise Refused("the login form has a different content type, so its account cannot be read")
    try:
        form = dict(parse_qsl(body.decode("utf-8", errors="replace"), max_num_fields=_FIELDS))
    except ValueError:
        raise Refused("the login form has more fields than the page") from None
    return form.get("email", "").strip().lower()


async def log_in(
    gateway: Gateway, request: Request, account: str, send: Callable[[], Awaitable[httpx2.Response]]
) -> Response:
    """Return the answer to ``request``, a login form with ``account``.

    ``send`` sends the form to Label Studio. After too many attempts, it is not sent. After a login, a cookie
    makes the device a known one.
    """
    attempt = (account, gateway.sender(request), gateway.devices.device(account, request.cookies))
    if minutes := gateway.logins.wait(*attempt):
        part = await _session_of(gateway, request)
        text = wording_of(part).pages.too_many.format(minutes=minutes)
        query = f"?{request.url.query}" if request.url.query else ""
        return message_page(part, 429, text, link=f"{LOGIN}{query}")
    gateway.logins.begin(*attempt)
    answer = await send()
    if answer.status_code not in (301, 302, 303):
        return await login_page(gateway, request, answer)
    gateway.logins.succeeded(*attempt)
    response = gateway.upstream.streamed(answer)
    response.set_cookie(
        gateway.devices.name(account),
        gateway.devices.cookie(account, attempt[2]),
        max_age=_YEAR,
        path=LOGIN,
        secure=gateway.address.tls,
        httponly=True,
        samesite="strict",
    )
    return response


async def login_page(gateway: Gateway, request: Request, answer: httpx2.Response) -> Response:
    """Return Label Studio's login page with only the form, in the language of the session it leads to.

    If the session's link leads to the page, it also names the session's study and language.
    """
    style = f'<link rel="stylesheet" href="{escape(asset_address("login.css"))}">'
    page = with_head(await answer.aread(), style.encode())
    part = await _session_of(gateway, request)
    page = translated(page, part)
    if part is not None and part.key == _key(request):
        page = page.replace(_FORM_BEGINS, _FORM_BEGINS + _session_line(part).encode(), 1)
    return await gateway.upstream.whole(answer, page)


def _session_line(part: Participation) -> str:
    """Return the line with the study and the language of a session, as HTML."""
    wording = wording_of(part)
    name = f"<bdi>{escape(part.study)}</bdi>"
    text = name.join(map(escape, wording.pages.session.split("{study}")))
    return (
        f'<p class="nextset-session" lang="{escape(wording.language)}" dir="{wording.direction}">{text}</p>'
    )


async def _session_of(gateway: Gateway, request: Request) -> Participation | None:
    """Return a part in the session that the login leads to.

    Without a link of a session, it is one in an open session, if all of them are in the same language.
    """
    key, parts = _key(request), await gateway.known_parts()
    named = [part for part in parts if part.key == key]
    shown = named or [part for part in parts if part.open]
    return shown[-1] if len({part.language for part in shown}) == 1 else None


def _key(request: Request) -> str | None:
    """Return the key of the session whose link leads to the login."""
    link = _LINK.fullmatch(request.query_params.get("next", ""))
    return link[1] if link else None


def translated(page: bytes, part: Participation | None) -> bytes:
    """Return the page with the texts of its form in the language of ``part``."""
    wording = wording_of(part)
    words = wording.pages
    text = page.decode("utf-8", errors="surrogateescape")
    for pattern, word in (
        (r"(<title>)[^<]*(</title>)", words.log_in),
        (r"(<h2>)\s*Log in\s*(</h2>)", words.log_in),
        (r"(<label>)\s*Email Address\s*(</label>)", words.email),
        (r"(<label>)\s*Password\s*(</label>)", words.password),
        (r'(<label for="persist_session">)[^<]*(</label>)', words.stay_logged_in),
        (r'(<p class="error">)[^<]*(</p>)', words.wrong_login),
    ):
        text = re.sub(pattern, _in_tags(word), text)
    button = escape(words.log_in)
    text = re.sub(
        r'<button type="submit" aria-label="[^"]*" ([^>]*)>[^<]*</button>',
        lambda m: f'<button type="submit" aria-label="{button}" {m[1]}>{button}</button>',
        text,
    )
    tag = f'<html lang="{escape(wording.language)}" dir="{wording.direction}">'
    return re.sub(r"<html\b[^>]*>", tag, text, count=1).encode("utf-8", errors="surrogateescape")


def _in_tags(word: str) -> Callable[[re.Match[str]], str]:
    """Return a function that puts ``word`` between the two tags of a match."""
    return lambda match: match[1] + escape(word) + match[2]

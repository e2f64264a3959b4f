"""Label Studio's login page: how people reach it, its additions, and the limit on attempts to log in."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, quote

from starlette.datastructures import URL
from starlette.responses import Response

from nextset.validation.gateway.annotator_requests import Refused
from nextset.validation.gateway.gateway import Gateway
from nextset.validation.gateway.own_pages import asset_address, message_page, wording_of
from nextset.validation.gateway.page_head import with_head
from nextset.validation.gateway.participations import Participation

if TYPE_CHECKING:
    import httpx2

__all__ = ["LOGIN", "account_of", "log_in", "login_address", "login_page"]

LOGIN = "/user/login/"
"""The path of the login page."""
_LINK = re.compile(r"/nextset/session/([0-9a-f]+)")
_FORM_BEGINS = b'<div class="form-wrapper">'
_FIELDS = 20
"""The most fields of the login form."""
_FORM = re.compile(r"application/x-www-form-urlencoded(; ?charset=utf-8)?", re.IGNORECASE)


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
    gateway: Gateway,
    account: str,
    address: str,
    query: str,
    send: Callable[[], Awaitable[httpx2.Response]],
) -> Response:
    """Return the answer to a login form with ``account`` from the network ``address``.

    ``query`` is the query of its address. ``send`` sends the form to Label Studio. After too many attempts,
    it is not sent.
    """
    if minutes := gateway.logins.wait(account, address):
        return message_page(None, 429, wording_of(None).pages.too_many.format(minutes=minutes), link=LOGIN)
    gateway.logins.begin(account, address)
    answer = await send()
    if answer.status_code in (301, 302, 303):
        gateway.logins.succeeded(account, address)
        return gateway.upstream.streamed(answer)
    return await login_page(gateway, answer, query)


async def login_page(gateway: Gateway, answer: httpx2.Response, query: str) -> Response:
    """Return Label Studio's login page with only the form, so that it fits a phone.

    If ``query`` leads to the link of a session, the page names the session's study and language.
    """
    style = f'<link rel="stylesheet" href="{escape(asset_address("login.css"))}">'
    page = with_head(await answer.aread(), style.encode())
    link = _LINK.fullmatch(dict(parse_qsl(query)).get("next", ""))
    if link and (part := await gateway.part_of_link(link[1])):
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

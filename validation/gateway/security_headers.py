"""Headers on every answer that make browsers keep other sites away; cookies that are sent over TLS only."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["LABEL_STUDIO_POLICY", "OWN_POLICY", "Secured", "secured"]

# Label Studio's pages contain inline scripts and styles.
LABEL_STUDIO_POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self' 'unsafe-inline' blob:",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data:",
        "font-src 'self' data:",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
"""The content security policy of Label Studio's pages: nothing from or to another site."""

OWN_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
"""The content security policy of the gateway's own pages."""

_SET_HERE = {
    "content-security-policy": "",
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
_REMOVED = ("content-security-policy-report-only", "server", "strict-transport-security", "x-powered-by")
_SECURE = re.compile(r";\s*secure\b", re.IGNORECASE)


def secured(headers: Iterable[tuple[str, str]], policy: str, *, tls: bool) -> list[tuple[str, str]]:
    """Return an answer's ``headers`` plus those that keep other sites away; names are in lower case.

    No other site may read the answer, even if Label Studio would allow it. With ``tls``, cookies need TLS.
    """
    kept = []
    for name, value in headers:
        lower = name.lower()
        if lower in _SET_HERE or lower in _REMOVED or lower.startswith("access-control-"):
            continue
        if lower == "set-cookie" and tls and not _SECURE.search(value):
            value = f"{value}; Secure"
        kept.append((lower, value))
    kept += [(name, value or policy) for name, value in _SET_HERE.items()]
    if tls:
        kept.append(("strict-transport-security", "max-age=31536000"))
    return kept


class Secured:
    """The application ``app`` with these headers on each answer that lacks them, including errors."""

    def __init__(self, app: ASGIApp, *, tls: bool) -> None:
        self._app, self._tls = app, tls

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer an ASGI request."""

        async def send_secured(message: Message) -> None:
            if message["type"] == "http.response.start":
                named = [(n.decode("latin-1"), v.decode("latin-1")) for n, v in message["headers"]]
                if all(name.lower() != "content-security-policy" for name, _ in named):
                    kept = secured(named, OWN_POLICY, tls=self._tls)
                    headers = [(n.encode("latin-1"), v.encode("latin-1")) for n, v in kept]
                    message = {**message, "headers": headers}
            await send(message)

        await self._app(scope, receive, send_secured)

"""What a request's head must be before any route sees it: of one meaning, and not the doing of a web page."""

from __future__ import annotations

import ipaddress
import re
from http import HTTPStatus
from typing import TYPE_CHECKING

from claudemem_edge.errors import BadRequest, Forbidden
from claudemem_edge.transport.replies import JSON, HttpRefusal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from claudemem_edge.shapes.options import HttpOptions

ONCE = frozenset(
    {"authorization", "content-encoding", "content-type", "host", "origin", "sec-fetch-site", "x-claudemem-scope"}
)
"""Headers that decide something here: said twice, they would mean one thing to us and another to a proxy before us."""
VERSIONS = frozenset({"1.0", "1.1"})
HOST = re.compile(r"(?:\[(?P<six>[0-9a-f:.]+)\]|(?P<name>[a-z0-9_.-]+))(?::[0-9]{0,5})?")
OUR_OWN_PAGES = frozenset({"none", "same-origin"})
"""What a browser says of a request that a person typed, or that came from a page of ours."""
CLOSE = {"Connection": "close"}


def read_headers(pairs: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """Return the headers by name, their bytes as Latin-1. Raises BadRequest when one that decides is there twice."""
    headers: dict[str, str] = {}
    for raw_name, value in pairs:
        name = raw_name.decode("latin-1")
        if name in headers and name in ONCE:
            raise BadRequest(f"the header {name} came twice", hint="send it once")
        headers[name] = value.decode("latin-1")
    return headers


def check_sender(headers: Mapping[str, str], options: HttpOptions) -> None:
    """Refuse names that are not ours (a page that rebinds its own name to us) and pages from elsewhere.

    Raises Forbidden.
    """
    host = headers.get("host", "").lower()
    name = host_name(host)
    listed = {host_name(one.lower()) for one in options.allowed_hosts} - {""}
    if not _is_loopback(name) and name not in listed:
        raise Forbidden("this Host is not served here", hint="call 127.0.0.1, or list the name in http.allowed_hosts")
    origin = headers.get("origin", "").lower()
    if origin and origin in {one.lower().rstrip("/") for one in options.allowed_origins}:
        return
    from_page = origin not in {"", f"http://{host}", f"https://{host}"}
    if from_page or headers.get("sec-fetch-site", "none") not in OUR_OWN_PAGES:
        raise Forbidden("pages from elsewhere may not call this", hint="list the origin in http.allowed_origins")


def check_version(version: str) -> None:
    """Refuse what is spoken in another HTTP than ours. Raises HttpRefusal."""
    if version not in VERSIONS:
        raise HttpRefusal(
            HTTPStatus.HTTP_VERSION_NOT_SUPPORTED,
            BadRequest.code,
            "this version of HTTP is not spoken here",
            hint="send HTTP/1.1",
            headers=CLOSE,
        )


def check_length(headers: Mapping[str, str]) -> None:
    """Refuse a body that a proxy before us may take for a longer or shorter one. Raises HttpRefusal."""
    if "content-length" in headers and "transfer-encoding" in headers:
        raise HttpRefusal(
            HTTPStatus.BAD_REQUEST,
            BadRequest.code,
            "the body has two lengths",
            hint="send Content-Length or Transfer-Encoding, not both",
            headers=CLOSE,
        )


def check_kind(headers: Mapping[str, str], *, named_json: bool) -> None:
    """Refuse bodies that are packed, and with `named_json` those that do not say they are JSON. Raises HttpRefusal."""
    if headers.get("content-encoding", "identity").strip().lower() != "identity":
        raise HttpRefusal(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            BadRequest.code,
            "compressed bodies are not read here",
            hint="send the body as it is, without Content-Encoding",
        )
    if named_json and headers.get("content-type", "").partition(";")[0].strip().lower() != JSON:
        raise HttpRefusal(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            BadRequest.code,
            "the body must be sent as application/json",
            hint="add the header Content-Type: application/json",
        )


def host_name(host: str) -> str:
    """Return the name in a Host header (in small letters), without port, brackets and last dot; "" if it is none."""
    found = HOST.fullmatch(host)
    return (found["six"] or found["name"]).removesuffix(".") if found is not None else ""


def _is_loopback(name: str) -> bool:
    if name == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False

"""Runs every check at the same time, each within its own time."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from claudemem_edge.doctor import access, hardware, storage
from claudemem_edge.doctor.broker import broker
from claudemem_edge.doctor.finding import Finding, warning
from claudemem_edge.doctor.machine import Installation, Machine
from claudemem_edge.doctor.ollama import ollama
from claudemem_edge.doctor.running import daemon
from claudemem_edge.errors import SettingsError
from claudemem_edge.settings import Settings, read_settings, settings_files
from claudemem_edge.transport.address import socket_path

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Local = Callable[[Installation], Iterator[Finding]]
"""A check that reads files."""
Remote = Callable[[Installation], AsyncIterator[Finding]]
"""A check that asks other programs."""


@dataclass(slots=True, frozen=True)
class Check:
    """One subject, and the seconds it may take."""

    name: str
    timeout_s: float
    local: Local | None = None
    remote: Remote | None = None


CHECKS = (
    Check("ollama", 60.0, remote=ollama),
    Check("broker", 30.0, remote=broker),
    Check("daemon", 10.0, remote=daemon),
    Check("socket", 5.0, access.socket),
    Check("settings", 5.0, access.settings),
    Check("swap", 5.0, storage.swap),
    Check("core", 5.0, storage.core),
    Check("journal", 5.0, storage.journal),
    Check("clock", 5.0, hardware.clock),
    Check("processor", 5.0, hardware.processor),
    Check("memory", 5.0, hardware.memory),
)


def installation(
    machine: Machine | None = None, *, socket: str = "", overrides: Mapping[str, object] | None = None
) -> Installation:
    """Return what is to be looked at. Wrong settings are kept as mistakes, with the defaults in their place."""
    machine = machine or Machine()
    mistakes: tuple[str, ...] = ()
    try:
        settings = read_settings(machine.environment, overrides)
    except SettingsError as error:
        settings, mistakes = Settings(), error.problems
    path = socket_path(socket or settings.http.socket)
    return Installation(machine, settings, path, mistakes, tuple(settings_files(machine.environment)))


async def examine(it: Installation, checks: Sequence[Check] = CHECKS) -> list[tuple[str, list[Finding]]]:
    """Return what each check found, in the order of the checks. What a check found before its time ran out stands."""
    return list(await asyncio.gather(*(_within(check, it) for check in checks)))


async def _within(check: Check, it: Installation) -> tuple[str, list[Finding]]:
    found: list[Finding] = []
    try:
        async with asyncio.timeout(check.timeout_s):
            if check.remote is not None:
                async for finding in check.remote(it):
                    found.append(finding)  # noqa: PERF401 (what was found before the time ran out must stand)
            if check.local is not None:
                found.extend(await _aside(check.local, it))
    except TimeoutError:
        found.append(warning("check_late", name=check.name, limit_s=f"{check.timeout_s:g}"))
    except Exception as error:  # noqa: BLE001 (one check that fails must not hide what the others found)
        found.append(warning("check_failed", name=check.name, error=type(error).__name__))
    return check.name, found


async def _aside(local: Local, it: Installation) -> list[Finding]:
    """Run a check in a thread that nobody waits for once its time is over: a file may hang, too."""
    loop = asyncio.get_running_loop()
    result: asyncio.Future[list[Finding]] = loop.create_future()

    def tell(found: list[Finding], error: Exception | None) -> None:
        if result.done():
            return
        if error is None:
            result.set_result(found)
        else:
            result.set_exception(error)

    def work() -> None:
        found: list[Finding] = []
        failure: Exception | None = None
        try:
            found.extend(local(it))
        except Exception as error:  # noqa: BLE001 (told to the caller)
            failure = error
        if not loop.is_closed():
            loop.call_soon_threadsafe(tell, found, failure)

    threading.Thread(target=work, daemon=True).start()
    return await result

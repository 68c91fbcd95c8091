"""Builds every part, starts them, watches, and stops them in reverse."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import os
import signal
import sys
from typing import TYPE_CHECKING

from claudemem_edge.alarm import Alarm
from claudemem_edge.counters import Counters
from claudemem_edge.errors import SettingsError
from claudemem_edge.hardening import close_to_others, lock_memory
from claudemem_edge.language.load import load
from claudemem_edge.log import log_failure, set_up_log, told
from claudemem_edge.memory import Memory
from claudemem_edge.model.watch import watch
from claudemem_edge.notices import Notices
from claudemem_edge.sessions import Sessions
from claudemem_edge.sessions.clock import Clock
from claudemem_edge.sessions.self_test import self_test
from claudemem_edge.settings import EX_CONFIG
from claudemem_edge.systemd_notify import SystemdNotify
from claudemem_edge.transport.health import Health
from claudemem_edge.transport.http import HttpDoor

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from datetime import tzinfo

    from claudemem_edge.model.client import ModelClient
    from claudemem_edge.settings import Settings
    from claudemem_edge.shapes.times import Moment

logger = logging.getLogger(__name__)
SELF_TESTS_PER_WATCHDOG = 3
"""So that one that failed, or came late, has another before the service manager gives us up."""


def language_model(settings: Settings) -> ModelClient:
    """Return the client of the language model, or the echo that stands in for one."""
    if settings.model.echo:
        from claudemem_edge.model.echo import EchoModel  # noqa: PLC0415 (only for trying things out)

        return EchoModel()  # type: ignore[return-value]  # has the same face
    from claudemem_edge.model.client import ModelClient  # noqa: PLC0415 (not beside the echo)

    return ModelClient(settings.model)


class Daemon:
    """The whole program. Building it opens nothing; `run` does everything. Raises PackError."""

    def __init__(self, settings: Settings, clock: Callable[[tzinfo], Moment] | None = None) -> None:
        self._settings = settings
        language = settings.language
        load(language.languages, language.packs, language.folders)  # a broken pack shows now, not at the first word
        self._counters = Counters()
        self._model = language_model(settings)
        self._notices = Notices()
        self._sessions = Sessions(
            self._model,
            new_memory=self._new_memory,
            options=settings.sessions,
            turn_options=settings.turn,
            zone=settings.zone(),
            clock=clock or Clock(settings.clock.trusted),
            counters=self._counters,
        )
        self._sessions.listeners = self._notices.listeners
        self._alarm = Alarm(self._sessions, self._notices, settings.alarm)
        self._health = Health(self._sessions, self._model, self._counters)
        self._systemd = SystemdNotify()
        self._stop = asyncio.Event()

    def _new_memory(self) -> Memory:
        language = self._settings.language
        return Memory(language.languages, language.packs, folders=language.folders, options=self._settings.memory)

    async def run(self, *, stop_with_input: bool = False) -> int:
        """Serve until a signal (or the end of standard input) comes. Return the exit status."""
        log = self._settings.log
        set_up_log(log.level, log_text=log.log_text, log_access=log.access)
        close_to_others()
        if self._settings.process.lock_memory and (problem := lock_memory()):
            logger.warning("process.lock_memory: %s", problem)
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(log_failure)
        for one in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(one, self._stop.set)
        if stop_with_input:
            loop.add_reader(sys.stdin, self._on_input)
        try:
            async with self._serving():
                await self._stop.wait()
                self._systemd.stopping()
        except SettingsError as error:
            logger.error("%s", error)  # noqa: TRY400 (a sentence for the owner, not a traceback)
            return EX_CONFIG
        return 0

    def _on_input(self) -> None:
        if not os.read(sys.stdin.fileno(), 4096):
            self._stop.set()

    @contextlib.asynccontextmanager
    async def _serving(self) -> AsyncIterator[None]:
        """Everything in the order of its start; what is left in reverse is the order of stopping."""
        http = HttpDoor(
            self._settings.http,
            self._sessions,
            self._notices,
            self._model,
            self._health,
            deadline_s=self._settings.turn.deadline_s,
        )
        async with contextlib.AsyncExitStack() as stack:
            stack.push_async_callback(self._model.aclose)
            await http.start()
            stack.push_async_callback(http.stop)
            await self._start_mqtt(stack)
            stack.callback(self._notices.close)
            stack.push_async_callback(self._sessions.stop)
            looking = watch(self._model, self._settings.model.check_every_s, lambda: self._sessions.queue > 0)
            for name, work in (("alarm", self._alarm.run()), ("watchdog", self._watch()), ("model", looking)):
                stack.push_async_callback(_end, asyncio.create_task(work, name=name))
            self._systemd.ready(self._health.line())
            settle()
            logger.info("listening on %s", " and ".join(http.addresses))
            yield
            logger.info("stopping")

    async def _start_mqtt(self, stack: contextlib.AsyncExitStack) -> None:
        if not self._settings.mqtt.enabled:
            return
        from claudemem_edge.transport.mqtt import MqttDoor  # noqa: PLC0415 (only where there is a broker)

        door = MqttDoor(
            self._settings.mqtt,
            self._sessions,
            self._notices,
            self._health,
            counters=self._counters,
            deadline_s=self._settings.turn.deadline_s,
        )
        await door.start()
        stack.push_async_callback(door.stop)
        self._health.mqtt = door.status

    async def _watch(self) -> None:
        """Feed the watchdog, each time after a turn of our own has gone well."""
        pause_s = self._systemd.watchdog_s / SELF_TESTS_PER_WATCHDOG
        while pause_s:
            await asyncio.sleep(pause_s)
            try:
                async with asyncio.timeout(pause_s):
                    await self.self_test()
            except Exception as error:  # noqa: BLE001 (whatever it is, we are not well, and the next one may be)
                logger.error("the self-test failed: %s", told(error))  # noqa: TRY400 (a traceback may hold words)
            else:
                self._systemd.watchdog(self._health.line())

    async def self_test(self) -> None:
        """Play a turn, from the words to the answer, in memories of its own. Raises what goes wrong."""
        language = self._settings.language
        await self_test(
            lambda: Memory(language.languages, language.packs, folders=language.folders), self._settings.zone()
        )


def settle() -> None:
    """Have the garbage collector look at what talk makes from now on, and no longer at modules and packs.

    A full collection took 20 ms here, in the middle of somebody's answer, and found nothing.
    """
    gc.collect()
    gc.freeze()
    gc.enable()


async def _end(task: asyncio.Task[None]) -> None:
    """Cancel a task and wait for it; what it failed with is logged by kind."""
    task.cancel()
    (failure,) = await asyncio.gather(task, return_exceptions=True)
    if isinstance(failure, Exception):
        logger.error("%s ended early: %s", task.get_name(), type(failure).__name__)

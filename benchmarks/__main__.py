"""`python -m benchmarks` lists the benchmarks; `python -m benchmarks NAME [ARGUMENT ...]` runs one and prints JSON."""

from __future__ import annotations

import importlib
import json
import pkgutil
import sys

import benchmarks


def names() -> list[str]:
    """Return the names of all benchmarks."""
    return sorted(one.name for one in pkgutil.iter_modules(benchmarks.__path__) if not one.name.startswith("_"))


def main(arguments: list[str]) -> int:
    """List, or run one."""
    if not arguments or arguments[0] in {"-h", "--help"}:
        for name in names():
            about = (importlib.import_module(f"benchmarks.{name}").__doc__ or "").split("\n", 1)[0]
            print(f"{name:18} {about}")
        return 0
    name, *rest = arguments
    if name not in names():
        print(f"no benchmark {name}; there are {', '.join(names())}", file=sys.stderr)
        return 2
    found = importlib.import_module(f"benchmarks.{name}").run(rest)
    print(json.dumps({"benchmark": name, **found}, ensure_ascii=False, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Makes what programs without an event loop use of what those with one use, which is written by hand.

    python3 tools/unasync.py          writes src/sandglass/_sync
    python3 tools/unasync.py --check  says what of it is not as it would be written, and fails
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Dict

SOURCES = Path(__file__).resolve().parent.parent / "src" / "sandglass"
BY_HAND = {"__init__.py", "line.py", "concurrency.py"}
"""What differs in more than words."""

RULES = [
    (r"\basync (def|with|for)\b", r"\1"),
    (r"\bawait ", ""),
    (r"\b([Aa])n (:class:`|``)?Async", r"\1 \2"),
    (r"\ban ``(with|for)", r"a ``\1"),
    (r"\bAsync(?=[A-Z])", ""),
    (r"\b__a(enter|exit|iter)__\b", r"__\1__"),
    (r"\b__anext__\b", "__next__"),
    (r"\bStopAsyncIteration\b", "StopIteration"),
]


def made() -> Dict[Path, str]:
    """All files that are made, with what they have."""
    found = {}
    for source in sorted((SOURCES / "_async").glob("*.py")):
        if source.name not in BY_HAND:
            text = source.read_text(encoding="utf-8")
            for pattern, replacement in RULES:
                text = re.sub(pattern, replacement, text)
            found[SOURCES / "_sync" / source.name] = f"# Made of _async/{source.name} by tools/unasync.py: change that one.\n{text}"
    return found


def main() -> int:
    wanted = made()
    there = {path for path in (SOURCES / "_sync").glob("*.py") if path.name not in BY_HAND}
    stale = [path for path, text in wanted.items() if path not in there or path.read_text(encoding="utf-8") != text]
    stale += sorted(there - set(wanted))
    if "--check" in sys.argv[1:]:
        for path in stale:
            print(f"{path} is stale: run tools/unasync.py")
        return 1 if stale else 0
    for path in stale:
        if path in wanted:
            path.write_text(wanted[path], encoding="utf-8")
        else:
            path.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())

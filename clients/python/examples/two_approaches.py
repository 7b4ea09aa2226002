"""Two approaches in parallel from one snapshot: the better one is kept, with all that it did, and the other is gone."""

from __future__ import annotations

from sandglass import Sandbox

SLOW = """
def count(text):
    return {word: text.split().count(word) for word in set(text.split())}
"""
QUICK = """
from collections import Counter

def count(text):
    return Counter(text.split())
"""
MEASURE = """
import time
from words import count

text = "one two two three three three " * 50 + " ".join(str(number) for number in range(1500))
begun = time.perf_counter()
assert count(text)["three"] == 150
print(1 / (time.perf_counter() - begun))
"""


def with_split(sandbox: Sandbox) -> None:
    """The first approach."""
    sandbox.files.write("/srv/words.py", SLOW)


def with_counter(sandbox: Sandbox) -> None:
    """The second one."""
    sandbox.files.write("/srv/words.py", QUICK)


def main() -> None:
    with Sandbox.create(memory_mb=256) as sandbox:
        sandbox.files.write("/srv/measure.py", MEASURE)
        snapshot = sandbox.create_snapshot(disk_only=True)
    try:
        race = Sandbox.race_snapshot(snapshot, with_split, with_counter, score="python3 /srv/measure.py")
    finally:
        Sandbox.delete_snapshot(snapshot)
    if race.winner is None:
        raise RuntimeError("no approach works: " + "; ".join(branch.stderr for branch in race.branches))
    with race.winner as winner:
        for branch in race.branches:
            print(f"approach {branch.branch}: {branch.outcome}, {'kept' if branch.kept else 'gone'}")
        print("the winner uses a Counter:", "Counter" in winner.files.read("/srv/words.py"))


if __name__ == "__main__":
    main()

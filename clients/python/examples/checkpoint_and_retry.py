"""Checkpoint, fail, restore, retry: a step that breaks its machine costs no more than the step."""

from __future__ import annotations

from typing import List

from sandglass import CommandFailedError, Sandbox

STEPS = [
    ["mkdir -p /srv/app && echo 'print(6 * 7)' > /srv/app/main.py"],
    # The first way leaves a mess behind, the second does it.
    ["rm -rf /srv/app/*; echo 'print(6 * ' > /srv/app/main.py; python3 /srv/app/main.py", "echo 'print(6 * 7 + 1)' > /srv/app/main.py"],
    ["python3 /srv/app/main.py > /srv/app/answer"],
]


def do(sandbox: Sandbox, ways: List[str]) -> None:
    """One step: each way begins with what the step before has left."""
    checkpoint = sandbox.create_snapshot(disk_only=True)
    try:
        for way in ways:
            try:
                sandbox.commands.run(way, check=True)
                print(f"did: {way}")
                return
            except CommandFailedError as failed:
                print(f"failed with {failed.result.exit_code}, and turned back: {way}")
                sandbox.rewind(checkpoint)
        raise RuntimeError("no way is left")
    finally:
        Sandbox.delete_snapshot(checkpoint)


def main() -> None:
    with Sandbox.create(memory_mb=256) as sandbox:
        for ways in STEPS:
            do(sandbox, ways)
        print("the answer is", sandbox.files.read("/srv/app/answer").strip())


if __name__ == "__main__":
    main()

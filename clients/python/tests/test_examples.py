"""The examples do what they say, and leave nothing behind."""

import os
import subprocess
import sys
import unittest

from support import CLIENT

from sandglass import Sandbox

PRINTED = {
    "ready_machines.py": ["item-7 costs 21; sales in this machine: 1", "item-700 costs 2100; sales in this machine: 1", "prices: 21, 210, 2100"],
    "checkpoint_and_retry.py": ["failed with 1, and turned back: rm -rf", "did: python3 /srv/app/main.py", "the answer is 43"],
    "two_approaches.py": ["approach 1: succeeded, gone", "approach 2: succeeded, kept", "the winner uses a Counter: True"],
    "dark_mode.py": ["before: light, without a button", "after:  dark, with a button", "again:  light, without a button", "the backup is back too: True"],
}


class ExampleTest(unittest.TestCase):
    def test_each_does_what_it_says_and_leaves_nothing(self):
        self.assertEqual(sorted(PRINTED), sorted(path.name for path in (CLIENT / "examples").glob("*.py")))
        before = left()
        for name, lines in PRINTED.items():
            with self.subTest(name):
                done = subprocess.run(
                    [sys.executable, str(CLIENT / "examples" / name)],
                    env={**os.environ, "PYTHONPATH": str(CLIENT / "src")},
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                    timeout=600,
                )
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                for line in lines:
                    self.assertIn(line, done.stdout)
                self.assertEqual(left(), before)


def left():
    return sorted(info.name for info in Sandbox.list()), sorted(each.snapshot_id for each in Sandbox.list_snapshots())


if __name__ == "__main__":
    unittest.main()

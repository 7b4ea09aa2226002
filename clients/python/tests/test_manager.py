"""Sandboxes and snapshots by names that the caller chooses."""

import os
import unittest

from support import OWN_DAEMON, SandboxTest, on_each_runtime, unique

from sandglass import Sandbox, SandboxManager, SandboxNotFoundError, SnapshotNotFoundError
from sandglass._target import Target


class ManagerTest(SandboxTest):
    @on_each_runtime
    def test_a_state_is_kept_by_name_and_restored(self, runtime):
        manager = SandboxManager()
        name, state = unique("agent"), unique("initial-state")
        with manager.start_sandbox(name, runtime=runtime, memory_mb=256) as box:
            self.assertEqual(box.run_cmd("echo 'before' > /root/file; echo oops >&2; exit 3"), {"output": "", "error": "oops\n", "exit_code": 3})
            self.assertEqual(manager.snapshot(vm_name=name, snapshot_id=state), state)
            self.snapshot_goes(state)
            box.run_cmd("echo 'after' > /root/file")
            turned = manager.restore(vm_name=name, snapshot_id=state)
            self.assertEqual((turned.sandbox_id, turned.run_cmd("cat /root/file")["output"]), (box.sandbox_id, "before\n"))
            box.destroy()
            made = manager.restore(name, state)
            self.addCleanup(made.destroy)
            self.assertNotEqual(made.sandbox_id, box.sandbox_id)
            self.assertEqual((made.name, made.run_cmd("cat /root/file")["output"]), (name, "before\n"))
            self.assertIn(made.sandbox_id, [each.sandbox_id for each in manager.list_all()])
            other = made.snapshot()
            self.snapshot_goes(other)
            self.assertTrue(other.startswith("snap-"))

    def test_what_is_not_there_is_told(self):
        manager = SandboxManager()
        box = manager.start_sandbox(unique("here"), runtime="container", memory_mb=128)
        self.addCleanup(box.destroy)
        with self.assertRaises(SnapshotNotFoundError):
            manager.restore(box.name, "no-such-snapshot")
        with self.assertRaises(SnapshotNotFoundError):
            manager.restore(unique("nobody"), "no-such-snapshot")
        with self.assertRaises(SandboxNotFoundError):
            manager.snapshot(unique("nobody"), "x")
        with self.assertRaises(SandboxNotFoundError, msg="the beginning of an id is nobody's name"):
            manager.get(box.sandbox_id[:9])

    @unittest.skipUnless(OWN_DAEMON, "the daemon may have sandboxes that are not of these tests")
    def test_all_are_listed_and_destroyed(self):
        target = Target.find(None, None, os.environ)
        manager = SandboxManager("unix://" + target.socket if target.socket else str(target), target.token)
        made = [manager.start_sandbox(unique("all"), runtime="container", memory_mb=64, network="none") for _ in range(3)]
        self.assertLessEqual({each.sandbox_id for each in made}, {each.sandbox_id for each in manager.list_all()})
        manager.destroy_all()
        self.assertEqual(manager.list_all(), [])
        self.assertEqual(list(Sandbox.list()), [])


if __name__ == "__main__":
    unittest.main()

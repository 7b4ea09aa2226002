"""Snapshots, copies and ways back."""

import os
import tempfile
import unittest
from datetime import datetime, timedelta, timezone

from support import SandboxTest, on_each_runtime, runtimes, unique

from sandglass import NameTakenError, Sandbox, SandglassError, SnapshotNotFoundError


class SnapshotTest(SandboxTest):
    @on_each_runtime
    def test_a_snapshot_tells_when_it_was_taken_and_of_what(self, runtime):
        box = self.sandbox(runtime=runtime)
        name = unique("kept")
        before = datetime.now(timezone.utc)
        taken = box.create_snapshot(name, description="before", metadata={"of": name})
        self.snapshot_goes(name)
        self.assertEqual((taken.name, taken.sandbox_id, taken.state, taken.description), (name, box.sandbox_id, "ready", "before"))
        self.assertEqual(taken.kind, "full" if runtime == "gvisor" else taken.kind)
        self.assertEqual(taken.created_at.utcoffset(), timedelta(0))
        self.assertLess(abs(taken.created_at - before), timedelta(minutes=10))
        for found in (Sandbox.get_snapshot(name), Sandbox.get_snapshot(taken), *Sandbox.list_snapshots(metadata={"of": name})):
            self.assertEqual((found.snapshot_id, found.created_at, found.sandbox_id), (taken.snapshot_id, taken.created_at, box.sandbox_id))
        self.assertEqual(Sandbox.verify_snapshot(taken).state, "ready")
        with self.assertRaises(NameTakenError):
            box.create_snapshot(name, disk_only=True)
        Sandbox.delete_snapshot(name)
        with self.assertRaises(SnapshotNotFoundError):
            Sandbox.get_snapshot(name)

    def test_pages_hold_all_of_them_while_they_come_and_go(self):
        box = self.sandbox()
        label = {"pages": unique("all")}
        taken = [box.create_snapshot(metadata=label, disk_only=True) for _ in range(7)]
        for each in taken:
            self.snapshot_goes(each.snapshot_id)
        ids = [each.snapshot_id for each in taken]
        self.assertEqual([each.snapshot_id for each in Sandbox.list_snapshots(limit=20, metadata=label)], ids)
        self.assertEqual([each.snapshot_id for each in Sandbox.list_snapshots(limit=2, metadata=label)], ids)
        pages = Sandbox.list_snapshots(limit=3, metadata=label)
        seen = [each.snapshot_id for each in pages.next_items()]
        Sandbox.delete_snapshot(ids[2])  # the last of that page, and one of the next
        Sandbox.delete_snapshot(ids[3])
        late = box.create_snapshot(metadata=label, disk_only=True)
        self.snapshot_goes(late.snapshot_id)
        self.assertTrue(pages.has_next)
        seen += [each.snapshot_id for each in pages]
        self.assertEqual(seen, [*ids[:3], *ids[4:], late.snapshot_id])
        self.assertFalse(pages.has_next)

    @on_each_runtime
    def test_any_number_begin_with_one_and_go_their_own_ways(self, runtime):
        box = self.sandbox(runtime=runtime)
        box.files.write("/root/state", "ready")
        taken = box.create_snapshot()
        self.snapshot_goes(taken.snapshot_id)
        box.files.write("/root/state", "later")
        copies = [self.sandbox(runtime=runtime, snapshot_id=taken.snapshot_id) for _ in range(2)]
        copies += Sandbox.fork_snapshot(taken, 2, envs={"WHO": "a copy"}, metadata={"made": "by fork"})
        for number, copy in enumerate(copies):
            self.addCleanup(copy.kill)
            self.assertEqual(copy.files.read("/root/state"), "ready")
            copy.files.write("/root/state", str(number))
        self.assertEqual([copy.files.read("/root/state") for copy in copies], ["0", "1", "2", "3"])
        self.assertEqual(copies[2].commands.run("echo $WHO").stdout, "a copy\n")
        self.assertEqual(copies[3].get_info().metadata, {"made": "by fork"})
        self.assertEqual(box.files.read("/root/state"), "later")

    @on_each_runtime
    def test_a_way_back_and_forth(self, runtime):
        box = self.sandbox(runtime=runtime)
        box.files.write("/root/state", "good")
        good = box.create_snapshot(disk_only=runtime == "container")
        self.snapshot_goes(good.snapshot_id)
        box.files.write("/root/state", "bad")
        box.files.write("/root/more", "bad")
        changed = box.diff(good, text=True)
        self.assertEqual({each.path: each.change for each in changed.files if each.path.startswith("/root/")}, {"/root/state": "changed", "/root/more": "added"})
        self.assertIn("-good", next(each.text for each in changed.files if each.path == "/root/state"))
        box.rewind(good)
        self.assertEqual((box.files.read("/root/state"), box.files.exists("/root/more")), ("good", False))
        self.assertIn(good.snapshot_id, [step.snapshot.snapshot_id for step in box.history() if step.snapshot])
        box.undo_rewind()
        self.assertEqual(box.files.read("/root/state"), "bad")
        with self.assertRaises(SnapshotNotFoundError):
            box.rewind("no-such-snapshot")
        self.assertEqual(box.files.read("/root/state"), "bad")

    def test_processes_come_along_where_the_runtime_can(self):
        if "gvisor" not in runtimes():
            self.skipTest("no runtime here keeps processes")
        box = self.sandbox(runtime="gvisor")
        box.commands.run("n=0; while :; do n=$((n+1)); echo $n > /root/n; sleep 0.05; done", background=True)
        copies = box.fork(2)
        for copy in copies:
            self.addCleanup(copy.kill)
            first = int(copy.commands.run("cat /root/n").stdout or 0)
            self.assertEqual(copy.commands.run(f"until [ $(cat /root/n || echo 0) -gt {first} ]; do sleep 0.05; done; echo counts").stdout, "counts\n")

    def test_one_goes_as_a_file_and_comes_back(self):
        box = self.sandbox()
        box.files.write("/root/state", "travels")
        taken = box.create_snapshot(unique("file"), disk_only=True)
        self.snapshot_goes(taken.snapshot_id)
        told = []
        with tempfile.TemporaryDirectory() as directory:
            file = os.path.join(directory, "snapshot.sgs")
            Sandbox.export_snapshot(taken, file, thin=True, on_progress=lambda done, total: told.append(done))
            self.assertEqual(told[-1], os.path.getsize(file))
            name = unique("came")
            told.clear()
            came = Sandbox.import_snapshot(file, name, on_progress=lambda done, total: told.append((done, total)))
            self.snapshot_goes(came.snapshot_id)
            self.assertEqual(told[-1], (os.path.getsize(file),) * 2)
            with open(file, "r+b") as broken:
                broken.truncate(os.path.getsize(file) // 2)
            with self.assertRaises(SandglassError) as refused:
                Sandbox.import_snapshot(file, unique("broken"))
            self.assertIn(refused.exception.code, ("archive_refused", "snapshot_damaged"))
        self.assertEqual(self.sandbox(snapshot_id=name).files.read("/root/state"), "travels")


if __name__ == "__main__":
    unittest.main()

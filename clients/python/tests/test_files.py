"""Files and directories: read, written, watched, and copied both ways in any size."""

import hashlib
import io
import os
import stat
import tempfile
import threading
import unittest
from pathlib import Path

from support import SandboxTest, eventually, on_each_runtime

from sandglass import ConflictError, InvalidRequestError, PathNotFoundError, SandglassError

BIG = 48 << 20


class FileTest(SandboxTest):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.local = Path(directory.name)

    @on_each_runtime
    def test_text_and_bytes_are_what_they_were(self, runtime):
        box = self.sandbox(runtime=runtime)
        for path, data in (("/new/dir/text", "grüße\n☃"), ("~/bytes", bytes(range(256)) * 1000), ("/root/empty", b""), ("/root/buffer", bytearray(b"x"))):
            entry = box.files.write(path, data)
            raw = data.encode() if isinstance(data, str) else bytes(data)
            self.assertEqual((entry.kind, entry.size), ("file", len(raw)))
            self.assertEqual(box.files.read(path, format="bytes"), raw)
        self.assertEqual(box.files.read("/new/dir/text"), "grüße\n☃")
        self.assertEqual(box.files.write("/root/file", io.BytesIO(b"of a file")).size, 9)
        self.assertEqual(b"".join(box.files.read("/root/bytes", format="stream")), bytes(range(256)) * 1000)
        with self.assertRaises(InvalidRequestError) as refused:
            box.files.read("/root/bytes")
        self.assertIn("bytes", refused.exception.hint)
        self.assertEqual(box.files.read("/proc/self/mounts")[:0], "")
        for wrong in (5, io.StringIO("text"), None):
            with self.subTest(wrong), self.assertRaises((InvalidRequestError, TypeError)):
                box.files.write("/root/wrong", wrong)
        self.assertFalse(box.files.exists("/root/wrong"))

    @on_each_runtime
    def test_rights_and_homes_are_those_of_the_user(self, runtime):
        box = self.sandbox(runtime=runtime)
        box.files.write("note", "mine", user="user", mode="600")
        info = box.files.get_info("/home/user/note")
        self.assertEqual((info.owner, info.mode, info.size), ("user", "0600", 4))
        with self.assertRaises(SandglassError) as refused:
            box.files.read("/etc/shadow", user="user")
        self.assertEqual(refused.exception.code, "permission_denied")
        with self.assertRaises(PathNotFoundError):
            box.files.read("/nothing/here")

    @on_each_runtime
    def test_odd_names_are_names(self, runtime):
        box = self.sandbox(runtime=runtime)
        names = ["a b", "new\nline", "ünï☃", "%2F..%00", "?query=1&x#y", "-rf", "q" * 255, "$(id)", "'\"\\"]
        for name in names:
            box.files.write("/odd/" + name, name)
            self.assertEqual(box.files.read("/odd/" + name), name)
        self.assertEqual(sorted(entry.name for entry in box.files.list("/odd")), sorted(names))
        self.assertEqual(box.commands.run("ls /odd | wc -l").stdout.strip(), str(len(names) + 1))

    def test_directories_are_made_listed_moved_and_removed(self):
        box = self.sandbox()
        box.files.make_dir("/a/b/c", mode="700")
        self.assertEqual(box.files.get_info("/a/b/c").mode, "0700")
        box.files.write("/a/b/f", "1")
        box.commands.run("ln -s nowhere /a/link; mkfifo /a/pipe")
        self.assertEqual([(each.path, each.kind) for each in box.files.list("/a", depth=3)], [("b", "directory"), ("b/c", "directory"), ("b/f", "file"), ("link", "link"), ("pipe", "fifo")])
        self.assertEqual(box.files.get_info("/a/link").target, "nowhere")
        self.assertTrue(box.files.exists("/a/link"))
        self.assertEqual(box.files.rename("/a/b", "/a/d").kind, "directory")
        self.assertEqual(box.files.read("/a/d/f"), "1")
        with self.assertRaises(SandglassError):
            box.files.remove("/a", recursive=False)
        box.files.remove("/a")
        self.assertFalse(box.files.exists("/a"))

    def test_times_that_no_calendar_has_are_told_as_the_nearest(self):
        box = self.sandbox()
        box.commands.run("touch -d @-99999999999 /root/old; touch -d @999999999999 /root/new", check=False)
        for entry in box.files.list("/root"):
            self.assertIsNotNone(entry.modified_at.tzinfo)

    @on_each_runtime
    def test_big_files_go_both_ways_with_progress(self, runtime):
        box = self.sandbox(runtime=runtime, disk_mb=1000)
        source, back = self.local / "source", self.local / "back"
        digest = hashlib.sha256()
        with open(source, "wb") as file:
            for number in range(BIG >> 20):
                piece = hashlib.sha256(str(number).encode()).digest() * (1 << 15)
                digest.update(piece)
                file.write(piece)
        told = []
        box.files.upload(source, "/root/big", on_progress=lambda done, total: told.append((done, total)))
        self.assertEqual(told[-1], (BIG, BIG))
        self.assertEqual([done for done, _ in told], sorted({done for done, _ in told}))
        self.assertEqual(box.commands.run("sha256sum < /root/big").stdout[:64], digest.hexdigest())
        told.clear()
        back.write_text("of before")
        os.chmod(back, 0o640)
        box.files.download("/root/big", back, on_progress=lambda done, total: told.append((done, total)))
        self.assertEqual(told[-1], (BIG, BIG))
        self.assertEqual(hashlib.sha256(back.read_bytes()).hexdigest(), digest.hexdigest())
        self.assertEqual(stat.S_IMODE(back.stat().st_mode), 0o640)
        self.assertEqual(sorted(os.listdir(self.local)), ["back", "source"])

    def test_what_is_refused_early_is_told_and_not_sent(self):
        box = self.sandbox()
        sent = []
        with self.assertRaises(SandglassError) as refused:
            box.files.write("/proc/1/nothing/here", bytes(64 << 20), on_progress=lambda done, total: sent.append(done))
        self.assertNotEqual(refused.exception.code, "daemon_unreachable")
        self.assertLess(sent[-1] if sent else 0, 64 << 20)
        self.assertEqual(box.commands.run("echo fine").stdout, "fine\n")
        with self.assertRaises(PathNotFoundError):
            box.files.download("/nothing", self.local / "nothing")
        self.assertEqual(os.listdir(self.local), [])

    def test_a_download_that_fails_leaves_what_was_there(self):
        box = self.sandbox()
        box.files.write("/root/much", bytes(8 << 20))
        kept = self.local / "kept"
        kept.write_text("of before")

        def fail(done, total):
            raise LookupError("of the listener")

        with self.assertRaises(LookupError):
            box.files.download("/root/much", kept, on_progress=fail)
        self.assertEqual(kept.read_text(), "of before")
        self.assertEqual(os.listdir(self.local), ["kept"])

    def test_a_stream_is_left_in_the_middle(self):
        box = self.sandbox()
        box.files.write("/root/much", bytes(8 << 20))
        with box.files.read("/root/much", format="stream") as pieces:
            self.assertEqual(pieces.length, 8 << 20)
            self.assertTrue(next(pieces))
        self.assertEqual(box.commands.run("echo fine").stdout, "fine\n")

    @on_each_runtime
    def test_directories_go_both_ways(self, runtime):
        box = self.sandbox(runtime=runtime)
        tree = self.local / runtime
        (tree / "sub" / "empty").mkdir(parents=True)
        (tree / "sub" / "text").write_text("text")
        (tree / "run").write_text("#!/bin/sh\necho runs\n")
        os.chmod(tree / "run", 0o755)
        (tree / ("long" * 60)).write_text("long")
        (tree / "ünï\n☃").write_bytes(bytes(3 << 20))
        os.symlink("sub/text", tree / "link")
        os.symlink("../../etc/passwd", tree / "out")
        os.mkfifo(tree / "pipe")
        os.utime(tree / "sub" / "text", (1_000_000_000, 1_000_000_000))
        told = []
        box.files.upload_dir(tree, "/srv/tree", on_progress=lambda done, total: told.append((done, total)))
        self.assertGreater(told[-1][0], 3 << 20)
        self.assertGreater(told[-1][1], 3 << 20)
        self.assertEqual(box.commands.run("/srv/tree/run; readlink /srv/tree/out; stat -c %Y /srv/tree/sub/text").stdout, "runs\n../../etc/passwd\n1000000000\n")
        self.assertFalse(box.files.exists("/srv/tree/pipe"))
        back = self.local / f"back-{runtime}"
        (back / "sub").mkdir(parents=True)
        (back / "sub" / "text").write_text("of before")
        (back / "other").write_text("stays")
        result = box.files.download_dir("/srv/tree", back)
        self.assertEqual(result.left_out, ["out"])
        self.assertEqual((back / "other").read_text(), "stays")
        os.remove(back / "other")
        self.assertEqual(shape(back), {name: facts for name, facts in shape(tree).items() if name not in ("out", "pipe")})
        with self.assertRaises(PathNotFoundError):
            box.files.upload_dir(self.local / "nothing", "/srv/nothing")

    def test_an_upload_that_changes_meanwhile_is_not_taken_for_whole(self):
        box = self.sandbox()
        tree = self.local / "tree"
        tree.mkdir()
        (tree / "shrinks").write_bytes(bytes(8 << 20))

        def shrink(done, total):
            os.truncate(tree / "shrinks", 0)

        with self.assertRaises(ConflictError):
            box.files.upload_dir(tree, "/srv/tree", on_progress=shrink)

    @on_each_runtime
    def test_what_happens_in_a_directory_is_told(self, runtime):
        box = self.sandbox(runtime=runtime)
        box.files.make_dir("/watched/sub")
        with box.files.watch_dir("/watched") as watch:
            box.files.write("/watched/sub/new", "1")
            self.assertEqual(next(event for event in watch if event.path == "sub/new").directory, False)
        told = []
        watch = box.files.watch_dir("/watched", told.append, recursive=False)
        box.commands.run("touch /watched/direct /watched/sub/deep; rm /watched/direct")
        eventually(lambda: any(event.event == "remove" and event.path == "direct" for event in told))
        self.assertNotIn("sub/deep", [event.path for event in told])
        threading.Timer(0.1, watch.stop).start()
        watch.wait(60)
        count = len(told)
        box.commands.run("touch /watched/after")
        self.assertEqual(len(told), count)
        with self.assertRaises(PathNotFoundError):
            box.files.watch_dir("/nothing")

    def test_who_waits_for_events_is_freed_by_a_stop(self):
        box = self.sandbox()
        watch = box.files.watch_dir("/root")
        threading.Timer(0.2, watch.stop).start()
        self.assertEqual(list(watch), [])


def shape(root):
    """All that is below a directory: kind, mode and content or target of each."""
    found = {}
    for directory, names, files in os.walk(root):
        for name in names + files:
            path = os.path.join(directory, name)
            facts = os.lstat(path)
            content = os.readlink(path) if stat.S_ISLNK(facts.st_mode) else Path(path).read_bytes() if stat.S_ISREG(facts.st_mode) else None
            found[os.path.relpath(path, root)] = (stat.S_IFMT(facts.st_mode), stat.S_IMODE(facts.st_mode), content)
    return found


if __name__ == "__main__":
    unittest.main()

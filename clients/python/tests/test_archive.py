"""An archive from a sandbox may say anything: nothing of it comes to be outside of its directory."""

import io
import os
import tarfile
import tempfile
import unittest
from pathlib import Path

import support  # noqa: F401
from sandglass import SandglassError
from sandglass._archive import pack, unpack


def archive(*entries, raw=b""):
    """A tar file of (name, type, content or target)."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for name, kind, rest in entries:
            info = tarfile.TarInfo(name)
            info.type = kind
            info.mode = 0o6777
            if kind == tarfile.REGTYPE:
                info.size = len(rest)
                tar.addfile(info, io.BytesIO(rest))
            else:
                info.linkname = rest
                tar.addfile(info)
    return io.BytesIO(raw + out.getvalue())


FILE, DIR, LINK, HARD = tarfile.REGTYPE, tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE


class ArchiveTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.outside = Path(directory.name)
        self.root = self.outside / "root"
        (self.outside / "flag").write_text("flag")

    def untouched(self):
        self.assertEqual((self.outside / "flag").read_text(), "flag")
        self.assertLessEqual(set(os.listdir(self.outside)), {"flag", "root"})

    def test_names_that_lead_out_are_refused(self):
        for name in ("../flag", "/etc/x", "a/../../flag", "..", "a/.."):
            with self.subTest(name), self.assertRaises(SandglassError) as refused:
                unpack(archive((name, FILE, b"x")), str(self.root))
            self.assertEqual(refused.exception.code, "archive_refused")
            self.untouched()

    def test_links_that_lead_out_are_left_out(self):
        for target in ("/etc/passwd", "../flag", "a/../../flag", "dot/../flag", "a/b/../../../flag", ""):
            with self.subTest(target):
                done = unpack(archive(("dot", LINK, "."), ("link", LINK, target)), str(self.root))
                self.assertIn("link", done.left_out)
                self.assertFalse(os.path.lexists(self.root / "link"))
                self.untouched()

    def test_nothing_is_written_through_a_link(self):
        for entries in (
            [("d", LINK, "."), ("d/x", FILE, b"x")],
            [("d", LINK, "sub"), ("sub", DIR, ""), ("d/x", FILE, b"x")],
            [("f", LINK, "../flag"), ("f", FILE, b"mine")],
            [("h", HARD, "../flag")],
            [("l", LINK, "../flag"), ("h", HARD, "l")],
        ):
            with self.subTest(entries):
                try:
                    unpack(archive(*entries), str(self.root))
                except SandglassError:
                    pass
                self.untouched()
        os.symlink(self.outside, self.root / "own")
        with self.assertRaises(SandglassError) as refused:
            unpack(archive(("own/flag", FILE, b"mine")), str(self.root))
        self.assertEqual(refused.exception.code, "path_exists")
        self.untouched()

    def test_what_is_no_file_is_left_out_and_no_file_gets_more_rights(self):
        done = unpack(archive(("dev", tarfile.CHRTYPE, ""), ("fifo", tarfile.FIFOTYPE, ""), ("f", FILE, b"x"), ("same", HARD, "f"), ("in", LINK, "f")), str(self.root))
        self.assertEqual(done.left_out, ["dev", "fifo"])
        self.assertEqual(os.stat(self.root / "f").st_mode & 0o7777, 0o777)
        self.assertEqual(((self.root / "same").read_text(), (self.root / "in").read_text()), ("x", "x"))

    def test_what_is_broken_or_boundless_is_refused(self):
        huge = tarfile.TarInfo("x")
        huge.type, huge.size = tarfile.XHDTYPE, 1 << 40
        negative = bytearray(tarfile.TarInfo("x").tobuf(tarfile.GNU_FORMAT))
        negative[124:136] = b"\xff" * 12
        total = sum(negative[:148]) + 8 * 32 + sum(negative[156:512])
        negative[148:156] = b"%06o\0 " % total
        whole = archive(("f", FILE, b"x" * 5000)).getvalue()
        sparse = tarfile.TarInfo("big")
        sparse.size = 1 << 60
        for broken in (huge.tobuf(tarfile.GNU_FORMAT), bytes(negative), whole[:2000], b"no archive" * 100, sparse.tobuf(tarfile.GNU_FORMAT) + bytes(1024)):
            with self.subTest(broken[:40]), self.assertRaises(SandglassError) as refused:
                unpack(io.BytesIO(broken), str(self.root))
            self.assertIn(refused.exception.code, ("archive_refused", "disk_full"))
            self.assertEqual([name for name in (os.listdir(self.root) if self.root.exists() else []) if name.startswith(".sandglass")], [])

    def test_what_is_packed_is_unpacked(self):
        (self.root / "sub").mkdir(parents=True)
        (self.root / "sub" / "file").write_bytes(b"x" * 1_000_000)
        os.symlink("sub/file", self.root / "link")
        body = pack(str(self.root))
        content = b"".join(iter(body.next, b""))
        again = self.root / "again"
        self.assertEqual(unpack(io.BytesIO(content), str(again)).bytes, 1_000_000)
        self.assertEqual((again / "link").read_bytes(), b"x" * 1_000_000)


if __name__ == "__main__":
    unittest.main()

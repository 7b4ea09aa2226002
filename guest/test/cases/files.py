# SPDX-License-Identifier: Apache-2.0
"""File operations, each done by a process with the rights of its user."""
import errno, os, signal, struct, subprocess, time

from fixture import *


@test
def files_are_written_and_read(c):
    path = c.path("dir/deep/file")
    raises(Failed, errno.ENOENT, lambda: c.d.write(path, b"x"), "deep/file")
    entry = c.d.write(path, b"hello world", field(6, u32(0o640)), flags=1)
    assert (entry.name, entry.path, entry.kind, entry.mode, entry.size) == (b"file", path.encode(), "f", 0o640, 11)
    assert (entry.uid, entry.owner, entry.group) == (0, b"root", b"root") and abs(entry.mtime / 1e9 - time.time()) < 10
    assert c.d.read(path) == b"hello world"
    assert c.d.read(path, field(7, u64(6)), field(8, u64(3))) == b"wor"
    assert c.d.read(path, field(7, u64(100))) == b""
    c.d.write(path, b"!", flags=2)
    assert c.d.read(path) == b"hello world!"
    raises(Failed, errno.EEXIST, lambda: c.d.write(path, b"new", flags=4))
    raises(Failed, errno.EEXIST, lambda: c.d.write(path, b"new", flags=4 | 8))
    c.d.write(path, b"short")
    assert c.d.read(path) == b"short" and c.d.entry(STAT, path).mode == 0o640
    os.chown(path, 1000, 1000)
    entry = c.d.write(path, b"whole", flags=8)
    assert c.d.read(path) == b"whole" and entry.mode == 0o640 and entry.uid == 1000
    assert os.listdir(os.path.dirname(path)) == ["file"]
    os.symlink("file", path + "-link")
    c.d.write(path + "-link", b"through", flags=8)
    assert os.path.islink(path + "-link") and c.d.read(path) == b"through"
    raises(Failed, errno.EINVAL, lambda: c.d.write(path, b"x", flags=2 | 8))
    assert c.d.write(c.path("empty"), b"").size == 0
    for flags in (0, 8):
        entry = c.d.write(path, b"of old", field(14, struct.pack(">q", -1500000000)), flags=flags)
        assert entry.mtime == -1500000000 and c.d.read(path) == b"of old"


@test
def odd_files_do_not_block(c):
    os.mkfifo(c.path("pipe"))
    raises(Failed, errno.EINVAL, lambda: c.d.read(c.path("pipe")))
    raises(Failed, errno.EINVAL, lambda: c.d.write(c.path("pipe"), b"x"))
    raises(Failed, errno.EISDIR, lambda: c.d.read(c.scratch))
    raises(Failed, errno.EISDIR, lambda: c.d.write(c.scratch, b"x"))
    raises(Failed, errno.EISDIR, lambda: c.d.write(c.scratch, b"x", flags=8))
    raises(Failed, errno.EINVAL, lambda: c.d.read("/dev/null"))
    raises(Failed, errno.ENOENT, lambda: c.d.read(c.path("none")))
    assert c.d.entry(STAT, c.path("pipe")).kind == "p"


@test
def the_kernel_checks_permissions(c):
    os.chmod(c.scratch, 0o755)
    raises(Failed, errno.EACCES, lambda: c.d.read("/etc/shadow", user="user"))
    raises(Failed, errno.EACCES, lambda: c.d.write(c.path("not-mine"), b"x", user="user"))
    raises(Failed, errno.EACCES, lambda: c.d.do(REMOVE, c.path("x-root"), user="user")) if c.d.write(c.path("x-root"), b"") else None
    entry = c.d.write("~/in-home", b"mine", user="user")
    assert entry.path == b"/home/user/in-home" and entry.owner == b"user" and c.d.read("in-home", user="user") == b"mine"
    assert c.d.entry(STAT, "~", user="user").path == b"/home/user"
    raises(Refused, errno.EINVAL, lambda: c.d.read("/etc/passwd", user="nonesuch"), "unknown user")
    raises(Refused, errno.EINVAL, lambda: c.d.do(99, "/"))
    raises(Refused, errno.EINVAL, lambda: c.d.do(STAT, ""))


@test
def a_cancelled_operation_leaves_nothing(c):
    os.mkdir(c.path("cancelled"))
    upload = c.d.file(WRITE, c.path("cancelled/file"), flags=8)
    upload.data(b"x" * 200000)
    wait_for(lambda: os.listdir(c.path("cancelled")), "the temporary file")
    upload.close()
    wait_for(lambda: not os.listdir(c.path("cancelled")), "the temporary file to go")
    c.d.quiet(0.1)
    assert not upload.exit and not upload.error
    killed = c.d.file(WRITE, c.path("cancelled/other"))
    killed.data(b"x")
    wait_for(lambda: os.path.exists(c.path("cancelled/other")), "the worker")
    for pid in worker_pids(c):
        os.kill(pid, signal.SIGKILL)
    raises(Failed, errno.EINTR, lambda: c.d.finish(killed))


@test
def stat_and_list(c):
    root = c.path("tree")
    os.makedirs(root + "/b/c/d"), open(root + "/a", "w").write("12345"), os.symlink("b", root + "/link")
    odd = b"new\nline \xff\xfe"
    open(root.encode() + b"/b/" + odd, "w").close()
    assert [e.name for e in c.d.list(root)] == [b"a", b"b", b"link"]
    found = {e.name: e for e in c.d.list(root, 10)}
    assert list(found) == [b"a", b"b", b"b/c", b"b/c/d", b"b/" + odd, b"link"]
    assert found[b"link"].kind == "l" and found[b"link"].target == b"b" and found[b"a"].size == 5 and found[b"b/c"].kind == "d"
    assert [e.name for e in c.d.list(root, 2)] == [b"a", b"b", b"b/c", b"b/" + odd, b"link"]
    assert c.d.entry(STAT, root + "/link").kind == "l" and c.d.entry(STAT, root + "/link", flags=1).kind == "d"
    raises(Failed, errno.ENOTDIR, lambda: c.d.list(root + "/a"))
    for i in range(1000):
        open(f"{root}/b/c/{i:06}", "w").close()
    assert len(c.d.list(root + "/b/c")) == 1001


@test
def directories_moves_links_and_removal(c):
    root = c.path("moves")
    assert c.d.entry(MKDIR, root, field(6, u32(0o1770))).mode == 0o1770
    raises(Failed, errno.EEXIST, lambda: c.d.entry(MKDIR, root))
    assert c.d.entry(MKDIR, root, flags=1).kind == "d" and c.d.entry(MKDIR, root + "/x/y/z", flags=1).name == b"z"
    raises(Failed, errno.ENOENT, lambda: c.d.entry(MKDIR, root + "/no/no"))
    c.d.write(root + "/f", b"1"), c.d.write(root + "/g", b"2")
    raises(Failed, errno.EEXIST, lambda: c.d.entry(MOVE, root + "/f", field(3, (root + "/g").encode()), flags=2))
    assert c.d.entry(MOVE, root + "/f", field(3, (root + "/g").encode())).path == (root + "/g").encode()
    assert c.d.read(root + "/g") == b"1" and not os.path.exists(root + "/f")
    c.d.entry(MOVE, root + "/g", field(3, (root + "/new/dir/g").encode()), flags=1)
    other = f"/dev/shm/guest-test-{os.getpid()}"  # another filesystem
    os.symlink("/etc/passwd", root + "/new/link")
    os.chmod(root + "/new/dir", 0o500)
    c.d.entry(MOVE, root + "/new", field(3, other.encode()))
    assert open(other + "/dir/g").read() == "1" and os.readlink(other + "/link") == "/etc/passwd" and not os.path.exists(root + "/new")
    assert os.stat(other + "/dir").st_mode & 0o777 == 0o500
    os.symlink("/etc", other + "/etc")
    raises(Failed, errno.ENOTEMPTY, lambda: c.d.do(REMOVE, other))
    c.d.do(REMOVE, other, flags=1)
    assert not os.path.lexists(other) and os.path.exists("/etc/passwd")
    assert [n for n in os.listdir("/dev/shm") if "guest-test" in n] == []
    raises(Failed, errno.ENOENT, lambda: c.d.do(REMOVE, other))
    c.d.do(REMOVE, other, flags=2)
    raises(Failed, errno.EBUSY, lambda: c.d.do(REMOVE, "/", flags=1))
    os.mkdir(root + "/mounted"), subprocess.run(["mount", "-t", "tmpfs", "tmpfs", root + "/mounted"], check=True)
    open(root + "/mounted/kept", "w").close()
    if not c.first_process:  # a mount made now is not seen in the agent's own mount namespace
        raises(Failed, errno.EXDEV, lambda: c.d.do(REMOVE, root, flags=1))
    assert os.path.exists(root + "/mounted/kept")
    subprocess.run(["umount", root + "/mounted"], check=True)
    assert c.d.entry(LINK, root + "/l", field(3, b"../target")).target == b"../target"
    deep = root + "/deep"
    os.mkdir(deep)
    at = os.open(deep, os.O_RDONLY)
    for _ in range(600):
        os.mkdir("d" * 10, dir_fd=at)
        below = os.open("d" * 10, os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = below
    os.close(at)
    c.d.do(REMOVE, root, flags=1)
    assert not os.path.exists(root)


@test
def modes_owners_times_and_attributes(c):
    root = c.path("set")
    os.makedirs(root + "/d"), open(root + "/d/f", "w").close(), os.symlink("/etc/passwd", root + "/d/l")
    before = os.stat("/etc/passwd")
    entry = c.d.entry(SET, root, field(6, u32(0o750)), field(10, b"user"), field(11, b"audio"), field(14, struct.pack(">q", 1234567890123456789)), flags=1)
    assert (entry.mode, entry.uid, entry.gid, entry.mtime) == (0o750, 1000, 29, 1234567890123456789)
    inner = os.stat(root + "/d/f")
    assert (inner.st_mode & 0o777, inner.st_uid, inner.st_gid, inner.st_mtime_ns) == (0o750, 1000, 29, 1234567890123456789)
    after = os.stat("/etc/passwd")
    assert (before.st_mode, before.st_uid, before.st_mtime_ns) == (after.st_mode, after.st_uid, after.st_mtime_ns)
    assert os.lstat(root + "/d/l").st_uid == 1000
    raises(Failed, errno.EINVAL, lambda: c.d.entry(SET, root, field(10, b"nonesuch")), "unknown user")
    raises(Failed, errno.EPERM, lambda: c.d.entry(SET, "/etc/passwd", field(6, u32(0o777)), user="user"))
    path = root + "/d/f"
    c.d.do(XATTR_SET, path, field(12, b"user.one"), field(13, b"1\0\xff"))
    c.d.do(XATTR_SET, path, field(12, b"user.two"), field(13, b""))
    found, _ = records(c.d.do(XATTR_GET, path))
    assert {(r[1], r[2]) for r in found} == {(b"user.one", b"1\0\xff"), (b"user.two", b"")}
    assert records(c.d.do(XATTR_GET, path, field(12, b"user.one")))[0] == [{1: b"user.one", 2: b"1\0\xff"}]
    c.d.do(XATTR_REMOVE, path, field(12, b"user.one"))
    raises(Failed, errno.ENODATA, lambda: c.d.do(XATTR_GET, path, field(12, b"user.one")))


@test
def what_is_made_belongs_to_the_owner(c):
    root = c.path("given")
    entry = c.d.entry(MKDIR, root + "/a/b", field(10, b"user"), flags=1)
    assert (entry.uid, entry.gid) == (1000, 1000) and os.stat(root + "/a").st_uid == os.stat(root).st_uid == 1000
    entry = c.d.write(root + "/new/file", b"x", field(10, b"user"), flags=1)
    assert entry.uid == 1000 and os.stat(root + "/new").st_gid == 1000
    os.chown(root + "/new/file", 0, 0)
    assert c.d.write(root + "/new/file", b"y", field(10, b"user")).uid == 1000
    assert c.d.write(root + "/new/file", b"z", field(10, b"1000:0"), flags=8).gid == 0
    c.d.entry(MOVE, root + "/new/file", field(3, (root + "/moved/to").encode()), field(10, b"user"), flags=1)
    assert os.stat(root + "/moved").st_uid == 1000
    assert c.d.entry(MKDIR, root + "/roots").uid == 0 and c.d.write(root + "/rootf", b"").uid == 0
    raises(Failed, errno.EINVAL, lambda: c.d.write(root + "/x", b"", field(10, b"nonesuch")), "unknown user")
    assert not os.path.exists(root + "/x")


@test
def entries_tell_ends_and_attributes(c):
    root = c.path("ends")
    os.makedirs(root + "/d/e"), open(root + "/d/f", "w").close()
    os.chmod(root + "/d/f", 0o640)
    os.symlink("d/f", root + "/to-file"), os.symlink("d", root + "/to-directory"), os.symlink("none", root + "/to-nothing"), os.symlink("loop", root + "/loop")
    os.setxattr(root + "/d/f", "user.mine.one", b"1\0\xff"), os.setxattr(root + "/d/f", "user.other", b"2")
    plain, _ = records(c.d.do(LIST, root))
    assert all(12 not in r and 15 not in r for r in plain)
    found, _ = records(c.d.do(LIST, root, field(9, u32(2)), field(12, b"user.mine."), flags=2))
    told = {r[1]: r for r in found}
    real = os.path.realpath(root).encode()
    assert told[b"to-file"][12] == b"f" and told[b"to-file"][13] == u32(0o640) and told[b"to-file"][14] == real + b"/d/f"
    assert told[b"to-directory"][12] == b"d" and told[b"to-directory"][14] == real + b"/d"
    assert all(12 not in told[name] for name in (b"to-nothing", b"loop", b"d"))
    assert told[b"d/f"][15] == b"user.mine.one\x001\0\xff" and 15 not in told[b"d/e"] and 15 not in told[b"to-file"]
    (one,), _ = records(c.d.do(STAT, root + "/to-file", field(12, b"user.mine."), flags=2))
    assert one[2] == b"l" and one[12] == b"f" and 15 not in one
    (one,), _ = records(c.d.do(STAT, root + "/d/f", field(12, b"user."), flags=2))
    assert one[15] in (b"user.mine.one\x001\0\xff", b"user.other\x002") and 12 not in one
    (one,), _ = records(c.d.do(WRITE, root + "/d/f", field(12, b"user.mine."), data=b"again"))
    assert one[15] == b"user.mine.one\x001\0\xff"


@test
def attributes_are_kept_beside_where_there_are_none(c):
    plain = f"/proc/{os.getpid()}/comm"  # a filesystem without attributes
    raises(Failed, errno.EOPNOTSUPP, lambda: c.d.do(XATTR_SET, plain, field(12, b"user.mine.a"), field(13, b"1")))
    tell = lambda path: {r.get(15) for r in records(c.d.do(STAT, path, field(12, b"user.mine."), flags=2))[0]}
    assert tell(plain) == {None}
    try:
        c.d.do(XATTR_SET, plain, field(12, b"user.mine.a"), field(13, b"1\0\xff"), flags=1)
        assert tell(plain) == {b"user.mine.a\x001\0\xff"}
        c.d.do(XATTR_SET, plain, field(12, b"user.mine.a"), field(13, b"2"), flags=1)
        c.d.do(XATTR_SET, plain, field(12, b"user.other"), field(13, b""), flags=1)
        assert tell(plain) == {b"user.mine.a\x002"}
        c.d.do(XATTR_REMOVE, plain, field(12, b"user.mine.a"), flags=1)
        assert tell(plain) == {None}
        c.d.do(XATTR_SET, plain, field(12, b"user.large"), field(13, b"x" * 60000), flags=1)
        raises(Failed, errno.ENOSPC, lambda: c.d.do(XATTR_SET, plain, field(12, b"user.larger"), field(13, b"x" * 60000), flags=1))
        tree = "/var/lib/sandglass/attributes"
        moved, to = c.path("moved"), c.path("new/place")
        c.d.write(moved, b"")
        os.makedirs(tree + moved)
        open(tree + moved + "/.attributes", "wb").write(u32(13) + b"user.mine.c\x003")
        assert tell(moved) == {b"user.mine.c\x003"}
        os.symlink(c.path(""), c.path("way"))
        c.d.entry(MOVE, c.path("way/moved"), field(3, to.encode()), flags=1)
        assert tell(to) == {b"user.mine.c\x003"} and not os.path.exists(tree + moved)
        c.d.do(REMOVE, c.path("way/../" + os.path.basename(c.scratch) + "/new"), flags=1)
        assert not os.path.exists(tree + os.path.dirname(to)) and os.path.exists(tree + os.path.dirname(moved))
    finally:
        subprocess.run(["rm", "-rf", "/var/lib/sandglass/attributes"], check=True)


@test
def changes_are_watched(c):
    root = c.path("watched")
    os.makedirs(root + "/old/deep")
    flat, deep = c.d.file(WATCH, root), c.d.file(WATCH, root, flags=1)
    for stream in (flat, deep):
        c.d.until(lambda: stream.out)
        assert bytes(stream.out[:4]) == b"\0\0\0\0"
    events = lambda stream: [(r[1][0], r[2].decode(), r[3][0]) for r in records(bytes(stream.out))[0][1:]]
    c.d.shell("echo 1 > old/deep/f; mkdir -p new/a/b; echo 1 > new/a/b/g", directory=root)
    c.d.until(lambda: (1, "new/a/b/g", 0) in events(deep), 5, "a new file in a new directory")
    c.d.shell("mv new newer; echo 2 >> newer/a/b/g; chmod 600 newer/a/b/g; rm newer/a/b/g", directory=root)
    c.d.until(lambda: (3, "newer/a/b/g", 0) in events(deep), 5, "the last event")
    seen = events(deep)
    for event in [(1, "old/deep/f", 0), (2, "old/deep/f", 0), (1, "new", 1), (1, "new/a/b/g", 0), (4, "new", 1), (5, "newer", 1),
                  (2, "newer/a/b/g", 0), (6, "newer/a/b/g", 0)]:
        assert event in seen, f"{event} is not in {seen}"
    c.d.quiet(0.1)
    assert all("/" not in path for _, path, _ in events(flat)) and (1, "new", 1) in events(flat)
    os.rename(root + "/newer", c.path("elsewhere"))
    c.d.quiet(0.2)
    open(c.path("elsewhere/a/quiet"), "w").close()
    open(root + "/last", "w").close()
    c.d.until(lambda: (1, "last", 0) in events(deep), 5, "the last event")
    assert not [e for e in events(deep) if "quiet" in e[1]]
    flat.close(), deep.close()
    raises(Failed, errno.ENOENT, lambda: c.d.do(WATCH, root + "/none"))
    gone = c.d.file(WATCH, root)
    c.d.until(lambda: gone.out)
    c.d.do(REMOVE, root, flags=1)
    assert gone.wait().status == 0

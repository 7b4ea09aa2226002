# SPDX-License-Identifier: Apache-2.0
"""Archives that come back the same, and hostile ones that stay inside."""
import errno, io, os, random, stat, struct, subprocess, tarfile

from fixture import *


def tree_of(root):
    found = {}
    for directory, names, files in os.walk(root):
        for name in names + files:
            path = os.path.join(directory, name)
            status = os.lstat(path)
            key = os.path.relpath(path, root)
            kind = stat.S_IFMT(status.st_mode)
            content = open(path, "rb").read() if kind == stat.S_IFREG else os.readlink(path) if kind == stat.S_IFLNK else None
            attributes = {} if kind != stat.S_IFREG else {n: os.getxattr(path, n) for n in os.listxattr(path)}
            links = status.st_nlink if kind == stat.S_IFREG else 0
            found[key] = (status.st_mode, status.st_uid, status.st_gid, status.st_mtime_ns, links, content, attributes)
    return found


@test
def archives_come_back_the_same(c):
    root = c.path("packed")
    long_name = "n" * 200
    os.makedirs(f"{root}/{long_name}/{long_name}"), os.makedirs(root + "/empty")
    open(f"{root}/{long_name}/{long_name}/f", "wb").write(os.urandom(70001))
    open(root + "/zero", "w").close()
    open(root.encode() + b"/odd \xff\n", "w").write("x")
    os.link(root + "/zero", root + "/hard"), os.symlink("t" * 300, root + "/soft"), os.mkfifo(root + "/fifo")
    with open(root + "/holes", "wb") as f:
        f.truncate(3 << 20)
    os.setxattr(root + "/zero", "user.attribute", b"v\0\n=v")
    os.chown(root + "/zero", 1234567890, 7), os.chmod(root + "/zero", 0o4755)
    os.utime(root + "/holes", ns=(0, -1500000000)), os.utime(root + "/soft", ns=(0, 5), follow_symlinks=False)
    os.chmod(f"{root}/empty", 0o555), os.utime(f"{root}/{long_name}", ns=(0, 1000000001))
    archive = c.d.do(PACK, root)
    with tarfile.open(fileobj=io.BytesIO(archive), errors="surrogateescape") as tar:
        names = tar.getnames()
    assert all(name == "packed" or name.startswith("packed/") for name in names) and len(names) == 11, names
    result, _ = records(c.d.do(UNPACK, c.path("unpacked/below"), data=archive, flags=1))
    assert struct.unpack(">Q", result[0][1])[0] == 11 and struct.unpack(">Q", result[0][2])[0] == 70001 + 1 + (3 << 20)
    before, after = tree_of(root), tree_of(c.path("unpacked/below/packed"))
    assert before == after, [(k, before.get(k), after.get(k)) for k in set(before) | set(after) if before.get(k) != after.get(k)]
    content = c.d.do(PACK, root, flags=1)
    c.d.do(UNPACK, c.path("content"), data=content)
    mine = os.lstat(c.path("content/zero"))
    assert mine.st_uid == 0 and mine.st_mode & 0o7777 == 0o755, "without ids nothing is set-uid"
    for form in (tarfile.GNU_FORMAT, tarfile.PAX_FORMAT, tarfile.USTAR_FORMAT):
        python = io.BytesIO()
        with tarfile.open(fileobj=python, mode="w", format=form) as tar:
            source = root if form != tarfile.USTAR_FORMAT else c.path("content")  # ustar knows neither large ids nor old times
            os.utime(c.path("content/holes"))
            tar.add(source + "/holes", "made/by/python"), tar.add(source + "/zero", "made/" + ("m" * 90))
        c.d.do(UNPACK, c.path(f"python-{form}"), data=python.getvalue())
        assert os.path.getsize(c.path(f"python-{form}/made/by/python")) == 3 << 20
    c.d.do(UNPACK, "~/mine", data=content[:0] + c.d.do(PACK, root + "/empty"), user="user")
    assert os.lstat("/home/user/mine/empty").st_uid == 1000


def archive_of(*entries):
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for name, kind, extra in entries:
            info = tarfile.TarInfo(name)
            info.type = kind
            if kind in (tarfile.SYMTYPE, tarfile.LNKTYPE):
                info.linkname = extra
                tar.addfile(info)
            else:
                data = extra or b""
                info.size = len(data)
                tar.addfile(info, io.BytesIO(data))
    return raw.getvalue()


@test
def hostile_archives_stay_inside(c):
    flag = c.path("outside")
    os.makedirs(flag), open(flag + "/secret", "w").write("flag")
    before = tree_of(flag)
    into = c.path("prison")
    F, D, S, L = tarfile.REGTYPE, tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE
    hostile = {
        "dotdot": [("../outside/x", F, b"x")], "inner dotdot": [("a/../../outside/x", F, b"x")], "absolute": [(flag + "/x", F, b"x")],
        "through a link": [("l", S, "../outside"), ("l/x", F, b"x")], "through an absolute link": [("l", S, flag), ("l/x", F, b"x")],
        "directory over a link": [("l", S, "../outside"), ("l", D, None), ("l/x", F, b"x")],
        "hard link out": [("h", L, "../outside/secret")], "absolute hard link": [("h", L, flag + "/secret")],
        "hard link through a link": [("l", S, "../outside"), ("h", L, "l/secret"), ("h", F, b"x")],
        "device": [("d", tarfile.CHRTYPE, None)], "block device": [("d", tarfile.BLKTYPE, None)], "unknown type": [("d", b"Z", None)],
        "link to itself": [("h", L, "h")], "no name": [("", F, b"x")],
    }
    for what, entries in hostile.items():
        stream = c.d.file(UNPACK, into)
        stream.data(archive_of(*entries))
        stream.eof()
        try:
            c.d.finish(stream)
            raise AssertionError(f"{what}: was unpacked")
        except Failed as problem:
            assert "archive" in problem.text and problem.errno == errno.EBADMSG, f"{what}: {problem}"
        assert tree_of(flag) == before, f"{what}: changed what is outside"
        subprocess.run(["rm", "-rf", into])
    # What looks alike but is harmless: a link as it is, and a file that replaces it instead of being written through it.
    c.d.do(UNPACK, into, data=archive_of(("l", S, flag + "/secret"), ("l", F, b"new"), ("...", F, b"x")))
    assert open(into + "/l").read() == "new" and not os.path.islink(into + "/l") and tree_of(flag) == before
    os.symlink(flag, into + "/there-before")
    raises(Failed, errno.EBADMSG, lambda: c.d.do(UNPACK, into, data=archive_of(("there-before/x", F, b"x"))), "link")
    os.chmod(flag + "/secret", 0o600)
    sound = archive_of(("file", F, b"x" * 5000))
    for what, data in {"cut header": sound[:300], "cut content": sound[:2000], "no end": sound[:512 + 5120], "empty": b"",
                       "noise": os.urandom(2048), "checksum": b"X" + sound[1:]}.items():
        stream = c.d.file(UNPACK, into)
        stream.data(data), stream.eof()
        try:
            c.d.finish(stream)
            raise AssertionError(f"{what}: was unpacked")
        except Failed as problem:
            assert problem.errno == errno.EBADMSG, f"{what}: {problem}"
    huge = bytearray(archive_of(("x", b"x", b"")))  # a pax header that says it has 8 GiB
    huge[124:136] = b"77777777777\0"
    huge[148:156] = b" " * 8
    huge[148:156] = b"%06o\0 " % sum(huge[:512])
    raises(Failed, errno.EBADMSG, lambda: c.d.do(UNPACK, into, data=bytes(huge)), "header")


@test
def hostile_archives_of_random_bytes(c):
    seed = int(os.environ.get("SEED", random.randrange(1 << 32)))
    chance = random.Random(seed)
    sound = archive_of(("dir", tarfile.DIRTYPE, None), ("dir/file", tarfile.REGTYPE, b"abc" * 300), ("l" * 150, tarfile.SYMTYPE, "x" * 150),
                       ("hard", tarfile.LNKTYPE, "dir/file"))
    pax = io.BytesIO()
    with tarfile.open(fileobj=pax, mode="w", format=tarfile.PAX_FORMAT) as tar:
        info = tarfile.TarInfo("p" * 300)
        info.pax_headers = {"SCHILY.xattr.user.a": "b", "mtime": "1.5"}
        tar.addfile(info)
    for round in range(120):
        data = bytearray(chance.choice([sound, pax.getvalue()]))
        for _ in range(chance.randrange(1, 6)):
            at = chance.randrange(len(data))
            data[at] = chance.randrange(256)
        for block in range(0, len(data), 512):  # a right checksum, so that it gets further
            if chance.random() < 0.8 and any(data[block:block + 512]):
                data[block + 148:block + 156] = b" " * 8
                data[block + 148:block + 156] = b"%06o\0 " % sum(data[block:block + 512])
        stream = c.d.file(UNPACK, c.path("mutated"))
        stream.data(bytes(data)), stream.eof()
        exit = stream.wait()
        assert exit.status in (0, 1), f"SEED={seed}, round {round}: {exit.status}"
        if exit.status:
            assert Failed(bytes(stream.err)).errno != errno.EINTR, f"SEED={seed}, round {round}: {bytes(stream.err)!r}"

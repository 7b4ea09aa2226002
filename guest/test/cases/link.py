# SPDX-License-Identifier: Apache-2.0
"""The link itself: greeting, what a new daemon finds again, garbage, and limits."""
import errno, os, signal, struct, time

from fixture import *


@test
def the_link_says_who_it_is(c):
    assert c.d.version == 2 and c.d.facts[1] and c.d.facts[2].decode() == os.uname().release
    c.d.ping(b""), c.d.ping(b"x" * 64)


@test
def output_comes_in_frames_as_wide_as_the_daemon_takes(c):
    """Each HELLO says it anew: a daemon that says nothing is an old one."""
    content = os.urandom(3 << 20)
    with open(c.path("large"), "wb") as file:
        file.write(content)
    for widest, expected in ((65536, 65519), (1, 4079), (5000, 4983), (1 << 31, 65519), (None, 4079)):
        c.d.hello(mask=MASK, widest=widest)
        stream = c.d.file(READ, c.path("large"))
        assert c.d.finish(stream).endswith(content)
        assert max(len(data) for _, _, data in stream.all) == expected


@test
def a_frame_that_has_begun_is_finished_when_its_stream_is_closed(c):
    """The link is full in the middle of a frame, and the daemon closes the stream before it reads on."""
    with open(c.path("large"), "wb") as file:
        file.write(b"x" * (4 << 20))
    c.d.hello(mask=MASK, widest=65536)
    for _ in range(5):
        stream = c.d.file(READ, c.path("large"), credit=0)
        stream.auto = False
        c.d.send(CREDIT, stream.number, u32(4 << 20))  # nobody reads: the FIFO fills
        time.sleep(0.2)
        stream.credit_given = 4 << 20
        c.d.send(CLOSE, stream.number)
        c.d.ping()
        assert bytes(stream.out).endswith(b"x" * 60000)
        assert c.d.finish(c.d.file(READ, c.path("large"))).endswith(b"x" * (4 << 20))


@test
def a_frame_is_whole_although_somebody_took_its_bytes(c):
    """Whoever may open the worker's pipe can read from it; the link must not wait for what does not come."""
    with open(c.path("large"), "wb") as file:
        file.write(b"x" * (4 << 20))
    c.d.hello(mask=MASK, widest=65536)
    stream = c.d.file(READ, c.path("large"), credit=0)
    stream.auto, stream.credit_given = False, 4 << 20
    c.d.send(CREDIT, stream.number, u32(4 << 20))
    time.sleep(0.2)  # the FIFO is full in the middle of a frame
    with open(f"/proc/{worker_pids(c)[0]}/fd/1", "rb") as pipe:
        assert pipe.read()
    c.d.ping()
    stream.wait()
    assert c.d.finish(c.d.file(READ, c.path("large"))).endswith(b"x" * (4 << 20))


@test
def a_new_daemon_is_told_for_how_long_nobody_used_it(c):
    """What a daemon asked for, and the end of what it started, is a use; a greeting is none."""
    d = c.d
    idle = lambda: struct.unpack(">Q", c.d.facts[4])[0]
    d.start("/bin/true").wait()
    used = time.monotonic()
    time.sleep(0.3)
    d.disappear()
    d = c.d = c.agent.daemon(mask=MASK)
    assert 290 <= idle() <= (time.monotonic() - used) * 1000 + 10, idle()
    time.sleep(0.2)
    d.disappear()
    d = c.d = c.agent.daemon(mask=MASK)
    assert idle() >= 490, idle()
    begun = time.monotonic()
    sleeping = d.start("/bin/sleep", "0.3")
    d.disappear()
    time.sleep(0.6)
    d = c.d = c.agent.daemon(mask=MASK)
    assert sleeping.number in d.streams and idle() <= (time.monotonic() - begun - 0.3) * 1000 + 10, idle()
    for stream in list(d.streams.values()):
        stream.close()
    upload = d.file(WRITE, c.path("cut-off"), flags=8)
    upload.data(b"half of it")
    d.ping()
    time.sleep(0.3)
    reopened = time.monotonic()
    d.disappear()
    d = c.d = c.agent.daemon(mask=MASK)
    assert idle() <= (time.monotonic() - reopened) * 1000 + 10, idle()


@test
def a_new_daemon_finds_everything_again(c):
    """A daemon dies in the middle of reading; the next one finds its commands, finished and running, and what they said."""
    d = c.d
    running = d.start("/bin/sh", "-c", "echo before; read line; echo got $line; read line; exit 7", stdin=True, directory="/tmp")
    running.wait_output("before")
    finished = d.start("/bin/sh", "-c", "echo out; echo err >&2; exit 3")
    finished.wait()
    talker = d.start("/bin/sh", "-c", "while :; do echo talk; done")
    talker.wait_output("talk")
    upload = d.file(WRITE, c.path("cut-off"), flags=8)
    upload.data(b"half of it")
    pid = running.started[0]
    d.quiet(0.1)
    talker.auto = False
    d.send(CREDIT, talker.number, u32(1 << 30))  # fills the FIFO, nobody reads
    time.sleep(0.2)
    os.read(d.out, 1001)  # half a frame
    d.disappear()
    time.sleep(0.1)
    d = c.d = c.agent.daemon(mask=MASK, step=40)
    first, last = d.log.index((WELCOME, 0)), d.log.index((READY, 0))
    assert all(kind == COMMAND for kind, _ in d.log[first + 1:last])
    assert d.next > upload.number
    again = d.streams[running.number].command
    assert again.pid == pid and again.arguments[0] == b"/bin/sh" and not again.exit and again.flags == 2
    assert again.directory == b"/tmp" and again.user == b"root" and again.end == 7 and again.credit == 65536
    done = d.streams[finished.number].command
    assert done.flags & 4 and done.exit.status == 3 and done.exit.end == done.end == 8
    assert upload.number not in d.streams and not os.path.exists(c.path("cut-off"))
    wait_for(lambda: not [n for n in os.listdir(c.scratch) if "cut-off" in n], "the temporary file to go")
    stream = d.streams[running.number]
    stream.attach(3)
    stream.data(b"hello\n")
    stream.wait_output("got hello")
    assert bytes(stream.out).startswith(b"ore\n")
    stream.data(b"\n")
    assert stream.wait().status == 7
    old = d.streams[finished.number]
    old.attach(0)
    assert old.wait().status == 3 and sorted(bytes(old.out + old.err).split()) == [b"err", b"out"]
    for number in (running.number, finished.number):
        d.streams[number].close()
    d.streams[talker.number].attach(1 << 60)
    d.streams[talker.number].signal(signal.SIGKILL)
    d.streams[talker.number].wait()
    d.streams[talker.number].close()
    d.ping()
    assert not d.hello(mask=MASK).streams[running.number].command or True
    d.streams.clear()
    d.hello(mask=MASK)
    assert not d.streams, "closed commands are forgotten"


@test
def garbage_on_the_link_ends_with_the_next_hello(c):
    for garbage in (b"\xff" * 333, b"\0" * 4096, os.urandom(5000), b"sandglass-guest\0" * 20):
        os.write(c.d.into, garbage)
        c.d.hello(mask=MASK)
        c.d.ping()
    c.d.send(PING, 0, b"x" * 65)  # one byte too long: everything up to HELLO is lost
    c.d.send(PING, 0, b"lost")
    c.d.hello(mask=MASK)
    assert b"lost" not in c.d.pongs


@test
def data_comes_in_frames_of_any_length(c):
    """As an older daemon sends it, and as one does that knows how long they may be; the bytes are the same."""
    assert c.d.longest == 65536, c.d.facts
    content = os.urandom(300000)
    for step in (1000, 4088, 4089, 65527, 65528):
        upload = c.d.file(WRITE, c.path("steps"), flags=8)
        upload.step = step
        upload.data(content)
        upload.eof()
        c.d.finish(upload)
        with open(c.path("steps"), "rb") as file:
            assert file.read() == content, step
    os.write(c.d.into, struct.pack(">HBBI", 65529, DATA, 0, c.d.next))  # one byte too long: everything up to HELLO is lost
    c.d.hello(mask=MASK)
    c.d.ping()


@test
def half_a_long_frame_is_ended_by_the_next_daemon(c):
    """A daemon dies while it writes: what it left waits for 64 KiB that do not come, and neither this nor the zeros is taken for what they are not."""
    for cut in (3, 8, 9, 4096, 30000, 65535):
        d = c.d
        upload = d.file(WRITE, c.path("cut-off"), flags=8)
        upload.data(os.urandom(100000))
        d.until(lambda: upload.room >= 65536, 30, "credit for DATA")
        half = (struct.pack(">HBBI", 65528, DATA, 0, upload.number) + os.urandom(65528))[:cut]
        assert os.write(d.into, half) == cut
        d.disappear()
        d = c.d = Daemon(c.agent.directory + "/in", c.agent.directory + "/out")
        d.end_half()
        d.hello(mask=MASK, share=c.share)
        d.ping()
        assert c.d.shell("echo on") == "on\n"
        wait_for(lambda: not [n for n in os.listdir(c.scratch) if "cut-off" in n], "the file to go")


@test
def many_questions_at_once_are_all_answered(c):
    before = len(c.d.pongs)
    os.write(c.d.into, struct.pack(">HBBI", 0, PING, 0, 0) * 500)  # in one write, and more than the agent keeps answers for
    c.d.until(lambda: len(c.d.pongs) == before + 500, 30, "every PONG")
    c.d.ping()


@test
def a_split_request_works_and_a_huge_one_is_refused(c):
    big = "x" * 100000
    assert c.d.shell(f"echo {big}", step=1000).strip() == big
    stream = c.d.start("/bin/echo", *["y" * 100000] * 11)
    raises(Refused, errno.EMSGSIZE, stream.wait)
    c.d.ping()
    argument = ["z" * 120000] * 5
    assert bytes(c.d.run("/bin/echo", *argument).out) == (" ".join(argument) + "\n").encode()


@test
def too_many_streams_are_refused(c):
    streams = [c.d.connect(9, credit=0) for _ in range(10)]  # refused by the port, not by the count
    for stream in streams:
        raises(Refused, errno.ECONNREFUSED, stream.wait)
    held = [c.d.start("/bin/true", attach=False) for _ in range(40)]
    for stream in held:
        stream.attach()
        stream.wait()
        stream.close()
    c.d.ping()

"""Answers are read right whatever pieces they come in, and what is none is refused."""

import unittest

import support  # noqa: F401
from sandglass._http import MAX_HEAD, ConnectionBroke, Incoming, MalformedAnswer, head
from sandglass._lines import Events, Lines

CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;x=y\r\n world\r\n0\r\nTrailer: of no use\r\n\r\n"
COUNTED = b"HTTP/1.1 201 Created\r\nContent-Length: 11\r\nX-Some: a: b\r\n\r\nhello world"
EARLY = b"HTTP/1.1 100 Continue\r\n\r\n" + COUNTED


def read(pieces):
    answer = Incoming()
    body = b""
    for piece in pieces:
        answer.feed(piece)
        body += answer.take()
    return answer, body


class HttpTest(unittest.TestCase):
    def test_an_answer_is_the_same_in_pieces_of_any_size(self):
        for whole in (CHUNKED, COUNTED, EARLY):
            for size in (1, 2, 3, 7, len(whole)):
                answer, body = read(whole[at : at + size] for at in range(0, len(whole), size))
                self.assertEqual(body, b"hello world")
                self.assertTrue(answer.complete and answer.reusable, (whole, size))

    def test_what_was_cut_off_is_not_taken_for_the_whole(self):
        for whole in (CHUNKED, COUNTED, EARLY):
            for length in range(1, len(whole)):
                with self.assertRaises(ConnectionBroke, msg=f"{whole!r} up to {length}"):
                    read([whole[:length], b""])

    def test_an_answer_without_a_length_ends_with_its_connection(self):
        answer, body = read([b"HTTP/1.1 200 OK\r\n\r\nall", b" of it", b""])
        self.assertEqual(body, b"all of it")
        self.assertFalse(answer.reusable)

    def test_what_is_no_answer_is_refused(self):
        for bad in (
            b"SSH-2.0-OpenSSH_9.2\r\n\r\n",
            b"HTTP/2 200\r\n\r\n",
            b"HTTP/1.1 99 OK\r\n\r\n",
            b"HTTP/1.1 101 Switching\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nNo colon\r\n\r\n",
            b"HTTP/1.1 200 OK\r\n Folded: x\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcdef",
            b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nmore",
            b"HTTP/1.1 200 OK\r\nX: " + b"x" * MAX_HEAD,
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1" * 2000,
        ):
            with self.subTest(bad[:60]):
                try:
                    answer, _ = read([bad])
                except MalformedAnswer:
                    continue
                self.assertFalse(answer.reusable, "what came behind an answer must be nobody's")
                self.assertTrue(bad.endswith(b"more"))

    def test_no_line_of_a_request_can_begin_another(self):
        for bad in ("a\r\nb", "a\nb", "a\0b"):
            with self.assertRaises(ValueError):
                head("GET", "/" + bad, [])
            with self.assertRaises(ValueError):
                head("GET", "/", [("X", bad)])

    def test_lines_and_events_come_whole(self):
        text = b'{"a":1}\n\n{"b":2}\n'
        events = b': comment\n\nid: 3\nevent: gap\ndata: {"x":\ndata: 1}\n\ndata: 2\n\n'
        for size in (1, 5, 100):
            lines, found = Lines(), Events()
            self.assertEqual([line for at in range(0, len(text), size) for line in lines.feed(text[at : at + size])], [b'{"a":1}', b"", b'{"b":2}'])
            told = [event for at in range(0, len(events), size) for event in found.feed(events[at : at + size])]
            self.assertEqual(told, [("gap", {"x": 1}), ("", 2)])
        with self.assertRaises(MalformedAnswer):
            Lines().feed(b"x" * (5 << 20))
        with self.assertRaises(MalformedAnswer):
            Events().feed(b"data: x\n" * (1 << 20))


if __name__ == "__main__":
    unittest.main()

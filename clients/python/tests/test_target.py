"""The daemon is found by arguments, then by the environment, then as that of this machine."""

import os
import tempfile
import unittest

import support  # noqa: F401
from sandglass import AccessDeniedError, DaemonUnreachableError, InvalidRequestError, Sandbox
from sandglass._target import Target


class TargetTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.data = directory.name
        with open(os.path.join(self.data, "token"), "w") as file:
            file.write("token-of-this-machine\n")

    def test_arguments_count_before_the_environment_and_that_before_this_machine(self):
        environment = {"SANDGLASS_DATA_DIR": self.data, "SANDGLASS_URL": "http://example.org:1", "SANDGLASS_API_KEY": "key-of-environment"}
        target = Target.find("https://given.example.org", "given-key", environment)
        self.assertEqual((target.host, target.port, target.tls, target.token), ("given.example.org", 443, True, "given-key"))
        target = Target.find(None, None, environment)
        self.assertEqual((target.host, target.port, target.tls, target.token), ("example.org", 1, False, "key-of-environment"))
        target = Target.find(None, None, {"SANDGLASS_DATA_DIR": self.data, "SANDGLASS_RUN_DIR": "/run/x"})
        self.assertEqual((target.socket, target.token), ("/run/x/sandglass.sock", "token-of-this-machine"))
        target = Target.find(None, None, {"SANDGLASS_DATA_DIR": self.data})
        self.assertRegex(target.socket, r"^/run/sandglass-[0-9a-f]{8}/sandglass\.sock$")
        self.assertEqual(Target.find(None, None, {"SANDGLASS_TOKEN_FILE": self.data + "/token"}).socket, "/run/sandglass/sandglass.sock")

    def test_the_token_of_this_machine_is_shown_to_nobody_else(self):
        environment = {"SANDGLASS_DATA_DIR": self.data}
        self.assertEqual(Target.find("http://[::1]:7070", None, environment).token, "token-of-this-machine")
        self.assertEqual(Target.find("http://sandglass.example.org", None, environment).token, "")
        self.assertNotIn("token-of", repr(Target.find("http://127.0.0.1", None, environment)))

    def test_what_is_no_address_is_refused(self):
        for url in ("nonsense", "ftp://x", "http://", "http://x:99999", "http://x/path", "unix://host/path", "http://user:pass@x", "http://x:y"):
            with self.subTest(url), self.assertRaises(InvalidRequestError) as refused:
                Target.find(url, None, {})
            self.assertIn("expected: http://HOST:PORT", str(refused.exception))
        with self.assertRaises(InvalidRequestError):
            Target.find(None, "a key\r\nX-Other: header", {})
        with self.assertRaises(AccessDeniedError):
            Target.find(None, None, {"SANDGLASS_TOKEN_FILE": self.data + "/nothing"})

    def test_a_daemon_that_does_not_answer_is_told_as_such(self):
        for url in ("http://127.0.0.1:1", "unix:///nowhere/at.all", "https://127.0.0.1:1"):
            with self.subTest(url), self.assertRaises(DaemonUnreachableError) as refused:
                Sandbox.connect("any", url=url)
            self.assertEqual(refused.exception.code, "daemon_unreachable")
            self.assertIn("sandglass up", refused.exception.hint)

    def test_a_wrong_key_is_told_as_such(self):
        with self.assertRaises(AccessDeniedError) as refused:
            Sandbox.connect("any", api_key="wrong")
        self.assertEqual(refused.exception.code, "unauthorized")


if __name__ == "__main__":
    unittest.main()

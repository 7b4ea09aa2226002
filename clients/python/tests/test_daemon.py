"""The daemon may be restarted, be reached over TLS, or refuse for a while: programs see as little of that as can be."""

import asyncio
import os
import ssl
import subprocess
import tempfile
import threading
import unittest

from support import OWN_DAEMON, PROJECT, Relay, SandboxTest, eventually, on_each_runtime

from sandglass import AsyncSandbox, DaemonUnreachableError, Sandbox


def sandglass(*words):
    done = subprocess.run(
        [str(PROJECT / "sandglass"), *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300
    )
    if done.returncode != 0:
        raise AssertionError(done.stdout)


class RestartTest(SandboxTest):
    @unittest.skipUnless(OWN_DAEMON, "the daemon is not there for these tests alone")
    @on_each_runtime
    def test_what_is_followed_goes_on_when_the_daemon_is_restarted(self, runtime):
        box = self.sandbox(runtime=runtime)
        heard, results = [], []
        line = "i=0; while [ ! -e /root/enough ]; do i=$((i + 1)); echo $i; sleep 0.05; done; echo end"
        following = threading.Thread(target=lambda: results.append(box.commands.run(line, on_stdout=heard.append)))
        following.start()
        eventually(lambda: len(heard) > 3)
        sandglass("down")
        sandglass("up")
        before = len(heard)
        eventually(lambda: len(heard) > before)
        box.files.write("/root/enough", "")
        following.join(60)
        told = "".join(heard).split()
        self.assertEqual(told, [str(number) for number in range(1, len(told))] + ["end"])
        self.assertEqual((results[0].exit_code, results[0].stdout.split()), (0, told))


class TlsTest(SandboxTest):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.certificate, key = os.path.join(directory.name, "certificate"), os.path.join(directory.name, "key")
        made = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=test"]
        subprocess.run([*made, "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", self.certificate], check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, key)
        self.relay = Relay(context)
        self.addCleanup(self.relay.close)

    def test_a_daemon_behind_tls_is_used_if_it_is_trusted(self):
        box = self.sandbox()

        async def over_tls():
            over = await AsyncSandbox.connect(box.sandbox_id, url=self.relay.url, api_key=self.relay.api_key)
            await over.files.write("/root/file", bytes(4 << 20))
            heard = []
            await over.commands.run("wc -c < /root/file; echo end", on_stdout=heard.append)
            return "".join(heard), await over.files.read("/root/file", format="bytes")

        with self.assertRaises(DaemonUnreachableError) as refused:
            Sandbox.connect(box.sandbox_id, url=self.relay.url, api_key=self.relay.api_key)
        self.assertIn("certificate", str(refused.exception))
        os.environ["SSL_CERT_FILE"] = self.certificate
        self.addCleanup(os.environ.pop, "SSL_CERT_FILE")
        over = Sandbox.connect(box.sandbox_id, url=self.relay.url, api_key=self.relay.api_key)
        over.files.write("/root/file", bytes(4 << 20))
        self.assertEqual(over.commands.run("wc -c < /root/file", on_stdout=lambda text: None).stdout, f"{4 << 20}\n")
        before = self.relay.connections
        self.assertEqual([over.commands.run("echo again").stdout for _ in range(5)], ["again\n"] * 5)
        self.assertLessEqual(self.relay.connections, before + 1)
        self.assertEqual(asyncio.run(over_tls()), (f"{4 << 20}\nend\n", bytes(4 << 20)))


if __name__ == "__main__":
    unittest.main()

"""How sandboxes are made, found, changed, put to rest and destroyed."""

import os
import socket
import threading
import unittest

from support import Relay, SandboxTest, eventually, on_each_runtime, runtimes, unique

from sandglass import (
    Client,
    DaemonUnreachableError,
    InvalidRequestError,
    NameTakenError,
    Sandbox,
    SandboxNotFoundError,
    SandboxNotRunningError,
)


class SandboxLifeTest(SandboxTest):
    @on_each_runtime
    def test_what_is_asked_for_is_there_inside(self, runtime):
        name = unique("box")
        box = self.sandbox(
            runtime=runtime, name=name, envs={"COLOUR": "blue"}, metadata={"team": name}, memory_mb=200, user="user", workdir="/tmp", network="none"
        )
        self.assertEqual(box.name, name)
        told = box.commands.run("echo $COLOUR; pwd; id -un; hostname; ls /sys/class/net").stdout.split()
        self.assertEqual(told[:4], ["blue", "/tmp", "user", name])
        self.assertNotIn("eth0", told)
        info = box.get_info()
        self.assertEqual((info.memory_mb, info.runtime, info.envs, info.metadata), (200, runtime, {"COLOUR": "blue"}, {"team": name}))
        self.assertIsNotNone(info.created_at.tzinfo)
        self.assertEqual([each.sandbox_id for each in Sandbox.list(metadata={"team": name})], [box.sandbox_id])

    def test_it_goes_at_the_end_of_its_block_whatever_happens(self):
        for fails in (False, True):
            try:
                with Sandbox.create(runtime="container", memory_mb=128) as box:
                    self.assertTrue(box.is_running())
                    if fails:
                        raise LookupError("of the program")
            except LookupError:
                self.assertTrue(fails)
            self.assertFalse(box.is_running())
            with self.assertRaises(SandboxNotFoundError):
                box.commands.run("true")

    def test_it_is_found_by_name_and_id_and_destroyed_by_both(self):
        box = self.sandbox(name=unique("found"))
        self.assertEqual(Sandbox.connect(box.name).sandbox_id, box.sandbox_id)
        self.assertEqual(Sandbox.connect(box.sandbox_id).name, box.name)
        Sandbox.kill(box.name)
        with self.assertRaises(SandboxNotFoundError):
            Sandbox.kill(box.name)
        Sandbox.kill(box.sandbox_id)
        box.kill()

    def test_its_limits_and_labels_change(self):
        box = self.sandbox(metadata={"old": "1", "kept": "2"})
        info = box.update(memory_mb=300, metadata={"old": None, "new": "3"}, timeout=3600)
        self.assertEqual((info.memory_mb, info.metadata, info.timeout), (300, {"kept": "2", "new": "3"}, 3600))
        box.set_timeout(0)
        self.assertIsNone(box.get_info().timeout_at)
        renamed = unique("renamed")
        box.update(name=renamed)
        self.assertEqual(box.name, renamed)

    def test_its_time_ends_it(self):
        box = self.sandbox(timeout=1)
        eventually(lambda: not box.is_running())

    @on_each_runtime
    def test_it_rests_and_goes_on(self, runtime):
        box = self.sandbox(runtime=runtime, auto_resume=False)
        box.files.write("/root/kept", "yes")
        box.pause(disk_only=runtime == "container")
        self.assertEqual(box.get_info().state, "paused")
        with self.assertRaises(SandboxNotRunningError):
            box.commands.run("true")
        self.assertEqual(Sandbox.connect(box.sandbox_id).files.read("/root/kept"), "yes")
        box.stop()
        self.assertEqual(box.get_info().state, "stopped")
        box.start()
        self.assertEqual(box.files.read("/root/kept"), "yes")
        self.assertGreater(box.stats().limits.memory_bytes, 0)

    def test_a_command_that_is_waited_for_goes_on_after_a_pause(self):
        if "gvisor" not in runtimes():
            self.skipTest("no runtime here keeps processes")
        box = self.sandbox(runtime="gvisor", auto_resume=False)
        heard = []
        job = box.commands.run("echo before; until [ -e /root/go ]; do sleep 0.05; done; echo after", background=True, on_stdout=heard.append)
        eventually(lambda: "before\n" in heard)
        box.pause()
        box.resume()
        box.files.write("/root/go", "")
        self.assertEqual(job.wait().exit_code, 0)
        self.assertEqual("".join(heard), "before\nafter\n")

    def test_what_it_is_made_of_is_told_step_by_step(self):
        steps = []
        made = Sandbox.create(runtime="container", memory_mb=128, network="none", envs={"A": "b"}, on_step=steps.append)
        self.addCleanup(made.kill)
        self.assertEqual(made.commands.run("echo $A").stdout, "b\n")
        with self.assertRaises(NameTakenError):
            Sandbox.create(name=made.name, on_step=steps.append)

    def test_what_makes_no_sense_is_refused_with_the_reason(self):
        for options in ({"memory_mb": 1}, {"network": {"preset": "nonsense"}}, {"template": "a", "snapshot_id": "b"}, {"envs": {"A": "\udc80"}}):
            with self.subTest(options), self.assertRaises(InvalidRequestError) as refused:
                Sandbox.create(**options)
            self.assertTrue(refused.exception.hint)
        for name in ("", ".", "..", None):
            with self.subTest(name), self.assertRaises(InvalidRequestError):
                Sandbox.connect(name)
        with self.assertRaises(InvalidRequestError):
            Sandbox.list(limit=0)
        with self.assertRaises(InvalidRequestError):
            Sandbox.create(client=Client(), url="http://127.0.0.1:1")

    def test_pages_hold_all_that_there_are(self):
        label = {"pages": unique("all")}
        boxes = [self.sandbox(metadata=label, memory_mb=64, network="none") for _ in range(3)]
        ids = [box.sandbox_id for box in boxes]
        for limit in (1, 2, 3, 4):
            self.assertEqual([info.sandbox_id for info in Sandbox.list(metadata=label, limit=limit)], ids)
        pages = Sandbox.list(metadata=label, limit=2)
        self.assertEqual([len(pages.next_items()), pages.has_next, len(pages.next_items()), pages.has_next], [2, True, 1, False])
        self.assertEqual(pages.next_items(), [])

    @on_each_runtime
    def test_its_host_leads_to_its_port(self, runtime):
        box = self.sandbox(runtime=runtime)
        box.files.write("/srv/index.html", "it works\n")
        box.services.create("web", "exec python3 -m http.server 8080 --directory /srv", port=8080)
        box.commands.run("until curl -so /dev/null http://127.0.0.1:8080/; do sleep 0.1; done")
        route = box.routes.create("web", 8080, public=True)
        host = box.get_host(8080)
        self.assertEqual(route.host_url, f"http://{host}/")
        self.assertIn(box.sandbox_id.replace("-", ""), host)
        # Names below localhost are this machine's, but not every resolver knows.
        with socket.create_connection(("127.0.0.1", int(host.rpartition(":")[2])), 30) as connection:
            connection.sendall(f"GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
            answer = b"".join(iter(lambda: connection.recv(4096), b""))
        self.assertTrue(answer.startswith(b"HTTP/1.1 200"), answer)
        self.assertTrue(answer.endswith(b"it works\n"), answer)


class ConnectionTest(SandboxTest):
    """What is done when the connection fails is done once, and told."""

    def setUp(self):
        self.relay = Relay()
        self.addCleanup(self.relay.close)
        self.client = Client(self.relay.url, self.relay.api_key)
        self.addCleanup(self.client.close)

    def test_connections_are_used_again(self):
        box = self.sandbox(client=self.client)
        for _ in range(10):
            box.commands.run("true")
            box.files.read("/etc/hostname")
        with self.assertRaises(SandboxNotFoundError):
            Sandbox.connect("nobody", client=self.client)
        self.assertEqual(self.relay.connections, 1)

    def test_a_sandbox_whose_making_was_not_answered_is_not_made_twice(self):
        label = {"once": unique("once")}
        list(Sandbox.list(metadata=label, client=self.client))
        self.relay.cut_before_answer = b"POST /v1/sandboxes "
        box = self.sandbox(client=self.client, metadata=label)
        self.assertIsNone(self.relay.cut_before_answer)
        self.assertEqual([info.sandbox_id for info in Sandbox.list(metadata=label)], [box.sandbox_id])

    def test_what_may_not_be_repeated_is_told_to_have_failed(self):
        box = self.sandbox(client=self.client)
        self.relay.cut_before_answer = f"POST /v1/sandboxes/{box.sandbox_id}/commands/run".encode()
        with self.assertRaises(DaemonUnreachableError):
            box.commands.run("echo once >> /root/count")
        self.assertEqual(box.commands.run("cat /root/count").stdout.count("once"), 1)

    def test_many_threads_share_a_client(self):
        box = self.sandbox(client=self.client)
        told = {}

        def work(number):
            told[number] = [box.commands.run(["echo", str(number)]).stdout for _ in range(5)]

        threads = [threading.Thread(target=work, args=(number,)) for number in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(told, {number: [f"{number}\n"] * 5 for number in range(12)})

    def test_a_process_that_was_forked_has_connections_of_its_own(self):
        box = self.sandbox(client=self.client)
        before = self.relay.connections
        child = os.fork()
        if child == 0:
            try:
                os._exit(0 if box.commands.run("echo child").stdout == "child\n" else 1)
            finally:
                os._exit(2)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(box.commands.run("echo parent").stdout, "parent\n")
        self.assertEqual(self.relay.connections, before + 1)

    def test_a_daemon_that_is_silent_is_not_waited_for_forever(self):
        with socket.create_server(("127.0.0.1", 0)) as mute:
            client = Client(f"http://127.0.0.1:{mute.getsockname()[1]}", "key", request_timeout=0.3)
            with self.assertRaises(DaemonUnreachableError) as silent:
                Sandbox.connect("any", client=client)
        self.assertIn("silent", silent.exception.message)

    def test_what_answers_without_being_a_daemon_is_told_as_such(self):
        for answer in (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nhtml", b"220 mail ready\r\n\r\n"):
            with socket.create_server(("127.0.0.1", 0)) as other:

                def serve(listener=other, text=answer):
                    connection, _ = listener.accept()
                    connection.recv(1 << 16)
                    connection.sendall(text)
                    connection.close()

                thread = threading.Thread(target=serve)
                thread.start()
                with self.subTest(answer), self.assertRaises(DaemonUnreachableError):
                    Sandbox.connect("any", url=f"http://127.0.0.1:{other.getsockname()[1]}", api_key="key")
                thread.join()


if __name__ == "__main__":
    unittest.main()

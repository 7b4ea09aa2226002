"""What a sandbox reaches, what reaches it, what it supervises, and what outlives it."""

import os
import tempfile
import unittest
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from support import SandboxTest, eventually, on_each_runtime, unique

from sandglass import ConflictError, NetworkPolicy, NotFoundError, SandglassError, Volume, VolumeMount


class NetworkTest(SandboxTest):
    @on_each_runtime
    def test_what_is_refused_is_told_with_what_would_open_it(self, runtime):
        box = self.sandbox(runtime=runtime, network=NetworkPolicy(rules=["allow example.org:443"], otherwise="deny"))
        self.assertEqual(box.network.get().rules, ["allow example.org:443"])
        self.assertNotEqual(box.commands.run("getent hosts www.example.com").exit_code, 0)
        refused = eventually(lambda: [each for each in box.network.log() if each.name == "www.example.com"])[0]
        self.assertEqual((refused.verdict, refused.allow is not None), ("deny", True))
        self.assertEqual(box.network.log(after=refused.attempt_id), [])
        self.assertEqual(box.network.allow(refused.allow).rules[0], "allow " + refused.allow)
        self.assertEqual(box.network.deny("*.example.org").rules[0], "deny *.example.org")
        self.assertEqual(box.network.set("open").preset or "open", "open")
        with self.assertRaises(SandglassError):
            box.network.set({"rules": ["nonsense"], "otherwise": "deny"})
        with self.assertRaises(ConflictError):
            self.sandbox(runtime=runtime, network="none").network.get()


class RouteTest(SandboxTest):
    @on_each_runtime
    def test_a_private_route_lets_in_who_has_its_secret_or_a_link(self, runtime):
        box = self.sandbox(runtime=runtime)
        box.files.write("/srv/index.html", "let in\n")
        box.services.create("web", ["python3", "-m", "http.server", "8080", "--directory", "/srv"], port=8080, health={"path": "/", "interval_ms": 100})
        eventually(lambda: box.services.get("web").health == "healthy")
        route = box.routes.create("web", 8080)
        self.assertEqual((route.access, bool(route.secret)), ("private", True))
        self.assertNotIn(route.secret, repr(route))
        with self.assertRaises(HTTPError) as refused:
            urlopen(route.url, timeout=60)
        self.assertEqual(refused.exception.code, 401)
        refused.exception.close()
        with urlopen(Request(route.url, headers={"Authorization": "Bearer " + route.secret}), timeout=60) as answer:
            self.assertEqual(answer.read(), b"let in\n")
        link = box.routes.link("web", expires=600)
        self.assertIsNotNone(link.expires_at.tzinfo)
        self.assertIn(box.get_host(8080), link.host_url)
        with urlopen(link.url, timeout=60) as answer:
            self.assertEqual(answer.read(), b"let in\n")
        box.routes.unlink("web")
        with self.assertRaises(HTTPError) as refused:
            urlopen(link.url, timeout=60)
        refused.exception.close()
        self.assertIn(box.get_host(8080), box.routes.link(8080).host_url)
        box.routes.unlink(8080)
        self.assertIsNone(box.routes.get("web").secret)
        self.assertEqual([each.name for each in box.routes.list()], ["web"])
        box.routes.remove("web")
        with self.assertRaises(NotFoundError):
            box.routes.get("web")


class ServiceTest(SandboxTest):
    @on_each_runtime
    def test_one_is_supervised(self, runtime):
        box = self.sandbox(runtime=runtime)
        made = box.services.create("ticker", "echo begins with $COLOUR; exec sleep 1000", envs={"COLOUR": "blue"}, restart="always", backoff=0.05)
        self.assertEqual(made.state, "running")
        box.commands.run(["kill", "-9", str(made.pid)])
        again = eventually(lambda: [each for each in box.services.list() if each.state == "running" and each.pid != made.pid])[0]
        self.assertGreaterEqual(again.restarts, 1)
        self.assertEqual(box.services.stop("ticker").state, "inactive")
        self.assertEqual(box.services.start("ticker").state, "running")
        eventually(lambda: box.services.logs("ticker").count("blue") > 0)
        self.assertEqual(box.services.restart("ticker").state, "running")
        eventually(lambda: box.services.logs("ticker").count("blue") > 1)
        self.assertEqual(box.services.logs("ticker", lines=1), "begins with blue\n")
        box.services.remove("ticker")
        with self.assertRaises(NotFoundError):
            box.services.get("ticker")


class VolumeTest(SandboxTest):
    def volume(self, **options):
        made = Volume.create(unique("disk"), size_mb=64, **options)

        def remove():
            try:
                made.delete()
            except NotFoundError:
                pass

        self.addCleanup(remove)
        return made

    @on_each_runtime
    def test_what_is_in_one_outlives_the_sandbox(self, runtime):
        volume = self.volume(metadata={"of": runtime})
        first = self.sandbox(runtime=runtime, volumes={"/data": volume.name})
        first.files.write("/data/note", "stays")
        self.assertEqual([(each.name, each.path, each.mode) for each in first.volumes.list()], [(volume.name, "/data", "rw")])
        self.assertEqual([each.sandbox_id for each in volume.get_info().used_by], [first.sandbox_id])
        with self.assertRaises(ConflictError) as used:
            volume.delete()
        self.assertIn(first.name, str(used.exception))
        first.kill()
        second = self.sandbox(runtime=runtime, volumes=[VolumeMount(volume.volume_id, "/mnt/data", "ro")])
        self.assertEqual(second.files.read("/mnt/data/note"), "stays")
        with self.assertRaises(SandglassError):
            second.files.write("/mnt/data/note", "changed")
        second.volumes.detach(volume)
        self.assertFalse(second.files.exists("/mnt/data/note"))
        second.volumes.attach(volume, "/again")
        self.assertEqual(second.files.read("/again/note"), "stays")
        second.kill()
        volume.delete()
        with self.assertRaises(NotFoundError):
            Volume.get(volume.name)

    def test_one_is_kept_copied_and_filled_without_a_sandbox(self):
        volume = self.volume()
        volume.files.write("/dir/file", "1")
        kept, copy = volume.snapshot(unique("kept")), volume.fork(unique("copy"))
        self.addCleanup(kept.delete)
        self.addCleanup(copy.delete)
        volume.files.write("/dir/file", "2")
        self.assertEqual([each.files.read("/dir/file") for each in (volume, kept, copy)], ["2", "1", "1"])
        self.assertEqual((kept.info.kind, copy.info.kind, copy.info.source), ("snapshot", "volume", volume.volume_id))
        with tempfile.TemporaryDirectory() as directory:
            copy.files.download_dir("/", directory)
            self.assertEqual(Path(directory, "dir", "file").read_text(), "1")
            os.mkdir(Path(directory, "more"))
            copy.files.upload_dir(directory, "/again")
        self.assertTrue(copy.files.exists("/again/more"))
        self.assertLessEqual({volume.volume_id, kept.volume_id}, {each.volume_id for each in Volume.list(limit=1)})
        Volume.delete(volume.name)
        with self.assertRaises(NotFoundError):
            volume.get_info()


if __name__ == "__main__":
    unittest.main()

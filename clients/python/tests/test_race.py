"""Copies that try at once: one is kept, and nothing else is left."""

import threading
import time
import unittest

from support import SandboxTest, on_each_runtime, unique

from sandglass import InvalidRequestError, Sandbox


class RaceTest(SandboxTest):
    def one_is_left(self, name, race):
        found = [info.name for info in Sandbox.list(name=name)]
        self.assertEqual(found, [race.winner.name] if race.winner else [])
        if race.winner:
            self.addCleanup(race.winner.kill)

    @on_each_runtime
    def test_the_first_success_wins_and_nobody_waits_for_the_others(self, runtime):
        box = self.sandbox(runtime=runtime)
        box.files.write("/root/base", "shared")
        name = unique("race")
        begun = time.monotonic()
        race = box.race("cat /root/base; test $SANDGLASS_BRANCH = 2 || exec sleep 1000", count=3, name=name)
        self.assertLess(time.monotonic() - begun, 500)
        self.assertEqual((race.winner.name, race.winner.commands.run("cat /root/base").stdout), (f"{name}-2", "shared"))
        self.assertEqual([(each.outcome, each.kept) for each in race.branches], [("beaten", False), ("succeeded", True), ("beaten", False)])
        self.assertEqual(race.branches[1].stdout, "shared")
        self.one_is_left(name, race)
        self.assertTrue(box.is_running())

    def test_different_ways_are_tried_from_one_snapshot(self):
        box = self.sandbox()
        taken = box.create_snapshot(disk_only=True)
        self.snapshot_goes(taken.snapshot_id)
        name = unique("ways")
        race = Sandbox.race_snapshot(taken, "echo one > /root/way; exit 1", ["sh", "-c", "echo two > /root/way"], name=name)
        self.assertEqual(race.winner.files.read("/root/way"), "two\n")
        self.one_is_left(name, race)

    def test_the_best_score_wins(self):
        box = self.sandbox()
        name = unique("score")
        race = box.race("exit $((SANDGLASS_BRANCH == 3))", count=3, score="echo $((10 - SANDGLASS_BRANCH))", name=name)
        self.assertEqual([(each.exit_code, each.score, each.kept) for each in race.branches], [(0, 9.0, True), (0, 8.0, False), (1, None, False)])
        self.one_is_left(name, race)
        none = box.race("true", score="echo no number", name=unique("none"))
        self.assertIsNone(none.winner)

    def test_programs_race_too(self):
        box = self.sandbox()
        name = unique("programs")

        def careful(copy):
            copy.files.write("/root/way", "careful")
            return copy.files.exists("/root/way")

        def wrong(copy):
            return False

        def fails(copy):
            raise LookupError("of the program")

        race = box.race(fails, wrong, careful, name=name)
        self.assertEqual([each.outcome for each in race.branches if each.branch == 3], ["succeeded"])
        self.assertEqual(race.winner.files.read("/root/way"), "careful")
        self.one_is_left(name, race)

    def test_nobody_wins_where_all_fail(self):
        name = unique("none")
        race = self.sandbox().race("echo why >&2; exit 3", count=2, name=name)
        self.assertIsNone(race.winner)
        self.assertEqual([(each.outcome, each.exit_code, each.stderr) for each in race.branches], [("failed", 3, "why\n")] * 2)
        self.one_is_left(name, race)

    def test_time_is_over_for_each(self):
        race = self.sandbox().race("exec sleep 1000", count=2, timeout=0.5, name=unique("late"))
        self.assertEqual([each.exit_code for each in race.branches], [124, 124])

    def test_what_is_no_race_is_refused_before_anything_is_made(self):
        box = self.sandbox()
        before = len(list(Sandbox.list()))
        for wrong in (lambda: box.race(), lambda: box.race("true", count=1), lambda: box.race("a", "b", count=3), lambda: box.race([])):
            with self.assertRaises(InvalidRequestError):
                wrong()
        self.assertEqual(len(list(Sandbox.list())), before)

    def test_an_interrupted_race_leaves_nothing(self):
        box = self.sandbox()
        name = unique("interrupted")
        begun = threading.Event()

        class Interrupted(BaseException):
            pass

        def interrupt(copy):
            begun.wait(60)
            raise Interrupted

        def other(copy):
            begun.set()
            copy.commands.run("exec sleep 1000")

        with self.assertRaises(Interrupted):
            box.race(interrupt, other, name=name)
        self.assertEqual(list(Sandbox.list(name=name)), [])


if __name__ == "__main__":
    unittest.main()

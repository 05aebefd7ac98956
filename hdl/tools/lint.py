"""Verilator and slang as linters."""

from designs import MANIFEST, bench_tops, design_names, design_top, proof_tops
from environment import BUILD, HDL, Failure, digest, in_parallel, is_fresh, python, verilator

# Arguments are slang's own.
SLANG = """
import sys
from pyslang.driver import Driver
driver = Driver()
driver.addStandardArgs()
arguments = " ".join(["slang"] + sys.argv[1:])
sys.exit(not (driver.parseCommandLine(arguments) and driver.processOptions() and driver.parseAllSources()
              and driver.runFullCompilation(False)))
"""


def lint_top(top):
    stamp = BUILD / "lint" / digest(top.part, top.label())
    key = top.key()
    if is_fresh(stamp, key):
        return
    verilator("--lint-only", *top.for_verilator())
    python(SLANG, "--lint-only", "-Wextra", "-Wno-useless-cast", "-Werror", "-DRINGMILL_ASSERTIONS", *top.for_slang())
    stamp.parent.mkdir(parents=True, exist_ok=True)
    stamp.write_text(key)


def untested():
    """Modules and packages without a bench."""
    return [f"{part}/{file.stem}" for part in MANIFEST["parts"] for file in sorted((HDL / part).glob("*.sv"))
            if f"{part}/{file.stem}" not in MANIFEST["benches"]]


def lint(arguments):
    """Verilator -Wall and slang over every design and all parameter sets of benches and proofs; benches for all modules."""
    tops = [design_top(name) for name in design_names(arguments)]
    tops += [top for name in MANIFEST["benches"] for top in bench_tops(name, arguments.full)]
    tops += [top for name in MANIFEST["proofs"] for top in proof_tops(name)]
    tops = list({top.label(): top for top in tops}.values())
    for name in untested():
        print(f"FAILED {name} has no bench in designs.json")
    failures = len(untested())
    for top, result in in_parallel(lint_top, tops):
        if isinstance(result, Failure):
            failures += 1
            print(f"FAILED {top.label()}\n{result}")
    print(f"lint: {len(tops)} tops, {failures} failures")
    return failures == 0

"""Verilator and slang as linters."""

from designs import MANIFEST, bench_tops, design_names, design_top
from environment import BUILD, Failure, digest, in_parallel, is_fresh, python, verilator

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


def lint(arguments):
    """Verilator -Wall and slang over every design and every parameter set of a bench."""
    tops = [design_top(name) for name in design_names(arguments)]
    tops += [top for name in MANIFEST["benches"] for top in bench_tops(name, arguments.full)]
    tops = list({top.label(): top for top in tops}.values())
    failures = 0
    for top, result in in_parallel(lint_top, tops):
        if isinstance(result, Failure):
            failures += 1
            print(f"FAILED {top.label()}\n{result}")
    print(f"lint: {len(tops)} tops, {failures} failures")
    return failures == 0

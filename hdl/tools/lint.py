"""Verilator and slang as linters."""

from xml.etree import ElementTree

from designs import MANIFEST, bench_tops, design_names, design_top, parts_of, proof_tops, wrapper_tops
from environment import HDL, Failure, in_parallel, python, verilator

# Arguments are command lines for slang. What it says of one stands under that line.
SLANG = """
import sys
from pyslang.driver import Driver
failures = 0
for arguments in sys.argv[1:]:
    driver = Driver()
    driver.addStandardArgs()
    passes = (driver.parseCommandLine("slang " + arguments) and driver.processOptions() and driver.parseAllSources()
              and driver.runFullCompilation(False))
    if not passes:
        failures += 1
        print("slang " + arguments, flush=True)
sys.exit(failures != 0)
"""
SLANG_OPTIONS = "--lint-only -Wextra -Wno-useless-cast -Werror -DRINGMILL_ASSERTIONS"
# Designs that one process of slang takes: starting one takes as long as a design.
TOGETHER = 25


def with_verilator(top):
    if not top.is_linted("verilator"):
        verilator("--lint-only", *top.for_verilator())
        top.set_linted("verilator")


def with_slang(tops):
    """Reads designs in one process; where one of them fails, each in its own, so that what slang says of it is not cut."""
    try:
        python(SLANG, *(" ".join([SLANG_OPTIONS, *top.for_slang()]) for top in tops))
    except Failure:
        for top in tops if len(tops) > 1 else []:
            with_slang([top])
        raise
    for top in tops:
        top.set_linted("slang")


def untested():
    """Modules and packages without a bench."""
    return [f"{part}/{file.stem}" for part in MANIFEST["parts"] for file in sorted((HDL / part).glob("*.sv"))
            if f"{part}/{file.stem}" not in MANIFEST["benches"]]


def packaging_problems():
    """What of the packaging scripts can be checked without their tools."""
    listed = (HDL / "packaging/sources.tcl").read_text()
    missing = [part for part in parts_of("core") if f"$hdl/{part}" not in listed]
    problems = [f"hdl/packaging/sources.tcl does not list {part}" for part in missing]
    ports = (HDL / "packaging/core_kernel.v").read_text()
    for port in ElementTree.parse(HDL / "packaging/kernel.xml").iter("port"):
        if f"{port.get('name')}_araddr" not in ports:
            problems.append(f"hdl/packaging/kernel.xml has a port {port.get('name')} that core_kernel.v has not")
    return problems


def lint(arguments):
    """Verilator -Wall and slang over every design, all parameter sets of benches and proofs, and wrappers; benches for
    all modules. Verilator need not read again what `hw test` has built."""
    tops = [design_top(name) for name in design_names(arguments)]
    tops += [top for name in MANIFEST["benches"] for top in bench_tops(name, arguments.full)]
    tops += [top for name in MANIFEST["proofs"] for top in proof_tops(name)] + wrapper_tops()
    tops = list({top.label(): top for top in tops}.values())
    problems = [f"{name} has no bench in designs.json" for name in untested()] + packaging_problems()
    for problem in problems:
        print(f"FAILED {problem}")
    failures = len(problems)
    for top, result in in_parallel(with_verilator, tops):
        if isinstance(result, Failure):
            failures += 1
            print(f"FAILED {top.label()}\n{result}")
    left = [top for top in tops if not top.is_linted("slang")]
    for _, result in in_parallel(with_slang, [left[at:at + TOGETHER] for at in range(0, len(left), TOGETHER)]):
        if isinstance(result, Failure):
            failures += 1
            print(f"FAILED {result}")
    print(f"lint: {len(tops)} tops, {failures} failures")
    return failures == 0

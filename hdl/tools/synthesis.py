"""Resources of the designs by Yosys, beside the papers' and beside what is expected."""

import json

from designs import MANIFEST, design_names, design_top
from environment import BUILD, HDL, Failure, in_parallel, python

EXPECTED = HDL / "expected.json"
FAMILIES = ("xc7", "xc6v")
RESOURCES = ("LUT", "FF", "DSP", "BRAM")
# Growth of a resource that `report` lets pass.
TOLERANCE = 0.02

# LUTs of the cells that are made of them; RAM and shift registers sit in LUTs too.
LUTS = {f"LUT{inputs}": 1 for inputs in range(1, 7)} | {
    "INV": 1, "SRL16E": 1, "SRLC32E": 1, "RAM32X1S": 1, "RAM64X1S": 1, "RAM32X1D": 2, "RAM64X1D": 2,
    "RAM128X1S": 2, "RAM128X1D": 4, "RAM256X1S": 4, "RAM32M": 4, "RAM64M": 4,
}

# A Yosys error ends the process, so each design has its own: arguments are the passes.
YOSYS = """
import sys
from pyosys import libyosys
design = libyosys.Design()
for line in sys.argv[1:]:
    libyosys.run_pass(line, design)
"""


def resources(cells):
    """The four numbers from Yosys' count of cells."""
    return {
        "LUT": sum(count * LUTS.get(cell, 0) for cell, count in cells.items()),
        "FF": sum(count for cell, count in cells.items() if cell.startswith(("FDRE", "FDSE", "FDCE", "FDPE"))),
        "DSP": cells.get("DSP48E1", 0),
        "BRAM": cells.get("RAMB36E1", 0) + cells.get("RAMB18E1", 0) / 2,
    }


def synthesise(name, family):
    """Resources of a design; from the cache where nothing changed."""
    top = design_top(name)
    stamp = BUILD / "synth" / family / f"{name}.json"
    key = top.key(YOSYS)
    if stamp.exists() and (known := json.loads(stamp.read_text()))["key"] == key:
        return resources(known["cells"])
    stamp.parent.mkdir(parents=True, exist_ok=True)
    report = stamp.with_suffix(".stat")
    python(YOSYS, f"read_slang {' '.join(top.for_slang())}",
         f"synth_xilinx -family {family} -noiopad -noclkbuf -flatten", f"tee -o {report} stat -json -tech xilinx")
    cells = json.loads(report.read_text())["design"]["num_cells_by_type"]
    stamp.write_text(json.dumps({"key": key, "cells": cells}))
    return resources(cells)


def synthesise_all(arguments):
    """Resources of the selected designs by name; prints what fails and then raises."""
    names = design_names(arguments)
    found, failed = {}, []
    for name, result in in_parallel(lambda name: synthesise(name, arguments.family), names):
        if isinstance(result, Failure):
            failed.append(name)
            print(f"FAILED {name}\n{result}")
        else:
            found[name] = result
    if failed:
        raise Failure(f"not synthesised: {', '.join(failed)}")
    return found


def synth(arguments):
    """Prints the resources of the designs."""
    found = synthesise_all(arguments)
    if arguments.json:
        print(json.dumps(found, indent=2))
        return True
    print(f"{arguments.family:32}" + "".join(f"{resource:>8}" for resource in RESOURCES))
    for name, ours in found.items():
        print(f"{name:32}" + "".join(f"{ours[resource]:8g}" for resource in RESOURCES))
    return True


def table(found):
    """Ours beside the paper's, in Markdown."""
    yield "| design | LUT | FF | DSP48E1 | BRAM36 | paper |"
    yield "|---|---|---|---|---|---|"
    for name, ours in found.items():
        paper = MANIFEST["designs"][name].get("paper")
        text = "-" if paper is None else f"{paper['source']}: " + ", ".join(
            f"{paper[resource]:g} {resource}" for resource in RESOURCES if resource in paper)
        yield f"| {name} | " + " | ".join(f"{ours[resource]:g}" for resource in RESOURCES) + f" | {text} |"


def growth(name, ours, expected):
    """What of a design exceeds the expectation."""
    if expected is None:
        return [f"{name} is not in {EXPECTED.name}"]
    return [f"{name}: {resource} {ours[resource]:g}, expected {expected[resource]:g}" for resource in RESOURCES
            if ours[resource] > expected[resource] * (1 + TOLERANCE)]


def report(arguments):
    """The table, and the guard against growth; --update makes the present numbers the expected ones."""
    found = synthesise_all(arguments)
    print("\n".join(table(found)))
    expected = json.loads(EXPECTED.read_text()) if EXPECTED.exists() else {}
    known = expected.setdefault(arguments.family, {})
    if arguments.update:
        known.update(found)
        EXPECTED.write_text(json.dumps(expected, indent=2, sort_keys=True) + "\n")
        return True
    grown = [line for name, ours in found.items() for line in growth(name, ours, known.get(name))]
    print("".join(f"\n{line}" for line in grown) + ("\nif that is meant: hw report --update" if grown else ""))
    return not grown

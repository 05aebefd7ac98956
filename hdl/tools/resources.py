"""LUT, FF, DSP and BRAM of designs by Yosys: flat, or in stages that are synthesised alone and counted."""

import json
import re
import sys
import time

from designs import MANIFEST, Top, design_top
from environment import BUILD, Failure, digest, in_parallel, python

RESOURCES = ("LUT", "FF", "DSP", "BRAM")
# Seconds of processor time for a design, or for each of its stages, where designs.json has no "limit".
LIMIT = 300

# LUTs of the cells that are made of them; RAM and shift registers sit in LUTs too.
LUTS = {f"LUT{inputs}": 1 for inputs in range(1, 7)} | {
    "INV": 1, "SRL16E": 1, "SRLC32E": 1, "RAM32X1S": 1, "RAM64X1S": 1, "RAM32X1D": 2, "RAM64X1D": 2,
    "RAM128X1S": 2, "RAM128X1D": 4, "RAM256X1S": 4, "RAM32M": 4, "RAM64M": 4,
}

# A Yosys error ends the process, so each design has its own. Arguments: what to write, slang's line, the family, and
# the modules that are black boxes. slang makes one black box of a module for all parameters; here each set has its
# own, since the widths of ports depend on them.
YOSYS = """
import collections, json, sys
from pyosys import libyosys
target, slang, family, *boxed = sys.argv[1:]
design = libyosys.Design()
words = [f"--blackboxed-module {module}" for module in boxed] + [slang]
libyosys.run_pass("read_slang " + " ".join(words), design)
boxes = {}
for cell in list(design.top_module().cells_.values()):
    module = str(cell.type)[1:]
    if module not in boxed:
        continue
    values = {str(name)[1:]: value.as_int() for name, value in dict(cell.parameters).items()}
    for name in list(cell.parameters):
        cell.unsetParam(name)
    key = json.dumps([module, values], sort_keys=True)
    if key not in boxes:
        boxes[key] = f"box{len(boxes)}"
        box = design.addModule(libyosys.IdString("\\\\" + boxes[key]))
        for port, signal in dict(cell.connections_).items():
            wire = box.addWire(port, signal.size())
            wire.port_input = design.module(cell.type).wire(port).port_input
            wire.port_output = not wire.port_input
        box.fixup_ports()
        box.set_bool_attribute(libyosys.IdString("\\\\blackbox"))
    cell.type = libyosys.IdString("\\\\" + boxes[key])
libyosys.run_pass(f"synth_xilinx -family {family} -noiopad -noclkbuf -flatten", design)
cells = collections.Counter(str(cell.type)[1:] for cell in design.top_module().cells_.values())
boxes = {key: cells.pop(name, 0) for key, name in boxes.items()}
json.dump({"cells": cells, "boxes": boxes}, open(target, "w"))
"""


def resources(cells):
    """The four numbers from Yosys' count of cells."""
    return {
        "LUT": sum(count * LUTS.get(cell, 0) for cell, count in cells.items()),
        "FF": sum(count for cell, count in cells.items() if cell.startswith(("FDRE", "FDSE", "FDCE", "FDPE"))),
        "DSP": cells.get("DSP48E1", 0),
        "BRAM": cells.get("RAMB36E1", 0) + cells.get("RAMB18E1", 0) / 2,
    }


class Stage:
    """A module with parameters, in which some modules below it are black boxes."""

    def __init__(self, top, boxed, family, limit):
        self.top, self.boxed, self.family, self.limit = top, boxed, family, limit
        self.key = digest(YOSYS, family, top.key(), *sorted(self.boxes()))

    def boxes(self):
        return [module for module in self.boxed if module != self.top.module]

    def synthesised(self):
        """Cells of the module alone and (stage, count) of its black boxes; from the cache where nothing changed."""
        stamp = BUILD / "synth" / f"{self.key[:24]}.json"
        if not stamp.exists():
            begin = time.monotonic()
            stamp.parent.mkdir(parents=True, exist_ok=True)
            partial = stamp.with_suffix(".partial")
            python(YOSYS, partial, " ".join(self.top.for_slang()), self.family, *self.boxes(), limit=self.limit)
            partial.rename(stamp)
            print(f"{self.top.label()}: {time.monotonic() - begin:.0f} s", file=sys.stderr, flush=True)
        known = json.loads(stamp.read_text())
        return known["cells"], [(self.below(*json.loads(box)), count) for box, count in known["boxes"].items()]

    def below(self, module, values):
        """The stage of a black box; of its constants only the parameters can be given again."""
        text = next(file for file in self.top.files if file.stem == module).read_text()
        types = {name: kind for kind, name in re.findall(r"^ *parameter (.*\w) (\w+) =", text, re.MULTILINE)}
        parameters = {name: f"{kind}'({values[name]})" if kind.endswith("_e") else values[name]
                      for name, kind in types.items()}
        return Stage(Top(module, self.top.part, parameters), self.boxed, self.family, self.limit)


def design_stage(name, family, flat):
    """The stage at the top of a design; no black boxes if it is flat."""
    design = MANIFEST["designs"][name]
    return Stage(design_top(name), [] if flat else design.get("stages", []), family, design.get("limit", LIMIT))


def total(stage, known):
    """Resources of a stage and of all below it; raises where one of them failed."""
    if isinstance(known[stage.key], Failure):
        raise known[stage.key]
    cells, boxes = known[stage.key]
    sums = resources(cells)
    for box, count in boxes:
        sums = {name: sums[name] + count * value for name, value in total(box, known).items()}
    return sums


def synthesise(names, family, flat=False):
    """(name, resources or Failure) of designs. Each stage is synthesised once, whoever has it, on all cores."""
    designs = {name: design_stage(name, family, flat) for name in names}
    known, pending = {}, {stage.key: stage for stage in designs.values()}
    while pending:
        known.update(in_parallel(lambda key: pending[key].synthesised(), pending))
        below = [box for key in pending if not isinstance(known[key], Failure) for box, _ in known[key][1]]
        pending = {box.key: box for box in below if box.key not in known}
    for name, stage in designs.items():
        try:
            yield name, total(stage, known)
        except Failure as failure:
            yield name, failure

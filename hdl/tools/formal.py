"""Bounded proofs and induction: harnesses in PART/formal, Yosys with slang in front, Bitwuzla behind."""

import json
import time

from designs import MANIFEST, proof_tops, selected
from environment import BUILD, SOLVER, WHEELS, Failure, digest, in_parallel, prepare_environment, python

# Cycles from reset that are searched where a proof does not say.
BOUND = 12

# Arguments: slang's line, the top, the file to write. Memories become registers; what has no driver is any value.
ELABORATION = """
import sys
from pyosys import libyosys
slang, top, target = sys.argv[1:]
design = libyosys.Design()
for line in (f"read_slang {slang}", f"prep -flatten -top {top}", "memory_map", "async2sync", "chformal -lower",
             "setundef -undriven -anyseq", "opt_clean", f"write_smt2 -wires {target}"):
    libyosys.run_pass(line, design)
"""

# Arguments: the file, cycles from reset, depth of the induction (0 for none). Prints JSON: of each property either "proved",
# "holds for N cycles", or how it fails; of each cover whether it is reached.
#
# Reset is 0 in the first cycle and 1 from then on. Bounded: each property in each cycle. Induction of depth d: if all
# properties hold in d cycles in a row, from any state, they hold in the next.
PROVER = """
import json, re, sys
import bitwuzla
text = open(sys.argv[1]).read()
bound, depth = int(sys.argv[2]), int(sys.argv[3])
top = re.search(r"^; yosys-smt2-topmod (\\S+)", text, re.M)[1]
asserts = re.findall(r"^; yosys-smt2-assert (\\d+) (\\S+)", text, re.M)
covers = re.findall(r"^; yosys-smt2-cover (\\d+) (\\S+)", text, re.M)
inputs = re.findall(r"^; yosys-smt2-input (\\S+) (\\d+)", text, re.M)
resets = any(name == "rst_ni" for name, _ in inputs)
options = bitwuzla.Options()
options.set(bitwuzla.Option.PRODUCE_MODELS, True)


class Trace:
    def __init__(self):
        self.parser = bitwuzla.Parser(bitwuzla.TermManager(), options)
        self.tell(text)
        self.length = 0

    def tell(self, line):
        self.parser.parse(line, True, False)

    def extend(self, in_reset):
        state = f"s{self.length}"
        self.tell(f"(declare-fun {state} () |{top}_s|)(assert (|{top}_h| {state}))(assert (|{top}_u| {state}))")
        if resets:
            value = f"(|{top}_n rst_ni| {state})"
            self.tell(f"(assert (not {value}))" if in_reset else f"(assert {value})")
        if self.length:
            self.tell(f"(assert (|{top}_t| s{self.length - 1} {state}))")
        self.length += 1

    def can(self, formula):
        assumed = self.parser.parse_term(formula)
        return self.inputs() if self.parser.bitwuzla().check_sat(assumed) == bitwuzla.Result.SAT else None

    def inputs(self):
        solver = self.parser.bitwuzla()
        value = lambda name, i: solver.get_value(self.parser.parse_term(f"(|{top}_n {name}| s{i})"))
        return [" ".join(f"{name}={value(name, i)}" for name, _ in inputs if name != "clk_i")
                for i in range(self.length)]


def holds(number):
    return f"(|{top}_a {number}| s{trace.length - 1})"


results, open_covers = {}, dict(covers)
trace = Trace()
remaining = dict(asserts)
for cycle in range(bound if resets else 1):
    trace.extend(resets and cycle == 0)
    if trace.can("true") is None:
        sys.exit("the assumptions contradict each other in cycle %d" % cycle)
    while remaining:
        failing = " ".join(f"(not {holds(number)})" for number in remaining)
        if trace.can(f"(or {failing} false)") is None:
            break
        for number in list(remaining):
            inputs_then = trace.can(f"(not {holds(number)})")
            if inputs_then is not None:
                results[remaining.pop(number)] = {"fails": cycle, "inputs": inputs_then}
    for number in list(open_covers):
        if trace.can(f"(|{top}_c {number}| s{cycle})") is not None:
            results[open_covers.pop(number)] = {"reached": cycle}
for name in open_covers.values():
    results[name] = {"fails": "not reached"}
if resets and depth and remaining:
    trace = Trace()
    for _ in range(depth):
        trace.extend(False)
        for number in remaining:
            trace.tell(f"(assert {holds(number)})")
    trace.extend(False)
    for name in [name for number, name in remaining.items()]:
        number = next(number for number in remaining if remaining[number] == name)
        inputs_then = trace.can(f"(not {holds(number)})")
        results[name] = "proved" if inputs_then is None else {"fails": "induction", "inputs": inputs_then}
    # A property that is proved beside one that is not stands on sand.
    if any(isinstance(results[name], dict) for name in remaining.values()):
        for name in remaining.values():
            if results[name] == "proved":
                results[name] = {"fails": "induction, for others fail it"}
else:
    for name in remaining.values():
        results[name] = f"holds for {bound} cycles" if resets else "proved"
print("RESULTS " + json.dumps(results))
"""


def check(top, proof, folder, bounded_only=False):
    """What became of each property of a harness."""
    folder.mkdir(parents=True, exist_ok=True)
    formulas = folder / "formulas.smt2"
    python(ELABORATION, " ".join(top.for_slang()), top.module, formulas)
    depth = 0 if bounded_only else proof.get("induction", 0)
    output = python(PROVER, formulas, proof.get("bound", BOUND), depth)
    return json.loads(output[output.index("RESULTS ") + len("RESULTS "):])


def prove(name):
    """All parameter sets of a proof; its properties with their number, and the seconds that it took."""
    proof = MANIFEST["proofs"][name]
    begin = time.monotonic()
    lines, proved, bounded = [], 0, 0
    for top in proof_tops(name):
        folder = BUILD / "formal" / digest(name, top.label())[:16]
        stamp, key = folder / "results.json", top.key(ELABORATION, PROVER, json.dumps([SOLVER, proof]))
        if stamp.exists() and (known := json.loads(stamp.read_text()))["key"] == key:
            results = known["results"]
        else:
            results = check(top, proof, folder)
            stamp.write_text(json.dumps({"key": key, "results": results}))
        if not results:
            lines.append(f"{top.label()}: nothing is asserted")
        for label, result in results.items():
            proved += result == "proved"
            bounded += isinstance(result, str) and result != "proved"
            if isinstance(result, dict) and "fails" in result:
                # One trace is enough to start with.
                trace = [] if lines else result.get("inputs", [])
                lines += [f"{top.label()}: {label} fails ({result['fails']})"]
                lines += [f"  cycle {cycle}: {values}" for cycle, values in enumerate(trace)]
    if lines:
        raise Failure("\n".join(lines))
    return proved, bounded, time.monotonic() - begin


def formal(arguments):
    """Proves what the harnesses assert, by induction or up to a bound; one line each."""
    begin = time.monotonic()
    prepare_environment({**WHEELS, **SOLVER})
    names = selected(list(MANIFEST["proofs"]), arguments.names)
    failures = 0
    for name, result in in_parallel(prove, names):
        if isinstance(result, Failure):
            failures += 1
            print(f"FAILED {name}\n{result}", flush=True)
        else:
            proved, bounded, seconds = result
            print(f"ok     {name}: {proved} properties proved, {bounded} up to a bound ({seconds:.1f} s)", flush=True)
    print(f"formal: {len(names)} proofs, {failures} failures, {time.monotonic() - begin:.1f} s")
    return failures == 0

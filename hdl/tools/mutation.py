"""Faults in modules, one at a time: the module's bench must fail."""

import copy
import json
import pathlib
import random
import re
import time

from designs import MANIFEST, bench_tops, selected
from environment import BUILD, HDL, Failure, in_parallel, run
from simulation import Runtime, build_bench

SURVIVORS = HDL / "survivors.json"
# Seconds after which a bench hangs, which is a way to fail.
PATIENCE = 120

SWAPS = [("&&", "||"), ("||", "&&"), ("==", "!="), ("!=", "=="), (" + ", " - "), (" - ", " + "), (" < ", " >= "),
         (" > ", " <= "), (" ^ ", " & "), ("1'b0", "1'b1"), ("1'b1", "1'b0"), ("'0;", "'1;"), (" ? ", " ? 1'b0 & ")]
# Lines that compute something; sizes, checks of parameters and assertions are left alone.
COMPUTES = re.compile(r"^\s*(assign\b|return\b|if \(|else if \(|\.\w+_i\(|[\w\[\].{}, ':+*-]+ <?= ).*")
LEFT_ALONE = re.compile(r"RINGMILL_ASSERT|\$error|\bgen_check|localparam|parameter|\bfor \(|unused|genvar")


def faults(text):
    """(line number, faulty line) of all faults of a module's text, without its comments."""
    for number, line in enumerate(text.splitlines()):
        code = line.split("//")[0]
        if not COMPUTES.match(code) or LEFT_ALONE.search(code):
            continue
        for old, new in SWAPS:
            for match in re.finditer(re.escape(old), code):
                yield number, code[:match.start()] + new + code[match.end():]


def chosen_faults(name, count, seed):
    """Some faults of a module, the same for the same seed."""
    found = list(faults((HDL / f"{name}.sv").read_text()))
    return random.Random(f"{seed} {name}").sample(found, min(count, len(found)))


def survives(name, number, line, runtime):
    """Whether a bench passes with a fault; None if the faulty module cannot be built."""
    source = HDL / f"{name}.sv"
    folder = BUILD / "mutate" / name
    folder.mkdir(parents=True, exist_ok=True)
    lines = source.read_text().splitlines()
    lines[number] = line
    faulty = folder / source.name
    faulty.write_text("\n".join(lines) + "\n")
    tops = [copy.copy(top) for top in bench_tops(name, False)]
    for top in tops:
        top.files = [faulty if file == source else file for file in top.files]
        top.options = ["-Wno-fatal"]
    try:
        program = build_bench(name, tops, folder / "build", runtime)
    except Failure:
        return None
    try:
        run([program], timeout=PATIENCE)
    except Failure:
        return False
    return True


def try_module(name, arguments, runtime):
    """(killed, survivors) of a module: faults until so many could be built."""
    killed, survivors = 0, []
    for number, line in chosen_faults(name, 10 * arguments.faults, arguments.seed):
        if killed + len(survivors) == arguments.faults:
            break
        result = survives(name, number, line, runtime)
        if result is None:
            continue
        if result:
            survivors.append((number, line.strip()))
        else:
            killed += 1
    return killed, survivors


def mutate(arguments):
    """Puts faults into modules; fails where a bench does not notice one that nobody argued."""
    begin = time.monotonic()
    argued = {(entry["module"], entry["fault"]) for entry in json.loads(SURVIVORS.read_text())}
    names = selected([name for name in MANIFEST["benches"] if (HDL / f"{name}.sv").exists()], arguments.names)
    runtime = Runtime()
    total, unnoticed = 0, 0
    for name, result in in_parallel(lambda name: try_module(name, arguments, runtime), names):
        if isinstance(result, Failure):
            raise result
        killed, survivors = result
        total += killed + len(survivors)
        new = [(number, fault) for number, fault in survivors if (name, fault) not in argued]
        unnoticed += len(new)
        print(f"{'FAILED' if new else 'ok    '} {name}: {killed} noticed, {len(survivors)} not", flush=True)
        for number, fault in new:
            print(f"  {pathlib.Path(name).name}.sv:{number + 1}: {fault}", flush=True)
    print(f"mutate: {len(names)} modules, {total} faults, {unnoticed} unnoticed, {time.monotonic() - begin:.0f} s")
    return unnoticed == 0

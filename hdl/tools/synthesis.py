"""Resources of the designs by Yosys, beside the papers' and beside what is expected."""

import json

from designs import MANIFEST, design_names
from environment import HDL, Failure
from resources import RESOURCES, design_stage, synthesise

EXPECTED = HDL / "expected.json"
FAMILIES = ("xc7", "xc6v")
# Growth of a resource that `report` lets pass.
TOLERANCE = 0.02


def synthesise_all(arguments, names):
    """Resources of designs by name; prints what fails and then raises."""
    found, failed = {}, []
    for name, result in synthesise(names, arguments.family, getattr(arguments, "flat", False)):
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
    found = synthesise_all(arguments, design_names(arguments))
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
    """The table, and the guard against growth; --update makes the present numbers the expected ones.

    Only designs that are not those of the expected numbers any more are synthesised; all with --again."""
    expected = json.loads(EXPECTED.read_text()) if EXPECTED.exists() else {}
    known = expected.setdefault(arguments.family, {})
    names = design_names(arguments)
    sources = {name: design_stage(name, arguments.family, False).key for name in names}
    changed = [name for name in names if arguments.again or known.get(name, {}).get("sources") != sources[name]]
    found = synthesise_all(arguments, changed)
    print("\n".join(table({name: found.get(name) or known[name] for name in names})))
    print(f"report: {len(names)} designs, {len(changed)} of them synthesised")
    if arguments.update:
        known.update({name: {**ours, "sources": sources[name]} for name, ours in found.items()})
        EXPECTED.write_text(json.dumps(expected, indent=2, sort_keys=True) + "\n")
        return True
    grown = [line for name, ours in found.items() for line in growth(name, ours, known.get(name))]
    print("".join(f"\n{line}" for line in grown) + ("\nif that is meant: hw report --update" if grown else ""))
    return not grown

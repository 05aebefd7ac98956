"""What of the modules the benches reach: lines with their branches, and toggles of signals."""

import collections
import json
import pathlib
import re
import shutil
import time

from designs import MANIFEST, bench_size, bench_tops, selected
from environment import BUILD, HDL, Failure, in_parallel, run
from simulation import Runtime, build_bench, environment

UNCOVERED = HDL / "uncovered.json"
# Share of lines that must be covered, argued ones not counted in.
LEAST = 0.95

POINT = re.compile(r"^C '(.*)' (\d+)$")


def points(file):
    """(kind, source, line, other lines, key, hits) of each point of a report of Verilator."""
    for line in file.read_text().splitlines():
        if match := POINT.match(line):
            fields = dict(field.split("\2", 1) for field in match[1].split("\1")[1:])
            yield (fields["t"], fields["f"], int(fields["l"]), fields.get("S", ""),
                   (fields["n"], fields.get("o")), int(match[2]))


def numbers(ranges):
    """The lines of "12-15,17"."""
    for part in filter(None, ranges.split(",")):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


class Coverage:
    """Hits of all benches, added up over instances and parameter sets."""

    def __init__(self):
        self.hits = {"lines": collections.Counter(), "toggles": collections.Counter()}
        self.lines = collections.defaultdict(set)

    def add(self, file):
        for kind, source, line, ranges, key, hits in points(file):
            point = (source, line, *key)
            self.hits["toggles" if kind == "toggle" else "lines"][point] += hits
            if kind != "toggle":
                for number in {line, *numbers(ranges)}:
                    self.lines[source, number].add(point)

    def uncovered(self):
        """Lines of which a point is never reached: the line itself, or one of its branches."""
        return sorted(place for place, points in self.lines.items() if any(not self.hits["lines"][p] for p in points))

    def share(self, source, argued):
        """Lines that are covered and all lines but those argued, toggles and all toggles of a file."""
        places = [place for place in self.lines if place[0] == source and place[1] not in argued]
        missed = [place for place in self.uncovered() if place[0] == source and place[1] not in argued]
        toggles = [hits for point, hits in self.hits["toggles"].items() if point[0] == source]
        return len(places) - len(missed), len(places), sum(map(bool, toggles)), len(toggles)


def modules():
    """The sources whose coverage counts, without harnesses and wrappers, and the parts' names of them."""
    return {str(file): f"{part}/{file.stem}" for part in MANIFEST["parts"] for file in sorted((HDL / part).glob("*.sv"))}


def run_bench(name, full, runtime):
    """Runs a bench that counts; the files that it wrote."""
    folder = BUILD / "cover" / name / bench_size(name, full)
    program = build_bench(name, bench_tops(name, full), folder, runtime)
    reports = folder / "reports"
    shutil.rmtree(reports, ignore_errors=True)
    reports.mkdir()
    run([program], env=environment(RINGMILL_HW_COVERAGE=reports))
    return sorted(reports.glob("*.dat"))


def argued_lines(source):
    """For each argument about a file, the numbers of the lines that it is about: of a text, or of a function."""
    text = pathlib.Path(source).read_text().splitlines()
    arguments = []
    for entry in json.loads(UNCOVERED.read_text()):
        if f"{HDL}/{entry['file']}" != source:
            continue
        if "function" in entry:
            lines = function_lines(text, entry["function"])
        else:
            lines = {number for number, line in enumerate(text, 1) if line.strip() == entry["line"]}
        arguments.append((entry, lines))
    return arguments


def function_lines(text, name):
    """The lines of a function, its head and its end included; none if there is no such function."""
    head = re.compile(rf"\s*function\b.*\b{name}\(")
    for begin, line in enumerate(text):
        if head.match(line):
            length = next(at for at, line in enumerate(text[begin:]) if line.strip() == "endfunction")
            return set(range(begin + 1, begin + length + 2))
    return set()


def faults(coverage, sources):
    """Uncovered lines that nobody argued, and arguments for lines that are covered or not there."""
    missed = collections.defaultdict(set)
    for source, number in coverage.uncovered():
        missed[source].add(number)
    for source in sources:
        arguments = argued_lines(source)
        for number in sorted(missed[source] - set().union(*(lines for _, lines in arguments))):
            text = pathlib.Path(source).read_text().splitlines()[number - 1].strip()
            yield f"{source}:{number}: not covered and not in {UNCOVERED.name}: {text}"
        for entry, lines in arguments:
            if not lines & missed[source]:
                yield f"{source}: in {UNCOVERED.name}, but covered or not there: {entry.get('function', entry.get('line'))}"


def cover(arguments):
    """Lines, branches and toggles that the benches reach, by module; fails for lines that nobody argued."""
    begin = time.monotonic()
    names = selected(list(MANIFEST["benches"]), arguments.names)
    runtime = Runtime(coverage=True)
    coverage, failures = Coverage(), []
    for name, result in in_parallel(lambda name: run_bench(name, arguments.full, runtime), names):
        if isinstance(result, Failure):
            failures.append(f"FAILED {name}\n{result}")
        else:
            for file in result:
                coverage.add(file)
    # Some benches alone say little of modules below theirs.
    sources = {source: name for source, name in modules().items() if name in names}
    print("| module | lines | | toggles | |\n|---|---|---|---|---|")
    totals = [0, 0, 0, 0]
    for source, name in sources.items():
        share = coverage.share(source, set().union(*(lines for _, lines in argued_lines(source))))
        totals = [total + part for total, part in zip(totals, share)]
        print(row(name, share))
    print(row("all", totals))
    failures += faults(coverage, sources)
    if totals[0] < LEAST * totals[1]:
        failures.append(f"less than {LEAST:.0%} of the lines are covered")
    print("".join(f"{line}\n" for line in failures) + f"cover: {len(names)} benches, {time.monotonic() - begin:.0f} s")
    return not failures


def row(name, share):
    """A row of the table; "-" where there is nothing to cover."""
    percent = [f"{100 * hit / all_of:.1f}%" if all_of else "-" for hit, all_of in (share[:2], share[2:])]
    return f"| {name} | {share[0]}/{share[1]} | {percent[0]} | {share[2]}/{share[3]} | {percent[1]} |"

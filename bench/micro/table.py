#!/usr/bin/env python3
"""Puts what respkit-micro has measured into a page, as tables between its markers.

    bench/micro/table.py RUN.json PAGE.md
"""
import json
import platform
import statistics
import sys

BEGIN, END = "<!-- measured: begin -->\n", "<!-- measured: end -->\n"


def measured(run):
    """{(container, row): {size: value}}, in the run's order; medians of CPU time in ns, or bytes."""
    samples = {}
    for b in run["benchmarks"]:
        if b.get("error_occurred"):
            sys.exit(f"{b['run_name']}: {b['error_message']}")
        if b["run_type"] == "iteration":
            container, row, size = b["run_name"].split("/")[:3]
            sizes = samples.setdefault((container, row), {})
            sizes.setdefault(int(size), []).append(b.get("bytes", b["cpu_time"]))
    return {key: {n: statistics.median(v) for n, v in sizes.items()} for key, sizes in samples.items()}


def line(words):
    return "| " + " | ".join(words) + " |\n"


def head(title, sizes):
    return line([title] + [f"{n:,}" for n in sizes]) + line(["---"] + ["---:"] * len(sizes))


def figures(values, sizes):
    return [f"{values[n]:,.0f}" for n in sizes]


def tables(rows):
    sizes = sorted({n for values in rows.values() for n in values})
    times, bytes_ = head("ns per operation", sizes), head("bytes per element", sizes)
    last = None
    for (container, row), values in rows.items():
        if row == "bytes":
            bytes_ += line([container] + figures(values, sizes))
            continue
        if container != last:
            times += line([f"**{container}**"] + [""] * len(sizes))
            last = container
        times += line([row] + figures(values, sizes))
    return times + "\n" + bytes_


def processor():
    with open("/proc/cpuinfo") as lines:
        names = (l.split(":")[1].strip() for l in lines if l.startswith("model name"))
        return next(names, platform.machine())


def main(run_file, page_file):
    with open(run_file) as f:
        run = json.load(f)
    with open(page_file) as f:
        page = f.read()
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    cores, kernel = run["context"]["num_cpus"], ".".join(platform.release().split(".")[:2])
    where = f"`./dev micro`, {run['context']['date'][:7]}: {processor()}, {cores} cores, Linux {kernel}.\n\n"
    with open(page_file, "w") as f:
        f.write(before + BEGIN + where + tables(measured(run)) + END + after)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])

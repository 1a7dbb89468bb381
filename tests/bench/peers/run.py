#!/usr/bin/env python3
"""Runs the search strategies of other auto-tuners on fully measured tuning spaces.

Every strategy runs through its own tool's code with its default settings; the times come from the
table of the space. So they can be compared with our search on the same spaces, counted alike: one
evaluation per distinct configuration, failed ones included; a configuration asked for again costs
nothing. A curve is the fraction of the optimum (the optimum's mean time over that of the best
configuration found) after 25 to 400 evaluations. A strategy that stops early keeps its best.

    /usr/bin/python3 -m venv build/peers
    build/peers/bin/pip install -r tests/bench/peers/requirements.txt
    BURNISH_SPACES=FOLDER build/peers/bin/python tests/bench/peers/run.py

FOLDER holds the spaces, *.t4.json.gz (T4) and *.cache.json.gz (cache files of Kernel Tuner);
docs/benchmarks.md says where to get them. Of them curves.json gets derived figures only: for each
space the median over the seeds, and of those the mean and the worst over the spaces. Finished
pairs of space and strategy are kept in build/peers/partial, so that a run can be resumed.
"""

import argparse
import datetime
import fnmatch
import importlib.metadata
import json
import os
import pathlib
import platform
import random
import statistics
import sys
import time
import warnings

PACKAGES = ("kernel-tuner", "numpy", "pyatf", "scikit-learn", "scipy")
FOLDER = pathlib.Path(__file__).resolve().parent
PARTIAL = FOLDER.parents[2] / "build" / "peers" / "partial"


def strategies():
    """Name: evaluations, search(run)."""
    import kernel_tuner_search
    import pyatf_search

    kernel_tuner = (
        "random_sample mls greedy_ils greedy_mls basinhopping dual_annealing diff_evo "
        "genetic_algorithm simulated_annealing firefly_algorithm adaptive_tabu_greywolf pso "
        "hybrid_vndx"
    ).split()
    pyatf = (
        "Random SimulatedAnnealing DifferentialEvolution PatternSearch Torczon RoundRobin AUCBandit"
    ).split()
    found = {f"kernel_tuner/{s}": (400, kernel_tuner_search.make_search(s)) for s in kernel_tuner}
    found |= {f"pyatf/{t}": (400, pyatf_search.make_search(t)) for t in pyatf}
    # Its time grows with the cube of the evaluations.
    found["kernel_tuner/bayes_opt"] = (200, kernel_tuner_search.make_search("bayes_opt"))
    # It gets the largest float for a failed configuration, which overflows in its model, and would
    # leave out 1e20.
    found["kernel_tuner/bayes_opt_repaired"] = (
        200,
        kernel_tuner_search.make_search("bayes_opt", failure_ms=1e20),
    )
    return found


def search_all_seeds(space, budget, search, seeds):
    """The median curve; the median number of evaluations, which is less than the budget where a
    strategy stops early."""
    import numpy
    from space import Run

    runs = []
    for seed in range(seeds):
        random.seed(seed)
        numpy.random.seed(seed)
        run = Run(space, budget)
        search(run)
        runs.append(run)
    curves = [run.curve() for run in runs]
    curve = {str(k): round(statistics.median(c[k] for c in curves), 4) for k in curves[0]}
    return curve, statistics.median(len(run.seen) for run in runs)


def finished_or_searched(space, name, budget, search, arguments, versions):
    """The curve; None where it is neither finished nor to be searched."""
    path = PARTIAL / f"{space.name}-{name.replace('/', '-')}.json"
    setting = {"budget": budget, "seeds": arguments.seeds, "versions": versions}
    if path.exists():
        finished = json.loads(path.read_text())
        if finished["setting"] == setting:
            return finished["curve"]
    if arguments.only and not any(fnmatch.fnmatch(name, pattern) for pattern in arguments.only):
        return None
    start = time.monotonic()
    curve, evaluations = search_all_seeds(space, budget, search, arguments.seeds)
    seconds = time.monotonic() - start
    PARTIAL.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"setting": setting, "curve": curve, "evaluations": evaluations}))
    print(f"{seconds:6.1f} s  {name}  {space.name}  {curve}  {evaluations:g}", flush=True)
    return curve


def over_spaces(curves, figure):
    some_space = next(iter(curves.values()))
    return {
        name: {
            count: round(figure(of_space[name][count] for of_space in curves.values()), 4)
            for count in curve
        }
        for name, curve in some_space.items()
    }


def readable(value):
    """Sorted JSON where a curve takes one line, so that differences can be read."""
    if not any(isinstance(v, dict) for v in value.values()):
        return json.dumps(value)
    lines = (
        f"{json.dumps(k)}: {readable(v) if isinstance(v, dict) else json.dumps(v)}"
        for k, v in sorted(value.items())
    )
    return "{\n" + ",\n".join(lines) + "\n}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", action="append", help="a pattern of strategies: 'pyatf/*'")
    parser.add_argument("--seeds", type=int, default=20)
    arguments = parser.parse_args()
    folder = os.environ.get("BURNISH_SPACES")
    if not folder:
        print("skipped: BURNISH_SPACES does not name the folder of measured spaces")
        return
    from space import Space

    warnings.simplefilter("ignore")  # NumPy's, of overflows and divisions in strategies
    patterns = ("*.t4.json.gz", "*.cache.json.gz")
    files = sorted(file for pattern in patterns for file in pathlib.Path(folder).glob(pattern))
    if not files:
        sys.exit(f"{folder}: no file is named {' or '.join(patterns)}")
    spaces = [Space(file) for file in files]
    versions = {package: importlib.metadata.version(package) for package in PACKAGES}
    all_strategies = strategies()
    curves = {space.name: {} for space in spaces}
    for name, (budget, search) in all_strategies.items():
        for space in spaces:
            curve = finished_or_searched(space, name, budget, search, arguments, versions)
            if curve is not None:
                curves[space.name][name] = curve
    if any(len(of_space) < len(all_strategies) for of_space in curves.values()):
        print("curves.json is as it was: it wants all strategies")
        return
    result = {
        "command": "build/peers/bin/python tests/bench/peers/run.py",
        "date": datetime.date.today().isoformat(),
        "python": platform.python_version(),
        "versions": versions,
        "seeds": arguments.seeds,
        "mean": over_spaces(curves, statistics.mean),
        "worst": over_spaces(curves, min),
        "spaces": curves,
    }
    (FOLDER / "curves.json").write_text(readable(result) + "\n")


if __name__ == "__main__":
    # Sets of strings are to be iterated in the same order by every run, one thread computes, and
    # nothing is written beside the sources.
    fixed = {
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
    }
    if any(os.environ.get(name) != value for name, value in fixed.items()):
        os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | fixed)
    main()

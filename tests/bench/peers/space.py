"""One fully measured tuning space, and the counting of one search in it."""

import gzip
import json

COUNTS = (25, 50, 100, 200, 400)
# A strategy that only repeats itself is stopped after so many requests.
MAX_REQUESTS = 50_000


class Space:
    """Parameters with a single value are left out: nothing is to be searched there, and some
    strategies would spend moves on them."""

    def __init__(self, path):
        with gzip.open(path, "rt") as file:
            data = json.load(file)
        read = read_t4 if path.name.endswith(".t4.json.gz") else read_cache_file
        measured = list(read(data))
        values = {
            name: sorted({configuration[name] for configuration, _ in measured})
            for name in measured[0][0]
        }
        self.name = path.name.split(".")[0]
        self.parameters = {name: some for name, some in values.items() if len(some) > 1}
        # None where the configuration failed.
        self.time_ms = {self.key(configuration): ms for configuration, ms in measured}
        if len(self.time_ms) != len(measured):
            raise ValueError(f"{path}: a configuration is there twice")
        self.optimum_ms = min(ms for ms in self.time_ms.values() if ms is not None)

    def key(self, configuration):
        return tuple(configuration[name] for name in self.parameters)


def read_t4(data):
    for result in data["results"]:
        ms = None
        if result["invalidity"] == "correct":
            ms = next(m["value"] for m in result["measurements"] if m["name"] == "time")
        yield result["configuration"], ms


def read_cache_file(data):
    for entry in data["cache"].values():
        ms = entry["time"] if isinstance(entry["time"], (int, float)) else None
        yield {name: entry[name] for name in data["tune_params_keys"]}, ms


class Run:
    """Answers the requests of one search; the first for a configuration is an evaluation."""

    def __init__(self, space, budget):
        self.space = space
        self.budget = budget
        self.requests = 0
        self.seen = set()
        self.best_ms = []  # after each evaluation; infinite until one succeeded

    def measure(self, key):
        """Milliseconds or None, and whether this was an evaluation."""
        self.requests += 1
        ms = self.space.time_ms[key]
        if key in self.seen:
            return ms, False
        self.seen.add(key)
        best = self.best_ms[-1] if self.best_ms else float("inf")
        self.best_ms.append(best if ms is None else min(best, ms))
        return ms, True

    def repeats_itself(self):
        return self.requests >= MAX_REQUESTS

    def curve(self):
        return {
            count: self.space.optimum_ms / self.best_ms[min(count, len(self.best_ms)) - 1]
            for count in COUNTS
            if count <= self.budget
        }

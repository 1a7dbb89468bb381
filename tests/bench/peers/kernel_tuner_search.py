"""Searches with Kernel Tuner's own strategy modules, on a runner that answers from the table."""

import importlib
import types

from kernel_tuner import interface, util
from kernel_tuner.runners.runner import Runner
from kernel_tuner.searchspace import Searchspace


class TableRunner(Runner):
    """Counts as Kernel Tuner's runner for simulations does."""

    def __init__(self, run, failure_ms):
        super().__init__()
        self.search = run
        self.failure_ms = failure_ms
        self.dev = types.SimpleNamespace(max_threads=1024)

    def get_device_info(self):
        return self.dev

    def get_environment(self, tuning_options):
        return {}

    def run(self, parameter_space, tuning_options):
        return [self.result(tuple(element), tuning_options) for element in parameter_space]

    def result(self, key, tuning_options):
        if self.search.repeats_itself():
            raise util.StopCriterionReached("only repetitions")
        if tuning_options.budget.is_done():
            return None
        result = dict(zip(tuning_options.tune_params, key))
        if key not in self.search.space.time_ms:  # illegal: never sent to a device
            return result | {"__error__": util.InvalidConfig()}
        ms, is_new = self.search.measure(key)
        tuning_options.budget.add_evaluations(int(is_new))
        if ms is not None:
            return result | {"time": ms}
        if self.failure_ms is not None:
            return result | {"time": self.failure_ms}
        return result | {"__error__": util.RuntimeFailedConfig()}


def make_search(strategy, failure_ms=None):
    """failure_ms: the time to report for failed configurations, instead of an error."""
    module = importlib.import_module(interface._STRATEGY_IMPORTS[strategy])

    def search(run):
        space = run.space
        # Its cache of neighbours outlives a search: one that another search had used would lead
        # this one to the good region. So each gets its own.
        searchspace = Searchspace(
            None,
            None,
            None,
            from_cache={
                "tune_params": space.parameters,
                "cache": {key: dict(zip(space.parameters, key)) for key in space.time_ms},
            },
        )
        tuning_options = interface.Options(
            tune_params=space.parameters,
            objective=["time"],
            objective_higher_is_better=[False],
            strategy_options=interface.Options(max_fevals=run.budget),
            max_fevals=run.budget,
            budget=util.TuningBudget(max_fevals=run.budget),
            verbose=False,
        )
        module.tune(searchspace, TableRunner(run, failure_ms), tuning_options)

    return search

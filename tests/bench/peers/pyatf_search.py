"""Searches with pyATF's own tuner, on a cost function that answers from the table."""

import functools
import inspect

from pyatf import TP, Set, Tuner, search_techniques
from pyatf.abort_conditions.abort_condition import AbortCondition
from pyatf.search_space import SearchSpace
from pyatf.tuning_data import CostFunctionError


class Done(AbortCondition):
    def __init__(self, run):
        self.run = run

    def stop(self, tuning_data):
        return len(self.run.seen) >= self.run.budget or self.run.repeats_itself()


def begins_configuration(names, beginnings):
    """A constraint in pyATF's form: a predicate whose signature names parameters."""

    def constraint(**values):
        return tuple(values[name] for name in names) in beginnings

    constraint.__signature__ = inspect.Signature(
        [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in names]
    )
    return constraint


@functools.cache
def search_space(space):
    parameters = []
    legal_before = 1
    for i, (name, values) in enumerate(space.parameters.items(), start=1):
        beginnings = {key[:i] for key in space.time_ms}
        constraint = None
        if len(beginnings) < legal_before * len(values):
            constraint = begins_configuration(list(space.parameters)[:i], beginnings)
        parameters.append(TP(name, Set(*values), constraint))
        legal_before = len(beginnings)
    built = SearchSpace(*parameters, verbosity=0)
    if built.constrained_size != len(space.time_ms):
        raise ValueError(f"{space.name}: pyATF's space has {built.constrained_size} configurations")
    return built


def make_search(technique):
    def search(run):
        def cost(configuration):
            ms, _ = run.measure(run.space.key(configuration))
            if ms is None:
                raise CostFunctionError("failed")
            return ms

        tuner = Tuner().search_space(search_space(run.space)).verbosity(0)
        tuner.search_technique(getattr(search_techniques, technique)())
        tuner.tune(cost, Done(run))

    return search

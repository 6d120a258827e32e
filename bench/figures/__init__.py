"""The figures of the report, in its order. A new one is a function with `@figure` in a module that ALL names."""

from figures import boyer_moore, commands, cpu, experiments, gpu, records

ALL = [*cpu.FIGURES, *commands.FIGURES, *boyer_moore.FIGURES, *experiments.FIGURES, *gpu.FIGURES, *records.FIGURES]

"""The figures of the report, in its order; the first that has results opens it. A new one is a
function with `@figure` in a module that ALL names."""

from figures import boyer_moore, commands, cpu, experiments, gpu, records

ALL = [*commands.FIGURES, *cpu.FIGURES, *records.FIGURES, *gpu.FIGURES, *experiments.FIGURES, *boyer_moore.FIGURES]

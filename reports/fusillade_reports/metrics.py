"""What is measured of a timing, and in which words: times of processes, and counts, which no chance
is in."""

TIMES = ("steady", "compile")
# of a steady call; of the compile and the first call
COUNTS = (
    "instructions",
    "compile instructions",
)
METRICS = (*TIMES, *COUNTS)
# of a steady call: the most bytes of tensors at a time, how often memory was asked for
MEMORY = (
    "memory",
    "allocations",
)
# a change of a count from which on it counts: equal code in two builds is laid out differently
LEAST_COUNT = 0.005
UNITS = {
    "steady": (1e3, "\u00b5s"),
    "compile": (1e6, "ms"),
    "instructions": (1e3, "k"),
    "compile instructions": (1e6, "M"),
    "memory": (1024, "KiB"),
    "allocations": (1, ""),
}


def value(timing, metric):
    """Nanoseconds, instructions, bytes or allocations; None where they were not counted."""
    if metric in TIMES:
        return (timing.steady if metric == "steady" else timing.compile).estimate
    if metric in MEMORY:
        return (
            timing.memory and timing.memory["peak_bytes" if metric == "memory" else "allocations"]
        )
    n = timing.instructions
    return n and (n["steady"] if metric == "instructions" else n["compile"] + n["first_call"])


def amount(number, metric):
    """A measured value with its unit; empty where there is none."""
    if number is None:
        return ""
    scale, unit = UNITS[metric]
    value = number / scale
    return (f"{value:,.0f} {unit}" if value >= 1000 else f"{value:.4g} {unit}").rstrip()

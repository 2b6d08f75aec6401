"""Run the inputs of some numbers in this process, capped; see the package."""

import faulthandler
import json
import resource
import sys
from collections.abc import Sequence

from tests.fuzz.checks import Counts, check
from tests.fuzz.inputs import KINDS, make_input

SECONDS = 10
BYTES = 1 << 30  # more than the process has after its first inputs


def main(arguments: Sequence[str]) -> int:
    """Run one number and show it, or all of a range and count."""
    first, stop = int(arguments[0]), int(arguments[1]) if len(arguments) > 1 else None
    warm_up()
    counts = Counts()
    if stop is None:
        asked = make_input(first)
        for name, content in asked.files.items():
            sys.stdout.write(f"== {name} ({len(content)} bytes)\n{content[:2000]!r}\n")
        sys.stdout.write(f"== {asked.kind}: {asked.arguments}\n")
        sys.stdout.write(run(first, counts))
    else:
        for number in range(first, stop):
            run(number, counts)
    counts.peak_bytes = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    sys.stdout.write(json.dumps(vars(counts)) + "\n")
    return 1 if counts.failures else 0


def run(number: int, counts: Counts) -> str:
    """Run one input; too much time ends the process with a traceback of where it is."""
    sys.stderr.write(f"input {number}\n")
    sys.stderr.flush()
    faulthandler.dump_traceback_later(SECONDS, exit=True)
    try:
        return check(number, counts)
    finally:
        faulthandler.cancel_dump_traceback_later()


def warm_up() -> None:
    """Import what the inputs need, then cap what memory may be added to it."""
    counts, seen = Counts(), set()
    for number in range(10**6):
        kind = make_input(number).kind
        if kind not in seen:
            check(number, counts)
            seen.add(kind)
        if len(seen) == len(KINDS):
            break
    with open("/proc/self/statm") as file:
        now = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + BYTES, now + BYTES))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""What observed states cost the main thread in each frame, beside closures that are called directly."""

import statistics
import subprocess

import support

PROGRAM = support.PACKAGE / ".build/release/FrameCosts"
RUNS = 5


def microseconds(screen, *arguments):
    """The middle of several runs: of a busy machine, one is worth little."""
    def run():
        done = subprocess.run([PROGRAM, *arguments], env=screen.environment, check=True, timeout=60,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        return int(done.stdout.split()[0])
    return statistics.median(run() for _ in range(RUNS))


screen = support.Screen()
print("states  observed  closures   (the main thread's time for a frame, in microseconds)")
for count in "1", "10", "100":
    observed, closures = (microseconds(screen, way, count) for way in ("observed", "closures"))
    print(f"{count:>6}  {observed:>8}  {closures:>8}   {observed / closures:.2f} times")
screen.close()

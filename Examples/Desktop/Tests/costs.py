"""What states and a view model cost the main thread, beside closures that call each other."""

import statistics
import subprocess

import support

PROGRAM = support.PACKAGE / ".build/release/FrameCosts"
RUNS = 3


def microseconds(screen, *arguments):
    """The middle of several runs for each figure: on a busy machine, one is worth little."""
    def run():
        done = subprocess.run([PROGRAM, *arguments], env=screen.environment, check=True, timeout=60,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        return map(int, done.stdout.split())
    return [statistics.median(figures) for figures in zip(*(run() for _ in range(RUNS)))]


ROWS = [("a frame with 1 label", "labels", "1"), ("a frame with 10 labels", "labels", "10"),
        ("a frame with 100 labels", "labels", "100"), ("a letter", "typing", "300"),
        ("opening and closing a window", "opening", "100")]
screen = support.Screen()
print(f"{'microseconds of the main thread for':36} observed  closures")
for row, *arguments, count in ROWS:
    observed, closures = (microseconds(screen, *arguments, way, count) for way in ("observed", "closures"))
    print(f"{row:36} {observed[0]:8} {closures[0]:9}   {observed[0] / closures[0]:.2f} times")
    if len(observed) > 1:
        print(f"{'   until the label has it':36} {observed[1]:8} {closures[1]:9}")
        print(f"{'   turns of the main queue until then':36} {observed[2]:8} {closures[2]:9}")
screen.close()

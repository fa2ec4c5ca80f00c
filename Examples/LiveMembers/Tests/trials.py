#!/usr/bin/env python3
"""Repeats tests and prints how often each has failed: trials.py COUNT MODULE[.CLASS[.TEST]] …"""

import collections
import sys
import time
import unittest


def each(tests):
    for test in tests:
        yield from each(test) if isinstance(test, unittest.TestSuite) else [test]


class Trials(unittest.TextTestResult):
    def __init__(self, *arguments, **more):
        super().__init__(*arguments, **more)
        self.seconds = collections.defaultdict(list)
        self.failed = collections.Counter()

    def startTest(self, test):
        super().startTest(test)
        self.begin = time.monotonic()

    def stopTest(self, test):
        self.seconds[test.id()].append(time.monotonic() - self.begin)
        super().stopTest(test)

    def addFailure(self, test, error):
        self.failed[test.id()] += 1
        super().addFailure(test, error)

    def addError(self, test, error):
        self.failed[test.id()] += 1
        super().addError(test, error)

    def addSubTest(self, test, subtest, error):
        self.failed[test.id()] += error is not None
        super().addSubTest(test, subtest, error)


if __name__ == "__main__":
    if len(sys.argv) < 3 or not sys.argv[1].isdecimal():
        sys.exit(__doc__)
    names = sys.argv[2:] * int(sys.argv[1])
    tests = each(unittest.defaultTestLoader.loadTestsFromNames(names))
    # Those of a class one after the other: its database or browser is made once.
    suite = unittest.TestSuite(sorted(tests, key=lambda test: test.id()))
    result = unittest.TextTestRunner(resultclass=Trials, verbosity=0).run(suite)
    for name, seconds in result.seconds.items():
        print(f"{name}: {result.failed[name]} of {len(seconds)} failed, longest {max(seconds):.1f} s")
    sys.exit(not result.wasSuccessful())

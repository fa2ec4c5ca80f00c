"""What `--trace` writes when the server ends, and what `--inspect` shows meanwhile."""

import pathlib
import socket
import tempfile
import unittest

import support


class TraceTests(unittest.TestCase):
    def test_a_command_and_what_it_caused_are_in_the_trace_of_a_server_that_was_told_to_end(self):
        with tempfile.TemporaryDirectory() as folder:
            text, picture = pathlib.Path(folder, "trace.txt"), pathlib.Path(folder, "trace.svg")
            server = support.Server("--trace", text, "--trace-svg", picture, file=pathlib.Path(folder, "members"))
            self.addCleanup(server.close)
            server.add("Ann")
            self.assertEqual(server.names(), ["Ann"])
            self.assertEqual(server.terminate()[1], 0)
            trace = text.read_text()
            for part in "orders", "results", "frame", "count", '"Ann"', "←":
                self.assertIn(part, trace)
            self.assertIn("</svg>", picture.read_text())

    def test_an_inspector_sees_a_command_and_what_it_caused(self):
        with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as inspector:
            address = f"127.0.0.1:{inspector.getsockname()[1]}"
            server = support.Server(f"--inspect={address}", file=pathlib.Path(folder, "members"))
            self.addCleanup(server.close)
            server.add("Ann")
            inspector.settimeout(20)
            with inspector.accept()[0] as program, program.makefile() as lines:
                program.settimeout(20)
                self.assertIn('"program":"LiveMembers"', next(lines))
                for part in '"owner":"LivePage"', '\\"Ann\\"':
                    self.assertTrue(any(part in line for line in lines), part)


if __name__ == "__main__":
    unittest.main()

"""The filter's page: a field that is typed into, and one that its owner corrects."""

import unittest

import support


class FilterTests(unittest.TestCase):
    arguments = ()

    def setUp(self):
        self.screen = support.Screen()
        self.addCleanup(self.screen.close)
        self.program = support.Program(self.screen, *self.arguments)
        self.addCleanup(self.program.close)
        for watched in ("field", "text"), ("output", "label"), ("code", "text"):
            self.program.ask("watch", *watched)
        self.program.open()

    def test_the_first_frame_shows_the_state(self):
        self.assertEqual(self.program.history()["output"][0][1], "Passed: ")

    def test_a_text_passes_from_its_fourth_letter_on(self):
        self.program.type("field", "abc")
        self.program.expect("field", "abc", "text")
        self.assertEqual(self.program.text("output"), "Passed: ")
        self.program.keys("d")
        self.program.expect("output", "Passed: abcd")
        self.program.shoot("filter")

    def test_thirty_letters_a_second_are_shown_in_order_and_none_is_lost(self):
        text = "the quick brown fox jumps over the lazy dog " * 3
        self.program.type("field", text, delay=33)
        self.program.expect("output", f"Passed: {text}")
        self.assertEqual(self.program.text("field", "text"), text)
        for widget in "field", "output":
            shown = [text for _, text in self.program.history()[widget]]
            self.assertGreater(len(shown), 20)
            for older, newer in zip(shown, shown[1:]):
                self.assertTrue(newer.startswith(older), f"{older!r} and then {newer!r}")

    def test_the_cursor_stays_where_a_letter_is_inserted(self):
        self.program.type("field", "held")
        self.program.keys("Left", "Left", "x", "y")
        self.program.expect("output", "Passed: hexyld")
        self.assertEqual(self.program.text("field", "cursor-position"), "4")

    def test_the_cursor_stays_when_the_owner_corrects_the_text(self):
        self.program.type("code", "abcdef")
        self.program.expect("code", "ABCDEF", "text")
        self.assertEqual(self.program.text("code", "cursor-position"), "6")
        self.program.keys("Home", "Right", "Right", "x", "y")
        self.program.expect("code", "ABXYCDEF", "text")
        self.assertEqual(self.program.text("code", "cursor-position"), "4")

    def test_the_cursor_stays_when_the_owner_filters_what_was_typed(self):
        self.program.type("code", "abcd")
        self.program.keys("Home", "Right", "minus", "minus", "z")
        self.program.expect("code", "AZBCD", "text")
        self.assertEqual(self.program.text("code", "cursor-position"), "2")


class LateFilterTests(FilterTests):
    """The same, when the owner takes 100 ms to answer each text."""

    arguments = ("--late",)


if __name__ == "__main__":
    unittest.main()

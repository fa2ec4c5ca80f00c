"""What the tests in a browser share: a browser for each class of tests, a server for each test."""

import tempfile
import unittest

from support import Server
from webdriver import Browser


@unittest.skipUnless(Browser.is_installed(), "SKIPPED: Chromium is not installed")
class BrowserCase(unittest.TestCase):
    ARGUMENTS = []

    @classmethod
    def setUpClass(cls):
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = f"{folder.name}/members.sqlite"
        self.server = Server(*self.ARGUMENTS, file=self.file)
        self.addCleanup(self.server.close)

    def tab(self, server=None, path="/", kind="tab"):
        tab = self.browser.tab(f"http://127.0.0.1:{(server or self.server).port}{path}", kind)
        self.addCleanup(tab.close)
        return tab

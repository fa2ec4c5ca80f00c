"""What the tests in a browser share: a browser for each class of tests, a server for each test."""

import unittest

from cases import ServerCase
from webdriver import Browser


@unittest.skipUnless(Browser.is_installed(), "SKIPPED: Chromium is not installed")
class BrowserCase(ServerCase):
    ARGUMENTS = []

    @classmethod
    def setUpClass(cls):
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        super().setUp()
        self.server = self.start(*self.ARGUMENTS)

    def tab(self, server=None, path="/", kind="tab"):
        tab = self.browser.tab(f"http://127.0.0.1:{(server or self.server).port}{path}", kind)
        self.addCleanup(tab.close)
        return tab

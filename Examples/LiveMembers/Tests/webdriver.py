"""As much of WebDriver as the tests need: windows of a headless Chromium, and scripts in them."""

import base64
import http.client
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile

from support import until


class Browser:
    """A Chromium and its driver, which end with it."""

    @staticmethod
    def is_installed():
        return bool(shutil.which("chromium") and shutil.which("chromedriver"))

    def __init__(self):
        self.profile = tempfile.mkdtemp(prefix="livemembers-browser-")
        # In a process group of its own: the driver's browser would outlive a driver that is killed.
        self.driver = subprocess.Popen(
            ["chromedriver", "--port=0"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True, start_new_session=True)
        self.port = None
        for line in self.driver.stdout:
            if "successfully on port" in line:
                self.port = int(line.rstrip(".\n").rsplit(" ", 1)[1])
                break
        arguments = ["--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                     "--window-size=900,700", f"--user-data-dir={self.profile}"]
        # Chromium's sandbox refuses to run as root, as it does in a container.
        arguments += ["--no-sandbox"] if os.geteuid() == 0 else []
        session = self.command("POST", "/session", {
            "capabilities": {"alwaysMatch": {"goog:chromeOptions": {"args": arguments}}}})
        self.session = f"/session/{session['sessionId']}"

    def command(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, None if body is None else json.dumps(body))
            answer = connection.getresponse()
            value = json.loads(answer.read())["value"]
        finally:
            connection.close()
        if answer.status != 200:
            raise AssertionError(f"{value['error']}: {value['message']}")
        return value

    def do(self, method, path, **body):
        return self.command(method, self.session + path, body if method == "POST" else None)

    def tab(self, url, kind="tab"):
        """Of a window's tabs only the one in front is visible to its page; each window is."""
        handle = self.do("POST", "/window/new", type=kind)["handle"]
        tab = Tab(self, handle)
        tab.go(url)
        return tab

    def developer(self, command, **parameters):
        """A command of the browser's own protocol, for the tab that is in front."""
        return self.do("POST", "/goog/cdp/execute", cmd=command, params=parameters)

    def close(self):
        try:
            self.do("DELETE", "")
        finally:
            os.killpg(self.driver.pid, signal.SIGKILL)
            self.driver.wait(20)
            self.driver.stdout.close()
            shutil.rmtree(self.profile, ignore_errors=True)


class Tab:
    """What a page shows is read in one script, since it may change between two."""

    STATE = """
      const text = id => document.getElementById(id)?.innerText.trim();
      return {
        count: text("count"), error: text("error"), connection: text("connection"),
        names: [...document.querySelectorAll("#list bdi")].map(name => name.textContent),
        scripts: document.scripts.length, focused: document.activeElement.id,
        typed: document.getElementById("name")?.value,
        wide: document.documentElement.scrollWidth > innerWidth,
      };"""

    def __init__(self, browser, handle):
        self.browser = browser
        self.handle = handle

    def front(self):
        self.browser.do("POST", "/window", handle=self.handle)

    def go(self, url):
        self.front()
        self.browser.do("POST", "/url", url=url)

    def script(self, text, *arguments):
        self.front()
        return self.browser.do("POST", "/execute/sync", script=text, args=list(arguments))

    def state(self):
        return self.script(self.STATE)

    def until(self, limit=20, **expected):
        """Waits until the page shows this; gives all that it shows then."""
        last = {}

        def shows():
            last.update(self.state())
            return all(last[key] == value for key, value in expected.items())

        try:
            until("", shows, limit)
        except AssertionError:
            raise AssertionError(f"the page does not show {expected} but {last}") from None
        return last

    def element(self, selector):
        self.front()
        found = self.browser.do("POST", "/element", using="css selector", value=selector)
        return "/element/" + next(iter(found.values()))

    def press(self, selector):
        """Moves there and presses, without releasing."""
        element = self.element(selector)
        origin = {"element-6066-11e4-a52e-4f735466cecf": element.rpartition("/")[2]}
        self.pointer({"type": "pointerMove", "duration": 0, "origin": origin, "x": 0, "y": 0},
                     {"type": "pointerDown", "button": 0})

    def release(self):
        self.pointer({"type": "pointerUp", "button": 0})

    def pointer(self, *actions):
        self.browser.do("POST", "/actions", actions=[
            {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"},
             "actions": list(actions)}])

    def key(self, selector, text):
        self.browser.do("POST", self.element(selector) + "/value", text=text)

    def close(self):
        self.front()
        self.browser.do("POST", "/url", url="about:blank")
        # The driver's last window must stay, and one must be chosen.
        others = [each for each in self.browser.do("GET", "/window/handles") if each != self.handle]
        if others:
            self.browser.do("DELETE", "/window")
            self.browser.do("POST", "/window", handle=others[0])

    def type(self, text):
        """Types into the field for the name, as a person would."""
        element = self.element("#name")
        self.browser.do("POST", element + "/clear")
        self.browser.do("POST", element + "/value", text=text)

    def click(self, selector):
        self.browser.do("POST", self.element(selector) + "/click")

    def add(self, name):
        self.type(name + "\n")

    def screenshot(self, path):
        self.front()
        pathlib.Path(path).write_bytes(base64.b64decode(self.browser.do("GET", "/screenshot")))

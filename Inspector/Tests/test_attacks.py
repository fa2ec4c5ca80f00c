"""The inspector, attacked as a web page and by hostile programs."""

import http.client
import http.server
import subprocess
import threading
import unittest

from inspecting import BUILT, HEAD, InspectorCase, PageCase, lines

LANE = {"lane": 0, "owner": "<img src=x onerror=alert(1)>", "name": "</script><script>alert(2)</script>", "kind": "state"}


class Silent(http.server.BaseHTTPRequestHandler):
    """Another site's page."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>other</title>")

    def log_message(self, *_):
        pass


class RequestTests(InspectorCase):
    def test_a_name_that_was_bound_to_this_machine_is_refused(self):
        inspector = self.start()
        for path in ["/", "/stream"]:
            for host in ["evil.example", f"evil.example:{inspector.port}", "127.0.0.1.evil.example", "", "[::2]"]:
                self.assertEqual(inspector.get(path, Host=host), 421, host)
            self.assertEqual(inspector.get(path, Host=f"localhost:{inspector.port}"), 200)

    def test_another_sites_script_reads_nothing(self):
        inspector = self.start()
        here = f"http://127.0.0.1:{inspector.port}"
        for path in ["/", "/stream"]:
            self.assertEqual(inspector.get(path, Origin="http://evil.example"), 403)
            self.assertEqual(inspector.get(path, Origin="null"), 403)
            for site in ["cross-site", "same-site"]:
                self.assertEqual(inspector.get(path, Sec_Fetch_Site=site, Sec_Fetch_Mode="no-cors"), 403)
        self.assertEqual(inspector.get("/stream", Origin=here, Sec_Fetch_Site="same-origin"), 200)
        self.assertEqual(inspector.get("/", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="navigate"), 200)
        self.assertEqual(inspector.get("/stream", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="navigate"), 403)

    def test_beyond_this_machine_it_takes_a_token(self):
        inspector = self.start("--host", "0.0.0.0", "--token", "t0ken")
        self.assertIn("?token=t0ken", inspector.address)
        for path in ["/", "/stream"]:
            self.assertEqual(inspector.get(path), 401)
            self.assertEqual(inspector.get(path + "?token=t0kem"), 401)
            self.assertEqual(inspector.get(path + "?token=t0ken"), 200)
            self.assertEqual(inspector.get(path, Cookie="a=b; token=t0ken"), 200)
        with inspector.connect() as program:
            program.sendall(lines(HEAD))
            self.assertEqual(program.recv(1), b"")
        with inspector.connect() as program:
            program.sendall(lines({**HEAD, "token": "t0ken"}))
            program.settimeout(0.3)
            with self.assertRaises(TimeoutError):
                program.recv(1)

    def test_a_browser_that_posts_lines_to_the_programs_port_is_not_read(self):
        inspector = self.start()
        with inspector.connect() as program:
            program.sendall(b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" + lines(HEAD))
            self.assertEqual(program.recv(1), b"")


class EventTests(PageCase):
    def show(self, data, *more):
        inspector = self.start()
        inspector.send(lines(HEAD, LANE) + data)
        tab = self.page(inspector)
        self.until(tab, "events.some(e => e.text === 'last')")
        return inspector, tab

    LAST = lines({"id": 999, "t": 9, "in": 0, "e": "sent", "text": "last"})

    def test_markup_is_text(self):
        markup = "<img src=x onerror='document.title=1'><script>document.title=2</script>\u202e\u0000\x1b[31m"
        inspector, tab = self.show(lines({"id": 1, "t": 0, "in": 0, "e": "sent", "text": markup}) + self.LAST)
        tab.script("choose(events[0]); panels()")
        self.assertEqual(tab.script("return [document.title, document.images.length, document.scripts.length]"), ["Flow", 0, 1])
        words = self.words(tab, "words")
        self.assertIn("<img src=x", words)
        self.assertFalse(any(each in words for each in "\u202e\x00\x1b"))

    def test_ten_megabytes_and_what_is_no_line_are_counted(self):
        huge = lines({"id": 1, "t": 0, "in": 0, "e": "sent", "text": "x" * 10_000_000})
        odd = b'{"id":2,"text":"\xff\xfe"}\n{"e":"sent"\n[1]\n{"id":3,\x00}\n{"id":4 oops}\n{"e":{},"in":[]}\n'
        inspector, tab = self.show(huge + odd + self.LAST)
        self.assertEqual(tab.script("return [events.length, bad]"), [1, 6])
        self.assertIn("6 not understood", tab.script("panels(); return document.getElementById('count').innerText"))

    def test_numbers_that_make_no_sense_break_nothing(self):
        odd = [{"id": 1, "t": "x", "in": 0, "e": "sent", "text": {"a": 1}, "via": [5, None]}, {"id": 2, "t": -1, "in": 9, "e": "sent"},
               {"id": 3, "t": 1e300, "in": 0, "e": "taken", "of": 3, "sub": "__proto__"}, {"id": 1, "in": 0, "e": "sent"},
               {"id": 4, "in": 0, "e": "constructor"}, {"more": 77, "text": 5}, {"lane": "__proto__", "name": "x", "owner": None},
               {"id": 5, "t": 0, "in": 0, "e": "sent", "cause": 5, "to": "many"}]
        inspector, tab = self.show(lines(*odd) + self.LAST)
        tab.script("for (const e of events) { choose(e); draw(); panels(); } for (const each in exports) exports[each]()")
        self.assertEqual(tab.script("return events.length"), 4)

    def test_no_secret_of_the_corpus_is_in_the_page_or_its_exports(self):
        inspector = self.start()
        tab = self.page(inspector)
        shaped = subprocess.run([BUILT / "Ticker", inspector.programs, "--secrets"], capture_output=True, text=True,
                                timeout=120, check=True).stdout.split("\n")[:-1]
        self.assertEqual(len(shaped), 250)
        self.until(tab, "events.findLast(e => e.e === 'sent')?.text === '\"the last\"'")
        self.assertEqual(tab.script("return events.filter(e => e.lane.name === 'values').length"), 25_000)
        self.assertEqual(tab.script("return events.filter(e => e.lane.name === 'others').slice(0, 3).map(e => e.text)"),
                         ["…", "…", "…"])
        made = tab.script("""refresh(); panels(); document.getElementById("search").value = "values"; refresh();
          return Object.keys(exports).map(each => exports[each]()[1]).concat(document.body.innerText)""")
        for text in [*made, tab.script("return exports.save()[1]"), self.stream(inspector, ["the last"])]:
            self.assertNotIn("LEAK", text)
            self.assertNotIn("parsnip", text)
            self.assertEqual([each for each in shaped if each in text], [])

    def test_a_page_of_another_site_reads_nothing_in_a_browser(self):
        inspector, tab = self.show(self.LAST)
        here = f"http://127.0.0.1:{inspector.port}"
        other = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Silent)
        self.addCleanup(other.server_close)
        threading.Thread(target=other.serve_forever, daemon=True).start()
        self.addCleanup(other.shutdown)
        # A page of the same machine at another port, and one of another site: both are others.
        for site in ["127.0.0.1", "localhost"]:
            tab = self.page(inspector, f"http://{site}:{other.server_port}/")
            read = self.browser.do("POST", "/execute/async", args=[here], script="""
              const [here, done] = arguments, read = {};
              const tries = ["/", "/stream"].flatMap(path => ["cors", "no-cors"].map(mode =>
                fetch(here + path, {mode, credentials: "include"}).then(async answer => { read[mode + path] = await answer.text(); }, () => {})));
              tries.push(new Promise(next => {
                const stream = new EventSource(here + "/stream");
                stream.addEventListener("again", event => { read.stream = event.data; next(); });
                stream.onerror = () => { stream.close(); next(); };
              }));
              for (const name of ["script", "img", "iframe"]) tries.push(new Promise(next => {
                const made = document.createElement(name);
                made.onload = () => { if (name !== "iframe") read[name] = "loaded"; else read[name] = made.contentDocument?.body?.innerText ?? ""; next(); };
                made.onerror = next;
                made.src = here + "/stream";
                document.documentElement.append(made);
              }));
              Promise.all(tries).then(() => done(read))""")
            self.assertEqual({name: text for name, text in read.items() if text}, {}, site)

    def test_a_hundred_tabs_are_served(self):
        inspector, tab = self.show(self.LAST)
        streams = []
        for _ in range(100):
            connection = http.client.HTTPConnection("127.0.0.1", inspector.port, timeout=20)
            self.addCleanup(connection.close)
            connection.request("GET", "/stream")
            streams.append(connection.getresponse())
        inspector.send(lines({**HEAD, "run": "2"}, LANE) + self.LAST)
        for stream in streams:
            seen = b""
            while b'"run":"2"' not in seen:
                seen += stream.readline()


if __name__ == "__main__":
    unittest.main()

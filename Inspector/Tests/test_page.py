"""The page, in Chromium, beside the demos and a ticker of 500 rows that it watches."""

import http.client
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import unittest

from inspecting import ASYNCDEMO, BUILT, HEAD, InspectorCase, PageCase, lines, until

# A folder, to look at them: with that of the guide's pictures, they are made anew.
SHOTS = os.environ.get("SCREENSHOTS")


def sent(id, lane, text, cause=None, t=None, **more):
    return {"id": id, "t": 1000 * id if t is None else t, "in": lane, "e": "sent", "text": text, "to": 1, "task": "1",
            **({} if cause is None else {"cause": cause}), **more}


class LiveTests(PageCase):
    def members(self):
        """The demo, which waits for more commands."""
        inspector = self.start()
        tab = self.page(inspector)
        demo = self.program(ASYNCDEMO, "members", f"--inspect={inspector.programs}")
        demo.stdin.write("add Ann\nadd Bob\nremove 1\n")
        demo.stdin.flush()
        self.until(tab, "events.filter(e => e.e === 'sent' && e.text.startsWith('remove')).length")
        return inspector, tab, demo

    def shot(self, tab, name, width=1040, height=600):
        if not SHOTS:
            return
        tab.front()
        self.browser.developer("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 700)
        self.until(tab, f"innerWidth === {width}")
        tab.script("measure(); if (chosen) reveal(chosen); draw(); panels(); draw()")
        tab.screenshot(pathlib.Path(SHOTS) / f"{name}.png")
        self.browser.developer("Emulation.clearDeviceMetricsOverride")

    def test_the_members_are_watched_live(self):
        inspector, tab, demo = self.members()
        # Lanes by owner, inputs left.
        self.until(tab, "lanes.length > 7")
        owners = tab.script("return lanes.map(title)")
        self.assertEqual([each.split(".")[0] for each in owners], sorted(
            [each.split(".")[0] for each in owners], key=[each.split(".")[0] for each in owners].index))
        kinds = tab.script("return lanes.filter(l => l.owner === 'DefaultMemberManager').map(l => l.kind)")
        self.assertEqual(kinds, ["input", "inlet", "inlet", "channel"])
        # Causes and effects, through all lanes.
        self.choose(tab, "e.e === 'sent' && e.text === 'add(name: \"Ann\")'")
        lit = tab.script("return [...lit].filter(e => e.e === 'sent').map(e => title(e.lane) + ' ' + e.text)")
        self.assertIn("MembersSummaryViewModel.count 1", lit)
        self.assertIn('MembersViewModel.list [Member(id: 1, name: "Ann")]', lit)
        self.assertNotIn("MembersSummaryViewModel.count 2", lit)
        # How long the consumer was at work is known when it asks again.
        self.until(tab, "document.getElementById('details').innerText.includes('at work for')")
        details = self.words(tab, "details")
        self.assertIn("DefaultMemberManager.results", details)
        self.assertRegex(details, r"taken\s+at [\d.]+ ms by subscription 1 after [\d.]+ ms, at work for [\d.]+ ms")
        self.shot(tab, "inspector-members")
        # The state now, and as it was.
        self.until(tab, "document.getElementById('states').innerText.includes('Bob')")
        self.assertRegex(self.words(tab, "states"), r"MembersSummaryViewModel.count\s+1\b")
        tab.script("""const at = events.findIndex(e => e.lane.name === 'count' && e.text === '2');
          const slider = document.getElementById('moment'); slider.value = at; slider.oninput()""")
        self.assertRegex(self.words(tab, "states"), r"MembersSummaryViewModel.count\s+2\b")
        self.assertRegex(self.words(tab, "when"), r"at [\d.]+ ms")
        # What has changed of a state.
        self.choose(tab, "e.e === 'sent' && e.lane.name === 'list' && e.text.includes('Bob')")
        self.assertEqual(tab.script("return document.querySelector('#details ins').innerText"), ', Member(id: 2, name: "Bob")')
        self.assertIn("DefaultMemberManager.commands 1: waits, 0 pending", self.words(tab, "consumers"))
        self.assertEqual(self.words(tab, "warnings"), "none")
        demo.stdin.close()
        self.until(tab, "[...programs.values()][0].ended")

    def test_the_sign_in_shows_no_password(self):
        inspector = self.start()
        tab = self.page(inspector)
        demo = self.program(ASYNCDEMO, "auth", f"--inspect={inspector.programs}")
        demo.stdin.write("iankeen\nsuper_secret_password\n")
        demo.stdin.close()
        self.until(tab, "events.some(e => e.text === 'success(Token(…))')")
        every = tab.script("""return JSON.stringify(Object.keys(exports).map(each => exports[each]()))
          + document.body.innerText""")
        self.assertIn("password: …", every)
        self.assertNotIn("super_secret", every)

    def test_the_bug_of_the_guide_is_found(self):
        inspector = self.start()
        tab = self.page(inspector)
        self.program(BUILT / "Ticker", inspector.programs, "--search")
        self.choose(tab, "e.lane.name === 'hits' && e.text.includes('for s\"')")
        self.assertEqual(tab.script("return events.filter(e => e.lane.name === 'hits').at(-1) === chosen"), True)
        self.assertEqual(tab.script("return chosen.cause.text"), '"s"')
        self.shot(tab, "inspector-bug")

    def test_a_ticker_of_500_rows_is_watched_live(self):
        inspector = self.start()
        tab = self.page(inspector)
        self.program(BUILT / "Ticker", inspector.programs, 500, 60)
        self.until(tab, "events.length > 3000 && lanes.length > 900")
        self.assertTrue(tab.script("""return lanes.some(l => l.owner === 'RowViewModel' && l.name === 'price')
          && lanes.some(l => l.owner === 'RowViewModel' && l.name === 'shown')"""))
        # It follows, until it is paused.
        first = tab.script("return pane.scrollTop")
        self.until(tab, f"pane.scrollTop > {first}")
        tab.click("#pause")
        count = tab.script("return events.length")
        self.until(tab, "waiting.length > 3")
        self.assertEqual(tab.script("return events.length"), count)
        tab.click("#pause")
        self.until(tab, f"events.length > {count}")
        self.assertLess(tab.script("return drawnRows"), 100)

    def test_two_programs_are_told_apart(self):
        inspector, tab, demo = self.members()
        other = self.program(ASYNCDEMO, "workout", f"--inspect={inspector.programs}")
        other.stdin.write("a\na\n")
        other.stdin.flush()
        self.until(tab, "programs.size === 2 && [...programs.values()][1].all.length")
        self.until(tab, "document.getElementById('program').options.length === 3")
        tab.script("const list = document.getElementById('program'); list.value = 0; list.onchange()")
        self.until(tab, "lanes.length && lanes.every(l => l.program.name === 'members')")

    def test_in_the_dark_and_on_a_phone_all_is_there(self):
        inspector, tab, demo = self.members()
        self.choose(tab, "e.e === 'sent' && e.text === 'add(name: \"Bob\")'")
        tab.front()
        self.browser.developer("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
        self.addCleanup(self.browser.developer, "Emulation.setEmulatedMedia", features=[])
        self.until(tab, "getComputedStyle(document.body).backgroundColor === 'rgb(22, 24, 27)'")
        # The page is told of that later, and draws then.
        self.until(tab, "[...pen.getImageData(canvas.width - 3, canvas.height - 3, 1, 1).data.slice(0, 3)].join() === '22,24,27'")
        self.shot(tab, "inspector-members~dark")
        self.browser.developer("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=2, mobile=True)
        self.addCleanup(self.browser.developer, "Emulation.clearDeviceMetricsOverride")
        self.until(tab, "size.width === 390")
        self.assertFalse(tab.script("return document.documentElement.scrollWidth > innerWidth"))
        self.assertTrue(tab.script("return drawnRows > 5"))
        self.shot(tab, "inspector-phone", 390, 844)


class FlowTests(PageCase):
    LANES = [{"lane": 0, "owner": "Form", "name": "typed", "kind": "input"},
             {"lane": 1, "owner": "Form", "name": "hits", "kind": "state", "value": "[]"},
             {"lane": 2, "owner": "Clock", "name": "ticks", "kind": "channel"}]

    def show(self, *objects):
        inspector = self.start()
        inspector.send(lines(HEAD, *self.LANES, *objects))
        tab = self.page(inspector)
        count = len([each for each in objects if "e" in each])
        # A frame shows them, which may come later than they do.
        self.until(tab, f"events.length === {count} && !isStale && !isDirty")
        return tab

    def test_search_and_filters_show_less(self):
        ticks = [sent(10 + number, 2, str(number)) for number in range(30)]
        tab = self.show(sent(1, 0, "\"swift\""), sent(2, 1, "[\"hit\"]", cause=1), sent(3, 0, "\"other\""), *ticks)

        def shown():
            return tab.script("refresh(); return shown.map(e => e.text)")

        self.assertEqual(len(shown()), 33)
        tab.click("#ticks")
        self.assertEqual(shown(), ['"swift"', '["hit"]', '"other"'])
        tab.click("#effects")
        self.assertEqual(shown(), ['"swift"', '["hit"]'])
        tab.key("#search", "hits")
        self.assertEqual(shown(), ['["hit"]'])
        tab.click("#effects")
        tab.click("#ticks")
        for words, count in [("clock", 30), ("SWIFT", 1), ("taken", 0), ("form.", 3)]:
            tab.script("document.getElementById('search').value = ''")
            tab.key("#search", words)
            self.assertEqual(len(shown()), count, words)

    def test_what_became_of_an_element_is_shown(self):
        fates = ["dropped", "superseded", "ignored", "abandoned", "refused"]
        tab = self.show(*[sent(1 + number, 0, f'"{fate}"') for number, fate in enumerate(fates)], *[
            {"id": 11 + number, "t": 20_000, "in": 0, "e": fate, "of": 1 + number, **({"sub": 2} if fate == "dropped" else {})}
            for number, fate in enumerate(fates)])
        for number, fate in enumerate(fates):
            self.assertEqual(self.choose(tab, f"e.e === '{fate}'"), f'#{1 + number} "{fate}" {fate}')
            # The element tells it, too, and which subscription had no room.
            self.choose(tab, f"e.id === {1 + number}")
            by = " by subscription 2" if fate == "dropped" else ""
            self.assertRegex(self.words(tab, "details"), rf"{fate}\s+at 20.0 ms{by} after {19 - number}.0 ms")
        text = tab.script("refresh(); return exports.text()[1]")
        self.assertEqual([line.split()[1] for line in text.splitlines()], list("●●●●●✕⊘⊘⊘⊘"))

    def test_an_element_is_at_its_time_and_lights_up_while_others_fade(self):
        tab = self.show(sent(1, 0, '"a"', t=0), sent(2, 1, '["a"]', cause=1, t=4000), sent(3, 2, '"b"', t=6000))

        def strengths():
            """How far the words of each row are from the background, at its time."""
            return tab.script("""isFollowing = false; pane.scrollTop = 0; draw();
              const {lanes: lanesWidth, s} = layout(), ratio = devicePixelRatio, left = (TIMES + lanesWidth + 8) * ratio;
              return shown.map((e, index) => {
                const y = (head() + yOf(index, s)) * ratio, size = [left, y, 60 * ratio, ROW * ratio];
                const pixels = pen.getImageData(...size).data, back = pen.getImageData(canvas.width - 3, y + 2, 1, 1).data[0];
                return pixels.reduce((most, each, place) => place % 4 ? most : Math.max(most, Math.abs(each - back)), 0);
              })""")

        self.assertTrue(all(each > 100 for each in strengths()))
        tab.click("#even")
        self.until(tab, "!even() && !isStale && !isDirty")
        places = tab.script("return shown.map((e, index) => yOf(index, layout().s))")
        self.assertAlmostEqual((places[1] - places[0]) / (places[2] - places[1]), 2)
        self.assertTrue(all(each > 100 for each in strengths()))
        tab.script("const y = yOf(1, layout().s); canvas.onclick({offsetX: 300, offsetY: head() + y + 5})")
        self.assertEqual(self.words(tab, "words"), 'Form.hits: #2 ["a"] ← #1')
        one, two, three = strengths()
        self.assertGreater(min(one, two), 100)
        self.assertLess(three, 60)

    def test_the_legend_is_that_of_other_pictures(self):
        tab = self.show()
        shown = dict(tab.script("""return [...document.querySelector("footer").childNodes].filter(each => each.nodeType === 3)
          .map(each => each.data).join("").replace(/\\s+/g, " ").trim().split(/ (?=[^ \\w] )/).map(each => [each[0], each.slice(2)])"""))
        seen = {}
        for demo, script in [("members", "add Ann\nremove 1\n"), ("filter", "a\nan\nann\n")]:
            trace = subprocess.run([ASYNCDEMO, demo, "--trace=times"], input=script, text=True, capture_output=True, timeout=120)
            legend = [line for line in trace.stderr.splitlines() + trace.stdout.splitlines() if line.startswith("● sent  ")]
            seen.update(each.split(" ", 1) for each in "  ".join(legend).split("  ") if each)
        self.assertTrue({"●", "◆", "├", "┬", "┴"} <= seen.keys(), seen)
        for mark, words in seen.items():
            for word in words.replace(" or ", ", ").split(", "):
                self.assertIn(word, shown[mark])

    def test_warnings_of_a_circle_and_of_what_nobody_takes(self):
        circle = [sent(1 + number, number % 2, str(number), cause=number or None) for number in range(20)]
        grows = [{"id": 100, "t": 1, "in": 2, "e": "subscribed", "sub": 1, "task": "1"}]
        grows += [sent(101 + number, 2, "x") for number in range(8)]
        tab = self.show(*circle, *grows)
        self.until(tab, "document.getElementById('warnings').innerText.includes('circle')")
        warnings = self.words(tab, "warnings")
        self.assertIn("Form.typed: it causes itself, in a circle", warnings)
        self.assertIn("Clock.ticks: subscription 1 takes nothing, 8 are pending", warnings)
        self.assertIn("Clock.ticks 1: not asking, 8 pending", self.words(tab, "consumers"))
        tab.script("document.querySelector('#warnings button').click()")
        self.assertIn("Form.", self.words(tab, "words"))

    def test_a_lane_that_grows_without_end_is_a_warning(self):
        inspector = self.start()
        tab = self.page(inspector)
        with inspector.connect() as program:
            program.sendall(lines(HEAD, *self.LANES, {"id": 0, "t": 0, "in": 2, "e": "taken", "sub": 1}))
            for step in range(40):
                program.sendall(lines(*[sent(1 + step * 50 + number, 2, "x") for number in range(50)]))
                self.until(tab, f"events.length >= {step * 50}")
                if "grows" in self.words(tab, "warnings"):
                    break
                tab.script("panels()")
            self.assertIn("Clock.ticks: it grows without end", self.words(tab, "warnings"))

    def test_what_is_known_later_is_shown(self):
        tab = self.show(sent(1, 0, "…"), {"id": 2, "t": 9, "in": 0, "e": "taken", "of": 1, "sub": 1},
                        {"more": 1, "text": "\"now\""}, {"missed": 3})
        self.choose(tab, "e.e === 'taken'")
        self.assertIn('"now" taken', self.words(tab, "words"))
        self.assertIn("at work on #1", tab.script("panels(); return document.getElementById('consumers').innerText"))
        self.assertIn("3 missed", self.words(tab, "count"))

    def test_the_keyboard_chooses_and_a_screen_reader_hears(self):
        tab = self.show(sent(1, 0, "\"a\""), sent(2, 1, "[\"a\"]", cause=1), sent(3, 0, "\"b\""))
        up, down, left, right, escape = "\ue013", "\ue015", "\ue012", "\ue014", "\ue00c"
        heard = []
        for key in [up, up, left, right, down, "b", escape]:
            tab.key("#flow", key)
            heard.append(self.words(tab, "words"))
        self.assertEqual(heard[:5], ['Form.typed: #3 "b"', 'Form.hits: #2 ["a"] ← #1', 'Form.typed: #1 "a"',
                                     'Form.hits: #2 ["a"] ← #1', 'Form.typed: #3 "b"'])
        self.assertEqual(heard[6], "None is chosen.")
        self.assertEqual(tab.script("panels(); return document.querySelector('#bookmarks button').innerText"), 'Form.typed: #3 "b"')
        tab.key("#flow", " ")
        self.assertEqual(tab.script("return document.getElementById('pause').getAttribute('aria-pressed')"), "true")
        self.assertEqual(tab.script("return document.getElementById('words').getAttribute('aria-live')"), "polite")
        unnamed = tab.script("""return [...document.querySelectorAll('button, select, input, canvas')].filter(each =>
          !each.innerText && !each.ariaLabel && !each.labels?.length).map(each => each.id)""")
        self.assertEqual(unnamed, [])

    def test_a_click_chooses_a_row(self):
        tab = self.show(sent(1, 0, "\"a\""), sent(2, 1, "[\"a\"]", cause=1))
        tab.script("draw(); canvas.onclick({offsetX: 300, offsetY: head() + 5})")
        self.assertEqual(self.words(tab, "words"), 'Form.typed: #1 "a"')
        tab.script("canvas.onclick({offsetX: 300, offsetY: head() + 5})")
        self.assertEqual(self.words(tab, "words"), "None is chosen.")

    def test_a_saved_recording_opens_again(self):
        tab = self.show(sent(1, 0, "\"a\""), {"id": 2, "t": 9, "in": 0, "e": "taken", "of": 1, "sub": 1, "done": 11},
                        sent(3, 1, "[\"a\"]", cause=1, via=[0]))
        tab.script("bookmarks.add(events[1])")
        saved = tab.script("return exports.save()[1]")
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
            file.write(saved)
            file.flush()
            other = self.page(self.start(file.name))
            self.until(other, "events.length === 3")
            self.assertEqual(other.script("return exports.save()[1]"), saved)
            tab.script("clear()")
            tab.script("document.getElementById('open').hidden = false")
            tab.key("#open", file.name)
            self.until(tab, "events.length === 3 && bookmarks.size === 1")
        self.assertEqual(tab.script("return words(events[2].cause)"), '"a"')

    def test_exports_are_what_other_programs_read(self):
        tab = self.show(sent(1, 0, "\"<&\\\"\"", t=1000), {"id": 2, "t": 1500, "in": 0, "e": "taken", "of": 1, "sub": 1},
                        sent(3, 1, "[\"a\"]", cause=1), sent(4, 0, "\"b\"", t=301000))
        made = tab.script("refresh(); return Object.fromEntries(Object.keys(exports).map(each => [each, exports[each]()[1]]))")
        self.assertIn("Form.hits: #3 [\"a\"] ← #1\n", made["text"])
        self.assertEqual(tab.script("return new DOMParser().parseFromString(arguments[0], 'image/svg+xml').querySelector('parsererror')?.textContent", made["svg"]), None)
        trace = json.loads(made["perfetto"])["traceEvents"]
        self.assertEqual([each["ph"] for each in trace], list("MMMXiXsfX"))
        self.assertTrue(made["mermaid"].startswith("sequenceDiagram\n  participant outside\n"), made["mermaid"])
        self.assertIn("  L0->>L1: #35;3", made["mermaid"])
        self.assertEqual(made["test"], """@MainActor
func test_recorded() async throws {
  try await withTestTime { time in
    let form = Form()  // TODO: what it is made with
    form.typed.send(/* "<&\\"" */)
    await time.advance(by: .milliseconds(300))
    form.typed.send(/* "b" */)
    await time.idle()
  }
}
""")

    def test_exports_are_saved_and_copied(self):
        tab = self.show(sent(1, 0, '"a"'), sent(2, 1, '["a"]', cause=1))
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        tab.front()
        self.browser.developer("Browser.setDownloadBehavior", behavior="allow", downloadPath=folder.name)
        self.browser.developer("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
        self.browser.developer("Emulation.setFocusEmulationEnabled", enabled=True)
        self.until(tab, "shown.length === 2")
        for kind, name in [("save", "flow.jsonl"), ("text", "flow.txt"), ("svg", "flow.svg"), ("perfetto", "flow.json"), ("mermaid", "flow.mmd")]:
            made = tab.script("return exports[arguments[0]]()[1]", kind)
            tab.script("const list = document.getElementById('export'); list.value = arguments[0]; list.onchange()", kind)
            file = pathlib.Path(folder.name, name)
            until(name, lambda: file.exists() and file.read_text() == made)
        tab.script("const list = document.getElementById('export'); list.value = 'test'; list.onchange()")
        copied = self.browser.do("POST", "/execute/async", args=[], script="navigator.clipboard.readText().then(arguments[0], arguments[0])")
        self.assertIn('form.typed.send(/* "a" */)', copied)
        tab.script("choose(events[1])")
        tab.click("#bookmark")
        tab.script("choose(null)")
        tab.script("panels(); document.querySelector('#bookmarks button').click()")
        self.assertEqual(self.words(tab, "words"), 'Form.hits: #2 ["a"] ← #1')

    def test_a_tab_that_nobody_sees_goes_on_where_it_was(self):
        inspector = self.start()
        with inspector.connect() as program:
            program.sendall(lines(HEAD, *self.LANES, sent(1, 0, '"a"')))
            # More than a browser has connections to one server.
            tabs = [self.page(inspector) for _ in range(10)]
            for tab in tabs:
                self.until(tab, "events.length === 1")
            tabs[0].script("choose(events[0]); bookmarks.add(events[0])")
            tabs[1].front()
            self.until(tabs[1], "!document.hidden")
            program.sendall(lines(sent(2, 1, '["a"]', cause=1)))
            for tab in tabs:
                self.until(tab, "events.length === 2")
            self.assertEqual(tabs[0].script("return [chosen?.id, bookmarks.size, missed]"), [1, 1, 0])

    def test_of_a_hundred_programs_those_that_ended_first_are_forgotten(self):
        inspector = self.start()
        tab = self.page(inspector)
        with inspector.connect() as lasting:
            lasting.sendall(lines({**HEAD, "program": "lasting"}))
            self.stream(inspector, ["lasting"])
            for number in range(100):
                inspector.send(lines({**HEAD, "run": f"run {number}"}, *self.LANES, sent(1, 0, f'"{number}"')))
                self.stream(inspector, [f'run {number}', '"end":true'])
            self.until(tab, "[...programs.values()].some(each => each.run === 'run 99' && each.ended)")
            self.assertEqual(tab.script("return programs.size"), 64)
            self.assertTrue(tab.script("return [...programs.values()].some(each => each.name === 'lasting')"))

    def test_the_page_shows_a_hundred_thousand_events_in_a_thousand_lanes(self):
        inspector = self.start()
        lanes = [{"lane": number, "owner": f"Row{number // 2}", "name": f"n{number % 2}", "kind": "state"} for number in range(1000)]
        inspector.send(lines(HEAD, *lanes, *[sent(number, number % 1000, str(number), cause=number - 1 if number % 7 else None)
                                             for number in range(100_000)]))
        tab = self.page(inspector)
        self.until(tab, "events.length === 100000 && lanes.length === 1000")
        tab.script("isFollowing = false; for (let y = 0; y < 60; y++) { pane.scrollTop = y * 30000; draw(); }")
        # How long a frame takes is measured by costs.py; that only what is seen is drawn is certain.
        self.assertLess(tab.script("pane.scrollTop = 1e6; draw(); return drawnRows"), 60)


class SourceTests(InspectorCase):
    def test_standard_input_a_growing_file_and_a_unix_socket_are_read(self):
        with tempfile.TemporaryDirectory() as folder:
            file, path = pathlib.Path(folder) / "lines", f"{folder}/socket"
            file.write_bytes(lines(HEAD))
            inspector = self.start("-", str(file), "--unix", path)
            inspector.process.stdin.write("Number of members: 0\n" + lines({**HEAD, "program": "piped", "run": "2"}).decode())
            inspector.process.stdin.flush()
            demo = self.program(ASYNCDEMO, "members", f"--inspect=unix:{path}")
            demo.stdin.write("add Ann\n")
            demo.stdin.flush()
            with file.open("ab") as more:
                more.write(lines({"lane": 7, "owner": "Grown", "name": "x", "kind": "state"}))
            seen = self.stream(inspector, ['"program":"piped"', '"owner":"Grown"', '"program":"members"', "Ann"])
            self.assertNotIn("Number of members", seen)

    def test_a_program_connects_again_to_an_inspector_that_was_restarted(self):
        first = self.start()
        port = first.programs.rsplit(":", 1)[1]
        demo = self.program(ASYNCDEMO, "members", f"--inspect=127.0.0.1:{port}")
        demo.stdin.write("add Ann\n")
        demo.stdin.flush()
        self.stream(first, ["Ann"])
        first.close()
        second = self.start("--programs", port)
        # All that is kept follows once more.
        self.stream(second, ['"program":"members"', "Ann"])

    def test_an_inspector_that_stands_still_costs_the_program_nothing(self):
        inspector = self.start()
        inspector.process.send_signal(signal.SIGSTOP)
        commands = "".join(f"add Ann{number}\nremove {number}\n" for number in range(1, 2001))
        result = subprocess.run([ASYNCDEMO, "members", f"--inspect={inspector.programs}"], input=commands, text=True,
                                capture_output=True, timeout=120)
        alone = subprocess.run([ASYNCDEMO, "members"], input=commands, text=True, capture_output=True, timeout=120)
        self.assertEqual((result.stdout, result.returncode), (alone.stdout, 0))


if __name__ == "__main__":
    unittest.main()

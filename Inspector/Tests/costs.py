"""How long frames take in Chromium: `check --costs`."""

import unittest

from inspecting import HEAD, PageCase, lines


class Costs(PageCase):
    def test_frames_at_a_hundred_thousand_events_in_a_thousand_lanes(self):
        inspector = self.start()
        lanes = [{"lane": number, "owner": f"Row{number // 2}", "name": f"n{number % 2}", "kind": "state"} for number in range(1000)]
        inspector.send(lines(HEAD, *lanes, *[
            {"id": number, "t": number * 100, "in": number % 1000, "e": "sent", "text": f"value {number}", "to": 1, "task": "1",
             **({"cause": number - 1} if number % 7 else {})} for number in range(100_000)]))
        tab = self.page(inspector)
        self.until(tab, "events.length === 100000 && lanes.length === 1000 && !isStale")
        for what, script in [
            ("drawing a frame while scrolling", "pane.scrollTop = (pane.scrollTop + 31111) % 1900000; draw();"),
            ("drawing a frame with a chosen event", "if (!chosen) choose(events[50000], true); pane.scrollTop += 50; draw();"),
            ("the panels", "panels();"), ("filtering anew", "refresh();"),
        ]:
            times = tab.script(f"""isFollowing = false; const times = [];
              for (let round = 0; round < 100; round++) {{ const begin = performance.now(); {script} times.push(performance.now() - begin); }}
              return times.sort((a, b) => a - b)""")
            print(f"{what}: {times[50]:.1f} ms, 99 of 100 below {times[98]:.1f} ms")
        tab.front()
        frames = self.browser.do("POST", "/execute/async", args=[], script="""
          const done = arguments[0], times = []; let last = performance.now();
          requestAnimationFrame(function step(now) { times.push(now - last); last = now; pane.scrollTop += 400;
            if (times.length < 200) requestAnimationFrame(step); else done(times.slice(2).sort((a, b) => a - b)); })""")
        print(f"between two frames while scrolling: {frames[99]:.1f} ms, 99 of 100 below {frames[195]:.1f} ms")


if __name__ == "__main__":
    unittest.main()

"""Commands and the page, over sockets, without a script."""

import html
import unittest

from cases import ServerCase
from support import member_id, names


class CommandTests(ServerCase):
    def setUp(self):
        super().setUp()
        self.server = self.start()

    def test_a_command_is_done_when_it_is_answered(self):
        for name in ["Ann", "Bob", "Cy"]:
            self.server.add(name)
            self.assertEqual(self.server.names()[-1], name)
        bob = member_id(self.server.page(), "Bob")
        self.assertEqual(self.server.post(f"/members/{bob}/remove")[0], 204)
        self.assertEqual(self.server.names(), ["Ann", "Cy"])
        self.assertEqual(self.server.post("/members/remove-all")[0], 204)
        self.assertEqual(self.server.names(), [])
        self.server.add("Di")
        self.assertGreater(member_id(self.server.page(), "Di"), 3, "an id was used twice")

    def test_the_list_is_there_after_a_restart(self):
        self.server.add("Ann")
        self.assertEqual(self.server.terminate()[1], 0, self.server.messages())
        self.server.restart()
        self.assertEqual(self.server.names(), ["Ann"])

    def test_names_are_escaped_and_come_back_as_they_were(self):
        odd = ["<script>alert(1)</script>", "\"'&amp;<b>", "Zoë ☃ 家族 👩‍👩‍👧", "a  b", "--", "%41+"]
        for name in odd:
            self.server.add(name)
        page = self.server.page()
        self.assertEqual(names(page), odd)
        self.assertNotIn("<script>alert", page)
        self.assertNotIn("<b>", page)

    def test_a_browsers_form_is_answered_with_a_page(self):
        accept = {"Accept": "text/html,application/xhtml+xml"}
        status, _, headers = self.server.post("/members", accept, name="Ann")
        self.assertEqual((status, headers["Location"]), (303, "/"))
        status, page, _ = self.server.post("/members", accept, name="turned\u202e")
        self.assertEqual(status, 422)
        self.assertIn("“\u2068turned\u202e\u2069” is not a valid name", page)
        self.assertIn('value="turned\u202e"', page, "what was typed is lost")
        self.assertEqual(names(page), ["Ann"])

    def test_a_command_that_is_sent_again_is_done_once(self):
        for _ in range(3):
            self.server.add("Ann", key="k1")
        self.server.add("Ann", key="k2")
        self.assertEqual(self.server.names(), ["Ann", "Ann"])
        first = member_id(self.server.page(), "Ann")
        for _ in range(2):
            self.assertEqual(self.server.post(f"/members/{first}/remove", key="k3")[0], 204)
        self.assertEqual(self.server.post(f"/members/{first}/remove", key="k4")[0], 404)
        self.assertEqual(self.server.names(), ["Ann"])

    def test_a_key_is_that_of_what_was_asked(self):
        """A page that a browser kept has an old key for a new name; and nobody can use up another's."""
        self.server.add("Ann", key="kept")
        first = member_id(self.server.page(), "Ann")
        self.server.add("Bob", key="kept")
        self.assertEqual(self.server.post(f"/members/{first}/remove", key="kept")[0], 204)
        self.assertEqual(self.server.names(), ["Bob"])

    def test_bad_requests_get_their_status_and_change_nothing(self):
        self.server.add("Ann")
        before = self.server.revision(), self.server.names()
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        here = f"127.0.0.1:{self.server.port}"
        cases = [
            (422, "POST", "/members", "name=", form),
            (422, "POST", "/members", "name=+%20+", form),
            (422, "POST", "/members", "name=a%E2%80%AEb", form),
            (422, "POST", "/members", "name=a%0Ab", form),
            (422, "POST", "/members", "name=a%00b", form),
            (422, "POST", "/members", "name=" + "x" * 101, form),
            (422, "POST", "/members", "name=x" + "%CC%81" * 200, form),
            (413, "POST", "/members", "name=" + "x" * 5000, form),
            (400, "POST", "/members", "name=%ff", form),
            (400, "POST", "/members", b"name=\xff", form),
            (400, "POST", "/members", "name=%zz", form),
            (400, "POST", "/members", "name=%4", form),
            (400, "POST", "/members", "nobody=Bob", form),
            (400, "POST", "/members", "name", form),
            (400, "POST", "/members", "name=Bob&key=", form),
            (400, "POST", "/members", "name=Bob&key=" + "k" * 65, form),
            (415, "POST", "/members", '{"name": "Bob"}', {"Content-Type": "application/json"}),
            (415, "POST", "/members", "name=Bob", {}),
            (404, "POST", "/members/99/remove", "", form),
            (400, "POST", "/members/one/remove", "", form),
            (400, "POST", "/members/99999999999999999999/remove", "", form),
            (405, "GET", "/members", None, {}),
            (405, "DELETE", "/members/1/remove", None, {}),
            (405, "POST", "/", "", form),
            (405, "PUT", "/events", "", form),
            (404, "GET", "/nothing", None, {}),
            (404, "GET", "/../members.sqlite", None, {}),
            (403, "POST", "/members", "name=Eve", {**form, "Origin": "http://elsewhere.example"}),
            (403, "POST", "/members", "name=Eve", {**form, "Origin": "null"}),
            (403, "POST", "/members", "name=Eve", {**form, "Origin": f"http://{here}.elsewhere.example"}),
            (403, "POST", "/members/remove-all", "", {**form, "Origin": "http://127.0.0.1:1"}),
        ]
        for status, method, path, body, headers in cases:
            with self.subTest(method=method, path=path, body=body and body[:20], **headers):
                self.assertEqual(self.server.request(method, path, body, headers)[0], status)
                self.assertEqual((self.server.revision(), self.server.names()), before)
        own = self.server.request("POST", "/members", "name=Bob", {**form, "Origin": f"http://{here}"})
        self.assertEqual(own[0], 204)
        self.assertEqual(self.server.names(), ["Ann", "Bob"])

    def test_a_full_list_refuses_and_takes_again(self):
        for number in range(1000):
            self.server.add(f"m{number}")
        status, text, _ = self.server.post("/members", name="one too many")
        self.assertEqual((status, text), (409, "The list is full; nothing was added."))
        self.assertEqual(self.server.post("/members/1/remove")[0], 204)
        self.server.add("in time")
        self.assertEqual(len(self.server.names()), 1000)

    def test_head_and_security_headers(self):
        status, body, headers = self.server.request("HEAD", "/")
        self.assertEqual((status, body), (200, ""))
        self.assertIn("default-src 'none'", headers["Content-Security-Policy"])
        self.assertNotIn("unsafe", headers["Content-Security-Policy"])
        self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
        self.assertEqual(self.server.request("HEAD", "/events")[0], 200)
        self.assertEqual(self.server.tabs(), 0)

    def test_a_name_in_an_error_is_escaped_too(self):
        name = "<i>" * 40
        page = self.server.post("/members", {"Accept": "text/html"}, name=name)[1]
        self.assertNotIn("<i>", page)
        self.assertEqual(html.unescape(page).count(name), 2, "in the sentence and in the field")


if __name__ == "__main__":
    unittest.main()

/// Ends when its standard input does, so that it outlives no test.
let loopbackServerScript = #"""
  import http.server, json, os, sys, threading, time, urllib.parse

  def say(**event):
      sys.stdout.write(json.dumps(event) + "\n")
      sys.stdout.flush()

  class Handler(http.server.BaseHTTPRequestHandler):
      protocol_version = "HTTP/1.1"

      def log_message(self, *arguments):
          pass

      def answer(self, status, body=b"", **headers):
          self.send_response(status)
          self.send_header("Content-Length", str(len(body)))
          for name, value in headers.items():
              self.send_header(name, value)
          self.end_headers()
          self.wfile.write(body)

      def chunked(self):
          self.send_response(200)
          self.send_header("Transfer-Encoding", "chunked")
          self.end_headers()

      def chunk(self, data):
          return b"%x\r\n%s\r\n" % (len(data), data)

      def until_gone(self):
          try:
              while self.connection.recv(4096):
                  pass
          except OSError:
              pass
          self.close_connection = True
          say(event="gone", path=self.path)

      def do_GET(self):
          body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
          say(event="request", method=self.command, path=self.path, body=body.decode(),
              headers={name.lower(): value for name, value in self.headers.items()})
          word, _, rest = self.path[1:].partition("/")
          if word == "token":
              self.answer(200, b'{"token": "abc"}')
          elif word == "login":
              fields = json.loads(body)
              isKnown = fields == {"username": "iankeen", "password": "super_secret_password"}
              self.answer(200 if isKnown else 401, b'{"token": "abc"}')
          elif word == "status":
              self.answer(int(rest), b'{"token": "abc"}')
          elif word == "interim":
              # Like "/interim/100/103": these heads, and then the answer; "/nothing" is none.
              words = rest.split("/")
              for status in words:
                  if status == "nothing":
                      self.close_connection = True
                      return
                  self.wfile.write(b"HTTP/1.1 %d Interim\r\n\r\n" % int(status))
                  self.wfile.flush()
              self.answer(200, b'{"token": "abc"}')
          elif word == "challenge":
              self.answer(401, **{"WWW-Authenticate": 'Basic realm="members"'})
          elif word == "redirect":
              self.answer(int(rest), Location="/token")
          elif word == "body":
              self.answer(200, urllib.parse.unquote_to_bytes(rest))
          elif word == "size":
              self.answer(200, b'{"token": "abc"}'.ljust(int(rest)))
          elif word == "tail":
              # Up to one byte below the limit, then two bytes that pass it, then one that would fit.
              self.chunked()
              start = b'{"token": "abc"}'.ljust((1 << 20) - 1)
              self.wfile.write(self.chunk(start))
              self.wfile.write(self.chunk(b"  ") + self.chunk(b" ") + b"0\r\n\r\n")
          elif word == "flood":
              # So many bytes without a pause, and then without an end.
              self.chunked()
              piece = self.chunk(b" " * 4096)
              try:
                  for _ in range(int(rest) // 4096):
                      self.wfile.write(piece)
                  self.until_gone()
              except OSError:
                  say(event="gone", path=self.path)
              self.close_connection = True
          elif word == "endless":
              # "/endless/200" and so on: never stops by itself. "/endless/head" and "/endless/interim"
              # do not come as far as a body, and "/endless/pieces" has one of single bytes. "/endless/head/10"
              # rests for so many milliseconds after each thousand.
              rest, _, pause = rest.partition("/")
              start = "HTTP/1.1 %s Endless\r\n" % (rest if rest.isdigit() else "200")
              piece = b" " * (1 << 20)
              if rest == "head":
                  piece = b"X: endless\r\n" * 1000
              elif rest == "interim":
                  start, piece = "", b"HTTP/1.1 100 Continue\r\n\r\n" * 1000
              elif rest == "pieces":
                  start, piece = start + "Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n" * 1000
              else:
                  start += "\r\n"
              try:
                  self.wfile.write(start.encode())
                  while True:
                      self.wfile.write(piece)
                      time.sleep(int(pause or 0) / 1000)
              except OSError:
                  say(event="gone", path=self.path)
              self.close_connection = True
          elif word == "silent":
              self.until_gone()
          elif word in ("stalls", "breaks"):
              # The head of an answer, and then only the beginning of its body.
              status, _, challenge = rest.partition("/")
              self.send_response(int(status))
              if challenge:
                  self.send_header("WWW-Authenticate", 'Basic realm="members"')
              self.send_header("Content-Length", "100")
              self.end_headers()
              self.wfile.write(b'{"token": ')
              self.wfile.flush()
              if word == "stalls":
                  self.until_gone()
              self.close_connection = True
          elif word == "refusal":
              self.answer(401, b" " * int(rest), **{"WWW-Authenticate": 'Basic realm="members"'})
          elif word == "garbage":
              self.wfile.write(b"\x00\xff this is no HTTP\r\n\r\n")
              self.close_connection = True
          elif word == "close":
              self.close_connection = True

      do_POST = do_GET

  def end_with_input():
      sys.stdin.read()
      os._exit(0)

  class Server(http.server.ThreadingHTTPServer):
      # A client that hangs up in the middle of an answer is what many tests are about. Its traceback
      # would hide the failure that a reader of the log looks for.
      def handle_error(self, request, client_address):
          if not isinstance(sys.exc_info()[1], OSError):
              super().handle_error(request, client_address)

  threading.Thread(target=end_with_input, daemon=True).start()
  server = Server(("127.0.0.1", 0), Handler)
  server.daemon_threads = True
  say(event="listening", port=server.server_address[1])
  server.serve_forever()
  """#

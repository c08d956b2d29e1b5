"""A REST service for the example: GET /departures answers with the file that is named, and with 304 to the tag of its content.
Prints its port."""
import hashlib, http.server, sys

path = sys.argv[1]


class Service(http.server.BaseHTTPRequestHandler):
  def do_GET(self):
    if self.path != "/departures":
      return self.send_error(404)
    with open(path, "rb") as file:
      body = file.read()
    tag = '"%s"' % hashlib.sha256(body).hexdigest()[:16]
    known = self.headers.get("If-None-Match") == tag
    self.send_response(304 if known else 200)
    self.send_header("ETag", tag)
    self.send_header("Content-Length", "0" if known else str(len(body)))
    self.end_headers()
    if not known:
      self.wfile.write(body)

  def log_message(self, *arguments):
    pass


server = http.server.HTTPServer(("127.0.0.1", 0), Service)
print(server.server_port, flush=True)
server.serve_forever()

"""Receives Slipway's webhooks. `SECRET=whsec_… PORT=3000 python3 receiver.py` (Python >= 3.9, no dependencies)."""

import base64
import hashlib
import hmac
import json
import os
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = base64.b64decode(os.environ["SECRET"].removeprefix("whsec_"))
TOLERANCE_SECONDS = 300
# In a real receiver: a unique column, written in the transaction that handles the event.
handled = set()


def is_genuine(headers, body):
    timestamp = headers.get("webhook-timestamp", "")
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    signed = f"{headers.get('webhook-id', '')}.{timestamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(KEY, signed, hashlib.sha256).digest()).decode()
    given = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(one.encode(), expected.encode()) for one in given)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if not is_genuine(self.headers, body):
            self.send_response(401)
        else:
            event = json.loads(body)
            if event["id"] not in handled:
                handled.add(event["id"])
                print(event["sequence"], event["type"], event["id"], flush=True)
            self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "3000"))), Receiver)
print("ready", flush=True)
server.serve_forever()

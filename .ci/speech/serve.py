#!/usr/bin/python3 -B
"""Engines of speech that nobody here wrote, behind protocols that Halfsecond speaks.

  .ci/speech/serve.py [--address 127.0.0.1] [--port 0] [--silence-ms 300] [--level-dbfs -45]

prints its URL once it listens, and serves until SIGTERM or SIGINT:

  ws://URL/v1/listen            Deepgram's /v1/listen; model pocketsphinx, which hears en-us
  http://URL/v1/audio/speech    OpenAI's speech, pcm or wav of 24 kHz; the model is flite,
                                espeak-ng or festival, the voice one of theirs

listen.py says what of Deepgram's is there, speak.py how each engine is asked, and
websocket.py is the protocol below the former.

Why Python: Debian's python3-pocketsphinx is all that a client of the recogniser needs, so
there is nothing to build, no C compiler is wanted, and the program that measures stays free
of cgo. It is Debian's own interpreter that sees the package.

Why a process for each connection: the models are loaded once, before the first connection,
and each child begins with a decoder that has heard nothing, in memory that it shares. A
decoder adapts to what it hears, so without that the second caller would be heard otherwise
than the first; and none holds another up, where Python's lock would.

  apt-get install --no-install-recommends espeak-ng flite festival festvox-kallpc16k \\
    pocketsphinx-en-us python3-pocketsphinx
"""
import argparse
import gc
import json
import os
import signal
import socketserver
import sys
import urllib.parse
from http.server import BaseHTTPRequestHandler

import listen
import speak
import websocket

IDLE = 60  # seconds in which a peer must say something
LARGEST_BODY = 1 << 20
ENDS = {signal.SIGTERM, signal.SIGINT}


class Handler(BaseHTTPRequestHandler):
    """One connection, in a process of its own."""

    protocol_version = "HTTP/1.1"
    server_version = "speech-parts"
    timeout = IDLE
    disable_nagle_algorithm = True

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        if url.path != "/v1/listen":
            return self.refuse(404, f"{url.path}: GET /v1/listen and POST /v1/audio/speech are served here")
        try:
            options = listen.Options(url.query, self.server.silence)
        except ValueError as e:
            return self.refuse(400, str(e))
        key = self.headers.get("Sec-WebSocket-Key")
        if self.headers.get("Upgrade", "").lower() != "websocket" or not key:
            return self.refuse(426, "/v1/listen is a WebSocket here")
        self.close_connection = True
        self.send_response(101)
        self.send_header("Upgrade", "websocket")
        self.send_header("Connection", "Upgrade")
        self.send_header("Sec-WebSocket-Accept", websocket.accept(key))
        self.end_headers()
        socket = websocket.Socket(self.rfile, self.wfile)
        listen.Session(socket, self.server.decoder, options, self.server.level).run()

    def do_POST(self):
        if self.path != "/v1/audio/speech":
            return self.refuse(404, f"{self.path}: GET /v1/listen and POST /v1/audio/speech are served here")
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > LARGEST_BODY:
            return self.refuse(413, f"a body of {length or 'unknown'} bytes: want Content-Length, {LARGEST_BODY} at most")
        try:
            request = speak.Request(self.rfile.read(int(length)))
        except ValueError as e:
            return self.refuse(400, str(e))
        try:
            speak.answer(request, self)
        except speak.Failed as e:
            self.refuse(500, str(e))
        except speak.Gone:
            self.close_connection = True

    def refuse(self, status, message):
        """Answers as both vendors' clients can read it."""
        self.close_connection = True  # the body may not have been read
        kind = "invalid_request_error" if status < 500 else "server_error"
        body = json.dumps({"error": {"message": message, "type": kind}, "err_msg": message}).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server(socketserver.ForkingMixIn, socketserver.TCPServer):
    allow_reuse_address = True
    request_queue_size = 128
    max_children = 64

    def process_request(self, request, client_address):
        # A signal waits until the child is known, and does not end one half made.
        signal.pthread_sigmask(signal.SIG_BLOCK, ENDS)
        try:
            super().process_request(request, client_address)
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDS)

    def finish_request(self, request, client_address):
        """Is of the child, with a process group for it and the engine that it runs."""
        os.setpgid(0, 0)
        for ends in ENDS:
            signal.signal(ends, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDS)
        self.socket.close()  # it listens to one connection
        super().finish_request(request, client_address)

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], OSError):  # who has gone is none of ours
            super().handle_error(request, client_address)

    def end_children(self):
        for pid in list(self.active_children or ()):
            for kill in os.kill, os.killpg:  # in this order no engine is started in between
                try:
                    kill(pid, signal.SIGTERM)
                except ProcessLookupError:
                    pass  # it has ended, or has no group yet


def main():
    a = argparse.ArgumentParser(description="speech engines behind protocols that Halfsecond speaks")
    a.add_argument("--address", default="127.0.0.1")
    a.add_argument("--port", type=int, default=0, help="0 takes a free one")
    a.add_argument("--silence-ms", type=int, default=300, help="silence that ends an utterance where the client asks for no other")
    a.add_argument("--level-dbfs", type=float, default=-45, help="the RMS of 10 ms of speech is above it")
    o = a.parse_args()
    if not 10 <= o.silence_ms <= 60_000:
        a.error(f"--silence-ms {o.silence_ms}: want 10 to 60000")
    if not -96 <= o.level_dbfs < 0:
        a.error(f"--level-dbfs {o.level_dbfs:g}: want -96 to 0")

    def end(*_):
        raise SystemExit(0)

    for ends in ENDS:
        signal.signal(ends, end)
    server = Server((o.address, o.port), Handler)
    try:
        server.silence, server.level = o.silence_ms, o.level_dbfs
        server.decoder = listen.load()
        gc.freeze()  # so that children share what is loaded
        print(f"http://{o.address}:{server.server_address[1]}", flush=True)
        server.serve_forever()
    finally:
        server.end_children()
        server.server_close()  # waits for them


if __name__ == "__main__":
    main()

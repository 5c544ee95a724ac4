"""A WebSocket as a server has it (RFC 6455): no extensions, no subprotocols."""
import base64
import hashlib
import struct

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
LARGEST = 1 << 20  # bytes of a message


class Closed(Exception):
    """The peer has closed, has gone, or says what it must not."""


def accept(key):
    """Returns Sec-WebSocket-Accept for a key."""
    return base64.b64encode(hashlib.sha1(key.encode() + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest()).decode()


class Socket:
    """An opened connection, whose two directions are files. The reading one may time out."""

    def __init__(self, rfile, wfile):
        self.rfile, self.wfile = rfile, wfile

    def receive(self):
        """Returns the next message, TEXT or BINARY and its bytes; answers pings on the way."""
        kind, message = None, b""
        while True:
            final, opcode, data = self.frame(LARGEST - len(message))
            if opcode == PING:
                self.write(PONG, data)
            elif opcode == CLOSE:
                self.write(CLOSE, data[:2])
                raise Closed
            elif opcode in (TEXT, BINARY) and kind is None or opcode == CONTINUATION and kind is not None:
                kind = kind or opcode
                message += data
                if final:
                    return kind, message
            elif opcode != PONG:
                raise self.broken(1002, f"a frame of kind {opcode} where none may be")

    def frame(self, largest):
        first, second = self.exactly(2)
        size = second & 127
        if size == 126:
            size, = struct.unpack("!H", self.exactly(2))
        elif size == 127:
            size, = struct.unpack("!Q", self.exactly(8))
        if first & 0x70 or not second & 128:
            raise self.broken(1002, "a client's frames are masked, and there are no extensions here")
        if size > largest:
            raise self.broken(1009, f"a message of more than {LARGEST} bytes")
        mask = self.exactly(4)
        data = self.exactly(size)
        whole = int.from_bytes(data, "big") ^ int.from_bytes((mask * (size // 4 + 1))[:size], "big")
        return first & 128, first & 15, whole.to_bytes(size, "big")

    def exactly(self, n):
        data = self.rfile.read(n)
        if len(data) < n:
            raise Closed
        return data

    def broken(self, code, reason):
        self.write(CLOSE, struct.pack("!H", code) + reason.encode())
        return Closed(reason)

    def send(self, text):
        self.write(TEXT, text.encode())

    def write(self, opcode, data):
        size = len(data)
        if size < 126:
            head = bytes([128 | opcode, size])
        elif size < 1 << 16:
            head = struct.pack("!BBH", 128 | opcode, 126, size)
        else:
            head = struct.pack("!BBQ", 128 | opcode, 127, size)
        self.wfile.write(head + data)

    def close(self, code, reason=""):
        """Closes, and waits for the peer to do so."""
        self.write(CLOSE, struct.pack("!H", code) + reason.encode())
        try:
            while True:
                _, opcode, _ = self.frame(LARGEST)
                if opcode == CLOSE:
                    return
        except (Closed, OSError):
            pass

"""flite, espeak-ng and festival behind OpenAI's POST /v1/audio/speech.

None of them writes before it is nearly done with a text. So flite and espeak-ng are asked
sentence by sentence, and what each makes is sent at once. festival is asked for the whole
text: a service that does not stream. Its answer comes in one burst at the end.
"""
import audioop  # in Python up to 3.12; Debian 12 has 3.11
import json
import re
import select
import shutil
import struct
import subprocess
import tempfile

RATE = 24_000  # what OpenAI's pcm has
READ = 1 << 14
LONGEST = 4096  # characters of a text, as at OpenAI
LONGEST_HEADER = 4096  # bytes


class Failed(Exception):
    """The engine failed before anything was sent."""


class Gone(Exception):
    """The client has hung up, or the answer broke off and cannot be completed."""


class Engine:
    def __init__(self, program, package, voices, whole, command):
        self.program, self.package = program, package
        self.voices = re.compile(voices)
        self.whole = whole  # the text is not cut into sentences
        self.command = command  # of a voice and a text


# The voices are checked here because flite takes paths and URLs for one, and festival code.
ENGINES = {
    "flite": Engine("flite", "flite", "slt|rms|awb|kal16|kal", False,
                    lambda voice, text: (["-voice", voice, "-t", text, "-o", "/dev/stdout"], "")),
    "espeak-ng": Engine("espeak-ng", "espeak-ng", r"en(-[a-z0-9-]+)?(\+[a-z0-9]+)?", False,
                        lambda voice, text: (["-v", voice, "--stdin", "--stdout"], text)),
    "festival": Engine("text2wave", "festival festvox-kallpc16k", "kal_diphone", True,
                       lambda voice, text: (["-eval", f"(voice_{voice})"], text)),
}


class Request:
    """What is to be said. ValueError says what is wrong with it."""

    def __init__(self, body):
        q = json.loads(body)
        if not isinstance(q, dict):
            raise ValueError("want an object")
        model = q.get("model")
        if not isinstance(model, str) or model not in ENGINES:
            raise ValueError(f"model is {model!r}: want {', '.join(ENGINES)}")
        self.engine = ENGINES[model]
        if not shutil.which(self.engine.program):
            raise ValueError(f"{self.engine.program} is not installed: apt-get install {self.engine.package}")
        self.voice = q.get("voice")
        if not isinstance(self.voice, str) or not self.engine.voices.fullmatch(self.voice):
            raise ValueError(f"voice is {self.voice!r}: want {self.engine.voices.pattern}")
        self.format = q.get("response_format")
        if self.format not in ("pcm", "wav"):
            raise ValueError(f"response_format is {self.format!r}: want pcm or wav")
        for name, only in {"stream_format": "audio", "speed": 1}.items():
            if q.get(name, only) != only:
                raise ValueError(f"{name} is {q[name]!r}: want {only}")
        text = q.get("input")
        if not isinstance(text, str) or not text.strip() or len(text) > LONGEST or "\0" in text:
            raise ValueError(f"input: want 1 to {LONGEST} characters")
        text.encode()  # half a surrogate pair is none
        self.texts = [text.strip()] if self.engine.whole else re.split(r"(?<=[.!?])\s+", text.strip())


def answer(request, handler):
    """Says it. Status and headers go out with the first audio, so that a failure can be told."""
    body = Body(request.format, handler)
    for text in request.texts:
        try:
            speak(request, text, body)
        except Failed:
            if body.begun:
                raise Gone
            raise
    body.end()


def speak(request, text, body):
    """Sends what the engine makes of a text as it comes. What it says beside is told where it
    fails: festival warns of pairs of sounds that its voice lacks, and speaks all the same."""
    arguments, typed = request.engine.command(request.voice, text)
    words = tempfile.TemporaryFile()
    p = subprocess.Popen([request.engine.program, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=words, bufsize=0)
    try:
        try:
            p.stdin.write(typed.encode())  # less than a pipe holds
            p.stdin.close()
        except BrokenPipeError:
            pass
        wav = WAV()
        while data := body.wait(p.stdout):
            body.write(wav.convert(data))
        if p.wait() != 0 or not wav.rate:
            words.seek(0)
            said = words.read(1000).decode(errors="replace").strip()
            raise Failed(f"{request.engine.program} ended with {p.returncode} and no audio: {said}")
    finally:
        p.kill()
        p.wait()
        p.stdout.close()
        words.close()


class WAV:
    """What an engine writes: a header, then samples of 16 bits until it ends, whatever the
    header says, which is written before their number is known."""

    def __init__(self):
        self.rate, self.rest, self.conversion = 0, b"", None

    def convert(self, data):
        """Returns samples at RATE."""
        data = self.rest + data
        if not self.rate:
            data = self.header(data)
        whole = len(data) // 2 * 2 if self.rate else 0
        self.rest, data = data[whole:], data[:whole]
        if data and self.rate != RATE:
            data, self.conversion = audioop.ratecv(data, 2, 1, self.rate, RATE, self.conversion)
        return data

    def header(self, data):
        """Returns what follows the header, or all of it while that is not whole."""
        at = data.find(b"data", 12)
        if at < 0 or len(data) < at + 8:
            if len(data) > LONGEST_HEADER:
                raise Failed("the engine's WAV has no data")
            return data
        channels, self.rate, bits = struct.unpack_from("<22xHI6xH", data)
        if data[:4] != b"RIFF" or channels != 1 or bits != 16 or not 8000 <= self.rate <= 48_000:
            raise Failed(f"the engine's WAV has {channels} channels of {bits} bits at {self.rate} Hz: want 1 of 16 bits")
        return data[at + 8:]


class Body:
    """The answer, in chunks of HTTP."""

    def __init__(self, form, handler):
        self.form, self.handler, self.begun = form, handler, False

    def wait(self, pipe):
        """Returns what comes of the engine next, b"" at its end. It is not waited for when the
        client hangs up."""
        ready, _, _ = select.select([pipe, self.handler.connection], [], [])
        if pipe not in ready and not self.handler.connection.recv(1, 2):  # MSG_PEEK
            raise Gone
        return pipe.read(READ)

    def write(self, data):
        if not data:
            return
        if not self.begun:
            self.begin()
        self.chunk(data)

    def begin(self):
        self.begun = True
        h = self.handler
        h.send_response(200)
        h.send_header("Content-Type", "audio/wav" if self.form == "wav" else "audio/pcm")
        h.send_header("Transfer-Encoding", "chunked")
        h.end_headers()
        if self.form == "wav":
            unknown = 0xFFFFFFFF  # as OpenAI says of a stream
            self.chunk(struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", unknown, b"WAVE", b"fmt ", 16, 1, 1, RATE, RATE * 2, 2, 16, b"data", unknown))

    def chunk(self, data):
        self.handler.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))

    def end(self):
        if not self.begun:
            raise Failed("no audio")
        self.handler.wfile.write(b"0\r\n\r\n")

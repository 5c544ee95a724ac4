"""pocketsphinx behind Deepgram's /v1/listen (developers.deepgram.com/reference, read
2026-11-30).

There are: linear16 of one channel; interim_results, vad_events and endpointing; Finalize,
CloseStream and KeepAlive; Results, SpeechStarted, Metadata and Error. Other parameters change
nothing. There are no words of a transcript, as the recogniser leaves silence out of its
instants, and no UtteranceEnd, as it could only tell what endpointing tells.

An utterance is decoded as it comes. It begins where 30 ms are loud, with the 300 ms before
them, and ends after so much silence, counted in audio, or by a Finalize.
"""
import audioop  # in Python up to 3.12; Debian 12 has 3.11
import collections
import datetime
import hashlib
import json
import os
import sys
import time
import urllib.parse
import uuid

import websocket

MODEL = "pocketsphinx"
PACKAGES = "apt-get install pocketsphinx-en-us python3-pocketsphinx"
FOLDER = "/usr/share/pocketsphinx/model/en-us"
RATE = 16_000  # of the model
STEP = 10  # ms of audio that are looked at together
BEFORE = 300  # ms of audio before speech that are decoded with it
LOUD = 30  # ms that make a beginning
EVERY = 100  # ms of audio between two looks at what is heard so far


def load():
    """Returns a decoder with its model, which takes a second."""
    try:
        from pocketsphinx.pocketsphinx import Decoder
    except ImportError as e:
        sys.exit(f"no module pocketsphinx in {sys.executable} ({e}): {PACKAGES}; only /usr/bin/python3 sees it")
    if not os.path.isdir(FOLDER):
        sys.exit(f"no model in {FOLDER}: {PACKAGES}")
    config = Decoder.default_config()
    for name, value in {"-hmm": "en-us", "-lm": "en-us.lm.bin", "-dict": "cmudict-en-us.dict"}.items():
        config.set_string(name, os.path.join(FOLDER, value))
    config.set_string("-logfn", "/dev/null")
    return Decoder(config)


class Options:
    """What a client asks for, out of the query of its URL."""

    def __init__(self, query, silence):
        given = {name: values[-1] for name, values in urllib.parse.parse_qs(query).items()}
        self.rate = self.whole(given, "sample_rate", 8000, 48_000)
        self.interim = given.get("interim_results") == "true"
        self.events = given.get("vad_events") == "true"
        self.silence = silence  # ms; None is that silence ends nothing
        asked = given.get("endpointing", "true")
        if asked == "false":
            self.silence = None
        elif asked != "true":
            self.silence = max(STEP, self.whole(given, "endpointing", 0, 60_000))
        for name, only in {"model": MODEL, "encoding": "linear16", "channels": "1"}.items():
            if given.get(name, only) != only:
                raise ValueError(f"{name} is {given[name]!r}: want {only}")

    @staticmethod
    def whole(given, name, least, most):
        value = given.get(name, "")
        if not value.isdecimal() or not least <= int(value) <= most:
            raise ValueError(f"{name} is {value!r}: want {least} to {most}")
        return int(value)


class Endpointer:
    """Tells speech from silence, by nothing but the energy of each 10 ms."""

    def __init__(self, silence, level):
        self.silence = silence
        self.threshold = 32768 * 10 ** (level / 20)
        self.reset()

    def reset(self):
        self.speaking, self.loud, self.quiet = False, 0, 0  # the latter two in ms

    def step(self, pcm):
        """Returns "start", "end" or None."""
        if audioop.rms(pcm, 2) > self.threshold:
            self.loud, self.quiet = self.loud + STEP, 0
        else:
            self.loud, self.quiet = 0, self.quiet + STEP
        if not self.speaking and self.loud >= LOUD:
            self.speaking = True
            return "start"
        if self.speaking and self.silence is not None and self.quiet >= self.silence:
            self.reset()
            return "end"
        return None


class Session:
    """One stream of audio."""

    def __init__(self, socket, decoder, options, level):
        self.socket, self.decoder, self.options = socket, decoder, options
        self.endpointer = Endpointer(options.silence, level)
        self.id, self.sum = str(uuid.uuid4()), hashlib.sha256()
        self.rest = b""  # half a sample, as it came
        self.pcm = b""  # less than a step, at RATE
        self.conversion = None  # from the client's rate, what is carried over
        self.before = collections.deque(maxlen=BEFORE // STEP)
        self.heard = 0  # ms of audio
        self.start = 0  # of the utterance, ms of audio
        self.decoding = False
        self.told = ""  # the last partial text

    def run(self):
        try:
            while True:
                kind, data = self.socket.receive()
                if kind == websocket.BINARY:
                    self.audio(data)
                elif self.command(data):
                    return
        except websocket.Closed:
            pass
        except TimeoutError:
            self.socket.close(1011, "neither audio nor a message came for too long")

    def audio(self, data):
        self.sum.update(data)
        data = self.rest + data
        whole = len(data) // 2 * 2
        self.rest, data = data[whole:], data[:whole]
        if self.options.rate != RATE:
            data, self.conversion = audioop.ratecv(data, 2, 1, self.options.rate, RATE, self.conversion)
        self.pcm += data
        size = RATE * STEP // 1000 * 2
        while len(self.pcm) >= size:
            step, self.pcm = self.pcm[:size], self.pcm[size:]
            self.step(step)

    def step(self, pcm):
        self.heard += STEP
        event = self.endpointer.step(pcm)
        if event == "start":
            self.begin()
        if not self.decoding:
            self.before.append(pcm)
            return
        self.decoder.process_raw(pcm, False, False)
        if event == "end":
            self.finish(speech_final=True)
        elif self.options.interim and self.heard % EVERY == 0:
            self.partial()

    def begin(self):
        if self.options.events:
            self.send("SpeechStarted", channel=[0, 1], timestamp=(self.heard - LOUD) / 1000)
        self.decoding, self.told = True, ""
        self.start = self.heard - STEP * (1 + len(self.before))
        self.decoder.start_utt()
        for pcm in self.before:
            self.decoder.process_raw(pcm, False, False)
        self.before.clear()

    def partial(self):
        heard = self.decoder.hyp()
        if heard and heard.hypstr and heard.hypstr != self.told:
            self.told = heard.hypstr
            self.results(heard)

    def finish(self, **flags):
        """Ends the utterance, if there is one, with its final text."""
        heard = None
        if self.decoding:
            self.decoder.end_utt()
            heard = self.decoder.hyp()
        else:
            self.start = self.heard
        self.decoding = False
        self.endpointer.reset()
        self.results(heard, is_final=True, **flags)

    def results(self, heard, is_final=False, speech_final=False, from_finalize=False):
        text = heard.hypstr if heard else ""
        sure = self.decoder.get_logmath().exp(heard.prob) if text else 0
        self.send(
            "Results", channel_index=[0, 1], start=self.start / 1000, duration=(self.heard - self.start) / 1000,
            is_final=is_final, speech_final=speech_final, from_finalize=from_finalize,
            channel={"alternatives": [{"transcript": text, "confidence": min(1, sure), "words": []}]},
            metadata={"request_id": self.id, "model_info": {"name": MODEL, "version": "", "arch": MODEL}, "model_uuid": ""},
        )

    def command(self, data):
        """Does as a text frame says; true when it is the last."""
        try:
            kind = json.loads(data)["type"]
        except (ValueError, KeyError, TypeError):
            kind = None
        if kind == "Finalize":
            self.finish(from_finalize=True)
        elif kind == "CloseStream":
            self.end()
            return True
        elif kind != "KeepAlive":
            text = data.decode(errors="replace")
            self.send("Error", variant="SchemaError", description="want an object whose type is Finalize, CloseStream or KeepAlive", message=text)
        return False

    def end(self):
        if self.decoding:
            self.finish()
        self.send(
            "Metadata", transaction_key="deprecated", request_id=self.id, sha256=self.sum.hexdigest(),
            created=datetime.datetime.fromtimestamp(time.time(), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
            duration=self.heard / 1000, channels=1,
        )
        self.socket.close(1000)

    def send(self, kind, **fields):
        self.socket.send(json.dumps({"type": kind, **fields}))

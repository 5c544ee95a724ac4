#!/usr/bin/env python3
"""Write a small language model in the format GGUF, which real engines load.

Nothing is downloaded: the layers are random, so that they cost what layers of
their size cost, and add about a thousandth to what passes through them. The
first and the last matrix hold a chain of words that was learnt from the
sentences below. So an engine does the work of prefill and of decode for a model
of the chosen size, and streams readable English with punctuation and an end.
It is a model to load a server with: what it says ignores the prompt.

The chat format is ChatML (<|im_start|>, <|im_end|>); the latter ends an answer.
The same arguments write the same bytes. Standard library only.
"""
import argparse
import array
import math
import os
import random
import re
import struct

SIZES = {  # dimensions, layers, feed forward, heads, heads of keys and values, vocabulary
    "15m": (384, 6, 1024, 6, 6, 8192),
    "150m": (576, 30, 1536, 9, 3, 49152),
    "360m": (960, 32, 2560, 15, 5, 49152),
    "500m": (1024, 28, 4096, 16, 4, 49152),
    "1b": (2048, 16, 8192, 32, 8, 32000),
}

CORPUS = """
Sure, I can help you with that.
I can see your order here, and it is on the way to you.
Your order will arrive on Monday between nine and eleven in the morning.
Your table is booked for four people on Friday at seven in the evening.
I am sorry, that time is not available, but I can offer you half past eight.
Would you like me to book it for you now?
Would you like to hear the other times?
Can you tell me your name, please?
Can you tell me the last four digits of the card?
Thank you, I have found your account.
Thank you for waiting, I have an answer for you now.
The price is forty two dollars and fifty cents, and that includes delivery.
The office is open from nine to five, Monday to Friday.
It looks like the payment did not go through, so please check the card.
It looks like the line is busy, so I will try again in a minute.
I have sent a message to your phone with the details.
I have changed the date for you, and there is no charge.
No problem, we can do that later.
The weather today is warm and dry, with a light wind from the west.
The next train leaves at ten past six from platform two.
You can return it at any time in the first thirty days.
You can call us again if you need more help.
Is there anything else that I can do for you today?
Let me check that for you, it will only take a moment.
First, turn the device off, and then wait for ten seconds.
After that, press the button on the back until the light is green.
That is a good question, and the short answer is yes.
If you want, I can explain how it works.
We are happy to help, and we hope to see you soon.
Have a great day!
"""

# Pairs of letters that are common in English: they shorten what is not in the corpus.
PAIRS = (
    "th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io "
    "le ve co me de hi ri ro ic ne ea ra ce li ch ll be ma si om ur"
).split()

START, END = "<start>", "<|im_end|>"
SPACE = "\u2581"  # what a token has for the space before a word
LAYER_SCALE = 1e-3  # of what a layer adds to what passes through it

TEMPLATE = (
    "{% for message in messages %}"
    "{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)


def word_chain(sentences):
    """Return {token: {next token: probability}}, of answers with a mean of so many sentences."""
    counts = {}
    for line in CORPUS.strip().splitlines():
        before = START
        for t in re.findall(r"[A-Za-z]+|[.,?!]", line):
            token = t if t in ".,?!" else SPACE + t
            row = counts.setdefault(before, {})
            row[token] = row.get(token, 0) + 1
            before = token
    chain = {}
    for token, row in counts.items():
        total = sum(row.values())
        chain[token] = {t: c / total for t, c in row.items()}
    end = 1.0 / max(sentences, 1.0)
    for stop in ".?!":
        chain[stop] = {t: p * (1 - end) for t, p in chain[START].items()}
        chain[stop][END] = end
    return chain


class Vocabulary:
    """Tokens, each with its type and score as llama.cpp reads them."""

    UNKNOWN, CONTROL, UNUSED, BYTE, NORMAL = 2, 3, 5, 6, 1

    def __init__(self, chain, size):
        self.tokens, self.types, self.scores, self.number = [], [], [], {}
        self.add("<unk>", self.UNKNOWN, 0.0)
        for token in ("<|im_start|>", END):
            self.add(token, self.CONTROL, 0.0)
        for byte in range(256):
            self.add("<0x%02X>" % byte, self.BYTE, 0.0)
        for letter in [SPACE, "\n"] + [chr(c) for c in range(33, 127)]:
            self.add(letter, self.NORMAL, -1000.0)
        for piece in self.pieces(chain):
            self.add(piece, self.NORMAL, float(len(piece)) - 100.0)
        if len(self.tokens) > size:
            raise SystemExit("a vocabulary of %d does not fit %d" % (len(self.tokens), size))
        while len(self.tokens) < size:
            self.add("<pad%d>" % len(self.tokens), self.UNUSED, -2000.0)

    def add(self, token, kind, score):
        if token not in self.number:
            self.number[token] = len(self.tokens)
            self.tokens.append(token)
            self.types.append(kind)
            self.scores.append(score)

    @staticmethod
    def pieces(chain):
        """SentencePiece merges pairs, so every prefix of a word has to be a token too."""
        words = sorted({t for row in chain.values() for t in row if t != END})
        roles = [SPACE + role for role in ("user", "assistant", "system")]
        return [w[:n] for w in words + roles for n in range(2, len(w) + 1)] + PAIRS


def half(x):
    return struct.pack("<e", x)


class Noise:
    """Random weights, cut from one block of them for each scale."""

    def __init__(self, rng, kind):
        self.rng, self.kind, self.blocks = rng, kind, {}
        self.unit = 2 if kind == "f16" else 34  # bytes of a weight, or of a block of 32

    def size(self, weights):
        return weights * 2 if self.kind == "f16" else weights * 34 // 32

    def bytes(self, weights, scale):
        """Yield the bytes of so many weights, each of about that scale."""
        if scale not in self.blocks:
            self.blocks[scale] = self.halves(scale) if self.kind == "f16" else self.eighths(scale)
        block, need = self.blocks[scale], self.size(weights)
        while need > 0:
            start = self.rng.randrange(0, len(block) // self.unit // 4) * self.unit
            part = block[start : start + min(need, len(block) - start)]
            yield part
            need -= len(part)

    def eighths(self, scale):
        """Blocks of 32 signed bytes with a common factor: llama.cpp's Q8_0."""
        factor = half(scale * 1.7 / 127)
        return b"".join(factor + self.rng.randbytes(32).replace(b"\x80", b"\x81") for _ in range(32768))

    def halves(self, scale):
        """Random mantissas and signs with exponents near that of the scale."""
        exponent = max(1, min(29, math.frexp(scale)[1] + 14))
        high = bytes((b & 0x80 | max(0, exponent - (b >> 4 & 3) // 2) << 2 | b & 3) & 0xFF for b in range(256))
        raw = bytearray(self.rng.randbytes(1 << 20))
        raw[1::2] = bytes(raw[1::2]).translate(high)
        return bytes(raw)


# Types of values in the head of a file.
U32, I32, F32, BOOL, STRING, LIST = 4, 5, 6, 7, 8, 9


def text(s):
    data = s.encode()
    return struct.pack("<Q", len(data)) + data


def pair(key, kind, value):
    """Return the bytes of a key with its value; that of a list is (type of its values, values)."""
    head = text(key) + struct.pack("<I", kind)
    if kind == STRING:
        return head + text(value)
    if kind != LIST:
        return head + struct.pack({U32: "<I", F32: "<f", BOOL: "<?"}[kind], value)
    of, values = value
    head += struct.pack("<IQ", of, len(values))
    if of == STRING:
        return head + b"".join(text(v) for v in values)
    return head + array.array({F32: "f", I32: "i"}[of], values).tobytes()


class Model:
    """The tensors of a model: name, dimensions, type, bytes, and what yields these."""

    TYPE_F32, TYPE_F16, TYPE_Q8_0 = 0, 1, 8

    def __init__(self, args):
        self.args, self.tensors = args, []
        self.dim, self.layers, self.forward, self.heads, self.kv_heads, words = SIZES[args.size]
        self.noise = Noise(random.Random(args.seed), args.type)
        self.chain = word_chain(args.sentences)
        self.vocabulary = Vocabulary(self.chain, words)
        states = [START] + [t for t in self.chain if t != START]
        if len(states) > self.dim:
            raise SystemExit("%d states do not fit %d dimensions" % (len(states), self.dim))
        self.state = {t: i for i, t in enumerate(states)}
        self.ends()
        for i in range(self.layers):
            self.layer("blk.%d." % i)

    def ends(self):
        size = self.dim * len(self.vocabulary.tokens) * 2
        dims = (self.dim, len(self.vocabulary.tokens))
        self.tensors.append(("token_embd.weight", dims, self.TYPE_F16, size, self.first))
        # The norm before the last matrix turns a one into sqrt(dim); this undoes it.
        self.vector("output_norm.weight", 1.0 / math.sqrt(self.dim))
        self.tensors.append(("output.weight", dims, self.TYPE_F16, size, self.last))

    def first(self):
        """One row a token: a one at its state. What is in no sentence begins one anew."""
        for token in self.vocabulary.tokens:
            row = bytearray(self.dim * 2)
            at = self.state.get(token, 0)
            row[2 * at : 2 * at + 2] = half(1.0)
            yield bytes(row)

    def last(self):
        """One row a token: at each state the logarithm of its probability there, raised."""
        weights = {}
        for state, row in self.chain.items():
            for token, p in row.items():
                weights.setdefault(token, []).append((self.state[state], 30.0 + math.log(p)))
        for token in self.vocabulary.tokens:
            row = bytearray(self.dim * 2)
            for at, weight in weights.get(token, []):
                row[2 * at : 2 * at + 2] = half(weight)
            yield bytes(row)

    def layer(self, name):
        scale = 1.0 / math.sqrt(self.dim)
        keys = self.kv_heads * self.dim // self.heads
        self.vector(name + "attn_norm.weight", 1.0)
        self.matrix(name + "attn_q.weight", self.dim, self.dim, scale)
        self.matrix(name + "attn_k.weight", keys, self.dim, scale)
        self.matrix(name + "attn_v.weight", keys, self.dim, scale)
        self.matrix(name + "attn_output.weight", self.dim, self.dim, scale * LAYER_SCALE)
        self.vector(name + "ffn_norm.weight", 1.0)
        self.matrix(name + "ffn_gate.weight", self.forward, self.dim, scale)
        self.matrix(name + "ffn_up.weight", self.forward, self.dim, scale)
        self.matrix(name + "ffn_down.weight", self.dim, self.forward, LAYER_SCALE / math.sqrt(self.forward))

    def matrix(self, name, rows, columns, scale):
        kind = self.TYPE_F16 if self.args.type == "f16" else self.TYPE_Q8_0
        n = rows * columns
        self.tensors.append((name, (columns, rows), kind, self.noise.size(n), lambda: self.noise.bytes(n, scale)))

    def vector(self, name, value):
        data = array.array("f", [value] * self.dim).tobytes()
        self.tensors.append((name, (self.dim,), self.TYPE_F32, len(data), lambda: [data]))

    def pairs(self):
        v = self.vocabulary
        return [
            pair("general.architecture", STRING, "llama"),
            pair("general.name", STRING, "words-" + self.args.size),
            pair("general.file_type", U32, 1 if self.args.type == "f16" else 7),
            pair("general.quantization_version", U32, 2),
            pair("llama.context_length", U32, self.args.context),
            pair("llama.embedding_length", U32, self.dim),
            pair("llama.block_count", U32, self.layers),
            pair("llama.feed_forward_length", U32, self.forward),
            pair("llama.attention.head_count", U32, self.heads),
            pair("llama.attention.head_count_kv", U32, self.kv_heads),
            pair("llama.attention.layer_norm_rms_epsilon", F32, 1e-5),
            pair("llama.rope.dimension_count", U32, self.dim // self.heads),
            pair("llama.rope.freq_base", F32, 10000.0),
            pair("llama.vocab_size", U32, len(v.tokens)),
            pair("tokenizer.ggml.model", STRING, "llama"),
            pair("tokenizer.ggml.pre", STRING, "default"),
            pair("tokenizer.ggml.tokens", LIST, (STRING, v.tokens)),
            pair("tokenizer.ggml.scores", LIST, (F32, v.scores)),
            pair("tokenizer.ggml.token_type", LIST, (I32, v.types)),
            pair("tokenizer.ggml.unknown_token_id", U32, 0),
            pair("tokenizer.ggml.bos_token_id", U32, v.number["<|im_start|>"]),
            pair("tokenizer.ggml.eos_token_id", U32, v.number[END]),
            pair("tokenizer.ggml.padding_token_id", U32, len(v.tokens) - 1),
            pair("tokenizer.ggml.add_bos_token", BOOL, False),
            pair("tokenizer.ggml.add_eos_token", BOOL, False),
            pair("tokenizer.ggml.add_space_prefix", BOOL, False),
            pair("tokenizer.chat_template", STRING, TEMPLATE),
        ]

    def write(self, f):
        """Write the head, what the tensors are, and the tensors, each at a multiple of 32 bytes."""
        pairs = self.pairs()
        f.write(b"GGUF" + struct.pack("<IQQ", 3, len(self.tensors), len(pairs)) + b"".join(pairs))
        offset = 0
        for name, dims, kind, size, _ in self.tensors:
            f.write(text(name) + struct.pack("<I", len(dims)) + b"".join(struct.pack("<Q", d) for d in dims))
            f.write(struct.pack("<IQ", kind, offset))
            offset += -(-size // 32) * 32
        for name, _, _, size, parts in self.tensors:
            f.write(bytes(-f.tell() % 32))
            written = sum(f.write(part) for part in parts())
            if written != size:
                raise AssertionError("%s has %d bytes, not %d" % (name, written, size))
        f.write(bytes(-f.tell() % 32))

    def parameters(self):
        return sum(math.prod(dims) for _, dims, _, _, _ in self.tensors)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--size", default="15m", choices=SIZES)
    parser.add_argument("--type", default="q8_0", choices=["q8_0", "f16"])
    parser.add_argument("--sentences", type=float, default=3.0, help="of an answer, in the mean (geometric)")
    parser.add_argument("--context", type=int, default=4096, help="tokens")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    model = Model(args)
    with open(args.out, "wb") as f:
        model.write(f)
    print("%s: %.1f million parameters, %.1f MB" % (args.out, model.parameters() / 1e6, os.path.getsize(args.out) / 1e6))


if __name__ == "__main__":
    main()

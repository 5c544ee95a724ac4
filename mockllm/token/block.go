package token

// A block is so many tokens of a text as a cache of prefixes keeps them. Its hash
// stands for every token from the start of the text to the block's end: two texts
// with the same hash share all of that, but for a chance of one in 2^64. Tokens
// after the last whole block have none.
//
// The hashes of passages and those of texts are different numbers with one
// relation: two passages share the hashes that their texts share.

// Blocks appends the hashes of the passage's blocks of size tokens, without
// writing it.
func (p Passage) Blocks(dst []uint64, size int) []uint64 {
	h, room := uint64(seed), size
	for _, s := range p {
		for at := 0; at < s.N; {
			n := min(room, s.N-at)
			h = mix(mix(h^uint64(s.ID)) ^ uint64(at)<<32 ^ uint64(n))
			at, room = at+n, room-n
			if room == 0 {
				dst, room = append(dst, h), size
			}
		}
	}
	return dst
}

// Blocks appends the hashes of the blocks of size tokens of the texts, which
// follow each other as the messages of a conversation and its answer do. A word or
// number that begins a text counts as one after a space, so that an answer keeps
// its hashes as a part of a later prompt. Of two sizes, blocks that end at the same
// token have the same hash.
func Blocks(dst []uint64, size int, texts ...string) []uint64 {
	h := hasher{hash: seed, room: size, size: size, dst: dst}
	for _, text := range texts {
		h.text(text)
	}
	return h.dst
}

// sameBytes returns how many bytes two texts have in common at their start.
func sameBytes(a, b string) (n int) {
	const step = 256
	most := min(len(a), len(b))
	for n+step <= most && a[n:n+step] == b[n:n+step] {
		n += step
	}
	for n < most && a[n] == b[n] {
		n++
	}
	return n
}

// reader reads the tokens of texts one by one. The space that a word or number has before
// it, or as the first of a text counts as having, is told apart from it.
type reader struct {
	texts []string
	at    int // in the first of them
	token string
	blank bool
}

// next reads the next token. It reports false when there is none.
func (r *reader) next() bool {
	for len(r.texts) > 0 && r.at == len(r.texts[0]) {
		r.texts, r.at = r.texts[1:], 0
	}
	if len(r.texts) == 0 {
		return false
	}
	text := r.texts[0][r.at:]
	r.token, r.blank = text[:Next(text)], r.at == 0 && spaced(text)
	r.at += len(r.token)
	if r.token[0] == ' ' && spaced(r.token[1:]) {
		r.token, r.blank = r.token[1:], true
	}
	return true
}

// spaced reports whether a text begins with a token that takes the space before it.
func spaced(text string) bool {
	first, _ := classAt(text, 0)
	return first == letter || first == digit
}

// The hash of texts is FNV-1a of 64 bits, as in hash/fnv, over the bytes of the
// tokens, with a sign that is no byte behind each.
const (
	seed       = 0xcbf29ce484222325
	prime      = 0x100000001b3
	endOfToken = 0x100
)

// mix is the mixing function of SplitMix64 (Steele, Lea and Flood, "Fast
// splittable pseudorandom number generators", OOPSLA 2014, with the constants of
// Vigna's public-domain splitmix64.c).
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

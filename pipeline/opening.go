package pipeline

// Opening is what came of a streamed answer at the instant of its first output, where that may
// be more than one token: several chunks in one read, or chunks that are fewer than the tokens
// by two or more. One more token than chunks is the end of the answer, which many servers count.
type Opening struct {
	Chunks int // output chunks at that instant
	Tokens int // those of the answer until then, by a running count of the server; 0 where it has none
	// Bytes are those of the chunks at that instant, of Of in all of them; of the text alone
	// where reasoning was not sent. Both are 0 where those are too few for the tokens: the
	// server then counts more of what it does not send.
	Bytes, Of int
	Unsent    int // tokens of reasoning that the server counts and did not send, or as a summary
	// Sure is how many tokens followed for certain at most, where some reasoning came and nothing
	// tells whether that was all of it; 0 elsewhere.
	Sure int
}

// Following is how many tokens of an answer came after its first output.
type Following struct {
	Most float64 // all but one, as TPOT takes it
	// Likely is by a running count of the server, or else by the share of the bytes that came
	// after the first output; 0 where nothing tells.
	Likely float64
	// Least is Likely where the server counts on. Else it takes each chunk for a token or
	// more, unless chunks are more than tokens, and every part of an answer for no less than
	// half, and no more than twice, of the tokens that it has by its share of the bytes; and is
	// no more than is sure of reasoning that may be a summary.
	Least   float64
	Counted bool // Least and Likely are what the server counted
}

// spread is how many times as many tokens a part of an answer may have as by its share of the
// bytes, or as few. Assumed: a token of English prose, of code and of Chinese in UTF-8 has
// between two and five bytes, so that a part has at most twice the tokens a byte that the
// whole has.
const spread = 2

// Following returns how many tokens came after the first output. It is zero where nobody
// counted two tokens or more.
func (r *Request) Following() Following {
	f := Following{Most: float64(r.OutputTokens - 1)}
	switch {
	case f.Most < 1:
		return Following{}
	case r.Chunks == 0 || r.Opening == (Opening{}) && r.OutputTokens < r.Chunks+2:
		f.Likely, f.Least = f.Most, f.Most
	case r.Opening.Tokens > 0 && r.Opening.Tokens < r.OutputTokens:
		f.Least = float64(r.OutputTokens - r.Opening.Tokens)
		f.Likely, f.Counted = f.Least, true
	default:
		f.guess(r)
	}
	return f
}

// guess fills in what chunks and bytes tell.
func (f *Following) guess(r *Request) {
	o, sent := &r.Opening, float64(r.OutputTokens-r.Opening.Unsent)
	f.Least = 1
	if sent >= float64(r.Chunks) {
		f.Least = float64(max(1, r.Chunks-max(1, o.Chunks)))
	}
	if o.Of > 0 {
		rest := sent * float64(o.Of-o.Bytes) / float64(o.Of)
		f.Likely = min(max(rest, f.Least), f.Most)
		f.Least = max(f.Least, rest/spread, sent-spread*(sent-rest))
	}
	if o.Sure > 0 {
		f.Least = min(f.Least, float64(o.Sure))
	}
	f.Least = min(f.Least, f.Most)
}

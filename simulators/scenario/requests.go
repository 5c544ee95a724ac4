package scenario

import (
	"math"
	"strconv"

	"github.com/goccy/go-yaml/ast"

	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/strict"
	"halfsecond/simulators/bench"
)

// Where the lengths of requests are from.
const (
	lengthsStated = "stated"
	lengthsTrace  = "trace"
)

// Traced reports whether the lengths of requests are those of the trace by which they
// arrive.
func (b *Bench) Traced() bool { return b.Lengths == lengthsTrace }

// requests is the form of plain requests.
var requests = object(
	func(r *reader, found map[string]entry, b *Bench) {
		_, given := found["lengths"]
		switch {
		case b.Traced() && !r.traced:
			r.failEntry(found, "lengths", "found trace, which goes with arrivals of process: trace")
		case r.traced && !given:
			r.FailHere("lengths is missing: want trace, so that each request is as long as it was, or stated")
		}
	},
	lengths,
	can("prompt_tokens", func(b *Bench) *dist.Count { return &b.PromptTokens }, dist.ConstantCount(256), tokens, "length of the prompt").when("lengths", lengthsStated),
	can("output_tokens", func(b *Bench) *dist.Count { return &b.OutputTokens }, dist.ConstantCount(60), tokens, "length of the answer").when("lengths", lengthsStated),
	can("shared_prefix", func(b *Bench) *bench.Shared { return &b.Shared }, bench.Shared{}, shared, "how much of a prompt begins like the others: so many tokens, or a share of each"),
	can("shared_by", func(b *Bench) *float64 { return &b.Shared.By }, 1, share, "share of the requests that begin like that, drawn at random; the others share nothing"),
	need("llm", func(b *Bench) *LLM { return &b.LLM }, llm, "the language model"),
)

// lengths is the field of where lengths are from.
var lengths = can("lengths", func(b *Bench) *string { return &b.Lengths }, lengthsStated, enum(lengthsStated, lengthsTrace),
	"where the tokens of prompts and answers are from: stated below, or each from its row of the trace by which requests arrive")

// shared is the form of what prompts have in common at their beginning.
var shared = form[bench.Shared]{
	want: "a whole number, or a share such as 60%",
	read: func(r *reader, n ast.Node) (s bench.Shared, ok bool) {
		text, unquoted := plain(n)
		switch {
		case !unquoted || !wholeNumber.MatchString(text) && !partText.MatchString(text):
			r.Fail(n, "want a whole number, or a share such as 60%%; found %s", strict.Describe(n))
		case wholeNumber.MatchString(text):
			s.Tokens, ok = whole(0, maxTokensAsked).read(r, n)
		default:
			s.Part, ok = share.read(r, n)
		}
		return s, ok
	},
	write: func(s bench.Shared) tree {
		if s.Part > 0 {
			return tree{text: strconv.FormatFloat(math.Round(s.Part*1e9)/1e7, 'f', -1, 64) + "%"}
		}
		return tree{text: strconv.Itoa(s.Tokens)}
	},
}

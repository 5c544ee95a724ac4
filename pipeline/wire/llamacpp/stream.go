package llamacpp

import (
	"encoding/json"

	"halfsecond/pipeline/wire"
)

// Ping is the comment that a stream sends when it has been silent for long.
const Ping = ":\n\n"

// DefaultPingInterval is the silence before a Ping in seconds, where the request sets
// none.
const DefaultPingInterval = 30

// Partial is an event of a streamed answer that is not its last. A client must be
// ready to find any field missing.
type Partial struct {
	Index           int       `json:"index"`
	Content         string    `json:"content"`
	Tokens          []int     `json:"tokens"`
	Stop            bool      `json:"stop"` // false
	IDSlot          int       `json:"id_slot"`
	TokensPredicted int       `json:"tokens_predicted"` // so far
	TokensEvaluated int       `json:"tokens_evaluated"` // of the prompt, cached ones included
	Timings         *Timings  `json:"timings,omitempty"`
	Progress        *Progress `json:"prompt_progress,omitempty"`
}

// Progress says how far the evaluation of a prompt has come.
type Progress struct {
	Total     int   `json:"total"`     // tokens of the prompt
	Cache     int   `json:"cache"`     // of them found in the cache
	Processed int   `json:"processed"` // of them done, cached ones included
	TimeMS    int64 `json:"time_ms"`   // since the start
}

// AppendPartial appends the event. It allocates nothing else, since a server calls it
// once a token.
func AppendPartial(dst []byte, p *Partial) []byte {
	dst = appendInt(append(dst, "data: {"...), `"index":`, p.Index)
	dst = wire.AppendString(append(dst, `,"content":`...), p.Content)
	dst = append(dst, `,"tokens":[`...)
	for i, id := range p.Tokens {
		sep := ","
		if i == 0 {
			sep = ""
		}
		dst = appendInt(dst, sep, id)
	}
	dst = appendInt(append(dst, `],"stop":false`...), `,"id_slot":`, p.IDSlot)
	dst = appendInt(dst, `,"tokens_predicted":`, p.TokensPredicted)
	dst = appendInt(dst, `,"tokens_evaluated":`, p.TokensEvaluated)
	if p.Timings != nil {
		dst = AppendTimings(append(dst, `,"timings":`...), *p.Timings)
	}
	if g := p.Progress; g != nil {
		dst = appendInt(append(dst, `,"prompt_progress":{`...), `"total":`, g.Total)
		dst = appendInt(dst, `,"cache":`, g.Cache)
		dst = appendInt(dst, `,"processed":`, g.Processed)
		dst = append(appendInt(dst, `,"time_ms":`, int(g.TimeMS)), '}')
	}
	return append(dst, "}\n\n"...)
}

// AppendEvent appends any other event: a Final, what was picked of one, or an
// ErrorBody.
func AppendEvent(dst []byte, v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic("llamacpp: " + err.Error()) // our own types always encode
	}
	return wire.AppendEvent(dst, "", text)
}

// Event is any event of a streamed answer, or a whole answer, as a client finds it.
type Event struct {
	Final
	Progress *Progress       `json:"prompt_progress"`
	Error    json.RawMessage `json:"error"`
}

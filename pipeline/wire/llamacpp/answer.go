package llamacpp

import (
	"encoding/json"
	"strings"
)

// Reasons why an answer stopped.
const (
	StopEOS   = "eos"
	StopLimit = "limit"
	StopWord  = "word"
)

// Final is the whole of an answer that is not streamed, and the last event of one that
// is, whose Content and Tokens are empty.
type Final struct {
	Index              int      `json:"index"`
	Content            string   `json:"content"`
	Tokens             []int    `json:"tokens"`
	IDSlot             int      `json:"id_slot"`
	Stop               bool     `json:"stop"` // true
	Model              string   `json:"model"`
	TokensPredicted    int      `json:"tokens_predicted"`
	TokensEvaluated    int      `json:"tokens_evaluated"` // of the prompt, cached ones included
	GenerationSettings Settings `json:"generation_settings"`
	Prompt             string   `json:"prompt"`
	HasNewLine         bool     `json:"has_new_line"`
	Truncated          bool     `json:"truncated"` // the context is full
	StopType           string   `json:"stop_type"`
	StoppingWord       string   `json:"stopping_word"`
	TokensCached       int      `json:"tokens_cached"` // in the slot now
	Timings            Timings  `json:"timings"`
}

// Settings are the options that an answer was generated with.
type Settings struct {
	Seed            uint32   `json:"seed"`
	Temperature     float64  `json:"temperature"`
	TopK            int      `json:"top_k"`
	TopP            float64  `json:"top_p"`
	MinP            float64  `json:"min_p"`
	Stop            []string `json:"stop"`
	MaxTokens       int      `json:"max_tokens"`
	NPredict        int      `json:"n_predict"`
	NKeep           int      `json:"n_keep"`
	IgnoreEOS       bool     `json:"ignore_eos"`
	Stream          bool     `json:"stream"`
	TimingsPerToken bool     `json:"timings_per_token"`
}

// DefaultSettings returns what a request has that sets nothing. A seed of 2^32-1 is a
// random one.
func DefaultSettings() Settings {
	return Settings{Seed: 1<<32 - 1, Temperature: .8, TopK: 40, TopP: .95, MinP: .05, Stop: []string{}, MaxTokens: -1, NPredict: -1}
}

// Settings returns the settings of a request.
func (o *Options) Settings() Settings {
	s := DefaultSettings()
	set(&s.Temperature, o.Temperature)
	set(&s.TopK, o.TopK)
	set(&s.TopP, o.TopP)
	set(&s.MinP, o.MinP)
	if o.Seed != nil {
		s.Seed = uint32(*o.Seed)
	}
	if n, limited := o.Limit(); limited {
		s.MaxTokens, s.NPredict = n, n
	}
	if len(o.Stop) > 0 {
		s.Stop = o.Stop
	}
	s.IgnoreEOS, s.Stream, s.TimingsPerToken = o.IgnoreEOS, o.Stream, o.TimingsPerToken
	return s
}

func set[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

// Pick returns an answer with only the given fields. One with a slash is a field of an
// object: it is lifted to the root under its full name. What is not there is left out.
func Pick(answer any, fields []string) (map[string]json.RawMessage, error) {
	text, err := json.Marshal(answer)
	if err != nil {
		return nil, err
	}
	picked := map[string]json.RawMessage{}
	for _, field := range fields {
		if value := walk(text, field); value != nil {
			picked[field] = value
		}
	}
	return picked, nil
}

// walk returns what a path leads to, nil where it leads nowhere.
func walk(text json.RawMessage, path string) json.RawMessage {
	for name := range strings.SplitSeq(path, "/") {
		var members map[string]json.RawMessage
		if json.Unmarshal(text, &members) != nil {
			return nil
		}
		text = members[name]
	}
	return text
}

// Tokenized is the answer to POST /tokenize: Tokens holds ids, or a TokenPiece each
// where pieces were asked for.
type Tokenized struct {
	Tokens any `json:"tokens"`
}

// TokenPiece is a token with its text.
type TokenPiece struct {
	ID    int    `json:"id"`
	Piece string `json:"piece"`
}

// Detokenized is the answer to POST /detokenize.
type Detokenized struct {
	Content string `json:"content"`
}

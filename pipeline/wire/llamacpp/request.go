package llamacpp

import (
	"encoding/json"

	"halfsecond/pipeline/wire"
)

// Paths of the API below its base, which is the root of the server.
const (
	CompletionPath = "/completion"
	InfillPath     = "/infill"
	SlotsPath      = "/slots"
	PropsPath      = "/props"
	TokenizePath   = "/tokenize"
	DetokenizePath = "/detokenize"
)

// CompletionRequest is the body of POST /completion. A nil pointer is a field that was
// not sent.
type CompletionRequest struct {
	Prompt *Prompt `json:"prompt"`
	Options
}

// InfillRequest is the body of POST /infill.
type InfillRequest struct {
	Prefix *string `json:"input_prefix"`
	Suffix *string `json:"input_suffix"`
	Extra  []Extra `json:"input_extra,omitempty"` // context, put before the prefix
	Prompt string  `json:"prompt,omitempty"`      // put after the middle token
	Options
}

// Extra is a piece of context of an InfillRequest.
type Extra struct {
	Filename string  `json:"filename,omitempty"`
	Text     *string `json:"text"`
}

// Options is what both requests have in common.
type Options struct {
	Model    string `json:"model,omitempty"`     // of a server that has several
	NPredict *int   `json:"n_predict,omitempty"` // -1 for no limit
	// MaxTokens and MaxCompletionTokens are other names of NPredict, which goes first.
	MaxTokens           *int `json:"max_tokens,omitempty"`
	MaxCompletionTokens *int `json:"max_completion_tokens,omitempty"`

	NIndent     int             `json:"n_indent,omitempty"` // a later line that is indented less ends the answer
	NCompletion int             `json:"n_cmpl,omitempty"`
	Stop        []string        `json:"stop,omitempty"`
	Stream      bool            `json:"stream,omitempty"`
	Seed        *int64          `json:"seed,omitempty"`
	Temperature *float64        `json:"temperature,omitempty"`
	TopK        *int            `json:"top_k,omitempty"`
	TopP        *float64        `json:"top_p,omitempty"`
	MinP        *float64        `json:"min_p,omitempty"`
	Samplers    json.RawMessage `json:"samplers,omitempty"` // a list of names or a string of their letters
	IgnoreEOS   bool            `json:"ignore_eos,omitempty"`

	IDSlot      *int  `json:"id_slot,omitempty"`      // -1 for any
	CachePrompt *bool `json:"cache_prompt,omitempty"` // nil reuses what earlier requests computed
	// MaxPredictMS ends the answer with the first line that is complete so many ms after
	// its first token; 0 or less means never.
	MaxPredictMS int `json:"t_max_predict_ms,omitempty"`

	TimingsPerToken bool     `json:"timings_per_token,omitempty"`
	ReturnTokens    bool     `json:"return_tokens,omitempty"`
	ReturnProgress  bool     `json:"return_progress,omitempty"`
	ResponseFields  []string `json:"response_fields,omitempty"` // "a/b" lifts a field to the root
	PingInterval    *int     `json:"sse_ping_interval,omitempty"`

	// MockAnswer is the text that our own mock shall say. It is our extension.
	MockAnswer string `json:"mock_answer,omitempty"`
}

// Limit returns the most tokens wanted, and false for no limit.
func (o *Options) Limit() (n int, limited bool) {
	for _, p := range []*int{o.NPredict, o.MaxCompletionTokens, o.MaxTokens} {
		if p != nil {
			return *p, *p >= 0
		}
	}
	return 0, false
}

// Piece is a part of a Prompt: a text, or a token where Text is empty.
type Piece struct {
	Text  string
	Token int
}

// Prompt is the prompt of a completion. The API writes it as a string, as a list of
// tokens and strings, or as an object with a prompt_string.
type Prompt []Piece

// ErrManyPrompts is what reading a list of several prompts returns.
var ErrManyPrompts error = &wire.FieldError{Field: "prompt", Problem: "want one prompt; a list of several is not supported"}

var errPrompt error = &wire.FieldError{Field: "prompt", Problem: `want a string, a list of tokens and strings, or an object with a "prompt_string"`}

// UnmarshalJSON takes all forms of one prompt. A list of strings alone is a list of
// prompts: it may hold one.
func (p *Prompt) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil {
		*p = Prompt{{Text: text}}
		return nil
	}
	var object struct {
		Text *string `json:"prompt_string"`
	}
	if json.Unmarshal(b, &object) == nil && object.Text != nil {
		*p = Prompt{{Text: *object.Text}}
		return nil
	}
	var list []json.RawMessage
	if json.Unmarshal(b, &list) != nil || len(list) == 0 {
		return errPrompt
	}
	return p.list(list)
}

// list takes the elements of a list.
func (p *Prompt) list(list []json.RawMessage) error {
	pieces, tokens := make(Prompt, len(list)), 0
	for i, raw := range list {
		if json.Unmarshal(raw, &pieces[i].Token) == nil {
			tokens++
			continue
		}
		if json.Unmarshal(raw, &pieces[i].Text) == nil {
			continue
		}
		if len(list) > 1 {
			return ErrManyPrompts
		}
		return p.UnmarshalJSON(raw)
	}
	if tokens == 0 && len(list) > 1 {
		return ErrManyPrompts
	}
	*p = pieces
	return nil
}

// MarshalJSON writes a string where there is one piece of text, else a list.
func (p Prompt) MarshalJSON() ([]byte, error) {
	if len(p) == 1 && p[0].Token == 0 {
		return json.Marshal(p[0].Text)
	}
	list := make([]any, len(p))
	for i, piece := range p {
		list[i] = piece.Token
		if piece.Text != "" {
			list[i] = piece.Text
		}
	}
	return json.Marshal(list)
}

// TokenizeRequest is the body of POST /tokenize.
type TokenizeRequest struct {
	Content    *string `json:"content"`
	WithPieces bool    `json:"with_pieces,omitempty"`
}

// DetokenizeRequest is the body of POST /detokenize.
type DetokenizeRequest struct {
	Tokens []int `json:"tokens"`
}

package dialect

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/reply"
	"halfsecond/pipeline/wire"
)

// Protocol names an API.
type Protocol string

// The protocols that are known, each with what is posted to below its base.
const (
	OpenAIChat        Protocol = "openai-chat"         // /v1/chat/completions
	OpenAICompletions Protocol = "openai-completions"  // /v1/completions
	OpenAIResponses   Protocol = "openai-responses"    // /v1/responses
	Anthropic         Protocol = "anthropic-messages"  // /v1/messages
	Gemini            Protocol = "gemini"              // /v1beta/models/MODEL:streamGenerateContent
	OllamaChat        Protocol = "ollama-chat"         // /api/chat
	OllamaGenerate    Protocol = "ollama-generate"     // /api/generate
	LlamaCompletion   Protocol = "llamacpp-completion" // /completion
	LlamaInfill       Protocol = "llamacpp-infill"     // /infill
	MistralFIM        Protocol = "mistral-fim"         // /v1/fim/completions, as Codestral serves it
	Tabby             Protocol = "tabby"               // /v1/completions of a Tabby server
)

// Dialect is what a client must know of a protocol.
type Dialect struct {
	Protocol Protocol
	// Base is the path of the API where its URL has none.
	Base string
	// Path is what is asked, below the base, with a query where there is one; "MODEL" in
	// it stands for the name of the model.
	Path string
	// Models is where the list of models is, below the base; "" where there is none.
	Models string
	// Accept is the content type of an answer.
	Accept string
	// KeyHeader holds the key, after KeyPrefix.
	KeyHeader, KeyPrefix string
	// Headers are others that every request has, each a name and a value.
	Headers [][2]string
	// Endless says that no event ends an answer: its body does.
	Endless bool
	// Fills says that a prompt may have a suffix.
	Fills bool

	ask     func(*Question) any
	names   func(list []byte) ([]string, error)
	decoder func() reply.Decoder
}

// Question is what an endpoint is asked.
type Question struct {
	Model     string
	Prompt    pipeline.Prompt
	MaxTokens int // 0 for no limit
	Priority  int // larger goes first, where the protocol has priorities
	IgnoreEOS bool
	Answer    string // what our own mock is told to say; "" for any other server
	Thought   string // the reasoning that it is told to put before that, where the protocol has any
	Draw      uint64 // the random numbers that it is told to take, where the protocol has room for that; 0 for any
}

// mock returns what our own mock is told.
func (q *Question) mock() wire.Mock {
	return wire.Mock{MockAnswer: q.Answer, MockThinking: q.Thought, MockDraw: q.Draw}
}

// all are the dialects, in the order of the protocols above.
var all = []*Dialect{
	openAIChat, openAICompletions, openAIResponses, anthropicMessages, geminiContent,
	ollamaChat, ollamaGenerate, llamaCompletion, llamaInfill, mistralFIM, tabbyCompletions,
}

// Of returns the dialect of a protocol. The error names those that are known.
func Of(p Protocol) (*Dialect, error) {
	for _, d := range all {
		if d.Protocol == p {
			return d, nil
		}
	}
	return nil, fmt.Errorf("protocol %q is not known; want one of %s", string(p), strings.Join(Names(), ", "))
}

// Names returns the names of all protocols.
func Names() []string {
	names := make([]string, len(all))
	for i, d := range all {
		names[i] = string(d.Protocol)
	}
	return names
}

// Filling returns the names of the protocols whose prompts may have a suffix.
func Filling() []string {
	var names []string
	for _, d := range all {
		if d.Fills {
			names = append(names, string(d.Protocol))
		}
	}
	return names
}

// AtPath returns the protocol that is asked at the end of a path, and the rest of the
// path before it; ok is false when there is none. Where several fit it is the one with
// the longest path, and d before others.
func (d *Dialect) AtPath(path string) (base string, p Protocol, ok bool) {
	longest := 0
	for _, other := range append([]*Dialect{d}, all...) {
		rest, _, fits := other.cut(path)
		if n := len(strings.TrimPrefix(path[len(rest):], "/v1")); fits && n > longest {
			longest, base, p, ok = n, rest, other.Protocol, true
		}
	}
	return base, p, ok
}

// AtBase returns the protocol whose API is the only one at such a base as a path ends with;
// ok is false when there is none.
func AtBase(path string) (p Protocol, ok bool) {
	for _, d := range all {
		if d.Base != "" && strings.HasSuffix(path, d.Base) {
			if ok {
				return "", false
			}
			p, ok = d.Protocol, true
		}
	}
	return p, ok
}

// ModelAt returns the model that is named at the end of a path where one is asked; "" for none.
func ModelAt(path string) string {
	for _, d := range all {
		if _, model, ok := d.cut(path); ok && model != "" {
			return model
		}
	}
	return ""
}

// cut takes what is asked, without its query, off the end of a path, and returns the model
// that it names, if any.
func (d *Dialect) cut(path string) (rest, model string, ok bool) {
	asked, _, _ := strings.Cut(d.Path, "?")
	before, after, named := strings.Cut(asked, "MODEL")
	if !named {
		rest, ok = strings.CutSuffix(path, asked)
		return rest, "", ok
	}
	rest, ok = strings.CutSuffix(path, after)
	i := strings.LastIndex(rest, before)
	if !ok || i < 0 {
		return path, "", false
	}
	model = rest[i+len(before):]
	return rest[:i], model, model != ""
}

// Ask returns the body that asks a question.
func (d *Dialect) Ask(q Question) ([]byte, error) {
	if q.Prompt.Suffix != "" && !d.Fills {
		return nil, fmt.Errorf("the prompt has a suffix, which %s cannot carry; use one of %s", d.Protocol, strings.Join(Filling(), ", "))
	}
	return json.Marshal(d.ask(&q))
}

// NewDecoder returns a decoder of one response.
func (d *Dialect) NewDecoder() reply.Decoder { return d.decoder() }

// ModelNames reads the list of models that a server gives.
func (d *Dialect) ModelNames(list []byte) ([]string, error) {
	names, err := d.names(list)
	slices.Sort(names)
	return names, err
}

var errNoList = errors.New("the answer is no list of models")

// parse reads JSON into v. A field of an unexpected type counts as missing; it reports
// false only when the text is no JSON at all.
func parse(text []byte, v any) bool {
	err := json.Unmarshal(text, v)
	_, odd := errors.AsType[*json.UnmarshalTypeError](err)
	return err == nil || odd
}

// raw returns a prompt as one text.
func raw(p pipeline.Prompt) string {
	if p.System == "" {
		return p.Text
	}
	return p.System + "\n\n" + p.Text
}

// limit returns a limit as most APIs have it: none is a missing field.
func limit(n int) *int {
	if n == 0 {
		return nil
	}
	return &n
}

// known returns a count that may be missing. One that cannot be is cut, to what cannot
// be either: their sum is a number then.
func known(n *int) int {
	if n == nil || *n < 0 {
		return pipeline.UnknownCount
	}
	return min(*n, 1000*reply.MostTokens)
}

package ollama

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	"halfsecond/pipeline/wire"
)

// Paths of the API below its base, which is the root of the server.
const (
	GeneratePath = "/api/generate"
	ChatPath     = "/api/chat"
	TagsPath     = "/api/tags"
	ShowPath     = "/api/show"
	RunningPath  = "/api/ps"
	VersionPath  = "/api/version"
	EmbedPath    = "/api/embed"
)

// GenerateRequest is the body of POST /api/generate. A nil pointer is a field that
// was not sent.
type GenerateRequest struct {
	Model    string   `json:"model"`
	Prompt   string   `json:"prompt"` // empty loads the model
	Suffix   string   `json:"suffix,omitempty"`
	System   string   `json:"system,omitempty"`
	Template string   `json:"template,omitempty"`
	Context  []int    `json:"context,omitempty"` // of an earlier answer
	Raw      bool     `json:"raw,omitempty"`     // the prompt is used as it stands
	Images   []string `json:"images,omitempty"`  // base64
	Common
}

// ChatRequest is the body of POST /api/chat.
type ChatRequest struct {
	Model    string    `json:"model"`
	Messages []Message `json:"messages"` // empty loads the model
	Tools    []Tool    `json:"tools,omitempty"`
	Common
}

// Common is what both requests have in common.
type Common struct {
	Stream    *bool           `json:"stream,omitempty"` // nil streams
	Format    json.RawMessage `json:"format,omitempty"` // "json" or a JSON schema
	KeepAlive *KeepAlive      `json:"keep_alive,omitempty"`
	Options   Options         `json:"options,omitzero"`
	Think     *Think          `json:"think,omitempty"`
	Truncate  *bool           `json:"truncate,omitempty"` // nil cuts a prompt that is too long
	wire.Mock
}

// Streams reports whether the answer comes in lines.
func (c *Common) Streams() bool { return c.Stream == nil || *c.Stream }

// Options are the options of a model, as far as we use them. A nil pointer is one
// that was not sent.
type Options struct {
	NumPredict  *int     `json:"num_predict,omitempty"` // below 0 for no limit
	NumCtx      int      `json:"num_ctx,omitempty"`
	NumKeep     *int     `json:"num_keep,omitempty"`
	Seed        *int64   `json:"seed,omitempty"`
	Temperature *float64 `json:"temperature,omitempty"`
	Stop        []string `json:"stop,omitempty"`
}

// Message is one message of a conversation, or a piece of one.
type Message struct {
	Role      string     `json:"role"`
	Content   string     `json:"content"`
	Thinking  string     `json:"thinking,omitempty"`
	Images    []string   `json:"images,omitempty"` // base64
	ToolCalls []ToolCall `json:"tool_calls,omitempty"`
	ToolName  string     `json:"tool_name,omitempty"`
}

// ToolCall is a call that a model makes.
type ToolCall struct {
	ID       string       `json:"id,omitempty"`
	Function CallFunction `json:"function"`
}

// CallFunction is what a ToolCall calls.
type CallFunction struct {
	Index     int             `json:"index"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"` // an object
}

// Tool is something that a model may call.
type Tool struct {
	Type     string   `json:"type"` // "function"
	Function Function `json:"function"`
}

// Function describes a Tool.
type Function struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"` // JSON schema
}

// ShowRequest is the body of POST /api/show.
type ShowRequest struct {
	Model string `json:"model"`
	Name  string `json:"name,omitempty"` // the older name of the field
}

// KeepAlive is how long a model stays loaded after a request; MaxInt64 for ever.
type KeepAlive time.Duration

// UnmarshalJSON takes a number of seconds or a duration such as "5m"; what is below
// 0 means for ever.
func (k *KeepAlive) UnmarshalJSON(b []byte) error {
	var seconds float64
	if json.Unmarshal(b, &seconds) == nil {
		*k = KeepAlive(math.MaxInt64)
		if at := seconds * float64(time.Second); at >= 0 && at < math.MaxInt64 {
			*k = KeepAlive(at)
		}
		return nil
	}
	var text string
	if json.Unmarshal(b, &text) != nil {
		return &wire.FieldError{Field: "keep_alive", Problem: `want a number of seconds or a duration such as "5m"`}
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return &wire.FieldError{Field: "keep_alive", Problem: err.Error()}
	}
	if *k = KeepAlive(d); d < 0 {
		*k = KeepAlive(math.MaxInt64)
	}
	return nil
}

// MarshalJSON writes seconds, -1 for ever.
func (k KeepAlive) MarshalJSON() ([]byte, error) {
	if k == math.MaxInt64 {
		return []byte("-1"), nil
	}
	return json.Marshal(time.Duration(k).Seconds())
}

// Think says whether a model shall reason before it answers.
type Think struct {
	On    bool
	Level string // "high", "medium" or "low"; "" where only a bool was sent
}

// UnmarshalJSON takes a bool or a level.
func (t *Think) UnmarshalJSON(b []byte) error {
	*t = Think{}
	if json.Unmarshal(b, &t.On) == nil {
		return nil
	}
	if err := json.Unmarshal(b, &t.Level); err != nil {
		return &wire.FieldError{Field: "think", Problem: `want a boolean or one of "high", "medium", "low"`}
	}
	switch t.Level {
	case "high", "medium", "low":
		t.On = true
		return nil
	}
	return &wire.FieldError{Field: "think", Problem: fmt.Sprintf(`invalid think value: %q (must be "high", "medium", "low", true, or false)`, t.Level)}
}

// MarshalJSON writes the level, or a bool where there is none.
func (t Think) MarshalJSON() ([]byte, error) {
	if t.Level != "" {
		return json.Marshal(t.Level)
	}
	return json.Marshal(t.On)
}

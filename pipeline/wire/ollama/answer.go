package ollama

import "time"

// Reasons why an answer is done.
const (
	DoneStop   = "stop"
	DoneLength = "length"
	DoneLoad   = "load"   // there was no prompt: the model is loaded
	DoneUnload = "unload" // there was no prompt, and keep_alive was 0
)

// GenerateResponse is one line of a streamed answer to a GenerateRequest, or the
// whole of one that is not streamed.
type GenerateResponse struct {
	Model      string    `json:"model"`
	CreatedAt  time.Time `json:"created_at"`
	Response   string    `json:"response"`
	Thinking   string    `json:"thinking,omitempty"`
	Done       bool      `json:"done"`
	DoneReason string    `json:"done_reason,omitempty"`
	Context    []int     `json:"context,omitempty"` // tokens of prompt and answer
	Metrics
	Error string `json:"error,omitempty"` // alone, in place of everything else
}

// ChatResponse is one line of a streamed answer to a ChatRequest, or the whole of one
// that is not streamed.
type ChatResponse struct {
	Model      string    `json:"model"`
	CreatedAt  time.Time `json:"created_at"`
	Message    Message   `json:"message"`
	Done       bool      `json:"done"`
	DoneReason string    `json:"done_reason,omitempty"`
	Metrics
	Error string `json:"error,omitempty"` // alone, in place of everything else
}

// Metrics is what the last line tells of an answer, durations in nanoseconds. What is
// zero is left out.
type Metrics struct {
	TotalDuration      time.Duration `json:"total_duration,omitempty"`
	LoadDuration       time.Duration `json:"load_duration,omitempty"`
	PromptEvalCount    int           `json:"prompt_eval_count,omitempty"` // cached ones included
	PromptEvalDuration time.Duration `json:"prompt_eval_duration,omitempty"`
	EvalCount          int           `json:"eval_count,omitempty"`
	EvalDuration       time.Duration `json:"eval_duration,omitempty"`
}

// Tags is the answer to GET /api/tags.
type Tags struct {
	Models []Model `json:"models"`
}

// Model is one model that a server has.
type Model struct {
	Name       string    `json:"name"`
	Model      string    `json:"model"`
	ModifiedAt time.Time `json:"modified_at"`
	Size       int64     `json:"size"` // bytes
	Digest     string    `json:"digest"`
	Details    Details   `json:"details"`
}

// Running is the answer to GET /api/ps.
type Running struct {
	Models []RunningModel `json:"models"`
}

// RunningModel is one model in memory.
type RunningModel struct {
	Name          string    `json:"name"`
	Model         string    `json:"model"`
	Size          int64     `json:"size"` // bytes
	Digest        string    `json:"digest"`
	Details       Details   `json:"details"`
	ExpiresAt     time.Time `json:"expires_at"`
	SizeVRAM      int64     `json:"size_vram"` // bytes
	ContextLength int       `json:"context_length"`
}

// Details says what kind of model it is.
type Details struct {
	ParentModel       string   `json:"parent_model"`
	Format            string   `json:"format"`
	Family            string   `json:"family"`
	Families          []string `json:"families"`
	ParameterSize     string   `json:"parameter_size"`
	QuantizationLevel string   `json:"quantization_level"`
}

// Shown is the answer to POST /api/show.
type Shown struct {
	Modelfile    string         `json:"modelfile,omitempty"`
	Template     string         `json:"template,omitempty"`
	Details      Details        `json:"details"`
	ModelInfo    map[string]any `json:"model_info"`
	Capabilities []string       `json:"capabilities,omitempty"`
	ModifiedAt   time.Time      `json:"modified_at"`
}

// Version is the answer to GET /api/version.
type Version struct {
	Version string `json:"version"`
}

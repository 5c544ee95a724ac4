package tabby

// Paths of the API below its base, which is the root of the server.
const (
	CompletionsPath = "/v1/completions"
	EventsPath      = "/v1/events"
	HealthPath      = "/v1/health"
)

// What the server does by default: it clips a prompt to its last bytes, and writes so
// many tokens at most. Source: CompletionConfig in crates/tabby-common/src/config.rs.
const (
	MaxInputBytes     = 1536
	MaxDecodingTokens = 64
)

// ModeStandard and ModeNextEdit are the modes of a completion: code at the cursor, or
// the next edit that the user will make, which may be twice as long.
const (
	ModeStandard = "standard"
	ModeNextEdit = "next_edit_suggestion"
)

// CompletionRequest is the body of POST /v1/completions. A nil pointer is a field that
// was not sent.
type CompletionRequest struct {
	Language     *string       `json:"language,omitempty"`
	Segments     *Segments     `json:"segments,omitempty"`
	User         *string       `json:"user,omitempty"`
	DebugOptions *DebugOptions `json:"debug_options,omitempty"`
	Temperature  *float64      `json:"temperature,omitempty"`
	Seed         *int64        `json:"seed,omitempty"`
	Mode         string        `json:"mode,omitempty"` // "" is ModeStandard
	// MockAnswer is the text that our own mock shall say. It is our extension.
	MockAnswer string `json:"mock_answer,omitempty"`
}

// Segments is the code around the cursor, and what else may help.
type Segments struct {
	Prefix       string        `json:"prefix"`
	Suffix       *string       `json:"suffix,omitempty"`
	Filepath     *string       `json:"filepath,omitempty"`
	GitURL       *string       `json:"git_url,omitempty"`
	Declarations []Declaration `json:"declarations,omitempty"`
	Changed      []Snippet     `json:"relevant_snippets_from_changed_files,omitempty"`
	Opened       []Snippet     `json:"relevant_snippets_from_recently_opened_files,omitempty"`
	Clipboard    *string       `json:"clipboard,omitempty"`
	EditHistory  *EditHistory  `json:"edit_history,omitempty"` // of ModeNextEdit
}

// Declaration is a declaration that the prefix refers to.
type Declaration struct {
	Filepath string `json:"filepath"`
	Body     string `json:"body"`
}

// Snippet is code that may matter.
type Snippet struct {
	Filepath string  `json:"filepath"`
	Body     string  `json:"body"`
	Score    float64 `json:"score"`
}

// EditHistory is what the user did to the file.
type EditHistory struct {
	OriginalCode   string `json:"original_code"`
	EditsDiff      string `json:"edits_diff"`
	CurrentVersion string `json:"current_version"`
}

// DebugOptions are for testing. RawPrompt goes to the model as it stands.
type DebugOptions struct {
	RawPrompt      *string `json:"raw_prompt,omitempty"`
	ReturnSnippets bool    `json:"return_snippets,omitempty"`
	ReturnPrompt   bool    `json:"return_prompt,omitempty"`
	NoRetrieval    bool    `json:"disable_retrieval_augmented_code_completion,omitempty"`
}

// CompletionResponse is the answer to a CompletionRequest.
type CompletionResponse struct {
	ID        string     `json:"id"` // "cmpl-" and a UUID
	Choices   []Choice   `json:"choices"`
	Mode      string     `json:"mode"`
	DebugData *DebugData `json:"debug_data,omitempty"`
}

// Choice is one answer.
type Choice struct {
	Index int    `json:"index"`
	Text  string `json:"text"`
}

// DebugData is what DebugOptions asked for.
type DebugData struct {
	Snippets *[]Snippet `json:"snippets,omitempty"`
	Prompt   *string    `json:"prompt,omitempty"`
}

// Event is the body of POST /v1/events: what became of a completion.
type Event struct {
	Type         string  `json:"type"` // one of EventTypes
	CompletionID string  `json:"completion_id"`
	ChoiceIndex  int     `json:"choice_index"`
	ViewID       *string `json:"view_id,omitempty"`
	Elapsed      *int64  `json:"elapsed,omitempty"` // ms
}

// EventTypes lists the types of an Event.
func EventTypes() []string { return []string{"view", "select", "dismiss"} }

// Health is the answer to GET and POST /v1/health.
type Health struct {
	Model       string   `json:"model"`
	ChatModel   string   `json:"chat_model,omitempty"`
	Device      string   `json:"device"`
	Arch        string   `json:"arch"`
	CPUInfo     string   `json:"cpu_info"`
	CPUCount    int      `json:"cpu_count"`
	CUDADevices []string `json:"cuda_devices"`
	Version     Version  `json:"version"`
}

// Version says what a server was built from.
type Version struct {
	BuildDate      string `json:"build_date"`
	BuildTimestamp string `json:"build_timestamp"`
	GitSHA         string `json:"git_sha"`
	GitDescribe    string `json:"git_describe"`
}

package llamacpp

// Slot is one place of service, in the list that GET /slots answers with.
type Slot struct {
	ID           int         `json:"id"`
	NContext     int         `json:"n_ctx"` // tokens
	Speculative  bool        `json:"speculative"`
	IsProcessing bool        `json:"is_processing"`
	IDTask       *int        `json:"id_task,omitempty"`
	NPrompt      *int        `json:"n_prompt_tokens,omitempty"`
	NPromptCache *int        `json:"n_prompt_tokens_cache,omitempty"`
	Params       *Settings   `json:"params,omitempty"`
	NextToken    []NextToken `json:"next_token,omitempty"`
}

// NextToken says how far a Slot is.
type NextToken struct {
	HasNextToken bool `json:"has_next_token"`
	HasNewLine   bool `json:"has_new_line"`
	NRemain      int  `json:"n_remain"` // -1 for no limit
	NDecoded     int  `json:"n_decoded"`
}

// Props is the answer to GET /props.
type Props struct {
	DefaultGenerationSettings DefaultGeneration `json:"default_generation_settings"`
	TotalSlots                int               `json:"total_slots"`
	ModelAlias                string            `json:"model_alias"`
	ModelPath                 string            `json:"model_path"`
	Modalities                Modalities        `json:"modalities"`
	EndpointSlots             bool              `json:"endpoint_slots"`
	EndpointProps             bool              `json:"endpoint_props"`
	EndpointMetrics           bool              `json:"endpoint_metrics"`
	ChatTemplate              string            `json:"chat_template"`
	BOSToken                  string            `json:"bos_token"`
	EOSToken                  string            `json:"eos_token"`
	BuildInfo                 string            `json:"build_info"`
	IsSleeping                bool              `json:"is_sleeping"`
}

// DefaultGeneration is what a request has that sets nothing.
type DefaultGeneration struct {
	Params   Settings `json:"params"`
	NContext int      `json:"n_ctx"`
}

// Meta is what GET /v1/models tells of the model's file; what nobody knows is left out.
// Source: ggml-org/llama.cpp tools/server/README.md (commit 00dc805, 2026), read
// 2026-11-29, as is that of Architecture.
type Meta struct {
	NContextTrain int   `json:"n_ctx_train"` // tokens
	NParams       int64 `json:"n_params,omitempty"`
	Size          int64 `json:"size,omitempty"` // bytes
}

// Architecture is what a model reads and writes.
type Architecture struct {
	Input  []string `json:"input_modalities"`
	Output []string `json:"output_modalities"`
}

// Modalities says what a model takes besides text.
type Modalities struct {
	Vision bool `json:"vision"`
	Audio  bool `json:"audio"`
}

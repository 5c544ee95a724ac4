package wire

// TokenizeRequest is the body of POST /tokenize at a vLLM server, which has a prompt or
// messages, or at a llama.cpp server, which has a content. Source: vllm-project/vllm,
// vllm/entrypoints/serve/tokenize/protocol.py (commit 343baca), and ggml-org/llama.cpp,
// tools/server/README.md (commit 00dc8057, 2026), read 2026-11-29.
type TokenizeRequest struct {
	Model         string    `json:"model"`
	Prompt        string    `json:"prompt"`
	Messages      []Message `json:"messages"`
	ReturnStrings bool      `json:"return_token_strs"`
	Content       *string   `json:"content"`
}

// TokenizeResponse is the answer. A llama.cpp server gives the tokens only.
type TokenizeResponse struct {
	Count       *int     `json:"count,omitempty"`
	MaxModelLen int      `json:"max_model_len,omitempty"`
	Tokens      []int    `json:"tokens"`
	Strings     []string `json:"token_strs,omitempty"`
}

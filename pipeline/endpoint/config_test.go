package endpoint

import "testing"

func TestNewClientReportsAll(t *testing.T) {
	_, err := NewClient(Config{
		URL: "ftp://x", Protocol: "grpc", Key: NewKey("a b"), MaxRequests: -1, MaxTokens: -1, MaxBytes: -1,
		Limits: Limits{Gap: -1},
	}, newTestLoop())
	want := `endpoint: protocol "grpc" is not known; want one of openai-chat, openai-completions, openai-responses, anthropic-messages, gemini, ollama-chat, ollama-generate, llamacpp-completion, llamacpp-infill, mistral-fim, tabby
the key has white space or a character outside ASCII; want it as the provider shows it, without quotes or line ends
the model has no name
cap of -1 requests is negative
cap of -1 tokens is negative
limit of -1 bytes a reply is negative
time limit "gap" is negative: -1ns
url "ftp://x": want it to begin with http:// or https://`
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

package endpoint

import (
	"testing"

	"halfsecond/pipeline/endpoint/dialect"
)

func TestParseAddress(t *testing.T) {
	tests := []struct {
		url      string
		protocol dialect.Protocol
		complete string
		models   string
		err      string
	}{
		{"http://h:8080", dialect.OpenAIChat, "http://h:8080/v1/chat/completions", "http://h:8080/v1/models", ""},
		{"http://h:8080/", dialect.OpenAICompletions, "http://h:8080/v1/completions", "http://h:8080/v1/models", ""},
		{"https://h/v1", dialect.OpenAIChat, "https://h/v1/chat/completions", "https://h/v1/models", ""},
		{"https://h/openai/v1/", dialect.OpenAIChat, "https://h/openai/v1/chat/completions", "https://h/openai/v1/models", ""},
		{"https://h/v1/chat/completions", dialect.OpenAIChat, "https://h/v1/chat/completions", "https://h/v1/models", ""},
		{"https://h/v1beta/openai/chat/completions/", dialect.OpenAIChat, "https://h/v1beta/openai/chat/completions", "https://h/v1beta/openai/models", ""},
		{"https://h/v1/completions?api-version=1", dialect.OpenAICompletions, "https://h/v1/completions?api-version=1", "https://h/v1/models?api-version=1", ""},
		{"https://h/v1/chat/completions", dialect.OpenAICompletions, "", "", `url "https://h/v1/chat/completions": its path is that of openai-chat, but the protocol is openai-completions`},
		{"https://h/v1/completions", dialect.OpenAIChat, "", "", `url "https://h/v1/completions": its path is that of openai-completions, but the protocol is openai-chat`},
		{"https://h/v1beta/openai/", dialect.OpenAIChat, "https://h/v1beta/openai/chat/completions", "https://h/v1beta/openai/models", ""},
		{"http://h:11434/v1/", dialect.OllamaChat, "http://h:11434/api/chat", "http://h:11434/api/tags", ""},
		{"http://h/x/v1", dialect.LlamaInfill, "http://h/x/infill", "http://h/x/v1/models", ""},
		{"http://h/v1/api/chat", dialect.OllamaChat, "http://h/v1/api/chat", "http://h/v1/api/tags", ""},
		{"http://h/v1", dialect.Gemini, "http://h/v1/models/m:streamGenerateContent?alt=sse", "http://h/v1/models", ""},
		{"http://h/v1beta/models/x:streamGenerateContent?alt=sse", dialect.Gemini, "http://h/v1beta/models/m:streamGenerateContent?alt=sse", "http://h/v1beta/models", ""},
		{"http://h/v1beta/?a=1&alt=json&b=2", dialect.Gemini, "http://h/v1beta/models/m:streamGenerateContent?a=1&b=2&alt=sse", "http://h/v1beta/models?a=1&b=2", ""},
		{"http://h/v1beta/models/x:streamGenerateContent", dialect.OpenAIChat, "", "", `url "http://h/v1beta/models/x:streamGenerateContent": its path is that of gemini, but the protocol is openai-chat`},
		{"http://h/v1beta", dialect.OpenAIChat, "http://h/v1beta/chat/completions", "http://h/v1beta/models", ""},
		{"localhost:8080", dialect.OpenAIChat, "", "", `url "localhost:8080": want it to begin with http:// or https://`},
		{"http:///v1", dialect.OpenAIChat, "", "", `url "http:///v1": it names no host`},
		{"http://me:pw@h/v1", dialect.OpenAIChat, "", "", `url "http://h/v1": it holds a user or password; give the key apart from the URL`},
		{"http://h/v1#x", dialect.OpenAIChat, "", "", `url "http://h/v1": it has a fragment (#...), which no server would see`},
		{"http://h:x/v1", dialect.OpenAIChat, "", "", `the url cannot be read; want one like http://127.0.0.1:8080/v1`},
	}
	for _, tt := range tests {
		d, err := dialect.Of(tt.protocol)
		if err != nil {
			t.Fatal(err)
		}
		got, err := parseAddress(tt.url, "m", d)
		message := ""
		if err != nil {
			message = err.Error()
		}
		if got.complete != tt.complete || got.models != tt.models || message != tt.err {
			t.Errorf("parseAddress(%q, %s) = %q, %q, error %q; want %q, %q, error %q",
				tt.url, tt.protocol, got.complete, got.models, message, tt.complete, tt.models, tt.err)
		}
	}
}

func TestProtocolAt(t *testing.T) {
	for _, c := range []struct {
		url            string
		expected, want dialect.Protocol
	}{
		{"http://127.0.0.1:11434/api/chat", dialect.OpenAIChat, dialect.OllamaChat},
		{"http://127.0.0.1:11434/api/generate/", dialect.OpenAICompletions, dialect.OllamaGenerate},
		{"http://127.0.0.1:8000/v1/chat/completions", dialect.OpenAICompletions, dialect.OpenAIChat},
		{"http://127.0.0.1:8000/v1/completions", dialect.Tabby, dialect.Tabby},
		{"http://127.0.0.1:8000/v1", dialect.OpenAIChat, dialect.OpenAIChat},
		{"http://127.0.0.1:8000", dialect.Anthropic, dialect.Anthropic},
		{"http://h/v1beta", dialect.OpenAIChat, dialect.Gemini},
		{"http://h/google/v1beta/", dialect.OpenAIChat, dialect.Gemini},
		{"http://h/v1beta/models/x:streamGenerateContent?alt=sse", dialect.OpenAIChat, dialect.Gemini},
		{"http://h/v1beta/openai", dialect.OpenAIChat, dialect.OpenAIChat},
		{"http://h/v1beta/models/:streamGenerateContent", dialect.OpenAIChat, dialect.OpenAIChat},
		{"http://[::1", dialect.OpenAIChat, dialect.OpenAIChat},
		{"http://127.0.0.1/api/chat", "no protocol", "no protocol"},
	} {
		if got := ProtocolAt(c.url, c.expected); got != c.want {
			t.Errorf("ProtocolAt(%s, %s) = %s, want %s", c.url, c.expected, got, c.want)
		}
	}
}

func TestModelAt(t *testing.T) {
	for url, want := range map[string]string{
		"http://h/v1beta/models/gemini-x:streamGenerateContent?alt=sse": "gemini-x", "http://h/models/a.b:streamGenerateContent/": "a.b",
		"http://h/v1beta/models": "", "http://h/v1/chat/completions": "", "http://h/:streamGenerateContent": "", "http://[::1": "",
	} {
		if got := ModelAt(url); got != want {
			t.Errorf("ModelAt(%s) = %q, want %q", url, got, want)
		}
	}
}

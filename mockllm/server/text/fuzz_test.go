package text_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"halfsecond/mockllm/server/text/serve"
	"halfsecond/mockllm/server/text/stand"
	"halfsecond/pipeline/dist"
)

// generating is the paths whose requests this test makes up.
var generating = []string{
	"/v1/chat/completions", "/v1/completions", "/v1/responses", "/v1/messages", "/v1/messages/count_tokens", "/v1/fim/completions", "/tokenize",
	"/completion", "/infill", "/api/generate", "/api/chat", "/v1beta/models/m:generateContent", "/v1beta/models/m:streamGenerateContent",
}

// FuzzRequests: no body of a request brings the server down, and what is answered is JSON,
// whole or in events.
func FuzzRequests(f *testing.F) {
	for _, body := range []string{
		`{"model":"m","messages":[{"role":"user","content":"a"}],"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}],"tool_choice":"required","input":"a","max_tokens":9}`,
		`{"model":"m","max_tokens":3,"system":[{"type":"text","text":"s","cache_control":{}}],"messages":[{"role":"user","content":[{"type":"tool_result","content":[null]}]}],"mock_thinking":"a b"}`,
		`{"model":"m","prompt":"a","suffix":"b","stop":["x",""],"min_tokens":99999,"ignore_eos":true,"return_token_ids":true,"max_tokens":50}`,
		`{"model":"m","input":[null,{"type":"item_reference"},{"type":"function_call","arguments":{}}],"tools":[null],"reasoning":{"effort":"low"},"text":{"format":null},"tool_choice":{"type":"allowed_tools","tools":[null]}}`,
		`{"model":"m","messages":[null],"tools":[null],"tool_choice":null,"response_format":null,"chat_template_kwargs":null,"stream_options":null,"max_tokens":null}`,
		`{"model":"m","max_tokens":2,"messages":[{"role":"user","content":"a"}],"mock_tool":"f","tools":[{"name":"f","input_schema":{"items":1},"type":"function","function":{"name":"f","parameters":[]}}]}`,
		`{"model":"m","prompt":["a"],"content":"x","messages":[{"role":"user","content":"a","tool_calls":[{"function":null}]}],"max_tokens":-5,"max_completion_tokens":4611686018427387904}`,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		stand.Run(t, serve.Config{Models: []serve.Model{stand.Fixed("m", 300)}, ThinkingTokens: dist.ConstantCount(3), ToolShare: .5}, func(r *stand.Stand) {
			for _, path := range generating {
				a, err := r.Client.Post("http://mock"+path, "application/json", bytes.NewReader(body))
				if err != nil {
					t.Fatalf("%s: %v", path, err)
				}
				checkJSON(t, path, a)
			}
		})
	})
}

// checkJSON reports an answer that is none of JSON, or is a fault of the server's own.
func checkJSON(t *testing.T, path string, a *http.Response) {
	t.Helper()
	defer a.Body.Close()
	text, err := io.ReadAll(a.Body)
	if err != nil || a.StatusCode == http.StatusInternalServerError {
		t.Fatalf("%s: status %d, error %v: %s", path, a.StatusCode, err, text)
	}
	if !strings.HasPrefix(a.Header.Get("Content-Type"), "text/event-stream") {
		text = bytes.ReplaceAll(text, []byte("\n{"), []byte("\ndata: {"))
	}
	for _, event := range strings.Split("\n"+string(text), "\ndata: ") {
		event, _, _ = strings.Cut(event, "\nevent: ")
		if event = strings.TrimSpace(event); event != "" && event != "[DONE]" && !strings.HasPrefix(event, "event: ") && !json.Valid([]byte(event)) {
			t.Errorf("%s: %q is no JSON", path, event)
		}
	}
}

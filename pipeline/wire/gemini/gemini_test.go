package gemini

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"halfsecond/pipeline/wire"
)

// TestBothSpellings: a name in snake case is one in camel case, but for what is the
// client's own.
func TestBothSpellings(t *testing.T) {
	camel := `{"contents":[{"role":"user","parts":[{"text":"a"},{"inlineData":{"mimeType":"image/png","data":"aGk="}},{"functionResponse":{"name":"f","response":{"a_b":1}}}]}],
		"systemInstruction":{"parts":[{"text":"s"}]},
		"generationConfig":{"maxOutputTokens":5,"stopSequences":["x"],"responseMimeType":"application/json","responseSchema":{"type":"OBJECT","properties":{"a_b":{"type":"STRING"}}},"thinkingConfig":{"includeThoughts":true,"thinkingBudget":-1}},
		"tools":[{"functionDeclarations":[{"name":"f","parametersJsonSchema":{"properties":{"a_b":{}}}}]}],
		"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["f"]}},"mockAnswer":"m"}`
	snake := strings.NewReplacer("inlineData", "inline_data", "mimeType", "mime_type", "functionResponse", "function_response", "systemInstruction", "system_instruction",
		"generationConfig", "generation_config", "maxOutputTokens", "max_output_tokens", "stopSequences", "stop_sequences", "responseMimeType", "response_mime_type",
		"responseSchema", "response_schema", "thinkingConfig", "thinking_config", "includeThoughts", "include_thoughts", "thinkingBudget", "thinking_budget",
		"functionDeclarations", "function_declarations", "parametersJsonSchema", "parameters_json_schema", "toolConfig", "tool_config",
		"functionCallingConfig", "function_calling_config", "allowedFunctionNames", "allowed_function_names", "mockAnswer", "mock_answer").Replace(camel)
	var a, b GenerateRequest
	if err := json.Unmarshal([]byte(camel), &a); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(snake), &b); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(a, b) {
		t.Errorf("camel case is read as %+v\nsnake case as %+v", a, b)
	}
	if a.MockAnswer != "m" || *a.GenerationConfig.MaxOutputTokens != 5 || *a.GenerationConfig.ThinkingConfig.ThinkingBudget != -1 || string(a.Contents[0].Parts[2].FunctionResponse.Response) != `{"a_b":1}` {
		t.Errorf("read %+v", a)
	}
}

func TestBadFields(t *testing.T) {
	var q GenerateRequest
	for _, body := range []string{`{"contents":5}`, `{"generation_config":[]}`, `{"generationConfig":{"max_output_tokens":"5"}}`, `[]`} {
		if err := json.Unmarshal([]byte(body), &q); err == nil {
			t.Errorf("%s is read without an error", body)
		}
	}
}

func TestWriter(t *testing.T) {
	text := "a"
	piece := GenerateResponse{
		Candidates: []Candidate{{Content: Content{Role: "model", Parts: []Part{{Text: &text}}}}}, UsageMetadata: UsageMetadata{PromptTokenCount: 1, TotalTokenCount: 1},
		ModelVersion: "m", ResponseID: "r",
	}
	w := NewWriter(false)
	got := string(w.AppendEnd(w.Append(nil, piece)))
	want := `data: {"candidates":[{"content":{"role":"model","parts":[{"text":"a"}]},"index":0}],"usageMetadata":{"promptTokenCount":1,"totalTokenCount":1},"modelVersion":"m","responseId":"r"}` + "\r\n\r\n"
	if got != want || w.ContentType() != "text/event-stream" {
		t.Errorf("event\n got %q of %s\nwant %q", got, w.ContentType(), want)
	}
	var d wire.EventDecoder
	events := 0
	if err := d.Feed([]byte(got), 0, func(wire.Event) bool { events++; return true }); err != nil || events != 1 {
		t.Errorf("%d events, error %v", events, err)
	}

	w = NewWriter(true)
	whole := w.Append(w.Append(nil, piece), ErrorBody{Error{Code: 503, Message: "m", Status: Status(503)}})
	whole = w.AppendEnd(whole)
	var elements []struct {
		GenerateResponse
		Error *Error
	}
	if err := json.Unmarshal(whole, &elements); err != nil || len(elements) != 2 || *elements[0].Candidates[0].Content.Parts[0].Text != "a" || elements[1].Error.Status != "UNAVAILABLE" {
		t.Errorf("array %s is read as %+v, error %v", whole, elements, err)
	}
	if !strings.HasPrefix(string(whole), "[{\n  \"candidates\"") || !strings.Contains(string(whole), "}\n,\r\n{") || !strings.HasSuffix(string(whole), "}\n]\n") {
		t.Errorf("array is %q", whole)
	}
}

// TestRealEvent reads what the service wrote: a recorded answer of 2026-03-10.
func TestRealEvent(t *testing.T) {
	var r GenerateResponse
	event := `{"candidates": [{"content": {"role": "model","parts": [{"text": "","thoughtSignature": "AY89"}]},"finishReason": "STOP"}],"usageMetadata": {"promptTokenCount": 1,"candidatesTokenCount": 9,"totalTokenCount": 10,"trafficType": "ON_DEMAND","promptTokensDetails": [{"modality": "TEXT","tokenCount": 1}]},"modelVersion": "m","createTime": "2026-03-10T14:54:45.066123Z","responseId": "r"}`
	if err := json.Unmarshal([]byte(event), &r); err != nil || r.Candidates[0].FinishReason != FinishStop || r.UsageMetadata.CandidatesTokenCount != 9 {
		t.Errorf("read %+v, error %v", r, err)
	}
}

func FuzzRequest(f *testing.F) {
	for _, seed := range []string{
		`{"contents":[{"parts":[{"text":"a"}]}],"generation_config":{"max_output_tokens":5}}`, `{"system_instruction":null,"_":1,"a__b":2}`,
		`{"contents":[{"parts":[{"function_call":{"name":"f","args":{}}}]}]}`, `[]`, `{"tools":[{"function_declarations":[{}]}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var q GenerateRequest
		if json.Unmarshal(body, &q) == nil {
			if _, err := json.Marshal(q); err != nil {
				t.Errorf("%s is read, but cannot be written: %v", body, err)
			}
		}
		var c CountTokensRequest
		_ = json.Unmarshal(body, &c) // it must not panic
	})
}

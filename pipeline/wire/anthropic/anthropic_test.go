package anthropic

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"halfsecond/pipeline/wire"
)

func TestBlocksForms(t *testing.T) {
	text := func(s string) Block { return Block{Type: BlockText, Text: s} }
	for _, c := range []struct {
		in   string
		want Blocks
		err  string
	}{
		{`"a"`, Blocks{text("a")}, ""},
		{`null`, nil, ""},
		{`[]`, Blocks{}, ""},
		{`[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}]`, Blocks{{Type: BlockText, Text: "a", CacheControl: &CacheControl{"ephemeral"}}}, ""},
		{`[{"type":"image","source":{"data":"x"}}]`, Blocks{{Type: "image"}}, ""},
		{`[{"type":"thinking","thinking":"h","signature":"s"}]`, Blocks{{Type: BlockThinking, Thinking: "h", Signature: "s"}}, ""},
		{`[{"type":"tool_use","id":"t","name":"f","input":{"a":1}}]`, Blocks{{Type: BlockToolUse, ID: "t", Name: "f", Input: json.RawMessage(`{"a":1}`)}}, ""},
		{`[{"type":"tool_result","tool_use_id":"t","content":"x"}]`, Blocks{{Type: BlockToolResult, ToolUseID: "t", Content: Blocks{text("x")}}}, ""},
		{`[{"type":"tool_result","content":[{"type":"text","text":"x"}]}]`, Blocks{{Type: BlockToolResult, Content: Blocks{text("x")}}}, ""},
		{`5`, nil, "content: want a string or a list of blocks"},
		{`{}`, nil, "content: want a string or a list of blocks"},
		{`[{"text":5}]`, nil, "content: want a string or a list of blocks"},
	} {
		m := Message{Content: Blocks{text("old")}}
		err := json.Unmarshal([]byte(`{"content":`+c.in+`}`), &m)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("content %s: error %v, want %s", c.in, err, c.err)
			}
			continue
		}
		if err != nil || !reflect.DeepEqual(m.Content, c.want) {
			t.Errorf("content %s = %+v, error %v; want %+v", c.in, m.Content, err, c.want)
		}
	}
}

// TestBlockJSON: a block is written with the fields of its type, and read again.
func TestBlockJSON(t *testing.T) {
	for _, text := range []string{
		`{"type":"text","text":""}`,
		`{"type":"text","cache_control":{"type":"ephemeral"},"text":"a"}`,
		`{"type":"thinking","thinking":"","signature":""}`,
		`{"type":"tool_use","id":"t","name":"f","input":{"a":[1]}}`,
		`{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"a"}]}`,
		`{"type":"redacted_thinking"}`,
	} {
		var b Block
		if err := json.Unmarshal([]byte(text), &b); err != nil {
			t.Fatal(err)
		}
		if got, err := json.Marshal(b); err != nil || string(got) != text {
			t.Errorf("%s is written as %s, error %v", text, got, err)
		}
	}
}

func TestRequestJSON(t *testing.T) {
	limit := 9
	q := Request{
		Model: "m", MaxTokens: &limit, Stream: true, StopSequences: []string{"x"}, System: Blocks{{Type: BlockText, Text: "s"}},
		Messages: []Message{{Role: "user", Content: Blocks{{Type: BlockText, Text: "a"}}}},
		Tools:    []Tool{{Name: "f", InputSchema: json.RawMessage(`{}`)}}, ToolChoice: &ToolChoice{Type: ChoiceTool, Name: "f"},
		Thinking: &Thinking{Type: ThinkingEnabled, BudgetTokens: 1024}, Mock: wire.Mock{MockAnswer: "b"},
	}
	want := `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":"a"}]}],"system":[{"type":"text","text":"s"}],"stop_sequences":["x"],"stream":true,"tools":[{"name":"f","input_schema":{}}],"tool_choice":{"type":"tool","name":"f"},"thinking":{"type":"enabled","budget_tokens":1024},"mock_answer":"b"}`
	got, err := json.Marshal(q)
	if err != nil || string(got) != want {
		t.Errorf("request = %s, error %v; want %s", got, err, want)
	}
	var again Request
	if err := json.Unmarshal(got, &again); err != nil || !reflect.DeepEqual(again, q) {
		t.Errorf("read again as %+v, error %v; want %+v", again, err, q)
	}
}

func TestStream(t *testing.T) {
	x := "x"
	b := AppendStart(nil, Answer{ID: "i", Type: TypeMessage, Role: "assistant", Model: "m", Content: []Block{}, Usage: Usage{InputTokens: 1, OutputTokens: 1}})
	b = AppendBlockStart(b, 0, Block{Type: BlockText})
	b = AppendPing(b)
	b = AppendText(b, 0, "a\n")
	b = AppendThinking(b, 0, "b")
	b = AppendSignature(b, 0, "c")
	b = AppendInput(b, 10, `{"`)
	b = AppendBlockStop(b, 0)
	b = AppendEnd(b, StopSequence, &x, Usage{InputTokens: 1, OutputTokens: 3, CacheReadTokens: 2, OutputDetails: &OutputDetails{1}})
	b = AppendError(b, ErrorBody{Type: TypeError, Error: Error{ErrAPI, "no"}})
	want := []string{
		`message_start {"type":"message_start","message":{"id":"i","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":1,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":1}}}`,
		`content_block_start {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
		`ping {"type":"ping"}`,
		`content_block_delta {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a\n"}}`,
		`content_block_delta {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"b"}}`,
		`content_block_delta {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"c"}}`,
		`content_block_delta {"type":"content_block_delta","index":10,"delta":{"type":"input_json_delta","partial_json":"{\""}}`,
		`content_block_stop {"type":"content_block_stop","index":0}`,
		`message_delta {"type":"message_delta","delta":{"stop_reason":"stop_sequence","stop_sequence":"x"},"usage":{"input_tokens":1,"cache_creation_input_tokens":0,"cache_read_input_tokens":2,"output_tokens":3,"output_tokens_details":{"thinking_tokens":1}}}`,
		`message_stop {"type":"message_stop"}`,
		`error {"type":"error","error":{"type":"api_error","message":"no"}}`,
	}
	var got []string
	var d wire.EventDecoder
	if err := d.Feed(b, 0, func(e wire.Event) bool { got = append(got, e.Name+" "+string(e.Data)); return true }); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("events\n got %s\nwant %s", strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
}

// TestDeltasAllocateNothing: a server writes one a token.
func TestDeltasAllocateNothing(t *testing.T) {
	b := make([]byte, 0, 1024)
	for name, write := range map[string]func([]byte, int, string) []byte{"text": AppendText, "thinking": AppendThinking, "input": AppendInput} {
		if n := testing.AllocsPerRun(100, func() { b = write(b[:0], 1, " token") }); n != 0 {
			t.Errorf("a delta of %s allocates %g times", name, n)
		}
	}
}

// FuzzRequest: a body is refused or read.
func FuzzRequest(f *testing.F) {
	f.Add([]byte(`{"model":"m","messages":[null,{"content":[null,{"type":"tool_result","content":[{"type":"tool_use"}]}]}],"system":"s","tools":[null],"thinking":null,"output_config":{"format":null}}`))
	f.Add([]byte(`{"messages":[{"role":"user","content":{"a":[]}}],"max_tokens":1e3}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		var q Request
		if json.Unmarshal(body, &q) != nil {
			return
		}
		if _, err := json.Marshal(q); err != nil {
			t.Errorf("%s is read and cannot be written: %v", body, err)
		}
	})
}

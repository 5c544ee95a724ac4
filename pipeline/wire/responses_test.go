package wire

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestResponsesInputForms(t *testing.T) {
	text := func(s string) Content { return Content{Text: s} }
	for _, c := range []struct {
		in   string
		want ResponsesInput
		err  string
	}{
		{`"hi"`, ResponsesInput{{Type: ItemMessage, Role: "user", Content: text("hi")}}, ""},
		{`null`, nil, ""},
		{`[]`, ResponsesInput{}, ""},
		{`[{"role":"user","content":[{"type":"input_text","text":"a"},{"type":"input_file"}]}]`, ResponsesInput{{Role: "user", Content: text("a")}}, ""},
		{`[{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}]`, ResponsesInput{{Type: ItemCall, CallID: "c", Name: "f", Arguments: "{}"}}, ""},
		{`[{"type":"function_call_output","call_id":"c","output":"x"},{"type":"function_call_output","output":[{"type":"input_text","text":"y"}]}]`, ResponsesInput{{Type: ItemCallOutput, CallID: "c", Output: text("x")}, {Type: ItemCallOutput, Output: text("y")}}, ""},
		{`[{"type":"reasoning","id":"r","summary":[{"type":"summary_text","text":"x"}]}]`, ResponsesInput{{Type: ItemReasoning, ID: "r"}}, ""},
		{`{}`, nil, "input: want a string or a list of items"},
		{`["a"]`, nil, "input: want a string or a list of items"},
	} {
		var r ResponsesRequest
		err := json.Unmarshal([]byte(`{"input":`+c.in+`}`), &r)
		if !isError(err, c.err) || !reflect.DeepEqual(r.Input, c.want) {
			t.Errorf("input %s = %+v, error %v; want %+v, error %q", c.in, r.Input, err, c.want, c.err)
		}
	}
}

func TestOutputItemJSON(t *testing.T) {
	for _, c := range []struct {
		item OutputItem
		want string
	}{
		{OutputItem{Type: ItemMessage, ID: "m", Status: "completed", Text: "a"}, `{"id":"m","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":"a","annotations":[],"logprobs":[]}]}`},
		{OutputItem{Type: ItemMessage, ID: "m", Status: "in_progress", Open: true}, `{"id":"m","type":"message","status":"in_progress","role":"assistant","content":[]}`},
		{OutputItem{Type: ItemCall, ID: "m", Status: "completed", Text: "{}", CallID: "c", Name: "f"}, `{"id":"m","type":"function_call","status":"completed","arguments":"{}","call_id":"c","name":"f"}`},
		{OutputItem{Type: ItemReasoning, ID: "m", Status: "completed", Text: "a"}, `{"id":"m","type":"reasoning","status":"completed","summary":[],"content":[{"type":"reasoning_text","text":"a"}]}`},
		{OutputItem{Type: ItemReasoning, ID: "m", Status: "completed", Text: "a", Summarized: true}, `{"id":"m","type":"reasoning","status":"completed","summary":[{"type":"summary_text","text":"a"}]}`},
	} {
		if got, err := json.Marshal(c.item); err != nil || string(got) != c.want {
			t.Errorf("%+v = %s, error %v; want %s", c.item, got, err, c.want)
		}
	}
}

// TestResponsesStream: the events of an item, numbered through.
func TestResponsesStream(t *testing.T) {
	var s ResponsesStream
	item := OutputItem{Type: ItemMessage, ID: "m", Status: "completed", Text: "a\""}
	b := s.AppendOpen(nil, 3, item)
	b = s.AppendDelta(b, 3, item, "a\"")
	b = s.AppendDone(b, 3, item)
	code := "bad"
	b = s.AppendError(b, APIError{Message: "no", Code: &code})
	want := []string{
		`response.output_item.added {"type":"response.output_item.added","sequence_number":0,"output_index":3,"item":{"id":"m","type":"message","status":"in_progress","role":"assistant","content":[]}}`,
		`response.content_part.added {"type":"response.content_part.added","sequence_number":1,"item_id":"m","output_index":3,"content_index":0,"part":{"type":"output_text","text":"","annotations":[],"logprobs":[]}}`,
		`response.output_text.delta {"type":"response.output_text.delta","sequence_number":2,"item_id":"m","output_index":3,"content_index":0,"delta":"a\"","logprobs":[]}`,
		`response.output_text.done {"type":"response.output_text.done","sequence_number":3,"item_id":"m","output_index":3,"content_index":0,"text":"a\"","logprobs":[]}`,
		`response.content_part.done {"type":"response.content_part.done","sequence_number":4,"item_id":"m","output_index":3,"content_index":0,"part":{"type":"output_text","text":"a\"","annotations":[],"logprobs":[]}}`,
		`response.output_item.done {"type":"response.output_item.done","sequence_number":5,"output_index":3,"item":{"id":"m","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":"a\"","annotations":[],"logprobs":[]}]}}`,
		`error {"type":"error","sequence_number":6,"code":"bad","message":"no","param":null}`,
	}
	var got []string
	var d EventDecoder
	if err := d.Feed(b, 0, func(e Event) bool { got = append(got, e.Name+" "+string(e.Data)); return true }); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("events\n got %s\nwant %s", strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
}

// TestDeltasAllocateNothing: a server writes one a token.
func TestDeltasAllocateNothing(t *testing.T) {
	var s ResponsesStream
	b := make([]byte, 0, 1024)
	for _, item := range []OutputItem{{Type: ItemMessage, ID: "m"}, {Type: ItemCall, ID: "m"}, {Type: ItemReasoning, ID: "m"}, {Type: ItemReasoning, ID: "m", Summarized: true}} {
		if n := testing.AllocsPerRun(100, func() { b = s.AppendDelta(b[:0], 1, item, " token") }); n != 0 {
			t.Errorf("a delta of %s allocates %g times", item.Type, n)
		}
	}
}

// FuzzResponsesRequest: a body is refused or read.
func FuzzResponsesRequest(f *testing.F) {
	f.Add([]byte(`{"model":"m","input":[{"role":"user","content":[null]},null],"tools":[null],"reasoning":{"effort":null}}`))
	f.Add([]byte(`{"input":{"a":1},"tool_choice":{"type":"allowed_tools","tools":[null]}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		var r ResponsesRequest
		if json.Unmarshal(body, &r) != nil {
			return
		}
		if _, err := json.Marshal(r); err != nil {
			t.Errorf("%s is read and cannot be written: %v", body, err)
		}
	})
}

// FuzzChatRequest is FuzzResponsesRequest for the older API.
func FuzzChatRequest(f *testing.F) {
	f.Add([]byte(`{"messages":[null,{"content":[null],"tool_calls":[null]}],"tools":[null],"tool_choice":{"function":null},"stop":null,"mock_tool":[null]}`))
	f.Add([]byte(`{"prompt":["a"],"chat_template_kwargs":{"enable_thinking":true},"response_format":{"json_schema":null}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		var r ChatRequest
		var p CompletionRequest
		if json.Unmarshal(body, &r) == nil {
			if _, err := json.Marshal(r); err != nil {
				t.Errorf("%s is read and cannot be written: %v", body, err)
			}
		}
		if json.Unmarshal(body, &p) == nil {
			if _, err := json.Marshal(p); err != nil {
				t.Errorf("%s is read and cannot be written: %v", body, err)
			}
		}
	})
}

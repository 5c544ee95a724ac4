package wire

import (
	"encoding/json"
	"reflect"
	"testing"
)

func TestToolChoiceForms(t *testing.T) {
	for _, c := range []struct {
		in   string
		want ToolChoice
		err  string
	}{
		{`"auto"`, ToolChoice{Mode: ChoiceAuto}, ""},
		{`null`, ToolChoice{}, ""},
		{`{"type":"function","function":{"name":"f"}}`, ToolChoice{Name: "f"}, ""},
		{`{"type":"function","name":"f"}`, ToolChoice{Name: "f"}, ""},
		{`{"type":"allowed_tools","mode":"required","tools":[{"type":"function","name":"f"}]}`, ToolChoice{Mode: ChoiceRequired, Allowed: []string{"f"}}, ""},
		{`{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"type":"function","function":{"name":"f"}}]}}`, ToolChoice{Mode: ChoiceAuto, Allowed: []string{"f"}}, ""},
		{`{"type":"allowed_tools","mode":"auto"}`, ToolChoice{Mode: ChoiceAuto, Allowed: []string{}}, ""},
		{`{"type":"web_search"}`, ToolChoice{}, ""},
		{`[]`, ToolChoice{}, "tool_choice: want a word or an object"},
		{`7`, ToolChoice{}, "tool_choice: want a word or an object"},
	} {
		got := ToolChoice{Mode: "old", Name: "old"}
		err := json.Unmarshal([]byte(c.in), &got)
		if !isError(err, c.err) || c.err == "" && !reflect.DeepEqual(got, c.want) {
			t.Errorf("tool_choice %s = %+v, error %v; want %+v, error %q", c.in, got, err, c.want, c.err)
		}
	}
}

func TestNamesForms(t *testing.T) {
	for in, want := range map[string]Names{`"f"`: {"f"}, `["f","g"]`: {"f", "g"}, `null`: nil} {
		var m Mock
		if err := json.Unmarshal([]byte(`{"mock_tool":`+in+`}`), &m); err != nil || !reflect.DeepEqual(m.MockTool, want) {
			t.Errorf("mock_tool %s = %v, error %v; want %v", in, m.MockTool, err, want)
		}
	}
	var m Mock
	if err := json.Unmarshal([]byte(`{"mock_tool":{}}`), &m); !isError(err, "mock_tool: want a string or a list of strings") {
		t.Errorf("mock_tool {}: error %v", err)
	}
}

// TestAssistantMessage: a message with tool calls is written as it is read.
func TestAssistantMessage(t *testing.T) {
	const text = `{"role":"assistant","content":null,"reasoning_content":"hm","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}`
	var m Message
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatal(err)
	}
	m.Content.Null = true
	if got, err := json.Marshal(m); err != nil || string(got) != text {
		t.Errorf("%s, error %v; want %s", got, err, text)
	}
}

package ollama

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"
	"time"

	"halfsecond/pipeline/wire"
)

func TestKeepAliveForms(t *testing.T) {
	for _, c := range []struct {
		in   string
		want KeepAlive
		err  string
	}{
		{`"5m"`, KeepAlive(5 * time.Minute), ""},
		{`0`, 0, ""},
		{`"0"`, 0, ""},
		{`1.5`, KeepAlive(1500 * time.Millisecond), ""},
		{`-1`, math.MaxInt64, ""},
		{`"-1s"`, math.MaxInt64, ""},
		{`1e300`, math.MaxInt64, ""},
		{`"soon"`, 0, `keep_alive: time: invalid duration "soon"`},
		{`[]`, 0, `keep_alive: want a number of seconds or a duration such as "5m"`},
	} {
		var k KeepAlive
		err := json.Unmarshal([]byte(c.in), &k)
		if c.err == "" && (err != nil || k != c.want) || c.err != "" && (err == nil || err.Error() != c.err) {
			t.Errorf("%s gives %d, error %v; want %d, error %q", c.in, k, err, c.want, c.err)
		}
	}
}

func TestThinkForms(t *testing.T) {
	for _, c := range []struct {
		in   string
		want Think
		err  string
	}{
		{`true`, Think{On: true}, ""},
		{`false`, Think{}, ""},
		{`"high"`, Think{On: true, Level: "high"}, ""},
		{`"deep"`, Think{}, `think: invalid think value: "deep" (must be "high", "medium", "low", true, or false)`},
		{`3`, Think{}, `think: want a boolean or one of "high", "medium", "low"`},
	} {
		var got Think
		err := json.Unmarshal([]byte(c.in), &got)
		if c.err == "" && (err != nil || got != c.want) || c.err != "" && (err == nil || err.Error() != c.err) {
			t.Errorf("%s gives %+v, error %v; want %+v, error %q", c.in, got, err, c.want, c.err)
		}
	}
}

// TestRequestsSurvive: what we write we read again.
func TestRequestsSurvive(t *testing.T) {
	stream, keep, limit, seed := false, KeepAlive(math.MaxInt64), 5, int64(7)
	want := GenerateRequest{
		Model: "m:latest", Prompt: "a", Suffix: "b", System: "s", Template: "{{ .Prompt }}", Context: []int{1, 2}, Raw: true, Images: []string{"aGk="},
		Common: Common{
			Stream: &stream, Format: json.RawMessage(`"json"`), KeepAlive: &keep, Think: &Think{On: true, Level: "low"}, Mock: wire.Mock{MockAnswer: "x"},
			Options: Options{NumPredict: &limit, NumCtx: 2048, Seed: &seed, Stop: []string{"\n"}},
		},
	}
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got GenerateRequest
	if err := json.Unmarshal(text, &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%s\nis read as %+v, error %v\nwant %+v", text, got, err, want)
	}
}

func TestLines(t *testing.T) {
	at := time.Date(2026, 11, 29, 10, 0, 0, 123e6, time.UTC)
	g, c := NewGenerateStream("m"), NewChatStream(`a"b`)
	for _, x := range []struct{ got, want string }{
		{string(g.AppendText(nil, at, "a\n")), `{"model":"m","created_at":"2026-11-29T10:00:00.123Z","response":"a\n","done":false}` + "\n"},
		{string(g.AppendThinking(nil, at, "hm")), `{"model":"m","created_at":"2026-11-29T10:00:00.123Z","response":"","thinking":"hm","done":false}` + "\n"},
		{string(c.AppendText(nil, at, "a")), `{"model":"a\"b","created_at":"2026-11-29T10:00:00.123Z","message":{"role":"assistant","content":"a"},"done":false}` + "\n"},
		{string(c.AppendThinking(nil, at, "hm")), `{"model":"a\"b","created_at":"2026-11-29T10:00:00.123Z","message":{"role":"assistant","content":"","thinking":"hm"},"done":false}` + "\n"},
		{
			string(AppendLine(nil, GenerateResponse{Model: "m", CreatedAt: at, Done: true, DoneReason: DoneStop, Metrics: Metrics{TotalDuration: 5, EvalCount: 1}})),
			`{"model":"m","created_at":"2026-11-29T10:00:00.123Z","response":"","done":true,"done_reason":"stop","total_duration":5,"eval_count":1}` + "\n",
		},
		{string(AppendLine(nil, ErrorBody{Error: "no"})), `{"error":"no"}` + "\n"},
	} {
		if x.got != x.want {
			t.Errorf("line\n got %swant %s", x.got, x.want)
		}
	}
}

// TestRealLines reads what a server wrote: ollama/ollama docs/api.md, read 2026-11-29.
func TestRealLines(t *testing.T) {
	var g GenerateResponse
	line := `{"model":"llama3.2","created_at":"2023-08-04T19:22:45.499127Z","response":"","done":true,"context":[1,2,3],"total_duration":10706818083,"load_duration":6338219291,"prompt_eval_count":26,"prompt_eval_duration":130079000,"eval_count":259,"eval_duration":4232710000}`
	if err := json.Unmarshal([]byte(line), &g); err != nil || !g.Done || g.LoadDuration != 6338219291 || g.EvalCount != 259 || len(g.Context) != 3 {
		t.Errorf("read %+v, error %v", g, err)
	}
	var c ChatResponse
	line = `{"model":"m","created_at":"2023-08-04T19:22:45.499127-07:00","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"f","arguments":{"a":1}}}]},"done":false,"later":1}`
	if err := json.Unmarshal([]byte(line), &c); err != nil || string(c.Message.ToolCalls[0].Function.Arguments) != `{"a":1}` {
		t.Errorf("read %+v, error %v", c, err)
	}
}

func FuzzRequests(f *testing.F) {
	for _, seed := range []string{
		`{"model":"m","prompt":"a","keep_alive":"5m","think":"high","options":{"num_predict":-1,"stop":["\n"]}}`,
		`{"model":"m","messages":[{"role":"tool","tool_name":"f","content":"1"}],"tools":[{"type":"function","function":{"name":"f"}}],"keep_alive":-1}`,
		`{"keep_alive":1e400,"think":null}`, `[]`, `{"options":null}`, `{"context":[1e9]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var g GenerateRequest
		if json.Unmarshal(body, &g) == nil {
			if _, err := json.Marshal(g); err != nil {
				t.Errorf("%s is read, but cannot be written: %v", body, err)
			}
		}
		var c ChatRequest
		_ = json.Unmarshal(body, &c) // it must not panic
	})
}

func BenchmarkAppendText(b *testing.B) {
	s, at := NewGenerateStream("m"), time.Date(2026, 11, 29, 10, 0, 0, 123e6, time.UTC)
	buffer := make([]byte, 0, 1<<10)
	b.ReportAllocs()
	for b.Loop() {
		buffer = s.AppendText(buffer[:0], at, " token")
	}
}

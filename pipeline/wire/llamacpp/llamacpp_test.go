package llamacpp

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"
	"time"

	"halfsecond/pipeline/wire"
)

func TestPromptForms(t *testing.T) {
	for _, c := range []struct {
		in   string
		want Prompt
		err  error
	}{
		{`"a b"`, Prompt{{Text: "a b"}}, nil},
		{`""`, Prompt{{}}, nil},
		{`[1,2]`, Prompt{{Token: 1}, {Token: 2}}, nil},
		{`[1,"x",2]`, Prompt{{Token: 1}, {Text: "x"}, {Token: 2}}, nil},
		{`["x"]`, Prompt{{Text: "x"}}, nil},
		{`{"prompt_string":"x"}`, Prompt{{Text: "x"}}, nil},
		{`[{"prompt_string":"x"}]`, Prompt{{Text: "x"}}, nil},
		{`["x","y"]`, nil, ErrManyPrompts},
		{`[[1],[2]]`, nil, ErrManyPrompts},
		{`[]`, nil, errPrompt},
		{`7`, nil, errPrompt},
		{`{"prompt":"x"}`, nil, errPrompt},
	} {
		var p Prompt
		err := json.Unmarshal([]byte(c.in), &p)
		if !reflect.DeepEqual(p, c.want) || !errors.Is(err, c.err) {
			t.Errorf("%s is read as %v, error %v; want %v, error %v", c.in, p, err, c.want, c.err)
		}
	}
}

func TestLimit(t *testing.T) {
	for in, want := range map[string]string{
		`{}`: "0 false", `{"n_predict":-1}`: "-1 false", `{"n_predict":0}`: "0 true",
		`{"n_predict":5,"max_tokens":9}`: "5 true", `{"max_tokens":9}`: "9 true", `{"max_tokens":9,"max_completion_tokens":8}`: "8 true",
	} {
		var o Options
		if err := json.Unmarshal([]byte(in), &o); err != nil {
			t.Fatal(err)
		}
		n, limited := o.Limit()
		if got := string(appendInt(nil, "", n)) + map[bool]string{true: " true", false: " false"}[limited]; got != want {
			t.Errorf("limit of %s is %s, want %s", in, got, want)
		}
	}
}

func TestTimings(t *testing.T) {
	for _, c := range []struct {
		got  Timings
		want string
	}{
		{
			NewTimings(12, 2, 100*time.Millisecond, 3, 20*time.Millisecond),
			`{"cache_n":2,"prompt_n":10,"prompt_ms":100,"prompt_per_token_ms":10,"prompt_per_second":100,"predicted_n":3,"predicted_ms":20,"predicted_per_token_ms":10,"predicted_per_second":100}`,
		},
		{
			NewTimings(4, 4, 0, 1, 0),
			`{"cache_n":4,"prompt_n":0,"prompt_ms":0,"prompt_per_token_ms":0,"prompt_per_second":0,"predicted_n":1,"predicted_ms":0.001,"predicted_per_token_ms":0,"predicted_per_second":0}`,
		},
		{
			NewTimings(4, 0, 0, 0, 0),
			`{"cache_n":0,"prompt_n":4,"prompt_ms":0,"prompt_per_token_ms":0,"prompt_per_second":0,"predicted_n":0,"predicted_ms":0,"predicted_per_token_ms":0,"predicted_per_second":0}`,
		},
	} {
		if got := string(AppendTimings(nil, c.got)); got != c.want {
			t.Errorf("timings\n got %s\nwant %s", got, c.want)
		}
		var back Timings
		if err := json.Unmarshal(AppendTimings(nil, c.got), &back); err != nil || back != c.got {
			t.Errorf("%+v comes back as %+v, error %v", c.got, back, err)
		}
	}
}

// TestPartial: the writer without reflection writes what the one with it writes.
func TestPartial(t *testing.T) {
	timings := NewTimings(4, 1, time.Second, 2, time.Second)
	for _, p := range []Partial{
		{Content: "a\n\"b\"", Tokens: []int{}, IDSlot: 1, TokensPredicted: 2, TokensEvaluated: 3},
		{Tokens: []int{7, 8}, Timings: &timings, Progress: &Progress{Total: 4, Cache: 1, Processed: 4, TimeMS: 1000}},
	} {
		want, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(AppendPartial(nil, &p)); got != "data: "+string(want)+"\n\n" {
			t.Errorf("event\n got %swant data: %s", got, want)
		}
	}
}

func TestSettings(t *testing.T) {
	var o Options
	body := `{"n_predict":7,"seed":3,"temperature":0,"top_k":1,"top_p":0.5,"min_p":0,"stop":["\n"],"ignore_eos":true,"stream":true,"timings_per_token":true}`
	if err := json.Unmarshal([]byte(body), &o); err != nil {
		t.Fatal(err)
	}
	want := Settings{Seed: 3, TopK: 1, TopP: .5, Stop: []string{"\n"}, MaxTokens: 7, NPredict: 7, IgnoreEOS: true, Stream: true, TimingsPerToken: true}
	if got := o.Settings(); !reflect.DeepEqual(got, want) {
		t.Errorf("settings are %+v, want %+v", got, want)
	}
	if got := (&Options{}).Settings(); !reflect.DeepEqual(got, DefaultSettings()) {
		t.Errorf("settings of an empty request are %+v, want %+v", got, DefaultSettings())
	}
}

func TestPick(t *testing.T) {
	f := Final{Content: "x", GenerationSettings: Settings{NPredict: 5}}
	got, err := Pick(f, []string{"content", "generation_settings/n_predict", "nothing", "content/of"})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(got)
	if want := `{"content":"x","generation_settings/n_predict":5}`; err != nil || string(text) != want {
		t.Errorf("picked %s, error %v; want %s", text, err, want)
	}
}

// TestRealEvents reads what a server writes, in the order in which it writes it.
func TestRealEvents(t *testing.T) {
	stream := `data: {"index":0,"content":"ret","tokens":[789],"stop":false,"id_slot":0,"tokens_predicted":1,"tokens_evaluated":812}` + "\n\n" + Ping +
		`data: {"index":0,"content":"","tokens":[],"id_slot":0,"stop":true,"model":"m","tokens_predicted":23,"tokens_evaluated":812,"generation_settings":{"seed":4294967295,"samplers":["top_k"]},"prompt":"...","has_new_line":true,"truncated":false,"stop_type":"eos","stopping_word":"","tokens_cached":834,"timings":{"cache_n":801,"prompt_n":11,"prompt_ms":19.2,"prompt_per_token_ms":1.745,"prompt_per_second":572.9,"predicted_n":23,"predicted_ms":163.1,"predicted_per_token_ms":7.09,"predicted_per_second":141.0,"draft_n":4}}` + "\n\n" +
		`data: {"error":{"code":500,"message":"Compute error.","type":"server_error"}}` + "\n\n"
	var d wire.EventDecoder
	var got []Event
	err := d.Feed([]byte(stream), 0, func(e wire.Event) bool {
		var v Event
		if err := json.Unmarshal(e.Data, &v); err != nil {
			t.Error(err)
		}
		got = append(got, v)
		return true
	})
	if err != nil || len(got) != 3 {
		t.Fatalf("%d events, error %v", len(got), err)
	}
	if got[0].Content != "ret" || got[0].Stop || !got[1].Stop || got[1].Timings.CacheN != 801 || got[1].StopType != StopEOS || string(got[2].Error) == "" {
		t.Errorf("read %+v", got)
	}
}

func FuzzRequests(f *testing.F) {
	for _, seed := range []string{
		`{"prompt":"a","n_predict":-1,"stop":["\n"],"samplers":"kt","response_fields":["content"]}`,
		`{"prompt":[1,"a"],"id_slot":-1,"cache_prompt":false}`, `{"prompt":{"prompt_string":"a"}}`, `{"prompt":[["a"]]}`,
		`{"input_prefix":"a","input_suffix":"b","input_extra":[{"filename":"f","text":"t"},{}],"prompt":"c"}`, `{"prompt":null}`, `[]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var c CompletionRequest
		if json.Unmarshal(body, &c) == nil {
			c.Limit()
			c.Settings()
			if _, err := json.Marshal(c); err != nil {
				t.Errorf("%s is read, but cannot be written: %v", body, err)
			}
		}
		var i InfillRequest
		_ = json.Unmarshal(body, &i) // it must not panic
	})
}

func BenchmarkAppendPartial(b *testing.B) {
	buffer, tokens := make([]byte, 0, 1<<10), []int{5}
	b.ReportAllocs()
	for b.Loop() {
		buffer = AppendPartial(buffer[:0], &Partial{Content: " token", Tokens: tokens, TokensPredicted: 5, TokensEvaluated: 800})
	}
}

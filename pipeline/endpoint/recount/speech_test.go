package recount

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/converse"
	"halfsecond/pipeline/endpoint/listen"
	"halfsecond/pipeline/endpoint/speak"
	"halfsecond/pipeline/exchange"
	"halfsecond/pipeline/trace"
)

const ms = time.Millisecond

// conversation returns a session over a WebSocket that was open from 10 ms to 900 ms, with
// what the server said at its instants.
func conversation(id int64, protocol, setting string, said ...string) *exchange.Exchange {
	x := &exchange.Exchange{Request: id, Protocol: protocol, Due: 5 * ms, Sent: 6 * ms, Answered: 10 * ms, Status: 101, HTTP: "1.1", How: exchange.EOF, End: 900 * ms, Setting: setting}
	x.Messages = append(x.Messages, exchange.Message{At: 20 * ms, From: exchange.Client, Kind: exchange.Binary, Due: 20 * ms, Data: make([]byte, 640), Bytes: 640})
	for i, text := range said {
		x.Messages = append(x.Messages, exchange.Message{At: time.Duration(300+100*i) * ms, From: exchange.Server, Kind: exchange.Text, Due: pipeline.Unknown, Data: []byte(text), Bytes: len(text)})
	}
	return x
}

func heardSession(id int64) *exchange.Exchange {
	return conversation(id, "deepgram-listen", `{"pace":1,"speech_ns":200000000,"begin_ns":20000000}`,
		`{"type":"Results","is_final":false,"channel":{"alternatives":[{"transcript":"a ta"}]}}`,
		`{"type":"Results","is_final":true,"speech_final":true,"channel":{"alternatives":[{"transcript":"a table"}]}}`)
}

func saidSession(id int64) *exchange.Exchange {
	x := &exchange.Exchange{Request: id, Protocol: "openai-speech", Method: "POST", Due: 5 * ms, Sent: 6 * ms, Answered: 10 * ms, Status: 200, HTTP: "1.1", How: exchange.EOF, End: 900 * ms,
		Setting: `{"format":"pcm","rate":24000,"characters":12}`, Headers: [][2]string{{"Content-Type", "audio/pcm"}}}
	x.Add(400*ms, make([]byte, 2400)) // 50 ms of silence
	x.Add(500*ms, bytes.Repeat([]byte{0, 64}, 1200))
	return x
}

func answeredSession(id int64) *exchange.Exchange {
	return conversation(id, converse.Name, `{"speech_ns":200000000,"begin_ns":20000000}`,
		`{"type":"session.updated","session":{}}`, `{"type":"input_audio_buffer.committed"}`, `{"type":"response.created","response":{"id":"r"}}`,
		`{"type":"response.output_audio.delta","response_id":"r","delta":"AEAAQABAAEA="}`, `{"type":"response.done","response":{"id":"r","status":"completed","usage":{"input_tokens":3,"output_tokens":4}}}`)
}

// inTrace returns a trace with what the sessions made.
func inTrace(t *testing.T, all ...*exchange.Exchange) pipeline.Trace {
	t.Helper()
	var tr pipeline.Trace
	for _, x := range all {
		made, err := retold(spoken(x.Protocol), x)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range made {
			switch v := r.value.Interface().(type) {
			case pipeline.Transcription:
				tr.Hearings = append(tr.Hearings, v)
			case pipeline.Speech:
				tr.Sayings = append(tr.Sayings, v)
			case pipeline.Answered:
				tr.Answers = append(tr.Answers, v)
			}
		}
	}
	return tr
}

// TestSessionsAgain: sessions with speech services are read again from their bytes, whose
// records are those of the traces.
func TestSessionsAgain(t *testing.T) {
	tr := inTrace(t, heardSession(1), saidSession(2), answeredSession(3))
	if h, s, a := &tr.Hearings[0], &tr.Sayings[0], &tr.Answers[0]; h.Text != "a table" || h.LastFinal != 400*ms || s.FirstAudible != 500*ms || a.FirstAudible != 600*ms || a.Committed != 400*ms {
		t.Fatalf("the sessions are not what they should be: %+v\n%+v\n%+v", h, s, a)
	}
	tr.Requests = []pipeline.Request{mustRequest(t, 4)}
	dropped := pipeline.NewTranscription(5, 0)
	dropped.Outcome = pipeline.Dropped
	lost := pipeline.NewSpeech(6, 0)
	modelled := pipeline.NewSpeech(7, 0)
	modelled.Simulated = true
	tr.Hearings, tr.Sayings = append(tr.Hearings, dropped), append(tr.Sayings, lost, modelled)
	got, err := Traces([]pipeline.Trace{tr}, log(t, exchange.Header{}, 0, saidSession(2), answered(4), answeredSession(3), heardSession(1), heardSession(8)))
	if err != nil {
		t.Fatal(err)
	}
	want := &Result{Again: 1, Hearings: 1, Sayings: 1, Answers: 1, Unsent: 1, Missing: 1, Others: 1, Spoken: true} // the turn lacks a record, so it is not counted
	got.Differ = slices.DeleteFunc(got.Differ, func(d Difference) bool { return d.Request == 0 })                  // this trace has no spans
	if len(got.Differ) == 0 {
		got.Differ = nil
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	// Texts that were not to be kept leave nothing to read again.
	got, err = Traces([]pipeline.Trace{{Hearings: tr.Hearings[:1]}}, log(t, exchange.Header{Hashed: true}, 0, heardSession(1)))
	if err != nil || got.Wordless != 1 || got.Turns != 0 || got.Hearings != 0 || got.Missing != 0 {
		t.Errorf("without texts: %+v, error %v; want 1 without bytes", got, err)
	}
}

func mustRequest(t *testing.T, id int64) pipeline.Request {
	t.Helper()
	r, err := Request(answered(id))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestEveryMemberIsCompared: a change of any member of a record is named, by its name in a
// trace file, and no other is.
func TestEveryMemberIsCompared(t *testing.T) {
	written := map[string]any{}
	var b bytes.Buffer
	w, err := trace.NewWriter(&b, trace.Header{Kind: pipeline.KindVoice})
	if err != nil {
		t.Fatal(err)
	}
	full := inTrace(t, heardSession(1), saidSession(2), answeredSession(3))
	fill(t, reflect.ValueOf(&full.Hearings[0]).Elem())
	fill(t, reflect.ValueOf(&full.Sayings[0]).Elem())
	fill(t, reflect.ValueOf(&full.Answers[0]).Elem())
	if err := w.Write(&full); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(trace.Footer{}); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(bytes.Split(b.Bytes(), []byte("\n"))[1], &written); err != nil {
		t.Fatal(err)
	}
	for of, x := range map[string]*exchange.Exchange{"hearings": heardSession(1), "sayings": saidSession(1), "answers": answeredSession(1)} {
		keys := written[of].([]any)[0].(map[string]any)
		tr := inTrace(t, x)
		var v reflect.Value
		switch of {
		case "hearings":
			v = reflect.ValueOf(&tr.Hearings[0]).Elem()
		case "sayings":
			v = reflect.ValueOf(&tr.Sayings[0]).Elem()
		default:
			v = reflect.ValueOf(&tr.Answers[0]).Elem()
		}
		compare := func() (names []string) {
			r := &Result{}
			left := map[int64]record{1: {spoken(x.Protocol), 1, v}}
			if err := r.compareSpeech(spoken(x.Protocol), left, x, newTold(), false); err != nil || len(left) != 0 {
				t.Fatalf("%s: %v, %d left", of, err, len(left))
			}
			for _, d := range r.Differ {
				names = append(names, d.Figure)
			}
			return names
		}
		if names := compare(); names != nil {
			t.Fatalf("%s: %v differ", of, names)
		}
		walk(v, "", func(name string, f reflect.Value) {
			if name == "ID" { // it is found by that
				return
			}
			was := reflect.New(f.Type()).Elem()
			was.Set(f)
			other(t, f)
			names := compare()
			f.Set(was)
			if slices.Contains(unsaid, name) {
				if names != nil {
					t.Errorf("%s: %s is told by no byte, and %v differ", of, name, names)
				}
				return
			}
			if len(names) != 1 {
				t.Errorf("%s: of a change of %s %v differ", of, name, names)
				return
			}
			in := keys
			key, inner, nested := strings.Cut(names[0], ".")
			if nested {
				in, key = keys[key].(map[string]any), inner
			}
			if _, there := in[key]; !there {
				t.Errorf("%s: %s is compared as %s, which a trace file does not have: %v", of, name, names[0], keys)
			}
		})
	}
}

// walk calls f with each member of a record, those of its transport among them.
func walk(v reflect.Value, in string, f func(name string, v reflect.Value)) {
	for i := range v.NumField() {
		if name := v.Type().Field(i).Name; v.Field(i).Kind() == reflect.Struct {
			walk(v.Field(i), name+".", f)
		} else {
			f(in+name, v.Field(i))
		}
	}
}

// fill gives every member of a record a value, so that all are written.
func fill(t *testing.T, v reflect.Value) {
	t.Helper()
	walk(v, "", func(_ string, f reflect.Value) { other(t, f) })
}

func other(t *testing.T, f reflect.Value) {
	t.Helper()
	switch f.Kind() {
	case reflect.Int, reflect.Int64:
		f.SetInt(77)
	case reflect.Uint8:
		f.SetUint(uint64(pipeline.Refused))
	case reflect.String:
		f.SetString("77")
	case reflect.Bool:
		f.SetBool(!f.Bool())
	case reflect.Slice:
		f.Set(reflect.Append(f, reflect.New(f.Type().Elem()).Elem()))
	default:
		t.Fatalf("a member of kind %s", f.Kind())
	}
}

// TestKinds: each protocol of a speech service is known, and no other.
func TestKinds(t *testing.T) {
	for of, protocols := range map[string][]string{hearing: listen.Protocols(), saying: speak.Protocols(), answer: {"openai-realtime", "twilio-media-streams"}, "": {"openai-chat", "", "anthropic-messages"}} {
		for _, p := range protocols {
			if got := spoken(p); got != of {
				t.Errorf("%q is of a %q, want %q", p, got, of)
			}
		}
	}
}

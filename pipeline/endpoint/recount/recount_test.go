package recount

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/exchange"
)

// untold are the fields of a request that its bytes do not tell, with the reason.
var untold = map[string]string{
	"ID": "it is the name", "Scheduled": "a simulated model says it", "Loading": "a simulated model says it",
	"Reason": "words are no figure", "Simulated": "nothing was sent", "Headers": "words are no figure",
	"PromptEstimate": "a count of the asker's own", "LimitTokens": "it is in what was asked", "Out": "a model says it", "Back": "a model says it",
	"Closed": "the asker says it", "Prompt": "a simulated model says it", "Output": "a simulated model says it",
	"Reused": "a connection's", "DNS": "a connection's", "Connect": "a connection's", "TLS": "a connection's",
}

// TestEveryFigureIsCompared changes each field of a request in turn: a figure must see it.
func TestEveryFigureIsCompared(t *testing.T) {
	seen := 0
	var walk func(v reflect.Value, whole *pipeline.Request)
	walk = func(v reflect.Value, whole *pipeline.Request) {
		for i := range v.NumField() {
			f, name := v.Field(i), v.Type().Field(i).Name
			if f.Kind() == reflect.Struct {
				walk(f, whole)
				continue
			}
			before := values(whole)
			change(t, f)
			changed := 0
			for j, after := range values(whole) {
				if after != before[j] {
					changed++
				}
			}
			if _, un := untold[name]; un == (changed == 1) {
				t.Errorf("%s: %d figures see a change of it; bytes tell it: %t", name, changed, !un)
			}
			seen += changed
		}
	}
	r := pipeline.NewRequest(1, 1)
	walk(reflect.ValueOf(&r).Elem(), &r)
	if seen != len(figures) {
		t.Errorf("%d figures saw a change, there are %d", seen, len(figures))
	}
}

func values(r *pipeline.Request) (all []string) {
	for _, f := range figures {
		all = append(all, f.of(r))
	}
	return all
}

func change(t *testing.T, f reflect.Value) {
	t.Helper()
	switch f.Kind() {
	case reflect.Int, reflect.Int64:
		f.SetInt(77)
	case reflect.Uint8:
		f.SetUint(uint64(pipeline.Dropped))
	case reflect.String:
		f.SetString("77")
	case reflect.Bool:
		f.SetBool(true)
	case reflect.Slice:
		f.Set(reflect.Append(f, reflect.New(f.Type().Elem()).Elem()))
	default:
		t.Fatalf("a field of kind %s", f.Kind())
	}
}

func answered(id int64) *exchange.Exchange {
	x := &exchange.Exchange{
		Request: id, Protocol: "openai-chat", Due: 1, Sent: 2, Answered: 3, Status: 200, HTTP: "1.1", How: exchange.Open,
		Headers: [][2]string{{"Content-Type", "text/event-stream"}},
	}
	x.Add(10, []byte(`data: {"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}`+"\n\n"))
	x.Add(30, []byte("data: [DONE]\n\n"))
	x.End = 30
	return x
}

// log returns a file of exchanges, with so many bytes less than it has.
func log(t *testing.T, h exchange.Header, less int, all ...*exchange.Exchange) *exchange.Reader {
	t.Helper()
	var b bytes.Buffer
	w, err := exchange.NewWriter(&b, h)
	for _, x := range all {
		if err == nil {
			err = w.Write(x)
		}
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	r, err := exchange.NewReader(bytes.NewReader(b.Bytes()[:b.Len()-less]))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestTraces: what differs is named, and what cannot be told is counted.
func TestTraces(t *testing.T) {
	record := func(id int64) pipeline.Request {
		r, err := Request(answered(id))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	unsent := pipeline.NewRequest(4, 1)
	off := record(5)
	off.FirstOutput, off.Chunks = 11*time.Nanosecond, 2
	simulated := pipeline.NewRequest(6, 1)
	simulated.Sent, simulated.Simulated = 1, true
	traces := []pipeline.Trace{{Requests: []pipeline.Request{record(1), unsent, off}}, {Requests: []pipeline.Request{record(3), simulated, record(7)}}}
	sound := answered(7)
	sound.Headers[0][1] = "audio/mpeg"

	got, err := Traces(traces, log(t, exchange.Header{}, 0, answered(5), answered(1), answered(9), answered(3)))
	want := &Result{
		Again: 3, Unsent: 1, Missing: 1, Others: 1,
		Differ: []Difference{{"request", 5, "first_output_ns", "11", "10"}, {"request", 5, "chunks", "2", "1"}},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, error %v; want %+v", got, err, want)
	}
	const line = "request 5: first_output_ns is 11 in the trace, 10 by its bytes"
	if s := got.Differ[0].String(); s != line {
		t.Errorf("%q, want %q", s, line)
	}
	traces[0].Due, traces[1].Due = 2, 3 // what was due before is of a warm-up
	if early, err := Traces(traces[:1], log(t, exchange.Header{}, 0, answered(9), answered(1))); err != nil || early.Others != 1 || early.Early != 1 {
		t.Errorf("%+v, error %v; want one of a warm-up", early, err)
	}
	got, err = Traces(traces[1:], log(t, exchange.Header{Hashed: true}, 8, answered(3), sound))
	want = &Result{Again: 1, Textless: 1, Hashed: true, Cut: true}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("hashed and cut: %+v, error %v; want %+v", got, err, want)
	}
}

// TestModelledWay: a modelled network is no difference, and neither is an answer that its
// asker gave up while it was on the way.
func TestModelledWay(t *testing.T) {
	far, err := Request(answered(1))
	if err != nil {
		t.Fatal(err)
	}
	far.Way = pipeline.Way{Out: 1, Back: 5}
	far.Sent -= 1
	for _, at := range []*time.Duration{&far.FirstByte, &far.FirstOutput, &far.FirstText, &far.FirstSeen, &far.LastOutput, &far.End} {
		*at += 5
	}
	gone := far
	gone.ID, gone.Outcome = 2, pipeline.Cancelled
	late := far
	late.ID = 3
	late.LastOutput++
	got, err := Traces([]pipeline.Trace{{Requests: []pipeline.Request{far, gone, late}}}, log(t, exchange.Header{}, 0, answered(1), answered(2), answered(3)))
	want := &Result{Again: 3, Differ: []Difference{{"request", 3, "last_output_ns", "11", "10"}}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, error %v; want %+v", got, err, want)
	}
}

func TestUnknownProtocol(t *testing.T) {
	x := answered(1)
	x.Protocol = "morse"
	r := pipeline.NewRequest(1, 1)
	r.Sent = 2
	_, err := Traces([]pipeline.Trace{{Requests: []pipeline.Request{r}}}, log(t, exchange.Header{}, 0, x))
	if err == nil || !strings.Contains(err.Error(), `request 1: protocol "morse" is not known`) {
		t.Errorf("error %v, want the protocol named", err)
	}
}

// TestHashedLengths: bytes of texts are compared, but not with those that stand for them in a
// log without texts, where a letter that was escaped is as long as its escape; nor is what is
// told by them, such as that reasoning was too short to be all of it.
func TestHashedLengths(t *testing.T) {
	several := func() *exchange.Exchange {
		x := answered(1)
		x.Body, x.Reads = nil, nil
		x.Add(10, []byte(`data: {"choices":[{"index":0,"delta":{"content":"\u4e2d\u6587, so"}}]}`+"\n\n"))
		x.Add(20, []byte(`data: {"choices":[{"index":0,"delta":{"content":"be it"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":7}}`+"\n\n"))
		x.Add(30, []byte("data: [DONE]\n\n"))
		return x
	}
	record, err := Request(several())
	if want := (pipeline.Opening{Chunks: 1, Bytes: 10, Of: 15}); err != nil || record.Opening != want {
		t.Fatalf("%+v, error %v; want %+v", record.Opening, err, want)
	}
	for _, hashed := range []bool{false, true} {
		got, err := Traces([]pipeline.Trace{{Requests: []pipeline.Request{record}}}, log(t, exchange.Header{Hashed: hashed}, 0, several()))
		if want := (&Result{Again: 1, Hashed: hashed}); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("hashed %t: %+v, error %v; want %+v", hashed, got, err, want)
		}
	}
	summary := several()
	summary.Body, summary.Reads = nil, nil
	summary.Add(10, []byte(`data: {"choices":[{"index":0,"delta":{"reasoning_content":"\u4e2d\u6587"}}]}`+"\n\n"))
	summary.Add(20, []byte(`data: {"choices":[{"index":0,"delta":{"content":"be it so"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":8,"completion_tokens_details":{"reasoning_tokens":5}}}`+"\n\n"))
	told, err := Request(summary)
	if want := (pipeline.Opening{Chunks: 1, Of: 8, Unsent: 5}); err != nil || told.Opening != want {
		t.Fatalf("%+v, error %v; want %+v", told.Opening, err, want)
	}
	for _, hashed := range []bool{false, true} {
		got, err := Traces([]pipeline.Trace{{Requests: []pipeline.Request{told}}}, log(t, exchange.Header{Hashed: hashed}, 0, summary))
		if want := (&Result{Again: 1, Hashed: hashed}); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("a summary, hashed %t: %+v, error %v; want %+v", hashed, got, err, want)
		}
	}
	record.Opening.Bytes, record.Opening.Of = 11, 16
	got, err := Traces([]pipeline.Trace{{Requests: []pipeline.Request{record}}}, log(t, exchange.Header{}, 0, several()))
	want := []Difference{{"request", 1, "opening.bytes", "11", "10"}, {"request", 1, "opening.of", "16", "15"}}
	if err != nil || !reflect.DeepEqual(got.Differ, want) {
		t.Errorf("%+v, error %v; want %+v", got, err, want)
	}
}

package trace

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"halfsecond/pipeline"
)

// fill sets every field of a record to something of its own, so that one that is forgotten
// or taken for another shows.
func fill(v reflect.Value, n *int64) {
	*n++
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), n)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), n)
		fill(v.Index(1), n)
	case reflect.String:
		v.SetString(strings.Repeat("x", int(*n)))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Uint8: // an outcome
		v.SetUint(uint64(*n) % 7)
	default:
		v.SetInt(*n)
	}
}

// TestSpoken: the records of speech services come back as they were, whether all of them is
// known or nothing.
func TestSpoken(t *testing.T) {
	var n int64
	full := pipeline.Trace{Kind: "voice", Hearings: make([]pipeline.Transcription, 2), Sayings: make([]pipeline.Speech, 2), Answers: make([]pipeline.Answered, 1)}
	for i := range full.Hearings {
		fill(reflect.ValueOf(&full.Hearings[i]).Elem(), &n)
	}
	for i := range full.Sayings {
		fill(reflect.ValueOf(&full.Sayings[i]).Elem(), &n)
	}
	fill(reflect.ValueOf(&full.Answers[0]).Elem(), &n)
	empty := pipeline.Trace{
		Kind: "voice", Hearings: []pipeline.Transcription{pipeline.NewTranscription(1, 2)}, Sayings: []pipeline.Speech{pipeline.NewSpeech(3, 4)},
		Answers: []pipeline.Answered{pipeline.NewAnswered(5, 6)},
	}
	for _, want := range []pipeline.Trace{full, empty} {
		line := Append(nil, &want)
		var w wireTrace
		d := json.NewDecoder(bytes.NewReader(line))
		d.DisallowUnknownFields()
		if err := d.Decode(&w); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		got, err := w.trace()
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("error %v; got\n%+v\nwant\n%+v", err, got, want)
		}
		if again := Append(nil, &got); !bytes.Equal(again, line) {
			t.Errorf("again\n%s\nwant\n%s", again, line)
		}
	}
}

// TestSpokenWithoutOutcome: a record that does not say how it ended is refused.
func TestSpokenWithoutOutcome(t *testing.T) {
	for _, kind := range []string{"hearings", "sayings", "answers"} {
		var w wireTrace
		if err := json.Unmarshal([]byte(`{"kind":"voice","due_ns":1,"outcome":"ok","`+kind+`":[{"id":7}]}`), &w); err != nil {
			t.Fatal(err)
		}
		if _, err := w.trace(); err == nil || !strings.Contains(err.Error(), "7: outcome is missing") {
			t.Errorf("%s: error %v", kind, err)
		}
	}
}

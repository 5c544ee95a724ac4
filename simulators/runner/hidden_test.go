package runner

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"halfsecond/pipeline"
	"halfsecond/pipeline/exchange"
	"halfsecond/pipeline/trace"
)

// secret is what nobody is to find in a record.
const secret = "my secret is a blue door"

// fill sets each text within a value to the secret, and returns where they are. Lists get one
// member.
func fill(v reflect.Value, at string) (places []string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(secret)
		return []string{at}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		return fill(v.Index(0), at)
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				places = append(places, fill(v.Field(i), at+"."+f.Name)...)
			}
		}
	}
	return places
}

// texts returns where within a value the secret is.
func texts(v reflect.Value, at string) (places []string) {
	switch v.Kind() {
	case reflect.String:
		if strings.Contains(v.String(), secret) {
			return []string{at}
		}
	case reflect.Slice:
		for i := range v.Len() {
			places = append(places, texts(v.Index(i), at)...)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				places = append(places, texts(v.Field(i), at+"."+f.Name)...)
			}
		}
	}
	return places
}

// TestHideTexts: every text in a record is either gone, or one of those that are ours: a new
// member of a record has to be put in one of the two groups.
func TestHideTexts(t *testing.T) {
	ours := []string{ // names of the program's own, and what tells of the connection
		".Kind", ".Spans.Name", ".Marks.Name", ".Uses.How", ".Requests.TokenSource", ".Requests.Impossible",
		".Requests.Reason", // its client hides the server's words in it
		".Requests.Finish", // the protocol's, and in the bytes that are kept
		".Hearings.Flags", ".Sayings.Flags", ".Answers.Flags", ".Facts.Name", ".Facts.Value",
	}
	var tr pipeline.Trace
	filled := fill(reflect.ValueOf(&tr).Elem(), "")
	tr.Facts = append(tr.Facts, pipeline.Fact{Name: pipeline.FactWords, Value: secret})
	// Reasons begin with words of ours.
	tr.Reason = "speech to text: HTTP 400: " + secret
	tr.Hearings[0].Reason = "HTTP 400: " + secret
	tr.Sayings[0].Reason = `the server reports error 7: "` + secret
	tr.Answers[0].Reason = "the server reports error " + secret
	hideTexts(&tr)
	left := slices.DeleteFunc(texts(reflect.ValueOf(tr), ""), func(at string) bool { return strings.Contains(at, ".Transport.") })
	slices.Sort(left)
	slices.Sort(ours)
	if !slices.Equal(left, ours) {
		t.Errorf("texts are left in\n%q, want them in\n%q\nof\n%q", left, ours, filled)
	}
	if v := tr.Facts[1].Value; v != sum(secret) {
		t.Errorf("words %q", v)
	}
	if want := "speech to text: HTTP 400: " + sum(secret); tr.Reason != want {
		t.Errorf("reason %q, want %q", tr.Reason, want)
	}
}

// TestReasonWithoutWords: of a reason our own words stay, and nothing else.
func TestReasonWithoutWords(t *testing.T) {
	hidden := sum(secret)
	for _, c := range []struct{ reason, want string }{
		{"", ""},
		{"no audio came", "no audio came"},
		{"no final text within 30s (--limit-whole 10s, and 20s for speech and the silence around it)", "no final text within 30s (--limit-whole 10s, and 20s for speech and the silence around it)"},
		{"the server reports an error: " + secret, "the server reports an error: " + hidden},
		{"the server reports error bad_request: " + secret + ": " + secret, "the server reports error bad_request: " + sum(secret+": "+secret)},
		{"the server reports error " + secret, "the server reports error " + hidden},
		{"the answer is " + secret + ": " + secret, "the answer is " + hidden + ": " + hidden},
		{"the answer is incomplete: " + secret, "the answer is incomplete: " + hidden},
		{"the session ended before the answer did: the server closed with code 1008: " + secret, "the session ended before the answer did: the server closed with code 1008: " + hidden},
		{`content type "` + secret + `", want audio`, "content type " + sum(`"`+secret+`"`) + ", want audio"},
		{"it broke off: read tcp 127.0.0.1:80->127.0.0.1:81: connection reset by peer", "it broke off: read tcp 127.0.0.1:80->127.0.0.1:81: connection reset by peer"},
		{"the server closed with code 1011: the session ended " + secret, "the server closed with code 1011: " + sum("the session ended "+secret)},
	} {
		if got := withoutWords(c.reason); got != c.want {
			t.Errorf("%q is %q, want %q", c.reason, got, c.want)
		}
	}
}

// TestHashedVoice: a run whose texts are not kept has nothing in its traces that was said, on
// the simulator and over sockets, and the same instants.
func TestHashedVoice(t *testing.T) {
	text := audioHead + "  audio: {}\n" + enginePart
	open, _ := rawRun(t, text, 4, exchange.Header{})
	hashed, _ := rawRun(t, text, 4, exchange.Header{Hashed: true})
	sim, err := Run(t.Context(), parse(t, text), Settings{Target: Sim, Seed: 7, N: 4, HashTexts: true})
	if err != nil {
		t.Fatal(err)
	}
	for i := range open.Traces {
		said := open.Traces[i].Hearings[0].Text
		if len(said) < 10 {
			t.Fatalf("turn %d: %q was heard", i, said)
		}
		for _, run := range []trace.Run{hashed, sim} {
			kept, err := json.Marshal(run.Traces[i])
			if err != nil {
				t.Fatal(err)
			}
			if run.Traces[i].Hearings[0].Text != sum(said) || bytes.Contains(kept, []byte(said[:10])) {
				t.Errorf("turn %d on %s: %q, want the sum of %q and that nowhere", i, run.Header.Target, run.Traces[i].Hearings[0].Text, said)
			}
		}
		got, want := hashed.Traces[i], open.Traces[i]
		got.Hearings[0].Text = said
		if session(&got) != session(&want) {
			t.Errorf("turn %d\n%s\nwant\n%s", i, session(&got), session(&want))
		}
	}
}

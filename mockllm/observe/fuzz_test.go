package observe

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"halfsecond/pipeline"
)

// FuzzReport: whatever is asked for, a report can be made of it, each document ends with
// what its last prompt showed, and so does the recording.
func FuzzReport(f *testing.F) {
	f.Add("a|b;ac|b;acd|b;|acdb;zz|;acdbe|", byte(3))
	f.Add("one two three four five six|;one two three four five six seven|\n;two three four five six|;one| two three four", byte(7))
	f.Add(lines(9)+"|;"+lines(8)+"|line;"+lines(9)[40:]+"xyz|;"+lines(12)+"|", byte(60))
	f.Add("é|;éé|;|é;日本|é;日|é", byte(1))
	f.Fuzz(func(t *testing.T, script string, gap byte) {
		if !utf8.ValidString(script) || len(script) > 4000 {
			return
		}
		o := New(Config{})
		shown := map[int]Prompt{}
		now := time.Duration(0)
		for i, text := range strings.Split(script, ";") {
			before, after, _ := strings.Cut(text, "|")
			now += time.Duration(gap) * time.Millisecond
			n := o.Begin(Request{Arrived: now, Prompt: Made(Section{Prefix, before}, Section{Suffix, after})})
			shown[n] = Prompt{Before: before, After: after}
			if i%3 > 0 {
				o.Finish(n, End{First: now + 5*time.Millisecond, Ended: now + 90*time.Millisecond, Left: pipeline.Unknown, Generated: 2, Answer: after})
			}
		}
		r := o.Report(true)
		if _, err := json.Marshal(r); err != nil {
			t.Fatal(err)
		}
		if err := r.Write(&bytes.Buffer{}, 20); err != nil {
			t.Fatal(err)
		}
		if err := o.WriteKeys(&bytes.Buffer{}); err != nil {
			t.Fatal(err)
		}
		_, requests := o.look()
		for _, d := range group(requests) {
			last := shown[d.visits[len(d.visits)-1].Number]
			rec := d.recorder(requests[0].Arrived)
			if got := rec.d.Text(); got != d.known || !strings.HasSuffix(string(rec.d.Before()), last.Before) || !strings.HasPrefix(rec.d.After(), last.After) {
				t.Fatalf("%q: document %d ends as %q, replayed as %q with the cursor at %d; its last prompt was %+v", script, d.id, d.known, got, rec.d.Cursor(), last)
			}
		}
	})
}

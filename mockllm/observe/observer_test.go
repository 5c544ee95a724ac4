package observe

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestBounds: the oldest requests are dropped and counted, by their number and by the bytes
// of their text, and how they end is not heard.
func TestBounds(t *testing.T) {
	o := New(Config{Kept: 3, Bytes: 100})
	var numbers []int
	for range 5 {
		numbers = append(numbers, o.Begin(Request{Prompt: Plain("0123456789")}))
	}
	o.Finish(numbers[0], End{Left: 1, Answer: strings.Repeat("x", 1000)})
	if got := o.Counts(); got != (Counts{Requests: 5, Dropped: 2, GivenUp: 1}) {
		t.Errorf("%+v, want 5 requests, 2 of them dropped, 1 given up", got)
	}
	o.Finish(numbers[4], End{Left: -1, Answer: strings.Repeat("x", 75)})
	if got := o.Counts(); got.Dropped != 3 {
		t.Errorf("%d dropped, want 3: an answer of 75 bytes leaves room for two prompts of 10", got.Dropped)
	}
	o.Begin(Request{Prompt: Plain(strings.Repeat("x", 200))})
	if got := o.Counts(); got.Dropped != 6 || got.Requests != 6 {
		t.Errorf("%+v, want all 6 dropped: the last one alone is too large", got)
	}
	if r := o.Report(false); r.Dropped != 6 || len(r.Documents) != 0 {
		t.Errorf("%+v", r)
	}
	o.Clear()
	o.Finish(numbers[4], End{})
	if got := o.Counts(); got != (Counts{}) {
		t.Errorf("%+v after Clear", got)
	}
}

// TestManyTellers: an observer may be told from many goroutines while it reports.
func TestManyTellers(t *testing.T) {
	o := New(Config{Kept: 10})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 50 {
				n := o.Begin(Request{Prompt: Plain("some text")})
				o.Report(true)
				o.Finish(n, End{First: 1, Ended: 2, Left: -1, Answer: "x"})
			}
		})
	}
	all.Wait()
	if got := o.Counts(); got.Requests != 200 || got.Dropped != 190 {
		t.Errorf("%+v", got)
	}
}

// TestTextsAreAskedFor: a report holds nothing of what was typed or answered unless texts
// are asked for.
func TestTextsAreAskedFor(t *testing.T) {
	d := newDesk(numbered(60) + "|")
	d.suffix, d.window = -1, 1200
	d.typing("SECRET_TYPED and more", key, 3*key, "SECRET_ANSWER")
	d.o.Other()
	d.o.Refused()
	for _, texts := range []bool{false, true} {
		r := d.o.Report(texts)
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		var words bytes.Buffer
		if err := r.Write(&words, 100); err != nil {
			t.Fatal(err)
		}
		if got := bytes.Contains(text, []byte("SECRET_ANSWER")) && bytes.Contains(text, []byte(`"text":"E"`)); got != texts {
			t.Errorf("with texts %v the report has them: %v", texts, got)
		}
		for _, hidden := range []string{"SECRET", "value"} {
			if strings.Contains(words.String(), hidden) || !texts && bytes.Contains(text, []byte(hidden)) {
				t.Errorf("with texts %v the report holds %q", texts, hidden)
			}
		}
	}
}

// TestWords: the report for people.
func TestWords(t *testing.T) {
	d := newDesk("con|\nend of it\n")
	d.answered(d.ask(time.Second), ms100, "sole.log(x)")
	d.put("so")
	d.answered(d.ask(time.Second), ms100, "le.log(x)")
	d.put("le.log(x)")
	d.ask(time.Second)
	d.o.Other()
	r := d.o.Report(false)
	var out bytes.Buffer
	if err := r.Write(&out, 80); err != nil {
		t.Fatal(err)
	}
	const want = `observed  3 completions of 1 document, 0 given up by the client; 1 request beside them
typing    2 keys typed, 0 taken back, 1 suggestion accepted, 0 inserted at once, 0 cursor moves, 0 edits elsewhere; 1.50 requests a key
answers   when their text came: exact 2
          beside the next request: typed_through 1, used_up 1
          2 tokens out to clients, 12 of them in the text later

no habit was found that costs anything
`
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", &out, want)
	}
	empty := New(Config{}).Report(false)
	out.Reset()
	if err := empty.Write(&out, 80); err != nil || !strings.Contains(out.String(), "point the plugin here") {
		t.Errorf("%v, %q", err, &out)
	}
}

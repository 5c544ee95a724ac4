package recording

import (
	"bytes"
	"strings"
	"testing"

	"halfsecond/pipeline/document"
	"halfsecond/simulators/ide/typing"
)

// The whole of the built-in session has each key of its documents, and leaves each
// text as the replay of its document does.
func TestWholeSession(t *testing.T) {
	s := BuiltIn()
	want, ends := 0, map[string]bool{}
	for _, number := range s.Documents() {
		y, err := s.Replay(number)
		if err != nil {
			t.Fatal(err)
		}
		text, keys := replayed(y)
		want += keys
		ends[text] = true
	}
	var d document.Document
	keys, opened := 0, 0
	for i, step := range all(s.Whole()) {
		if step.Kind == typing.Open {
			if opened++; i > 0 && opened > 1 {
				delete(ends, d.Text())
			}
		}
		step.Do(&d)
		if step.Kind == typing.Key {
			keys++
		}
	}
	delete(ends, d.Text())
	if keys != want || keys != 2133 {
		t.Errorf("%d keys, the documents have %d, want 2133", keys, want)
	}
	if len(ends) > 0 {
		t.Errorf("%d documents were not left as they end", len(ends))
	}
	if opened < 20 {
		t.Errorf("%d documents were opened, want many", opened)
	}
}

// Truth follows at the cursor until something else happens or another document is
// opened.
func TestWholeTruthFollows(t *testing.T) {
	var d page
	promised, open := "", false
	for i, step := range all(BuiltIn().Whole()) {
		if _, ok := added(&d, &step); !ok && open {
			if got := d.between(0, d.cursor); got != promised {
				t.Fatalf("step %d: came to %q, promised was %q", i, got, promised)
			}
			open = false
		}
		d.do(&step)
		if open && !strings.HasPrefix(promised, d.between(0, d.cursor)) {
			t.Fatalf("step %d: came to %q, promised was %q", i, d.between(0, d.cursor), promised)
		}
		if step.Kind == typing.Key {
			promised, open = d.between(0, d.cursor)+step.Truth, true
		}
	}
}

// Who comes back to a document and goes on there did something else in between.
func TestWholeTruthEndsElsewhere(t *testing.T) {
	s, err := Read("f", strings.NewReader(`{"ev":"content","t":0,"doc":1,"text":""}
{"ev":"content","t":0,"doc":2,"text":"z"}
{"ev":"edit","t":100,"doc":1,"k":"char","edit":[[0,0,"a"]]}
{"ev":"edit","t":150,"doc":2,"k":"delete","edit":[[0,1,""]]}
{"ev":"edit","t":200,"doc":1,"k":"char","edit":[[1,1,"b"]]}
{"ev":"edit","t":300,"doc":2,"k":"char","edit":[[0,0,"c"]],"truth":"told"}
{"ev":"edit","t":400,"doc":1,"k":"char","edit":[[2,2,"d"]]}`))
	if err != nil {
		t.Fatal(err)
	}
	key := func(at int, text, truth string, burst int, s typing.Step) typing.Step {
		s.Kind, s.Edit, s.Truth, s.Burst = typing.Key, edit(at, 0, text, at+1), truth, burst
		return s
	}
	same(t, "whole", all(s.Whole()), []typing.Step{
		{Kind: typing.Open, Document: 2},
		key(0, "a", "b", 1, typing.Step{}),
		key(1, "b", "", 1, typing.Step{Gap: 100 * ms}),
		{Kind: typing.Open, Document: 3, Gap: 100 * ms},
		key(0, "c", "told", 2, typing.Step{}),
		{Kind: typing.Open, Document: 2, Gap: 100 * ms, Text: "ab", Cursor: 2},
		key(2, "d", "", 3, typing.Step{}),
	})
	same(t, "document 1", steps(t, s, 1), []typing.Step{
		{Kind: typing.Open},
		key(0, "a", "bd", 1, typing.Step{Gap: 100 * ms}),
		key(1, "b", "d", 1, typing.Step{Gap: 100 * ms}),
		key(2, "d", "", 1, typing.Step{Gap: 200 * ms}),
	})
}

// A session can be a paste and nothing else.
func TestWholeOfChanges(t *testing.T) {
	s, err := Read("f", strings.NewReader("t_ms,doc,offset,delete,insert,cursor\n0,a,0,0,,\n5,a,0,0,word,\n"))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "whole", all(s.Whole()), []typing.Step{{Kind: typing.Open, Document: 2}, {Kind: typing.Change, Edit: edit(0, 0, "word", 4)}})
}

func BenchmarkWhole(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if len(all(BuiltIn().Whole())) == 0 {
			b.Fatal("nothing")
		}
	}
}

func BenchmarkRead(b *testing.B) {
	var file bytes.Buffer
	if err := Write(&file, BuiltIn().Whole()); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(file.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Read("f", bytes.NewReader(file.Bytes())); err != nil {
			b.Fatal(err)
		}
	}
}

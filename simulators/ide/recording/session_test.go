package recording

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline/document"
	"halfsecond/simulators/ide/typing"
)

func steps(t *testing.T, s *Session, number int) []typing.Step {
	t.Helper()
	y, err := s.Replay(number)
	if err != nil {
		t.Fatal(err)
	}
	var all []typing.Step
	for {
		step, ok := y.Next()
		if !ok {
			return all
		}
		all = append(all, step)
	}
}

// The built-in recording replays, and its gaps have the shares over a debounce
// that were computed from the file by other means: 1812 gaps between keys that
// follow each other.
func TestRecordedSession(t *testing.T) {
	s := BuiltIn()
	gaps := map[time.Duration]int{75: 0, 150: 0, 350: 0, 500: 0}
	n := 0
	for _, number := range []int{18, 19, 22} {
		var d document.Document
		var since time.Duration
		afterKey := false
		for _, step := range steps(t, s, number) {
			step.Do(&d) // panics when a position is outside
			since += step.Gap
			if step.Kind == typing.Move {
				continue
			}
			if step.Kind == typing.Key && afterKey {
				n++
				for debounce := range gaps {
					if since > debounce*time.Millisecond {
						gaps[debounce]++
					}
				}
			}
			afterKey, since = step.Kind == typing.Key, 0
		}
	}
	if n != 1812 {
		t.Errorf("%d gaps, want 1812", n)
	}
	for debounce, want := range map[time.Duration]string{75: "75.06", 150: "37.20", 350: "13.08", 500: "9.33"} {
		if got := fmt.Sprintf("%.2f", 100*float64(gaps[debounce])/float64(n)); got != want {
			t.Errorf("%s %% of the gaps are longer than %d ms, want %s", got, debounce, want)
		}
	}
}

// Truth is what follows at the cursor until something else happens.
func TestRecordedTruthFollows(t *testing.T) {
	s := BuiltIn()
	for _, number := range []int{18, 19, 22} {
		var d page
		promised, open := "", false // of the last key: the text before the cursor
		for i, step := range steps(t, s, number) {
			if _, ok := added(&d, &step); !ok && open {
				if got := d.between(0, d.cursor); got != promised {
					t.Fatalf("document %d, step %d: came to %q, promised was %q", number, i, got, promised)
				}
				open = false
			}
			d.do(&step)
			if open && !strings.HasPrefix(promised, d.between(0, d.cursor)) {
				t.Fatalf("document %d, step %d: came to %q, promised was %q", number, i, d.between(0, d.cursor), promised)
			}
			if step.Kind == typing.Key {
				promised, open = d.between(0, d.cursor)+step.Truth, true
			}
		}
	}
}

const head = `{"ev":"content","t":100,"doc":1,"path":"a.ts","text":"é😀\nab"}` + "\n"

func TestReadSession(t *testing.T) {
	s, err := Read("f", strings.NewReader(head+`
{"ev":"sel","t":150,"doc":1,"sel":[[4,4]]}
{"ev":"edit","t":200,"doc":1,"v":2,"k":"pair","edit":[[4,4,"{}"]]}
{"ev":"sel","t":201,"doc":1,"sel":[[5,5]]}
{"ev":"edit","t":300,"doc":1,"k":"enter","edit":[[5,5,"\n  \n"]]}
{"ev":"edit","t":400,"doc":1,"k":"char","edit":[[8,8,"x"]]}
{"ev":"sel","t":402,"doc":1,"sel":[[9,9]]}
{"ev":"edit","t":500,"doc":1,"k":"replace","edit":[[8,9,"xyz"]],"src":"inlineSuggestion.accept"}
{"ev":"edit","t":600,"doc":1,"k":"backspace","edit":[[10,11,""]]}
{"ev":"edit","t":700,"doc":1,"k":"multi","edit":[[0,1,"e"],[1,3,"!"]]}
{"ev":"sel","t":900,"doc":1,"sel":[[2,2],[3,3]]}
{"ev":"edit","t":950,"doc":1,"k":"char","edit":[[2,2,"1"]],"src":"snippet"}
{"ev":"content","t":960,"doc":1,"path":"a.ts","text":""}`))
	if err != nil {
		t.Fatal(err)
	}
	ms := time.Millisecond
	want := []typing.Step{
		{Kind: typing.Open, Text: "é😀\nab"},
		{Kind: typing.Move, Gap: 50 * ms, Cursor: 7, Truth: "{\n  xyz"},
		{Kind: typing.Key, Gap: 50 * ms, Edit: edit(7, 0, "{}", 8), Class: typing.Punct, Burst: 1, Truth: "\n  xyz"},
		{Kind: typing.Key, Gap: 100 * ms, Edit: edit(8, 0, "\n  \n", 11), Class: typing.Enter, Burst: 1, Truth: "xyz"},
		{Kind: typing.Key, Gap: 100 * ms, Edit: edit(11, 0, "x", 12), Class: typing.Word, Burst: 1, Truth: "yz"},
		{Kind: typing.Change, Gap: 100 * ms, Edit: edit(11, 1, "xyz", 14)},
		{Kind: typing.Key, Gap: 100 * ms, Edit: edit(13, 1, "", 13), Class: typing.Backspace, Burst: 1},
		{Kind: typing.Change, Gap: 100 * ms, Edit: edit(2, 4, "!", 3)},
		{Kind: typing.Change, Edit: edit(0, 2, "e", 1)},
		{Kind: typing.Move, Gap: 200 * ms, Cursor: 2, Truth: "1"},
		{Kind: typing.Change, Gap: 50 * ms, Edit: edit(2, 0, "1", 3)},
		{Kind: typing.Open, Gap: 10 * ms},
	}
	got := steps(t, s, 1)
	if len(got) != len(want) {
		t.Fatalf("%d steps, want %d: %+v", len(got), len(want), got)
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("step %d\n got %+v\nwant %+v", i, got[i], want[i])
		}
	}
}

func TestReadSessionRefuses(t *testing.T) {
	for _, c := range []struct{ name, lines, want string }{
		{"nothing", "", "f: the recording has no edit"},
		{"no edit", head, "f: the recording has no edit"},
		{"no JSON", head + "\nx", "f:3:1: invalid character 'x' looking for beginning of value"},
		{"no time", `{"ev":"content","doc":1}`, `f:1:1: "t" is missing`},
		{"no document", `{"ev":"content","t":1}`, `f:1:1: "doc" is missing`},
		{"back in time", head + `{"ev":"sel","t":99,"doc":1,"sel":[[0,0]]}`, "f:2:1: t is 99 ms, before the 100 ms of an earlier line"},
		{"far future", `{"ev":"content","t":31622400001,"doc":1}`, "f:1:1: t is 31622400001 ms, more than a year"},
		{"unknown event", head + `{"ev":"scroll","t":100,"doc":1}`, `f:2:1: document 1: ev is "scroll", want content, edit or sel`},
		{"before content", `{"ev":"sel","t":1,"doc":7,"sel":[[0,0]]}`, `f:1:1: document 7: "sel" comes before its content`},
		{"unknown kind", head + `{"ev":"edit","t":100,"doc":1,"k":"swipe","edit":[[0,0,"x"]]}`,
			`f:2:1: document 1: k is "swipe", want char, pair, enter, backspace, overtype, delete, insert, replace or multi`},
		{"no part", head + `{"ev":"edit","t":100,"doc":1,"k":"char"}`, "f:2:1: document 1: the edit has no part"},
		{"part of two", head + `{"ev":"edit","t":100,"doc":1,"k":"char","edit":[[0,"x"]]}`, `f:2:1: a part of an edit is [0,"x"], want [start, end, text]`},
		{"two parts of a key", head + `{"ev":"edit","t":100,"doc":1,"k":"char","edit":[[0,0,"x"],[0,0,"y"]]}`, "f:2:1: document 1: an edit of kind char has 2 parts, want 1"},
		{"key that adds nothing", head + `{"ev":"edit","t":100,"doc":1,"k":"char","edit":[[0,1,""]]}`, "f:2:1: document 1: an edit of kind char adds nothing"},
		{"backspace that adds", head + `{"ev":"edit","t":100,"doc":1,"k":"backspace","edit":[[0,1,"x"]]}`, `f:2:1: document 1: a backspace adds "x", want nothing`},
		{"outside", head + `{"ev":"edit","t":100,"doc":1,"k":"char","edit":[[7,7,"x"]]}`, "f:2:1: document 1: position 7 is outside of the text"},
		{"negative", head + `{"ev":"edit","t":100,"doc":1,"k":"char","edit":[[-1,0,"x"]]}`, "f:2:1: document 1: position -1 is outside of the text"},
		{"half a character", head + `{"ev":"sel","t":100,"doc":1,"sel":[[2,2]]}`, "f:2:1: document 1: position 2 is inside of a character"},
		{"end before start", head + `{"ev":"edit","t":100,"doc":1,"k":"delete","edit":[[1,0,""]]}`, "f:2:1: document 1: an edit ends at 0, before its start at 1"},
		{"no range", head + `{"ev":"sel","t":100,"doc":1,"sel":[]}`, "f:2:1: document 1: the selection has no range"},
	} {
		if _, err := Read("f", strings.NewReader(c.lines)); err == nil || err.Error() != c.want {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
	if _, err := BuiltIn().Replay(5); err == nil || !strings.HasPrefix(err.Error(), "the recording has no document 5, only 22 (language-service-plugin/src/decorateLanguageService.ts, 1675 edits), 19") {
		t.Errorf("Replay(5): error %v", err)
	}
}

func edit(offset, deleted int, insert string, cursor int) document.Edit {
	return document.Edit{Offset: offset, Delete: deleted, Insert: insert, Cursor: cursor}
}

package runner

import (
	"strings"
	"testing"
	"time"

	"halfsecond/simulators/ide/recording"
	"halfsecond/simulators/ide/typing"
	"halfsecond/simulators/scenario"
)

// Every key of a typist reaches whoever types.
func TestTypistOfScenario(t *testing.T) {
	text, err := typing.Text("python-report")
	if err != nil {
		t.Fatal(err)
	}
	who, err := typing.NewTypist(text, typing.Profile{
		WPM: 70, Shape: typing.LogLogistic, Lines: 7, Slips: .11, Rethinks: .12, Jumps: .13, Pastes: .14,
		HoldFirst: 300 * time.Millisecond, HoldNext: 20 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	session, err := recording.Read("f", strings.NewReader("t_ms,doc,offset,delete,insert,cursor\n0,1,0,0,,\n0,2,0,0,,\n1,1,0,0,x,\n2,2,0,0,y,\n3,1,1,0,z,\n"))
	if err != nil {
		t.Fatal(err)
	}
	two, err := session.Replay(2)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		typist string
		want   typing.Source
	}{
		"generated": {"{profile: slow, wpm: 70, gaps: loglogistic, text: python-report, lines: 7, errors: 11%, rethinks: 12%, jumps: 13%, pastes: 14%, hold_first: 300ms, hold_next: 20ms}",
			who.Type(5, 2)},
		"one document":      {"{session: s.csv, document: 2}", two},
		"the whole session": {"{session: s.csv}", session.Whole()},
	} {
		s, err := scenario.Parse("f", []byte("halfsecond: 1\nkind: ide\nname: n\nide:\n  llm: {ttft: 1ms, tokens_per_second: 50}\n  typist: "+c.typist), func(string) ([]byte, error) {
			return []byte("t_ms,doc,offset,delete,insert,cursor\n0,1,0,0,,\n0,2,0,0,,\n1,1,0,0,x,\n2,2,0,0,y,\n3,1,1,0,z,\n"), nil
		})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		r := &run{settings: Settings{Seed: 5}}
		types, err := r.typist(s.IDE.Typist)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got := types(2)
		for i := range 5000 {
			a, more := got.Next()
			b, want := c.want.Next()
			if a != b || more != want {
				t.Fatalf("%s: step %d is %+v, want %+v", name, i, a, b)
			}
		}
	}
}

package ending

import (
	"strings"
	"testing"
	"time"
)

func TestReadTurns(t *testing.T) {
	turns, err := ReadTurns("x.csv", strings.NewReader("turn,kind,text\n7,digits,\"It is 415 {280}555,  {590} 0123.\"\n8,affirmation,Yeah.\n"))
	if err != nil || len(turns) != 2 {
		t.Fatalf("%d turns, %v", len(turns), err)
	}
	got := turns[0]
	if got.ID != 7 || got.Kind != Digits || got.Text != "It is 415 555, 0123." || got.Ends != WithNumber || len(got.Pauses) != 2 {
		t.Errorf("turn 7 is %+v", got)
	}
	if p := got.Pauses[1]; p != (Silence{Words: 4, Length: 590 * ms, After: "It is 415 555,", Ends: WithNumber}) {
		t.Errorf("second pause is %+v", p)
	}
	if got.String() != "It is 415 {280}555, {590}0123." || turns[1].String() != "Yeah." {
		t.Errorf("written as %q and %q", got, turns[1])
	}
}

func TestReadTurnsRefuses(t *testing.T) {
	for _, c := range []struct{ file, want string }{
		{"", "x.csv: the first line is not turn,kind,text"},
		{"turn,kind,words\n", "x.csv: the first line is not turn,kind,text"},
		{"turn,kind,text\n", "x.csv: no turns"},
		{"turn,kind,text\n1,plain\n", "x.csv: record on line 2: wrong number of fields"},
		{"turn,kind,text\n0,plain,hi\n", `x.csv:2: turn is "0": want a whole number from 1 on`},
		{"turn,kind,text\n1,long,hi\n", `x.csv:2: kind is "long": want one of [plain digits`},
		{"turn,kind,text\n1,plain,hi\n1,plain,hi\n", "x.csv:3: turn 1 is there twice"},
		{"turn,kind,text\n1,plain,{200}hi\n2,plain,hi {3}\n", "x.csv:2: text \"{200}hi\": want words before and after each pause"},
		{"turn,kind,text\n1,plain,{200}hi\n2,plain,hi {3}\n", "x.csv:3: text \"hi {3}\": want words"},
		{"turn,kind,text\n1,plain,a {3} {3} b\n", "want words before and after"},
		{"turn,kind,text\n1,plain,a {3 b\n", "and a pause as {ms}"},
		{"turn,kind,text\n1,plain,a {0}b\n", `pause is "0": want ms from 1 to 60000`},
		{"turn,kind,text\n1,plain,a {60001}b\n", `pause is "60001"`},
		{"turn,kind,text\n1,plain,a {-5}b\n", `pause is "-5"`},
		{"turn,kind,text\n1,plain,\xff\n", "text is no UTF-8"},
		{"turn,kind,text\n1,plain,\n", "want words"},
	} {
		if _, err := ReadTurns("x.csv", strings.NewReader(c.file)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want %q", c.file, err, c.want)
		}
	}
}

func FuzzReadTurns(f *testing.F) {
	f.Add(builtin)
	f.Add("turn,kind,text\n1,plain,a {3} {3} b\n2,list,\"x, {90}y\"\n")
	f.Fuzz(func(t *testing.T, file string) {
		turns, err := ReadTurns("f", strings.NewReader(file))
		if err != nil {
			return
		}
		for _, turn := range turns {
			again, err := parseTurn([]string{"1", string(turn.Kind), turn.String()})
			if err != nil || again.Text != turn.Text || again.String() != turn.String() || len(again.Pauses) != len(turn.Pauses) {
				t.Fatalf("%q read again: %+v, %v", turn.String(), again, err)
			}
			for i, p := range turn.Pauses {
				if p != again.Pauses[i] || p.Length <= 0 || !strings.HasPrefix(turn.Text, p.After+" ") || p.Words != len(strings.Fields(p.After)) {
					t.Fatalf("pause %d of %q: %+v", i, turn.Text, p)
				}
			}
		}
	})
}

// The shares that SOURCES.md has beside those of eot-bench.
func TestBuiltinTurns(t *testing.T) {
	turns := Turns()
	perKind, lengths := map[Kind]int{}, []time.Duration(nil)
	for _, turn := range turns {
		perKind[turn.Kind]++
		for _, p := range turn.Pauses {
			lengths = append(lengths, p.Length)
			if turn.Kind == Affirmation {
				t.Errorf("%q pauses", turn)
			}
		}
	}
	for _, k := range Kinds() {
		if perKind[k] < 6 || len(Of(turns, k)) != perKind[k] {
			t.Errorf("%d turns of kind %s, Of has %d", perKind[k], k, len(Of(turns, k)))
		}
	}
	if len(turns) != 68 || len(lengths) != 120 {
		t.Errorf("%d turns with %d pauses, want 68 with 120", len(turns), len(lengths))
	}
	for wait, want := range map[time.Duration]int{199: 120, 300: 67, 600: 26, 900: 14, 1000: 12, 1600: 6, 2000: 4, 3000: 2, 5000: 0} {
		n := 0
		for _, l := range lengths {
			n += count(l > wait*ms)
		}
		if n != want {
			t.Errorf("%d pauses are longer than %d ms, want %d", n, wait, want)
		}
	}
}

func TestEndsOf(t *testing.T) {
	for text, want := range map[string]Ends{
		"": WithNeither, "  ": WithNeither, "I would": WithNeither, "wait,": WithNeither, "...": WithPunctuation, ",": WithNeither,
		"Yes.": WithPunctuation, "really?!": WithPunctuation, "好。": WithPunctuation, "so…": WithPunctuation, "a.m": WithNeither, "she said \"no.\"": WithNeither,
		"415": WithNumber, "415 555.": WithNumber, "zero two oh": WithNumber, "nine three one,": WithNumber, "the 14th,": WithNeither,
		"the small one": WithNeither, "oh": WithNeither, "Oh one two": WithNumber, "Twenty": WithNumber, "one": WithNeither, "room B12": WithNumber, "it is five one one": WithNumber,
	} {
		if got := EndsOf(text); got != want {
			t.Errorf("EndsOf(%q) = %d, want %d", text, got, want)
		}
	}
}

func TestPick(t *testing.T) {
	turns := Turns()
	seen := map[int]bool{}
	for i := range 2000 {
		seen[Pick(turns, 1, i%7, i).ID] = true
	}
	if len(seen) != len(turns) {
		t.Errorf("%d of %d turns were picked", len(seen), len(turns))
	}
	if first, again := Pick(turns, 1, 2, 3), Pick(turns, 1, 2, 3); first.ID != again.ID {
		t.Errorf("turn %d was picked, and then %d", first.ID, again.ID)
	}
}

package recording

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline/document"
	"halfsecond/simulators/ide/typing"
)

// formats are those in which any typing can be written.
var formats = map[string]func(io.Writer, typing.Source) error{"lines": Write, "table": WriteTable}

type source struct{ steps []typing.Step }

func (s *source) Next() (typing.Step, bool) {
	if len(s.steps) == 0 {
		return typing.Step{}, false
	}
	first := s.steps[0]
	s.steps = s.steps[1:]
	return first, true
}

// everybody returns sources of all kinds, by their names.
func everybody(t *testing.T) map[string]func() typing.Source {
	t.Helper()
	text := "package é // 😀\n\nfunc f(a []int) int {\n\treturn g(a[1], \"日本\") // 😀 and so on\n}\n\n" + strings.Repeat("the last line of all()\n", 20)
	person, err := typing.NewTypist(text, typing.Profile{
		Slips: .05, Rethinks: .3, Jumps: .3, Pastes: .1, Lines: 8, HoldFirst: 500 * ms, HoldNext: 33 * ms})
	if err != nil {
		t.Fatal(err)
	}
	sources := map[string]func() typing.Source{
		"typist": func() typing.Source { return typing.First(person.Type(1, 0), 3000) },
		"whole":  BuiltIn().Whole,
		"changes": func() typing.Source {
			return &source{[]typing.Step{
				{Kind: typing.Open, Text: "é\nb", Cursor: 2},
				{Kind: typing.Change, Gap: 1, Edit: edit(0, 2, "e", 0)},
				{Kind: typing.Change, Gap: 123456789, Edit: edit(0, 0, "", 1)},
				{Kind: typing.Change, Edit: edit(0, 1, "", 0)},
				{Kind: typing.Move, Gap: ms, Cursor: 2},
				{Kind: typing.Key, Gap: 2 * ms, Class: typing.Enter, Edit: edit(2, 0, "\n\t\n", 4), Burst: 1, Truth: "x, \"y\" and\n"},
				{Kind: typing.Key, Gap: 2000*ms + 1, Class: typing.Word, Edit: edit(4, 0, "x", 5), Burst: 2},
				{Kind: typing.Open, Gap: time.Hour},
			}}
		},
	}
	for _, number := range BuiltIn().Documents() {
		sources[fmt.Sprint("document ", number)] = func() typing.Source {
			y, _ := BuiltIn().Replay(number)
			return y
		}
	}
	return sources
}

// What is written is read as it was, and the same typing gives the same bytes.
func TestWrite(t *testing.T) {
	for name, y := range everybody(t) {
		for format, write := range formats {
			var first, second bytes.Buffer
			if err := write(&first, y()); err != nil {
				t.Fatalf("%s, %s: %v", name, format, err)
			}
			if err := write(&second, y()); err != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
				t.Errorf("%s, %s: written twice it differs (%v)", name, format, err)
			}
			s, err := Read("f", &first)
			if err != nil {
				t.Fatalf("%s, %s: %v", name, format, err)
			}
			want := unnumbered(all(y()))
			if format == "table" { // which has no selections
				for i := range want {
					want[i].Selected = 0
				}
			}
			same(t, name+", "+format, steps(t, s, 0), want)
		}
	}
}

// A selection is written from its start to the cursor, in both directions.
func TestWriteSelection(t *testing.T) {
	typed := []typing.Step{
		{Kind: typing.Open, Text: "é😀\nab", Cursor: 2},
		{Kind: typing.Move, Gap: ms, Cursor: 9, Selected: 7, Truth: "x"},
		{Kind: typing.Move, Gap: ms, Cursor: 6, Selected: -2},
	}
	var out strings.Builder
	if err := Write(&out, &source{steps: append(typed, typing.Step{Kind: typing.Change, Edit: edit(6, 2, "", 6)})}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"sel":[[1,6]],"truth":"x"`, `"sel":[[5,3]],"truth":""`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("written:\n%swant %s in it", out.String(), want)
		}
	}
	s, err := Read("f", strings.NewReader(out.String()))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "selections", steps(t, s, 0)[:3], typed)
}

func TestWriteLines(t *testing.T) {
	var out strings.Builder
	if err := Write(&out, &source{steps: everybodyChanges(t)}); err != nil {
		t.Fatal(err)
	}
	const want = `{"ev":"content","t":0,"doc":0,"text":"é\nb","cursor":1}
{"ev":"edit","t":0.000001,"doc":0,"k":"replace","edit":[[0,1,"e"]],"cursor":0,"truth":""}
{"ev":"edit","t":123.45679,"doc":0,"k":"insert","edit":[[0,0,""]],"cursor":1,"truth":""}
{"ev":"edit","t":123.45679,"doc":0,"k":"delete","edit":[[0,1,""]],"cursor":0,"truth":""}
{"ev":"sel","t":124.45679,"doc":0,"sel":[[2,2]],"truth":""}
{"ev":"edit","t":126.45679,"doc":0,"k":"enter","edit":[[2,2,"\n\t\n"]],"cursor":4,"class":"enter","burst":1,"truth":"x, \"y\" and\n"}
{"ev":"edit","t":2126.456791,"doc":0,"k":"char","edit":[[4,4,"x"]],"cursor":5,"class":"word","burst":2,"truth":""}
{"ev":"content","t":3602126.456791,"doc":0,"text":"","cursor":0}
`
	if out.String() != want {
		t.Errorf("written:\n%s\nwant:\n%s", out.String(), want)
	}
	out.Reset()
	if err := WriteTable(&out, &source{steps: everybodyChanges(t)}); err != nil {
		t.Fatal(err)
	}
	const table = `t_ms,doc,offset,delete,insert,cursor,kind,truth
0,0,0,0,"é
b",1,open,
0.000001,0,0,1,e,0,replace,
123.45679,0,0,0,,1,insert,
123.45679,0,0,1,,0,delete,
124.45679,0,0,0,,2,,
126.45679,0,2,0,"
	
",4,enter,"x, ""y"" and
"
2126.456791,0,4,0,x,5,char,
3602126.456791,0,0,0,,0,open,
`
	if out.String() != table {
		t.Errorf("written:\n%s\nwant:\n%s", out.String(), table)
	}
}

func everybodyChanges(t *testing.T) []typing.Step { return all(everybody(t)["changes"]()) }

func TestWriteRefuses(t *testing.T) {
	open := typing.Step{Kind: typing.Open, Text: "a\r\nb"}
	for _, c := range []struct {
		name   string
		format string
		steps  []typing.Step
		want   string
	}{
		{"no document", "lines", []typing.Step{{Kind: typing.Move}}, "step 1: the first step opens no document"},
		{"a key that does nothing", "lines", []typing.Step{open, {Kind: typing.Key}}, `step 2: no recording holds a key of class word that types ""`},
		{"another class", "lines", []typing.Step{open, {Kind: typing.Key, Class: typing.Space, Edit: edit(0, 0, "x", 1)}}, `step 2: no recording holds a key of class space that types "x"`},
		{"a backspace that types", "lines", []typing.Step{open, {Kind: typing.Key, Class: typing.Backspace, Edit: edit(0, 1, "x", 1)}}, `step 2: no recording holds a key of class backspace that types "x"`},
		{"line ends", "table", []typing.Step{open}, `step 1: a table does not hold texts with \r\n`},
	} {
		if err := formats[c.format](io.Discard, &source{c.steps}); err == nil || err.Error() != c.want {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

func TestInstants(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"0": 0, "12": 12 * ms, "12.5": 12*ms + 500_000, "0.000001": 1, "31622400000": longestRecording, "31622399999.999999": longestRecording - 1,
		"1e3": 1000 * ms, ".5": 500_000, "1.0000004": ms, "7.": 7 * ms, "2.50": 2*ms + 500_000,
	} {
		if got, err := parseInstant(text); err != nil || time.Duration(got) != want {
			t.Errorf("parseInstant(%s) = %s, %v, want %s", text, time.Duration(got), err, want)
		}
		if got, err := parseInstant(instant(want).String()); err != nil || time.Duration(got) != want {
			t.Errorf("%s is read again as %s, %v", want, time.Duration(got), err)
		}
	}
	for _, text := range []string{"", "x", "-1", "-0.5", "1.2.3", "NaN", "Inf", "1e300", `"5"`, "1 "} {
		if got, err := parseInstant(text); err == nil || err.Error() != "an instant is "+text+", want milliseconds from 0 on" {
			t.Errorf("parseInstant(%s) = %s, %v, want it refused", text, time.Duration(got), err)
		}
	}
}

// inside panics unless the steps fit their documents.
func replayed(y typing.Source) (text string, keys int) {
	var d document.Document
	for _, s := range all(y) {
		s.Do(&d)
		if s.Kind == typing.Key {
			keys++
		}
	}
	return d.Text(), keys
}

package recording

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"halfsecond/pipeline/document"
	"halfsecond/simulators/ide/typing"
)

// The table of Read's comment.
func TestReadTable(t *testing.T) {
	for name, file := range map[string]string{
		"as it is": "t_ms,doc,offset,delete,insert,cursor\n0,main.py,0,0,\"print(1)\n\",9\n1200,main.py,6,1,2,\n1500,main.py,,,,9\n" +
			"1501,main.py,9,0,é,\n1600.5,main.py,10,,😀,\n1700,main.py,10,2,,\n1800,main.py,10,,[],11\n1801,main.py,0,5,,\n",
		"other columns": "kind,insert,cursor,delete,offset,doc,t_ms\r\n,\"print(1)\r\n\",9,0,0,main.py,0\r\n,2,,1,6,main.py,1200\r\n,,9,,,main.py,1500\r\n" +
			"char,é,,0,9,main.py,1501\r\n,😀,,,10,main.py,1600.5\r\nbackspace,,,2,10,main.py,1700\r\npair,[],11,,10,main.py,1800\r\ndelete,,0,5,0,main.py,1801\r\n",
	} {
		s, err := Read("f", strings.NewReader(file))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		same(t, name, steps(t, s, 1), []typing.Step{
			{Kind: typing.Open, Text: "print(1)\n", Cursor: 9},
			{Kind: typing.Change, Gap: 1200 * ms, Edit: edit(6, 1, "2", 7)},
			{Kind: typing.Move, Gap: 300 * ms, Cursor: 9, Truth: "é😀"},
			{Kind: typing.Key, Gap: ms, Edit: edit(9, 0, "é", 11), Class: typing.Word, Burst: 1, Truth: "😀"},
			{Kind: typing.Key, Gap: 99*ms + 500_000, Edit: edit(11, 0, "😀", 15), Class: typing.Punct, Burst: 1},
			{Kind: typing.Key, Gap: 99*ms + 500_000, Edit: edit(11, 4, "", 11), Class: typing.Backspace, Burst: 1, Truth: "["},
			{Kind: typing.Key, Gap: 100 * ms, Edit: edit(11, 0, "[]", 12), Class: typing.Punct, Burst: 1},
			{Kind: typing.Change, Gap: ms, Edit: edit(0, 5, "", 0)},
		})
	}
}

// Documents of a table are numbered as they come, or have numbers.
func TestReadTableDocuments(t *testing.T) {
	const head = "t_ms,doc,offset,delete,insert,cursor\n"
	s, err := Read("f", strings.NewReader(head+"0,b,0,0,,\n0,a,0,0,,\n0,7,0,0,,\n1,a,0,0,x,\n"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := s.list(), "2 (a, 1 edits), 1 (b, 0 edits), 7 (7, 0 edits)"; got != want {
		t.Errorf("documents %s, want %s", got, want)
	}
}

func TestReadTableRefuses(t *testing.T) {
	const head = "t_ms,doc,offset,delete,insert,cursor\n0,a,0,0,ab,\n"
	for _, c := range []struct{ name, file, want string }{
		{"something else", "Hello, world\n", `f:1:1: this is no recording: want JSON, or a table with the header line t_ms,doc,offset,delete,insert,cursor; found "Hello, world"`},
		{"no header", "0,a,0,0,ab,\n", `f:1:1: this is no recording: want JSON, or a table with the header line t_ms,doc,offset,delete,insert,cursor; found "0,a,0,0,ab,"`},
		{"only a header", head[:37], "f: the recording has no edit"},
		{"a column is missing", "t_ms,doc,offset,delete,insert\n", "f:1:1: column cursor is missing: want the header line t_ms,doc,offset,delete,insert,cursor"},
		{"unknown column", "t_ms,doc,offset,delete,insert,cursor,colour\n", `f:1:38: unknown column "colour", want t_ms, doc, offset, delete, insert, cursor, kind, truth`},
		{"column twice", "t_ms,doc,offset,delete,insert,cursor,doc\n", "f:1:38: column doc is given twice"},
		{"short row", head + "1,a,0\n", "f:3:1: wrong number of fields"},
		{"open quote", head + "1,a,0,0,\"x,\n", `f:3:13: extraneous or missing " in quoted-field`},
		{"no time", head + ",a,0,0,x,\n", "f:3:1: t_ms: an instant is , want milliseconds from 0 on"},
		{"back in time", head + "5,a,0,0,x,\n4,a,0,0,x,\n", "f:4:1: t is 4 ms, before the 5 ms of an earlier line"},
		{"no number", head + "1,a,x,0,x,\n", `f:3:5: offset: found "x", want a whole number from 0 on`},
		{"negative", head + "1,a,0,-1,x,\n", `f:3:7: delete: found "-1", want a whole number from 0 on`},
		{"wrong cursor", head + "1,a,0,0,x,end\n", `f:3:11: cursor: found "end", want a whole number from 0 on`},
		{"outside", head + "1,a,3,0,x,\n", "f:3:5: offset: position 3 is outside of the text"},
		{"cursor outside", head + "1,a,0,0,x,4\n", "f:3:1: document 1: position 4 is outside of the text"},
		{"moves nowhere", head + "1,a,0,0,,\n", "f:3:10: cursor: a row that neither deletes nor inserts moves the cursor: want where to"},
		{"begins with an edit", head + "1,b,4,0,x,\n", "f:3:5: offset: the first row of a document is its text: want offset and delete 0"},
		{"begins with a key", "t_ms,doc,offset,delete,insert,cursor,kind\n0,a,0,0,x,,char\n", "f:2:5: offset: the first row of a document is its text: want offset and delete 0"},
		{"unknown kind", "t_ms,doc,offset,delete,insert,cursor,kind\n0,a,0,0,x,,\n0,a,0,0,x,,swipe\n",
			`f:3:1: document 1: k is "swipe", want char, pair, enter, backspace, overtype, delete, insert, replace or multi`},
		{"numbers and names", head + "1,1,0,0,x,\n", `f:3:3: doc: "1" would be document 1, which is another one here: want names, or numbers`},
	} {
		if _, err := Read("f", strings.NewReader(c.file)); err == nil || err.Error() != c.want {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

// endless is a file that goes on and on.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	clear(p)
	e.read += len(p)
	return len(p), nil
}

func TestReadBounds(t *testing.T) {
	var file endless
	if _, err := Read("f", &file); err == nil || err.Error() != "f: larger than 67108864 bytes, the most for a recording: cut it into parts" {
		t.Errorf("an endless file: %v", err)
	}
	if file.read > 2*MaxBytes {
		t.Errorf("%d bytes of it were read", file.read)
	}
	large := `{"ev":"content","t":0,"doc":1,"text":"` + strings.Repeat("x", maxDocument) + `"}` + "\n"
	if _, err := Read("f", strings.NewReader(large)); err == nil || err.Error() != "f: the recording has no edit" {
		t.Errorf("a document of the largest size: %v", err)
	}
	const more = `{"ev":"edit","t":0,"doc":1,"k":"char","edit":[[0,0,"x"]]}` + "\n"
	if _, err := Read("f", strings.NewReader(large+more)); err == nil || err.Error() != "f:2:1: document 1: it grows beyond 4194304 bytes, the most for a document" {
		t.Errorf("a document that grows: %v", err)
	}
	r := &reading{most: 3, byID: map[int]*recording{}}
	lines := []byte(head + strings.Repeat(strings.ReplaceAll(more, `"t":0`, `"t":200`), 3))
	if err := readLines(r, lines); err == nil || err.Error() != "4:1: document 1: the recording has more than 3 steps, the most for one: cut it into parts" {
		t.Errorf("many steps: %v", err)
	}
	if _, err := Read("f", strings.NewReader("{\n\"\xff\"}")); err == nil || err.Error() != "f:2:2: not UTF-8" {
		t.Errorf("bytes that are no text: %v", err)
	}
	if _, err := Read("f", io.MultiReader(strings.NewReader("x"), broken9{})); err == nil || err.Error() != "f: unexpected EOF" {
		t.Errorf("a broken file: %v", err)
	}
}

type broken9 struct{}

func (broken9) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// check reads a file: whatever is read replays inside of its documents, document by
// document and as a whole, and is the same when it is written and read again.
func check(t *testing.T, file string) {
	s, err := Read("f", strings.NewReader(file))
	if err != nil {
		return
	}
	for _, d := range s.documents {
		var doc document.Document
		for _, step := range d.steps {
			step.Do(&doc)
		}
		if doc.Text() != d.String() {
			t.Fatalf("document %d became %q, want %q", d.id, doc.Text(), d.String())
		}
	}
	whole := all(s.Whole())
	replayed(&source{whole})
	if len(whole) == 0 {
		t.Fatal("the whole has no step")
	}
	var again bytes.Buffer
	if err := Write(&again, &source{whole}); err != nil {
		t.Fatal(err)
	}
	read, err := Read("f", &again)
	if err != nil {
		if strings.HasSuffix(err.Error(), "the recording has no edit") {
			return // all of them happened elsewhere
		}
		t.Fatal(err)
	}
	same(t, "written", steps(t, read, 0), unnumbered(whole))
}

// unnumbered returns steps as they are in one document.
func unnumbered(steps []typing.Step) []typing.Step {
	steps = slices.Clone(steps)
	for i := range steps {
		steps[i].Document = 0
	}
	return steps
}

// FuzzReadSession reads whatever it is.
func FuzzReadSession(f *testing.F) {
	f.Add(head + `{"ev":"edit","t":200,"doc":1,"k":"pair","edit":[[4,4,"{}"]]}` + "\n" + `{"ev":"sel","t":201,"doc":1,"sel":[[5,5]]}`)
	f.Add(head + `{"ev":"edit","t":200,"doc":1,"k":"multi","edit":[[0,1,"e"],[1,3,"!"]],"cursor":2}` + "\n" + `{"ev":"sel","t":201,"doc":1,"sel":[[0,1]]}`)
	f.Add("t_ms,doc,offset,delete,insert,cursor\n0,a,0,0,ab,\n1,a,1,1,,\n")
	f.Add(`{"log":[{"kind":"setContent","id":1,"time":1,"content":"x"},{"kind":"changed","id":1,"time":2,"edit":[[0,0,"y"]]}]}`)
	f.Fuzz(check)
}

// FuzzReadWorkspace reads entries of a workspace recording.
func FuzzReadWorkspace(f *testing.F) {
	f.Add(`{"kind":"setContent","id":1,"time":1,"content":"x"},{"kind":"changed","id":1,"time":2,"edit":[[0,0,"y"]]}`)
	f.Add(`{"kind":"setContent","id":1,"time":1,"content":"é"},{"kind":"storeContent","id":1,"time":1,"contentId":"a"},{"kind":"changed","id":1,"time":5,"edit":[[0,1,""]],"v":2,"metadata":{"source":"cursor"}},{"kind":"restoreContent","id":1,"time":1,"contentId":"a"},{"kind":"selectionChanged","id":1,"time":9,"selection":[[0,1]]}`)
	f.Fuzz(func(t *testing.T, entries string) {
		check(t, `{"log":[{"kind":"setContent","id":1,"time":1,"content":"a\n😀"},{"kind":"changed","id":1,"time":2,"edit":[[0,0,"y"]]},`+entries+`]}`)
	})
}

// FuzzReadTable reads rows of a table.
func FuzzReadTable(f *testing.F) {
	f.Add("1,a,0,0,x,,,\n2,a,,,,0,,\n3,a,0,1,,,,\n3,b,0,0,z,,,\n4,b,1,0,(),2,,x\n4,b,0,0,,,open,")
	f.Fuzz(func(t *testing.T, rows string) {
		check(t, "t_ms,doc,offset,delete,insert,cursor,kind,truth\n0,a,0,0,\"a\n😀\",,,\n1,a,0,0,y,,,\n"+rows)
	})
}

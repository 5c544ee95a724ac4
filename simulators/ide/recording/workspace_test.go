package recording

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"halfsecond/simulators/ide/typing"
)

const ms = time.Millisecond

// small is what the file in testdata says, document by document and as a whole.
var small = map[string][]typing.Step{
	"0": {
		{Kind: typing.Open, Text: "f\n"},
		{Kind: typing.Move, Gap: 1100 * ms, Cursor: 1, Truth: "(xy"},
		{Kind: typing.Key, Gap: 100 * ms, Edit: edit(1, 0, "()", 2), Class: typing.Punct, Burst: 1, Truth: "xy"},
		{Kind: typing.Key, Gap: 100 * ms, Edit: edit(2, 0, "x", 3), Class: typing.Word, Burst: 1, Truth: "y"},
		{Kind: typing.Change, Gap: 100 * ms, Edit: edit(3, 0, "y", 4)},
		{Kind: typing.Open, Gap: 300 * ms, Text: "f\n"},
		{Kind: typing.Move, Gap: 100 * ms, Cursor: 2, Selected: 2},
		{Kind: typing.Change, Gap: 100 * ms, Edit: edit(0, 1, "g", 1)},
	},
	"1": {
		{Kind: typing.Open, Text: "é = 1"},
		{Kind: typing.Change, Gap: 1437 * ms, Edit: edit(0, 2, "e", 1)},
		{Kind: typing.Key, Gap: 63 * ms, Edit: edit(5, 0, "2", 6), Class: typing.Word, Burst: 1},
		{Kind: typing.Key, Gap: 100 * ms, Edit: edit(5, 1, "", 5), Class: typing.Backspace, Burst: 1},
	},
	"whole": {
		{Kind: typing.Open, Document: 1, Text: "f\n", Cursor: 1},
		{Kind: typing.Key, Gap: 100 * ms, Edit: edit(1, 0, "()", 2), Class: typing.Punct, Burst: 1, Truth: "xy"},
		{Kind: typing.Key, Gap: 100 * ms, Edit: edit(2, 0, "x", 3), Class: typing.Word, Burst: 1, Truth: "y"},
		{Kind: typing.Change, Gap: 100 * ms, Edit: edit(3, 0, "y", 4)},
		{Kind: typing.Open, Document: 2, Gap: 100 * ms, Text: "e = 1", Cursor: 1},
		{Kind: typing.Key, Edit: edit(5, 0, "2", 6), Class: typing.Word, Burst: 2},
		{Kind: typing.Key, Gap: 100 * ms, Edit: edit(5, 1, "", 5), Class: typing.Backspace, Burst: 2},
		{Kind: typing.Open, Document: 1, Gap: 200 * ms, Text: "f\n", Cursor: 2},
		{Kind: typing.Change, Gap: 100 * ms, Edit: edit(0, 1, "g", 1)},
	},
}

func TestReadWorkspace(t *testing.T) {
	data, err := os.ReadFile("testdata/small.recording.w.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Log []json.RawMessage }
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	var lines []byte
	for _, entry := range file.Log {
		lines = append(append(lines, entry...), '\n')
	}
	for name, content := range map[string]string{
		"a list": string(data), "one entry a line": string(lines),
		"after something else": `{"nextUserEdit":{"log":[]},` + strings.TrimSpace(string(data))[1:], "behind a mark": "\xef\xbb\xbf" + string(data),
	} {
		s, err := Read("f", strings.NewReader(content))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		same(t, name+", document 0", steps(t, s, 0), small["0"])
		same(t, name+", document 1", steps(t, s, 1), small["1"])
		same(t, name+", whole", all(s.Whole()), small["whole"])
		if got, want := s.list(), `0 (a.ts, 4 edits), 1 (b\c.ts, 3 edits)`; got != want {
			t.Errorf("%s: documents %s, want %s", name, got, want)
		}
	}
}

func same(t *testing.T, name string, got, want []typing.Step) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d steps, want %d", name, len(got), len(want))
	}
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("%s: step %d\n got %+v\nwant %+v", name, i, got[i], want[i])
		}
	}
}

// all returns what a source does until it ends.
func all(y typing.Source) (steps []typing.Step) {
	for {
		s, ok := y.Next()
		if !ok {
			return steps
		}
		steps = append(steps, s)
	}
}

// The built-in recording, put back into the form that it was reduced from (no kinds of
// edits, and where they came from told later), is read as it is from our own.
func TestReadBuiltInAsWorkspace(t *testing.T) {
	var entries, reasons []any
	version := 0
	for _, l := range builtInLines(t) {
		version++
		e := map[string]any{"id": *l.Doc, "time": 1743098132313 + int64(*l.T)/1e6, "v": version}
		entries = append(entries, e)
		switch l.Ev {
		case "content":
			e["kind"], e["content"] = "setContent", *l.Text
		case "edit":
			e["kind"], e["edit"] = "changed", l.Edit
		case "sel":
			e["kind"], e["selection"] = "selectionChanged", l.Sel
		}
		if l.Src != "" {
			reasons = append(reasons, map[string]any{"kind": "documentEvent", "id": *l.Doc, "time": 0,
				"data": map[string]any{"sourceId": "TextModel.setChangeReason", "source": l.Src, "v": version}})
		}
	}
	file, err := json.Marshal(map[string]any{"log": append(entries, reasons...)})
	if err != nil {
		t.Fatal(err)
	}
	s, err := Read("f", bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	for _, number := range BuiltIn().Documents() {
		same(t, fmt.Sprint("document ", number), steps(t, s, number), steps(t, BuiltIn(), number))
	}
	same(t, "whole", all(s.Whole()), all(BuiltIn().Whole()))
}

// builtInLines returns the lines of the built-in recording.
func builtInLines(t *testing.T) (lines []line) {
	t.Helper()
	file, err := gzip.NewReader(bytes.NewReader(recorded))
	if err != nil {
		t.Fatal(err)
	}
	for dec := json.NewDecoder(file); ; {
		var l line
		err := dec.Decode(&l)
		if err == io.EOF {
			return lines
		}
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, l)
	}
}

func TestReadWorkspaceRefuses(t *testing.T) {
	const begin = `{"log": [
{"kind":"header","time":1000},
{"kind":"setContent","id":1,"time":1000,"content":"ab"},
 `
	const change = `{"kind":"changed","id":1,"time":1100,"edit":[[0,0,"x"]],"v":2}`
	for _, c := range []struct{ name, file, want string }{
		{"nothing", `{"log":[]}`, "f: the recording has no edit"},
		{"log is no list", ` {"log":7}`, "f:1:9: log is no list"},
		{"no JSON", begin + `{"kind":"changed" "id":1}]}`, `f:4:20: invalid character '"' after object key:value pair`},
		{"cut off", begin + change, "f:4:63: unexpected end of JSON input"},
		{"wrong value", begin + `{"kind":"changed","id":"x"}]}`, "f:4:28: json: cannot unmarshal string into Go struct field entry.id of type int"},
		{"no kind", begin + `{"id":1}]}`, `f:4:2: "kind" is missing`},
		{"no id", begin + `{"kind":"changed","time":1}]}`, `f:4:2: changed: "id" is missing`},
		{"no time", begin + `{"kind":"changed","id":1}]}`, `f:4:2: changed: "time" is missing`},
		{"no content", begin + `{"kind":"setContent","id":1,"time":1}]}`, `f:4:2: setContent: "content" is missing`},
		{"before content", begin + `{"kind":"changed","id":2,"time":1}]}`, "f:4:2: document 2: changed comes before its content"},
		{"not stored", begin + `{"kind":"restoreContent","id":1,"time":1,"contentId":"q"}]}`, `f:4:2: restoreContent: nothing was stored as "q"`},
		{"outside", begin + `{"kind":"changed","id":1,"time":1,"edit":[[0,3,""]]}]}`, "f:4:2: document 1: position 3 is outside of the text"},
		{"backwards", begin + `{"kind":"changed","id":1,"time":1,"edit":[[2,1,""]]}]}`, "f:4:2: document 1: an edit ends at 1, before its start at 2"},
		{"no part", begin + `{"kind":"changed","id":1,"time":1}]}`, "f:4:2: document 1: the edit has no part"},
		{"a later line", "{\"kind\":\"header\",\"time\":1}\n\n{\"kind\":\"changed\",\"time\":1}", `f:3:1: changed: "id" is missing`},
	} {
		if _, err := Read("f", strings.NewReader(c.file)); err == nil || err.Error() != c.want {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
	if s, err := Read("f", strings.NewReader(begin+change+"]}")); err != nil || !slices.Equal(s.Documents(), []int{1}) {
		t.Errorf("as it should be: %v", err)
	}
}

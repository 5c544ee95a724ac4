package langserver

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/document"
	"halfsecond/pipeline/realpart"
)

// reference returns the command of a language server on the library that Visual Studio Code's
// own are made with.
func reference(t *testing.T) []string {
	t.Helper()
	node := realpart.Need(t, "node", "install Node 20 or later")
	realpart.NeedFile(t, "reference/node_modules/.package-lock.json", "the library of language servers: run .ci/parts, which needs npm")
	return []string{node, "reference/server.mjs"}
}

// The library that Visual Studio Code's language servers are made with has the same document
// and the same cursor after each of many edits.
func TestReferenceLibrary(t *testing.T) {
	loop := pipeline.NewWall()
	c, err := New(t.Context(), Config{Command: reference(t)}, loop)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	pieces := []string{"a", "word ", "\n", "\r\n", "\r", "é", "😀", "日本", "x = 😀\r\n\ty", ""}
	r := dist.Stream(7, "edits")
	var editor document.Document
	left, version := 300, 1
	bound := func(from int) int {
		text := editor.Text()
		at := from + r.IntN(len(text)-from+1)
		for at < len(text) && !utf8.RuneStart(text[at]) {
			at++
		}
		return at
	}
	edit := func() {
		e := document.Edit{Offset: bound(0), Insert: pieces[r.IntN(len(pieces))]}
		if r.IntN(3) == 0 {
			e.Delete = bound(e.Offset) - e.Offset
		}
		e.Cursor = e.Offset + len(e.Insert)
		editor.Apply(e)
		c.Apply(0, e)
		version++
	}
	var ask func()
	ask = func() {
		if left--; left == 0 {
			cancel()
			return
		}
		edit()
		before := string(editor.Before())
		if strings.HasSuffix(before, "\r") && strings.HasPrefix(editor.After(), "\n") {
			before = before[:len(before)-1] // no position lies between the two
		}
		want := []any{editor.Text(), float64(len(utf16.Encode([]rune(before)))), float64(version)}
		call := &pipeline.Call{Record: pipeline.NewRequest(1, loop.Now())}
		call.Notify = func(p pipeline.Progress) {
			var got []any
			if err := json.Unmarshal([]byte(p.Text), &got); err != nil || len(got) != 3 || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
				t.Errorf("with %d to go it has %q (%v), want %q", left, got, err, want)
				cancel()
			}
		}
		call.Done = func() {
			if call.Record.Outcome != pipeline.OK {
				t.Errorf("%s: %s", call.Record.Outcome, call.Record.Reason)
				cancel()
			}
			ask()
		}
		c.Start(call)
	}
	loop.At(0, pipeline.RankInput, func() {
		text := "first\r\nsecond 😀 line\nthird\n"
		editor.Open(text, 3)
		c.Open(0, "a.py", "python", text, 3)
		ask()
	})
	_ = loop.Run(ctx) // ends with its context
	c.Close()
	n := c.Counts()
	if left != 0 || n.ProtocolErrors > 0 || n.Killed || n.Requests != 299 {
		t.Errorf("%d questions are left, counts %+v; want 299 asked and a server that ends by itself", left, n)
	}
	if c.Name() != "reference 1" {
		t.Errorf("it calls itself %q", c.Name())
	}
}

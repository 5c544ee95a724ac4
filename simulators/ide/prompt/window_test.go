package prompt

import (
	"testing"
	"unicode/utf8"

	"halfsecond/mockllm/token"
	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/document"
)

// Counts that follow the edits equal counts from scratch.
func TestWindowCountsExactly(t *testing.T) {
	for seed := range uint64(20) {
		var d document.Document
		var w Window
		walk := dist.Stream(seed, "walk")
		for i := range 400 {
			edit(&d, &walk)
			if walk.IntN(3) == 0 {
				continue // several edits may lie between two prompts
			}
			prefix, suffix := 1+i%50, i%30
			before, after := string(d.Before()), d.After()
			tokens, from, bytes := w.Find(&d, prefix, suffix)
			wantBefore, wantAfter := before, token.Prefix(after, suffix)
			for skip := token.Count(before) - prefix; skip > 0; skip-- {
				wantBefore = wantBefore[token.Next(wantBefore):]
			}
			if before[from:] != wantBefore || after[:bytes] != wantAfter || tokens != token.Count(wantBefore)+token.Count(wantAfter) {
				t.Fatalf("seed %d, step %d: Find(%d, %d) of %q|%q = %d, %q, %q", seed, i, prefix, suffix, before, after, tokens, before[from:], after[:bytes])
			}
		}
	}
}

// edit makes a random edit or move at character boundaries.
func edit(d *document.Document, r *dist.Rand) {
	pieces := []string{"a", "word", "\n\t\t", "  ", " ", "123456789", "é", "日本", "x = y[1]", ")", "averyverylongidentifier"}
	text := d.Text()
	at := r.IntN(len(text) + 1)
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	switch piece := pieces[r.IntN(len(pieces))]; r.IntN(8) {
	case 0:
		d.Move(at)
	case 1:
		d.Apply(document.Edit{Offset: at, Insert: piece, Cursor: at + len(piece)})
	case 2:
		if _, size := utf8.DecodeLastRuneInString(text[:d.Cursor()]); size > 0 {
			d.Apply(document.Edit{Offset: d.Cursor() - size, Delete: size, Cursor: d.Cursor() - size})
		}
	case 3:
		d.Open(text[:at], at)
	default:
		d.Apply(document.Edit{Offset: d.Cursor(), Insert: piece, Cursor: d.Cursor() + len(piece)})
	}
}

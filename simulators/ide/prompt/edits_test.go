package prompt

import (
	"unicode/utf8"

	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/document"
)

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

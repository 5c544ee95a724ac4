// Package picture draws what a report holds, as SVG and as PNG. It is the home of
// the plotting library.
//
// Read bench.go first: which pictures there are of a comparison, and what they show.
// chart.go lays a picture out, series.go draws the curves of one panel; this file
// writes it to a file.
package picture

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Picture is one picture, ready to be written.
type Picture struct {
	Name          string // of its file, without ending
	title         string
	width, height vg.Length
	draw          func(draw.Canvas)
}

// dotsPerInch is that of a PNG: sharp on a screen of twice the usual density.
const dotsPerInch = 160

// SVG writes the picture as SVG, with text as text.
func (p Picture) SVG(w io.Writer) error {
	c := vgsvg.New(p.width, p.height)
	p.draw(draw.New(c))
	var b, title bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return fmt.Errorf("draw %s: %w", p.Name, err)
	}
	if err := xml.EscapeText(&title, []byte(p.title)); err != nil {
		return fmt.Errorf("draw %s: %w", p.Name, err)
	}
	out := b.Bytes()
	// The library names one font only, and no title for those who cannot see it.
	out = bytes.ReplaceAll(out, []byte("font-family:Liberation Sans"), []byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif"))
	out = bytes.Replace(out, []byte(`xlink">`), []byte(`xlink" role="img">`+"\n<title>"+title.String()+"</title>"), 1)
	if _, err := w.Write(out); err != nil {
		return fmt.Errorf("write %s: %w", p.Name, err)
	}
	return nil
}

// PNG writes the picture as PNG.
func (p Picture) PNG(w io.Writer) error {
	c := vgimg.NewWith(vgimg.UseWH(p.width, p.height), vgimg.UseDPI(dotsPerInch))
	p.draw(draw.New(c))
	if _, err := (vgimg.PngCanvas{Canvas: c}).WriteTo(w); err != nil {
		return fmt.Errorf("write %s: %w", p.Name, err)
	}
	return nil
}

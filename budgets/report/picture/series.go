package picture

import (
	"cmp"
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// style is how the curves of one kind are drawn.
type style struct {
	line draw.LineStyle
	mark draw.GlyphStyle
}

// inks tell the curves apart for readers with any kind of colour vision: Okabe and
// Ito, "Color Universal Design", 2008 (https://jfly.uni-koeln.de/color/, read
// 2026-11-29), without the yellow, which white paper swallows.
var inks = []color.Color{
	color.RGBA{0x00, 0x72, 0xb2, 0xff}, // blue
	color.RGBA{0xd5, 0x5e, 0x00, 0xff}, // vermillion
	color.RGBA{0x00, 0x9e, 0x73, 0xff}, // bluish green
	color.RGBA{0xcc, 0x79, 0xa7, 0xff}, // reddish purple
	color.RGBA{0xe6, 0x9f, 0x00, 0xff}, // orange
	color.RGBA{0x56, 0xb4, 0xe9, 0xff}, // sky blue
	color.RGBA{0x00, 0x00, 0x00, 0xff}, // black
}

// marks and dashes tell them apart without colour.
var (
	marks  = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, diamond{}, draw.RingGlyph{}, draw.SquareGlyph{}, draw.CrossGlyph{}}
	dashes = [][]vg.Length{nil, {6, 3}, {2, 2}, {8, 3, 2, 3}}
)

// diamond is a filled square on its corner.
type diamond struct{}

// DrawGlyph implements draw.GlyphDrawer.
func (diamond) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, at vg.Point) {
	r := s.Radius * 1.2
	c.FillPolygon(s.Color, []vg.Point{{X: at.X - r, Y: at.Y}, {X: at.X, Y: at.Y + r}, {X: at.X + r, Y: at.Y}, {X: at.X, Y: at.Y - r}})
}

func styleOf(kind int) style {
	ink := inks[kind%len(inks)]
	return style{
		line: draw.LineStyle{Color: ink, Width: 1.4, Dashes: dashes[kind%len(dashes)]},
		mark: draw.GlyphStyle{Color: ink, Radius: 3, Shape: marks[kind%len(marks)]},
	}
}

// Plot implements plot.Plotter: the line, the bars of spread, and the marks above
// them.
func (s *curve) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	look := styleOf(s.kind)
	var line []vg.Point
	for _, q := range s.points {
		line = append(line, vg.Point{X: x(q.x), Y: y(q.y)})
	}
	c.StrokeLines(look.line, line)
	bar := draw.LineStyle{Color: look.line.Color, Width: 1}
	for i, q := range s.points {
		if q.low < q.high {
			low, high, at := y(q.low), y(q.high), line[i].X
			c.StrokeLine2(bar, at, low, at, high)
			c.StrokeLine2(bar, at-2.5, low, at+2.5, low)
			c.StrokeLine2(bar, at-2.5, high, at+2.5, high)
		}
		c.DrawGlyphNoClip(look.mark, line[i])
	}
}

// rules draws a faint line at each labelled value of the y axis.
type rules struct{}

// Plot implements plot.Plotter.
func (rules) Plot(c draw.Canvas, p *plot.Plot) {
	_, y := p.Transforms(&c)
	for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		if t.Label != "" && t.Value > p.Y.Min {
			c.StrokeLine2(draw.LineStyle{Color: faint, Width: .6}, c.Min.X, y(t.Value), c.Max.X, y(t.Value))
		}
	}
}

// labels writes the last value of each curve beside its end, and the panel's note.
type labels struct {
	panel   *panel
	highest float64 // of the chart: all are in its unit
}

// Plot implements plot.Plotter.
func (l labels) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	var ends []label
	for _, s := range l.panel.curves {
		q := s.points[len(s.points)-1]
		ends = append(ends, label{x: x(q.x) + 7, y: y(q.y), kind: s.kind, text: duration(q.y, l.highest)})
	}
	for _, e := range spread(ends, 11, c.Min.Y+5) {
		tag(c, styleOf(e.kind).line.Color, vg.Point{X: e.x, Y: e.y}, e.text)
	}
	if l.panel.note != "" {
		tag(c, gray, vg.Point{X: c.Min.X + 6, Y: c.Max.Y - 6}, l.panel.note)
	}
}

// tag writes a text right of a point, on a ground that no line shines through.
func tag(c draw.Canvas, ink color.Color, at vg.Point, words string) {
	w := write(9, ink, false)
	w.YAlign = draw.YCenter
	wide := w.Width(words)
	c.FillPolygon(color.White, []vg.Point{{X: at.X - 1, Y: at.Y - 5}, {X: at.X + wide + 1, Y: at.Y - 5}, {X: at.X + wide + 1, Y: at.Y + 5}, {X: at.X - 1, Y: at.Y + 5}})
	c.FillText(w, at, words)
}

// label is a text at the end of a curve.
type label struct {
	x, y vg.Length
	kind int
	text string
}

// spread moves labels up where they are less than apart from the one below, and
// none lies under the floor.
func spread(labels []label, apart, floor vg.Length) []label {
	slices.SortStableFunc(labels, func(a, b label) int { return cmp.Compare(a.y, b.y) })
	for i := range labels {
		labels[i].y = max(labels[i].y, floor)
		if i > 0 {
			labels[i].y = max(labels[i].y, labels[i-1].y+apart)
		}
	}
	return labels
}

package picture

import (
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"halfsecond/budgets"
)

// chart is a row or more of panels with one scale.
type chart struct {
	title, subtitle string
	x, y            string // titles of the axes; y has times, and its unit follows from them
	names           []string
	panels          []panel
	axes            func(p *panel) *plot.Plot // draws a panel in place of lines over lengths; nil for those
}

// panel is one plot of a chart.
type panel struct {
	title, note string
	curves      []curve
}

// curve is one line with its marks. kind says which name, colour and mark it has.
type curve struct {
	kind   int
	points []point
}

// point is a mark with the bar of its spread.
type point struct{ x, y, low, high float64 }

// Sizes of a chart.
const (
	panelWidth  = 4.1 * vg.Inch
	panelHeight = 3.3 * vg.Inch
	margin      = 14 // around everything, points
	titleHeight = 17
	lineHeight  = 12 // of the subtitle
	nameHeight  = 16 // of a line of names
	gap         = 8  // around the names
	mostColumns = 3
)

func (c *chart) picture(name string) Picture {
	columns := min(len(c.panels), mostColumns)
	rows := (len(c.panels) + columns - 1) / columns
	inside := max(panelWidth*vg.Length(columns), titleStyle.Width(c.title))
	for _, word := range strings.Fields(c.subtitle) {
		inside = max(inside, subtitleStyle.Width(word))
	}
	width := inside + 2*margin
	legend, subtitle := c.legend(inside), lines(c.subtitle, subtitleStyle, inside)
	head := vg.Length(titleHeight + lineHeight*len(subtitle) + nameHeight*len(legend) + 2*gap)
	return Picture{
		Name: name, title: c.title + ". " + c.subtitle, width: width, height: panelHeight*vg.Length(rows) + head + 2*margin,
		draw: func(dc draw.Canvas) {
			dc.SetColor(color.White)
			dc.Fill(dc.Rectangle.Path())
			inner := draw.Crop(dc, margin, -margin, margin, -margin)
			c.head(inner, subtitle, legend)
			c.body(draw.Crop(inner, 0, 0, 0, -head), rows, columns)
		},
	}
}

// write returns the style of a text.
func write(size vg.Length, ink color.Color, bold bool) text.Style {
	f := font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
	if bold {
		f.Weight = 3 // golang.org/x/image/font.WeightBold
	}
	return text.Style{Color: ink, Font: f, XAlign: draw.XLeft, YAlign: draw.YTop, Handler: plot.DefaultTextHandler}
}

var (
	black = color.Gray{0x22}
	gray  = color.Gray{0x66}
	faint = color.Gray{0xe4}

	titleStyle    = write(13, black, true)
	subtitleStyle = write(9.5, gray, false)
)

// lines breaks a text at its spaces into lines that are no wider.
func lines(words string, s text.Style, width vg.Length) []string {
	out := []string{""}
	for _, word := range strings.Fields(words) {
		last := &out[len(out)-1]
		switch longer := *last + " " + word; {
		case *last == "":
			*last = word
		case s.Width(longer) > width:
			out = append(out, word)
		default:
			*last = longer
		}
	}
	return out
}

// head writes the title, the lines below it and the names of the curves.
func (c *chart) head(dc draw.Canvas, subtitle []string, legend [][]entry) {
	at := vg.Point{X: dc.Min.X, Y: dc.Max.Y}
	dc.FillText(titleStyle, at, c.title)
	at.Y -= titleHeight
	for _, line := range subtitle {
		dc.FillText(subtitleStyle, at, line)
		at.Y -= lineHeight
	}
	y := at.Y - gap
	for _, line := range legend {
		for _, e := range line {
			x := dc.Min.X + e.x
			middle := vg.Point{X: x + 11, Y: y - 7}
			s := styleOf(e.kind)
			dc.StrokeLine2(s.line, x, middle.Y, x+22, middle.Y)
			dc.DrawGlyphNoClip(s.mark, middle)
			dc.FillText(write(10, black, false), vg.Point{X: x + 27, Y: y}, c.names[e.kind])
		}
		y -= nameHeight
	}
}

// entry is a name of the legend at its place in a line.
type entry struct {
	kind int
	x    vg.Length
}

// legend breaks the names of the curves that are drawn into lines.
func (c *chart) legend(width vg.Length) [][]entry {
	lines := [][]entry{nil}
	x := vg.Length(0)
	for kind, name := range c.names {
		if !c.draws(kind) {
			continue
		}
		wide := 27 + write(10, black, false).Width(name) + 20
		if x > 0 && x+wide > width {
			lines, x = append(lines, nil), 0
		}
		lines[len(lines)-1] = append(lines[len(lines)-1], entry{kind, x})
		x += wide
	}
	return lines
}

func (c *chart) draws(kind int) bool {
	for _, p := range c.panels {
		for _, s := range p.curves {
			if s.kind == kind {
				return true
			}
		}
	}
	return false
}

// body draws the panels.
func (c *chart) body(dc draw.Canvas, rows, columns int) {
	plots := make([][]*plot.Plot, rows)
	longest, highest := c.extent()
	for i := range plots {
		plots[i] = make([]*plot.Plot, columns)
		for j := range plots[i] {
			if n := i*columns + j; n < len(c.panels) {
				plots[i][j] = c.drawn(&c.panels[n], longest, highest)
			}
		}
	}
	tiles := draw.Tiles{Rows: rows, Cols: columns, PadX: 12, PadY: 14}
	places := plot.Align(plots, tiles, dc)
	for i := range plots {
		for j, p := range plots[i] {
			if p != nil {
				p.Draw(places[i][j])
			}
		}
	}
}

// drawn returns one panel in the chart's own way.
func (c *chart) drawn(p *panel, longest, highest float64) *plot.Plot {
	if c.axes != nil {
		return c.axes(p)
	}
	return c.plot(p, longest, highest)
}

// extent returns the ends of the axes, which all panels share.
func (c *chart) extent() (longest, highest float64) {
	for _, p := range c.panels {
		for _, s := range p.curves {
			for _, q := range s.points {
				longest, highest = max(longest, q.x), max(highest, q.high)
			}
		}
	}
	return longest, highest
}

// plot returns one panel: axes from zero, with room for labels at the right.
func (c *chart) plot(p *panel, longest, highest float64) *plot.Plot {
	out := plot.New()
	out.BackgroundColor = nil
	out.Title.Text, out.Title.Padding, out.Title.TextStyle = p.title, 6, write(11, black, true)
	out.Title.TextStyle.XAlign = draw.XCenter
	dress(&out.X, c.x, 0, longest*1.27)
	unit, per := "ms", 1.0
	if highest >= 10_000 {
		unit, per = "s", 1000
	}
	dress(&out.Y, c.y+" ("+unit+")", 0, highest*1.25)
	out.X.Tick.Marker = lengthTicks(p, longest)
	out.Y.Tick.Marker = valueTicks{per}
	out.Add(rules{})
	for i := range p.curves {
		out.Add(&p.curves[i])
	}
	out.Add(labels{p, highest})
	return out
}

// dress sets an axis.
func dress(a *plot.Axis, title string, from, to float64) {
	a.Min, a.Max, a.Padding = from, to, 0
	a.Label.Text, a.Label.Padding = title, 4
	a.Label.TextStyle.Font = write(10, black, false).Font
	a.Label.TextStyle.Color = gray
	a.Tick.Label.Font = write(9, black, false).Font
	a.Tick.Label.Color = gray
	a.Color, a.Tick.Color = gray, gray
	a.Width, a.Tick.LineStyle.Width, a.Tick.Length = .6, .6, 4
}

// lengthTicks marks the lengths of the prompt that were measured. Labels that have
// no room beside a longer one are left out.
func lengthTicks(p *panel, longest float64) plot.ConstantTicks {
	ticks := []plot.Tick{{Value: 0}}
	seen := map[float64]bool{}
	var lengths []float64
	for _, s := range p.curves {
		for _, q := range s.points {
			if !seen[q.x] {
				seen[q.x] = true
				lengths = append(lengths, q.x)
			}
		}
	}
	slices.Sort(lengths)
	const apart = .115 // of the axis, between the middles of two labels
	last := math.Inf(1)
	for i := len(lengths) - 1; i >= 0; i-- {
		t := plot.Tick{Value: lengths[i]}
		if last-t.Value >= apart*longest && t.Value >= apart*longest/2 {
			t.Label, last = budgets.Number(t.Value, 0), t.Value
		}
		ticks = append(ticks, t)
	}
	return ticks
}

// valueTicks are at multiples of 1, 2 or 5 times a power of ten of a unit, five to ten
// of them from zero on.
type valueTicks struct{ per float64 }

// Ticks implements plot.Ticker.
func (v valueTicks) Ticks(low, high float64) []plot.Tick {
	low, high = low/v.per, high/v.per
	step := math.Pow(10, math.Floor(math.Log10(high-low)))
	for _, finer := range []float64{2, 2.5, 2} { // to a half, a fifth and a tenth
		if (high-low)/step >= 4 {
			break
		}
		step /= finer
	}
	places := max(0, int(math.Ceil(-math.Log10(step)-1e-9)))
	var ticks []plot.Tick
	for i := math.Ceil(low / step); i <= high/step+1e-9; i++ {
		ticks = append(ticks, plot.Tick{Value: i * step * v.per, Label: budgets.Number(i*step, places)})
	}
	return ticks
}

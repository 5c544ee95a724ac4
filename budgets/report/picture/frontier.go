package picture

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"halfsecond/budgets"
	"halfsecond/budgets/frontier"
	"halfsecond/budgets/report"
)

// Frontier returns the picture of a frontier: opportunities inside against cost, a panel for
// each unit of costs. Large marks are on the frontier, small ones are beaten, the ring is what
// is recommended and the cross the scenario's own settings.
func Frontier(f *report.Frontier) Picture {
	points, setting, kinds := f.Points()
	c := chart{title: fmt.Sprintf("Opportunities inside %s against cost", budgets.Duration.Format(f.LimitMS*1e6)), subtitle: f.Subtitle() +
		". Large: on the frontier; small: beaten; ring: recommended; cross: the scenario's own settings; beside a mark, where there is room, the settings that colour does not tell."}
	for _, k := range kinds {
		c.names = append(c.names, setting+" "+k)
	}
	low := 1.
	for _, unit := range f.Units() {
		p := panel{title: unit}
		for _, q := range points {
			if q.Unit == unit {
				p.curves = append(p.curves, curve{kind: q.Kind, points: []point{{x: q.Cost, y: q.Inside}}})
				low = min(low, q.Inside)
			}
		}
		c.panels = append(c.panels, p)
	}
	if goal := f.Goal(); goal > 0 {
		low = min(low, goal-.05)
	}
	low = max(0, math.Floor(low*10)/10)
	c.axes = func(p *panel) *plot.Plot { return scatter(p.title, points, low, f.Goal()) }
	return c.picture("frontier")
}

// scatter returns the panel of one unit of costs.
func scatter(unit string, points []report.FrontierPoint, low, goal float64) *plot.Plot {
	out := plot.New()
	out.BackgroundColor = nil
	s := cloud{goal: goal}
	most := 0.
	for _, q := range points {
		if q.Unit == unit {
			s.points, most = append(s.points, q), max(most, q.Cost)
		}
	}
	x := "cost of 1,000 keys (seconds of " + unit + ")"
	switch unit {
	case frontier.Dollars:
		x = "cost of 1,000 keys (US dollars)"
	case "":
		x = "cost: not known"
	}
	dress(&out.X, x, 0, max(most, 1e-9)*1.08)
	dress(&out.Y, "inside (%)", 100*low, 101.5)
	out.X.Tick.Marker, out.Y.Tick.Marker = valueTicks{1}, valueTicks{1}
	out.Add(rules{}, s)
	return out
}

// cloud draws points.
type cloud struct {
	points []report.FrontierPoint
	goal   float64
}

// Plot implements plot.Plotter: what is beaten first, so that the frontier lies above it.
func (s cloud) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	if s.goal > 0 {
		at := y(100 * s.goal)
		c.StrokeLine2(draw.LineStyle{Color: gray, Width: .8, Dashes: []vg.Length{4, 3}}, c.Min.X, at, c.Max.X, at)
		tag(c, gray, vg.Point{X: c.Min.X + 4, Y: at - 7}, fmt.Sprintf("budget %s", budgets.Share.Format(s.goal)))
	}
	for _, efficient := range []bool{false, true} {
		for _, q := range s.points {
			if q.Efficient == efficient {
				look, at := styleOf(q.Kind).mark, vg.Point{X: x(q.Cost), Y: y(100 * q.Inside)}
				look.Radius = 1.8
				if efficient {
					look.Radius = 3.6
				} else {
					look.Color = paler(look.Color)
				}
				c.DrawGlyphNoClip(look, at)
			}
		}
	}
	for _, q := range s.points {
		at := vg.Point{X: x(q.Cost), Y: y(100 * q.Inside)}
		if q.Now {
			c.DrawGlyphNoClip(draw.GlyphStyle{Color: black, Radius: 5, Shape: draw.CrossGlyph{}}, at)
		}
		if q.Advised {
			c.DrawGlyphNoClip(draw.GlyphStyle{Color: black, Radius: 7, Shape: draw.RingGlyph{}}, at)
		}
	}
	s.name(c, x, y)
}

// near is how far marks may lie apart to share a name.
const near = 6

// named is a mark, or several that lie on each other, with the name.
type named struct {
	at    vg.Point
	words []string
}

// name writes beside the marks on the frontier which settings they have, the recommended ones
// first. A name for which there is no room is left out.
func (s cloud) name(c draw.Canvas, x, y func(float64) vg.Length) {
	style := write(8, gray, false)
	style.YAlign = draw.YCenter
	marks := s.named(x, y)
	var taken []vg.Rectangle
	for _, m := range marks {
		taken = append(taken, vg.Rectangle{Min: vg.Point{X: m.at.X - 4, Y: m.at.Y - 4}, Max: vg.Point{X: m.at.X + 4, Y: m.at.Y + 4}})
	}
	for _, m := range marks {
		words := strings.Join(m.words, ", ")
		if box, ok := room(c.Rectangle, taken, m.at, style.Width(words)); ok && words != "" {
			taken = append(taken, box)
			c.FillText(style, vg.Point{X: box.Min.X, Y: (box.Min.Y + box.Max.Y) / 2}, words)
		}
	}
}

// named returns the marks on the frontier, those that are recommended first.
func (s cloud) named(x, y func(float64) vg.Length) (marks []named) {
	for _, advised := range []bool{true, false} {
		for _, q := range s.points {
			if !q.Efficient || q.Advised != advised {
				continue
			}
			at := vg.Point{X: x(q.Cost), Y: y(100 * q.Inside)}
			i := slices.IndexFunc(marks, func(m named) bool {
				return math.Hypot(float64(m.at.X-at.X), float64(m.at.Y-at.Y)) < near
			})
			if i < 0 {
				i, marks = len(marks), append(marks, named{at: at})
			}
			if m := &marks[i]; q.Rest != "" && !slices.Contains(m.words, q.Rest) {
				m.words = append(m.words, q.Rest)
			}
		}
	}
	return marks
}

// room returns where words so wide find room beside a mark: to its right, its left, above it or
// below.
func room(within vg.Rectangle, taken []vg.Rectangle, at vg.Point, wide vg.Length) (box vg.Rectangle, ok bool) {
	for _, from := range []vg.Point{
		{X: at.X + 9, Y: at.Y - 5}, {X: at.X - 9 - wide, Y: at.Y - 5}, {X: at.X - wide/2, Y: at.Y + 9}, {X: at.X - wide/2, Y: at.Y - 19},
	} {
		box = vg.Rectangle{Min: from, Max: vg.Point{X: from.X + wide, Y: from.Y + 10}}
		inside := box.Min.X >= within.Min.X && box.Max.X <= within.Max.X && box.Min.Y >= within.Min.Y
		if inside && !slices.ContainsFunc(taken, func(o vg.Rectangle) bool { return overlap(box, o) }) {
			return box, true
		}
	}
	return box, false
}

func overlap(a, b vg.Rectangle) bool {
	return a.Min.X < b.Max.X && b.Min.X < a.Max.X && a.Min.Y < b.Max.Y && b.Min.Y < a.Max.Y
}

// paler returns a colour half way to white.
func paler(c color.Color) color.Color {
	r, g, b, _ := c.RGBA()
	half := func(v uint32) uint8 { return uint8((v>>8 + 255) / 2) }
	return color.RGBA{half(r), half(g), half(b), 255}
}

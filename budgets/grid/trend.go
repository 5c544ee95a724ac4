package grid

import "math"

// Shape is how a metric goes along the prompt.
type Shape uint8

const (
	Unclear   Shape = iota // the samples vary too much to tell, or it is on the border of another
	Flat                   // the same at both ends, within 5 %
	Falls                  // less with longer prompts
	Rises                  // more with longer prompts: two lengths do not tell how
	Linear                 // in line with the prompt
	Faster                 // faster than in line: the quadratic part shows
	Slower                 // slower than in line
	Irregular              // it grows, but along no line and no parabola
)

// String returns the shape in words.
func (s Shape) String() string {
	return [...]string{"unclear", "flat", "falls", "rises", "linear", "faster than linear", "slower than linear", "irregular"}[s]
}

// MarshalText returns String.
func (s Shape) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// What counts as flat and as straight. Each is a convention of this report.
const (
	// FlatWithin is the rise from the shortest prompt to the longest, as a share of
	// the value at the shortest, up to which a metric is flat.
	FlatWithin = .05
	// CurveShows is the quadratic part, as a share of the linear one, from which
	// growth is not linear.
	CurveShows = .10
	// StraightR2 is the least R2 of a line that is one.
	StraightR2 = .99
)

// Trend is how a metric of a row goes along the prompt. Its lines are fitted to the
// cells' medians.
type Trend struct {
	Key
	Metric  Metric
	Prompts []int // asked for and measured, ascending, at least two
	Shape   Shape

	Line        Fit      // ns over tokens
	PerThousand Estimate // slope of the line, ns for 1,000 tokens
	// First and Last are the slopes between the two shortest lengths and between the two
	// longest, ns for 1,000 tokens: what there is to say where no line fits.
	First, Last Estimate
	Rise        Estimate // from the shortest prompt to the longest, as a share of the former: along the line, or between the cells themselves where none fits
	Fits        bool     // there are three lengths, so that a line need not fit
	// Bends says that a parabola can be fitted: to all lengths or, where prompts are cut
	// into chunks, to three or more that are cut or to as many that are not, since growth
	// bends where the cutting begins, which is no quadratic term. From is the first of
	// them and To the one behind the last.
	Bends    bool
	From, To int
	Parabola Fit
	Curve    Estimate // its quadratic part at the longest of them, as a share of its linear part
	// ShowsAt is the prompt at which the quadratic part is CurveShows of the linear
	// one, in tokens: infinite where the growth never gets ahead of linear.
	ShowsAt float64

	tokens []float64 // of the prompts, ascending
}

// Longest returns the longest prompt that the parabola is fitted to, and where none is,
// the longest of all.
func (t *Trend) Longest() int {
	if t.Bends {
		return t.Prompts[t.To-1]
	}
	return t.Prompts[len(t.Prompts)-1]
}

// Straight reports whether the slope of the line says something of every length.
func (t *Trend) Straight() bool {
	switch t.Shape {
	case Faster, Slower, Irregular:
		return false
	}
	return true
}

// Trend returns the trend of a row. ok is false with fewer than two lengths.
func (g *Grid) Trend(k Key, m Metric) (t Trend, ok bool) {
	t = Trend{Key: k, Metric: m, ShowsAt: math.Inf(1)}
	var samples []Sample
	row := g.Row(k, m)
	t.tokens = lengths(row)
	for _, c := range row {
		t.Prompts = append(t.Prompts, c.Prompt)
		samples = append(samples, c.Sample(m))
	}
	if len(t.Prompts) < 2 {
		return t, false
	}
	t.PerThousand = g.estimate(samples, func(medians []float64) float64 {
		line, _ := Line(t.points(medians))
		return 1000 * line.Linear
	})
	t.Rise = g.estimate(samples, t.rise)
	n := len(t.Prompts)
	t.First = g.estimate(samples, func(medians []float64) float64 { return t.between(medians, 0) })
	t.Last = g.estimate(samples, func(medians []float64) float64 { return t.between(medians, n-2) })
	t.Fits = n >= 3
	if t.From, t.To = uncut(row); t.To-t.From >= 3 {
		t.Bends = true
		t.Curve = g.estimate(samples, t.curve)
	}
	t.settle(samples)
	if !t.Straight() {
		t.Rise = g.estimate(samples, func(medians []float64) float64 { return risen(medians[0], medians[n-1]) })
	}
	return t, true
}

// lengths returns the tokens of the prompts of a row: the server's own, if they rise
// with those that were asked for, and else the latter. Some servers leave out what
// they found in their cache.
func lengths(row []*Cell) []float64 {
	counted, asked := make([]float64, len(row)), make([]float64, len(row))
	rising := true
	for i, c := range row {
		counted[i], asked[i] = c.Tokens(), float64(c.Prompt)
		rising = rising && (i == 0 || counted[i] > counted[i-1])
	}
	if !rising {
		return asked
	}
	return counted
}

// uncut returns the range of cells along which nothing but the length changes: those
// that are cut into full chunks, if there are three, else those in one step. Nobody cuts
// at 0 tokens, so that is all of them.
func uncut(row []*Cell) (from, to int) {
	cut := 0
	for cut < len(row) && row[cut].Prompt < row[cut].Chunk {
		cut++
	}
	if whole := cut; len(row)-cut < 3 {
		if whole < len(row) && row[whole].Prompt == row[whole].Chunk {
			whole++ // in one step, too
		}
		return 0, whole
	}
	return cut, len(row)
}

// between returns the slope from one length to the next, ns for 1,000 tokens.
func (t *Trend) between(medians []float64, i int) float64 {
	return 1000 * (medians[i+1] - medians[i]) / (t.tokens[i+1] - t.tokens[i])
}

// settle fits the medians themselves and names the shape.
func (t *Trend) settle(samples []Sample) {
	medians := make([]float64, len(samples))
	for i, s := range samples {
		medians[i], _ = s.Median()
	}
	t.Line, _ = Line(t.points(medians))
	if t.Bends {
		t.Parabola, _ = Parabola(t.points(medians)[t.From:t.To])
	}
	if p := t.Parabola; t.Bends && t.Line.Linear > 0 && p.Square > 0 {
		t.ShowsAt = max(0, CurveShows*p.Linear/p.Square)
	}
	t.Shape = t.shape()
}

func (t *Trend) points(medians []float64) []Point {
	points := make([]Point, len(medians))
	for i, y := range medians {
		points[i] = Point{t.tokens[i], y}
	}
	return points
}

func (t *Trend) ends() (shortest, longest float64) {
	return t.tokens[0], t.tokens[len(t.tokens)-1]
}

func (t *Trend) rise(medians []float64) float64 {
	line, _ := Line(t.points(medians))
	shortest, longest := t.ends()
	return risen(line.At(shortest), line.At(longest))
}

// risen returns the rise between two values as a share of the first: infinite from none on.
func risen(from, to float64) float64 {
	switch {
	case from == to:
		return 0
	case from <= 0:
		return math.Inf(1)
	}
	return (to - from) / from
}

// curve returns the quadratic part over the linear part at the longest prompt. It
// is infinite where the linear part is none.
func (t *Trend) curve(medians []float64) float64 {
	p, _ := Parabola(t.points(medians)[t.From:t.To])
	longest := t.tokens[t.To-1]
	if p.Linear <= 0 {
		return math.Copysign(math.Inf(1), p.Square)
	}
	return p.Square * longest / p.Linear
}

func (t *Trend) shape() Shape {
	switch r := t.Rise; {
	case r.Low >= -FlatWithin && r.High <= FlatWithin:
		return Flat
	case r.High < -FlatWithin:
		return Falls
	case r.Low <= FlatWithin:
		return Unclear
	case !t.Fits:
		return Rises
	}
	switch c := t.Curve; {
	case !t.Bends && t.Line.R2 < StraightR2, t.Bends && t.Parabola.R2 < StraightR2 && (c.Low > CurveShows || c.High < -CurveShows):
		return Irregular
	case c.Low > CurveShows:
		return Faster
	case c.High < -CurveShows:
		return Slower
	case c.Low < -CurveShows || c.High > CurveShows:
		return Unclear
	case t.Line.R2 < StraightR2:
		return Irregular
	}
	return Linear
}

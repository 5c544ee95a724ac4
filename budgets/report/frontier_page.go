package report

import (
	"cmp"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strings"

	"halfsecond/budgets/frontier"
)

// Markdown writes the frontier as a page for a pull request: what is recommended in sight, the
// table and the rest folded away.
func (f *Frontier) Markdown(w io.Writer) error {
	var m markdown
	m.heading(3, fmt.Sprintf("%s %s: frontier", pick(f.Holds(), "✅", "❌"), f.Scenario))
	for _, words := range f.Summary {
		m.paragraph(words)
	}
	if f.Unfinished != nil {
		m.paragraph(fmt.Sprintf("Not all was run (%s).", *f.Unfinished))
	}
	rows, left := f.rows(math.MaxInt)
	m.table(rows)
	m.paragraph(frontierMarks)
	for _, t := range f.Trades {
		m.bullet(t)
	}
	for _, i := range f.impossible() {
		m.bullet("Impossible: " + i)
	}
	m.end()
	m.fold("How to read this", func() {
		for _, n := range append(left, f.notes()...) {
			m.bullet(n)
		}
		m.end()
	})
	m.paragraph(f.facts())
	return m.writeTo(w)
}

// HTML writes the frontier as a page of one file, with a picture that is SVG.
func (f *Frontier) HTML(w io.Writer, svg []byte) error {
	rows, left := f.rows(math.MaxInt)
	page := frontierView{
		Title: f.Scenario, Summary: f.Summary, Holds: f.Holds(), Facts: f.facts(), Marks: frontierMarks, Unfinished: f.Unfinished,
		Picture: template.HTML(svg), // our own drawing, whose texts are escaped
		Trades:  f.Trades, Impossible: f.impossible(), Notes: append(left, f.notes()...),
	}
	for i, row := range rows {
		var cells []frontierCellView
		for _, c := range row {
			cells = append(cells, frontierCellView{c.text, c.right})
		}
		if i < 2 {
			page.Head = append(page.Head, cells)
			continue
		}
		page.Rows = append(page.Rows, frontierRowView{map[style]string{green: "advised", dim: "beaten"}[row[0].style], cells})
	}
	if err := frontierPage.Execute(w, page); err != nil {
		return fmt.Errorf("write frontier: %w", err)
	}
	return nil
}

type frontierView struct {
	Title                     string
	Summary                   []string
	Holds                     bool
	Unfinished                *string
	Facts, Marks              string
	Picture                   template.HTML
	Head                      [][]frontierCellView
	Rows                      []frontierRowView
	Trades, Impossible, Notes []string
}

type frontierRowView struct {
	Class string
	Cells []frontierCellView
}

type frontierCellView struct {
	Text  string
	Right bool
}

var frontierPage = template.Must(template.New("frontier").Parse(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{.Title}}: frontier</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; color: #222; background: #fff; max-width: 72rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.4rem } h2 { font-size: 1.1rem; margin-top: 2rem }
.advice { border-left: 4px solid #d55e00; padding: .2rem 1rem; background: #faf6f3 } .advice.holds { border-color: #009e73; background: #f3faf7 }
.facts, .marks, li.note { color: #595959; font-size: .9rem }
figure { margin: 1.5rem 0; overflow-x: auto } figure svg { max-width: 100%; height: auto }
.wide { overflow-x: auto } table { border-collapse: collapse; font-variant-numeric: tabular-nums; white-space: nowrap }
th { text-align: left; color: #595959; font-weight: 600 } th, td { padding: .15rem .7rem } th.right, td.right { text-align: right }
tbody tr { border-top: 1px solid #e4e4e4 } tr.beaten td { color: #6b6b6b } tr.advised td { background: #e9f6f1; font-weight: 600 }
@media print { body { max-width: none; margin: 0 } }
</style>
</head>
<body>
<h1>{{.Title}}: which settings are worth having</h1>
<div class="advice{{if .Holds}} holds{{end}}">{{range .Summary}}<p>{{.}}</p>{{end}}</div>
{{with .Unfinished}}<p>Not all was run ({{.}}): what follows is of the settings whose runs are all there.</p>{{end}}
<p class="facts">{{.Facts}}</p>
{{with .Picture}}<figure>{{.}}</figure>{{end}}
<h2>Settings</h2>
<div class="wide"><table>
<thead>{{range .Head}}<tr>{{range .}}<th{{if .Right}} class="right"{{end}}>{{.Text}}</th>{{end}}</tr>{{end}}</thead>
<tbody>{{range .Rows}}<tr{{with .Class}} class="{{.}}"{{end}}>{{range .Cells}}<td{{if .Right}} class="right"{{end}}>{{.Text}}</td>{{end}}</tr>
{{end}}</tbody>
</table></div>
<p class="marks">{{.Marks}}</p>
{{with .Trades}}<h2>What changes bring</h2><ul>{{range .}}<li>{{.}}</li>{{end}}</ul>{{end}}
{{with .Impossible}}<h2>Impossible</h2><ul>{{range .}}<li>{{.}}</li>{{end}}</ul>{{end}}
<h2>Notes</h2><ul>{{range .Notes}}<li class="note">{{.}}</li>{{end}}</ul>
</body>
</html>
`))

// FrontierPoint is a cell in a picture.
type FrontierPoint struct {
	Unit                    string
	Cost, Inside            float64
	Kind                    int // which of Kinds it has
	Efficient, Advised, Now bool
	Name                    string
	Rest                    string // of its settings, those that colour does not tell and that differ among the points of its unit
}

// Points returns what a picture shows, with the names that are told apart by colour: the values
// of the first setting that has names, such as models, or else of the first one.
func (f *Frontier) Points() (points []FrontierPoint, setting string, kinds []string) {
	k := 0
	for i, ordered := range f.of.Ordered {
		if !ordered && f.of.Names[i] == "model" || !ordered && f.of.Ordered[k] {
			k = i
		}
	}
	index := map[string]int{}
	for i := range f.of.Cells { // in the order in which they were asked for
		if v := f.of.Cells[i].Values[k]; f.of.Told(&f.of.Cells[i]) {
			if _, known := index[v]; !known {
				index[v], kinds = len(kinds), append(kinds, v)
			}
		}
	}
	for _, i := range f.order() {
		c := &f.of.Cells[i]
		s := c.Sum()
		if s.Opportunities == 0 { // there is no share of them
			continue
		}
		if c.Rate.Unit == "" { // the axis says that the cost is not known
			s.Cost = 0
		}
		points = append(points, FrontierPoint{c.Rate.Unit, s.Cost, s.Inside, index[c.Values[k]], c.Efficient, c.Advised, c.Now, f.of.Name(c), f.rest(c, k)})
	}
	return points, f.of.Names[k], kinds
}

// rest writes the values of a cell's settings, but for one, that are not the same in all cells of
// its unit of costs.
func (f *Frontier) rest(c *frontier.Cell, but int) string {
	var values []string
	for k, v := range c.Values {
		differs := func(o frontier.Cell) bool {
			return f.of.Told(&o) && o.Rate.Unit == c.Rate.Unit && o.Values[k] != v
		}
		if k != but && slices.ContainsFunc(f.of.Cells, differs) {
			values = append(values, cmp.Or(v, "left out"))
		}
	}
	return strings.Join(values, " ")
}

// Goal returns the share of opportunities that a budget asks to be inside; 0 for none.
func (f *Frontier) Goal() float64 { return f.of.Goal }

// Units returns those that costs are counted in.
func (f *Frontier) Units() []string { return f.of.Units() }

package fit

import (
	_ "embed"
	"encoding/csv"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"halfsecond/mockllm/catalog"
	"halfsecond/mockllm/roofline"
)

//go:embed measured.csv
var measuredCSV string

// PublishedName is what the file of the built-in measurements is called.
const PublishedName = "measured.csv"

// Published returns the built-in measurements, from the sources that SOURCES.md names.
func Published() []Row {
	rows, err := ReadRows(PublishedName, strings.NewReader(measuredCSV))
	if err != nil {
		panic(err)
	}
	return rows
}

// publishedRows is the content of the built-in measurements.
var publishedRows = sync.OnceValue(func() map[Row]bool {
	rows := map[Row]bool{}
	for _, r := range Published() {
		rows[content(r)] = true
	}
	return rows
})

// Constant is one fitted number.
type Constant struct {
	Name         string
	Value, Prior float64
	Rows         int // measurements that depend on it
}

// Constants fits the constants of rows and returns them by name.
func Constants(c *catalog.Catalog, rows []Row) []Constant {
	s, _ := samples(c, rows)
	values := fitted(s)
	used := map[string]int{}
	for _, x := range s {
		for _, name := range x.uses {
			used[name]++
		}
	}
	var out []Constant
	for _, name := range slices.Sorted(maps.Keys(values)) {
		out = append(out, Constant{name, values[name], roofline.PriorOf(name).Value, used[name]})
	}
	return out
}

// digits are the significant digits of a constant that is kept.
const digits = 3

func rounded(v float64) float64 {
	r, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
	return r
}

// WriteConstants writes the table that roofline.Fitted reads.
func WriteConstants(w io.Writer, constants []Constant) error {
	c := csv.NewWriter(w)
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', digits, 64) }
	lines := [][]string{roofline.FittedColumns}
	for _, k := range constants {
		lines = append(lines, []string{k.Name, number(k.Value), number(k.Prior), strconv.Itoa(k.Rows)})
	}
	return c.WriteAll(lines)
}

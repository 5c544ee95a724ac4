package versus

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"halfsecond/budgets"
)

// Version is the version of the baseline format that this package writes and reads.
const Version = 1

// wireHeader is the first line of a baseline.
type wireHeader struct {
	Baseline     int            `json:"halfsecond_baseline"`
	Scenario     string         `json:"scenario"`
	ScenarioHash string         `json:"scenario_hash"`
	Kind         string         `json:"kind"`
	Target       string         `json:"target"`
	Model        string         `json:"model,omitempty"`
	Protocol     string         `json:"protocol,omitempty"`
	Seed         uint64         `json:"seed"`
	N            int            `json:"n"`
	NAsked       int            `json:"n_asked"`
	Version      string         `json:"version"`
	Unfinished   string         `json:"unfinished,omitempty"`
	Unfit        string         `json:"unfit,omitempty"`
	Unsteady     string         `json:"unsteady,omitempty"`
	Limit        string         `json:"limit,omitempty"`
	Outcomes     map[string]int `json:"outcomes"`
	Requests     map[string]int `json:"request_outcomes"`
	Sessions     []int          `json:"sessions"`
	Indexes      []int          `json:"indexes,omitempty"`
	Dues         []int64        `json:"dues_ns,omitempty"`
	Conditions   []Condition    `json:"conditions,omitempty"`
	Series       int            `json:"series"`
	Speed        *wireSpeed     `json:"speed,omitempty"`
}

// wireSeries is one of the other lines.
type wireSeries struct {
	Name       string `json:"name"`
	Formula    string `json:"formula"`
	Unit       string `json:"unit"` // "ns", "share", "count", or "answers" of an effective speed
	Role       string `json:"role"`
	More       bool   `json:"more_is_better,omitempty"`
	MedianOnly bool   `json:"median_only,omitempty"`
	Values     []cell `json:"values"`
	Slow       []cell `json:"slow,omitempty"`
	Quick      []cell `json:"quick,omitempty"`
	Repair     int64  `json:"repair_ns,omitempty"`
}

// cell is the values of one interaction: null for none, a number for one, a list for
// several. All are whole: ns, or 0 and 1.
type cell []float64

func (c cell) MarshalJSON() ([]byte, error) {
	var b []byte
	for i, v := range c {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(v), 10)
	}
	switch len(c) {
	case 0:
		return []byte("null"), nil
	case 1:
		return b, nil
	}
	return append(append([]byte{'['}, b...), ']'), nil
}

func (c *cell) UnmarshalJSON(b []byte) error {
	var whole []int64
	switch b[0] {
	case 'n':
		*c = nil
		return nil
	case '[':
		if err := json.Unmarshal(b, &whole); err != nil {
			return err
		}
		if len(whole) < 2 {
			return fmt.Errorf("%s: a list is for two values or more", b)
		}
	default:
		v, err := strconv.ParseInt(string(b), 10, 64)
		if err != nil {
			return fmt.Errorf("%s is no whole number", b)
		}
		whole = []int64{v}
	}
	*c = make(cell, len(whole))
	for i, v := range whole {
		(*c)[i] = float64(v)
	}
	return nil
}

// Write writes the run as a baseline: a header and a line for each series.
func (r *Run) Write(w io.Writer) error {
	b := bufio.NewWriter(w)
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	f := &r.Facts
	err := e.Encode(wireHeader{
		Version, f.Scenario, f.ScenarioHash, f.Kind, f.Target, f.Model, f.Protocol, f.Seed, f.N, f.NAsked, f.Version,
		f.Unfinished, f.Unfit, f.Unsteady, f.Limit, f.Outcomes, f.Requests, append([]int{}, r.Sessions...), r.Indexes, r.Dues, f.Conditions, len(r.Series), f.Speed.wire(),
	})
	for i := 0; err == nil && i < len(r.Series); i++ {
		err = e.Encode(r.Series[i].wire())
	}
	if err == nil {
		err = b.Flush()
	}
	if err != nil {
		return fmt.Errorf("write baseline: %w", err)
	}
	return nil
}

// unitNames are the units of series in a baseline.
var unitNames = map[budgets.Unit]string{budgets.Duration: "ns", budgets.Share: "share", budgets.Count: "count", budgets.TokenRate: "answers"}

func (s *Series) wire() wireSeries {
	w := wireSeries{Name: s.Name, Formula: s.Formula, Unit: unitNames[s.Unit], Role: s.Role.String(), More: s.More, MedianOnly: s.MedianOnly, Repair: int64(s.Repair)}
	w.Values, w.Slow, w.Quick = cells(s.Values), cells(s.Slow), cells(s.Quick)
	if s.Unit == budgets.TokenRate {
		w.Values = answerCells(s.Answers)
	}
	return w
}

func cells(values [][]float64) (c []cell) {
	for _, v := range values {
		c = append(c, v)
	}
	return c
}

// IsBaseline reports whether a file that begins like this is a baseline rather than
// the traces of a run.
func IsBaseline(beginning []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(beginning, " \t\r\n"), []byte(`{"halfsecond_baseline":`))
}

// Read reads a baseline. An unknown version, an unknown field, and lines that do not
// fit together are errors that name the line.
func Read(from io.Reader) (*Run, error) {
	lines := bufio.NewReaderSize(from, 1<<16)
	line, err := lines.ReadBytes('\n')
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("read baseline: %w", err)
	}
	r, series, err := readHeader(line)
	for n := 2; err == nil && n < 2+series; n++ {
		if line, err = lines.ReadBytes('\n'); err == nil || err == io.EOF && len(line) > 0 {
			err = r.readSeries(line)
		} else if err == io.EOF {
			err = fmt.Errorf("the header counts %d series, the file holds %d: it was cut off", series, n-2)
		}
		if err != nil {
			err = fmt.Errorf("line %d: %w", n, err)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("read baseline: %w", err)
	}
	if rest, err := io.ReadAll(io.LimitReader(lines, 1)); err != nil || len(rest) > 0 {
		return nil, errors.Join(errors.New("read baseline: more follows the last series"), err)
	}
	return r, nil
}

func readHeader(line []byte) (*Run, int, error) {
	if !IsBaseline(line) {
		return nil, 0, errors.New("this is no baseline: its first line does not begin with halfsecond_baseline; 'halfsecond compare --save' makes one")
	}
	var version struct {
		Baseline int `json:"halfsecond_baseline"`
	}
	if err := json.Unmarshal(line, &version); err != nil {
		return nil, 0, fmt.Errorf("line 1: %w", err)
	}
	if version.Baseline != Version {
		return nil, 0, fmt.Errorf("this baseline is version %d, this program reads version %d: save it again", version.Baseline, Version)
	}
	var h wireHeader
	if err := strict(line, &h); err != nil {
		return nil, 0, fmt.Errorf("line 1: %w", err)
	}
	if h.N != len(h.Sessions) {
		return nil, 0, fmt.Errorf("line 1: n is %d, but sessions has %d", h.N, len(h.Sessions))
	}
	if len(h.Indexes) > 0 && len(h.Indexes) != h.N {
		return nil, 0, fmt.Errorf("line 1: n is %d, but indexes has %d", h.N, len(h.Indexes))
	}
	if len(h.Dues) > 0 && len(h.Dues) != h.N {
		return nil, 0, fmt.Errorf("line 1: n is %d, but dues_ns has %d", h.N, len(h.Dues))
	}
	return &Run{Sessions: h.Sessions, Indexes: h.Indexes, Dues: h.Dues, Facts: Facts{
		h.Scenario, h.ScenarioHash, h.Kind, h.Target, h.Model, h.Protocol, h.Seed, h.N, h.NAsked, h.Version, h.Unfinished, h.Unfit, h.Unsteady, h.Limit,
		h.Outcomes, h.Requests, h.Conditions, h.Speed.speed(),
	}}, h.Series, nil
}

func (r *Run) readSeries(line []byte) error {
	var w wireSeries
	if err := strict(line, &w); err != nil {
		return err
	}
	s := Series{Name: w.Name, Formula: w.Formula, More: w.More, MedianOnly: w.MedianOnly, Repair: time.Duration(w.Repair)}
	switch {
	case w.Name == "" || r.series(w.Name) != nil:
		return fmt.Errorf("series %q: want a name, once", w.Name)
	case len(w.Values) != len(r.Sessions):
		return fmt.Errorf("series %s: it has values of %d interactions, the run has %d", w.Name, len(w.Values), len(r.Sessions))
	}
	unit, known := unitNamed(w.Unit)
	if s.Unit = unit; !known {
		return fmt.Errorf("series %s: unit %q: want ns, share, count or answers", w.Name, w.Unit)
	}
	if s.Role = roleNamed(w.Role); s.Role.String() != w.Role {
		return fmt.Errorf("series %s: role %q: want judged, request or stage", w.Name, w.Role)
	}
	if err := s.read(&w); err != nil {
		return fmt.Errorf("series %s: %w", w.Name, err)
	}
	r.Series = append(r.Series, s)
	return nil
}

// unitNamed returns the unit of that name.
func unitNamed(name string) (u budgets.Unit, known bool) {
	for unit, n := range unitNames {
		if n == name {
			return unit, true
		}
	}
	return u, false
}

// read reads what a series has of each interaction.
func (s *Series) read(w *wireSeries) error {
	if s.Unit == budgets.TokenRate {
		return s.readAnswers(w.Values)
	}
	for _, c := range w.Values {
		for _, v := range c {
			switch {
			case s.Unit == budgets.Share && v != 0 && v != 1:
				return fmt.Errorf("%v: a member of a share is 0 or 1", v)
			case s.Unit == budgets.Count && v < 0:
				return fmt.Errorf("%v: a count is 0 or more", v)
			}
		}
		s.Values = append(s.Values, c)
	}
	var slow, quick error
	s.Slow, slow = s.readBound("slower", w.Slow)
	s.Quick, quick = s.readBound("quicker", w.Quick)
	return cmp.Or(slow, quick)
}

// readBound returns what the values of a series may be, as many as it has of them, or nil for
// none.
func (s *Series) readBound(what string, cells []cell) (values [][]float64, err error) {
	switch {
	case len(cells) == 0:
		return nil, nil
	case s.Unit != budgets.Duration:
		return nil, fmt.Errorf("a series of unit %s has no %s values", unitNames[s.Unit], what)
	case len(cells) != len(s.Values):
		return nil, fmt.Errorf("it has %s values of %d interactions, the run has %d", what, len(cells), len(s.Values))
	}
	for i, c := range cells {
		if len(c) != len(s.Values[i]) {
			return nil, fmt.Errorf("interaction %d has %d %s values, want %d", i+1, len(c), what, len(s.Values[i]))
		}
		values = append(values, c)
	}
	return values, nil
}

// roleNamed returns the role of that name, Judged for none.
func roleNamed(name string) Role {
	for role, n := range roleNames {
		if n == name {
			return Role(role)
		}
	}
	return Judged
}

// strict decodes one line that is one JSON object without unknown fields.
func strict(line []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return errors.New("the line is not a whole JSON object")
		}
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("more than one JSON object on the line")
	}
	return nil
}

package report

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"halfsecond/budgets"
	"halfsecond/budgets/frontier"
	"halfsecond/pipeline"
)

// Frontier is a scenario under many settings as one JSON document. Durations are in ms, shares
// 0 to 1; what is unknown is null.
type Frontier struct {
	Version      int                `json:"frontier_version"` // of this document, 1
	Scenario     string             `json:"scenario"`
	ScenarioHash string             `json:"scenario_hash"`
	Seed         uint64             `json:"seed"`
	N            int                `json:"n"`       // keys of a run
	Repeats      int                `json:"repeats"` // runs of each combination
	Budgets      []string           `json:"budgets"`
	LimitMS      float64            `json:"limit_ms"` // of the first character, for what is inside
	Settings     []string           `json:"settings"` // the keys that are varied
	Summary      []string           `json:"summary"`
	Recommended  []FrontierAdvice   `json:"recommended"` // one for each unit of costs
	Trades       []string           `json:"trades"`      // what a change of settings brings, from the present ones and between neighbours
	Cells        []FrontierCell     `json:"cells"`
	Unfinished   *string            `json:"unfinished"` // why not all was run
	of           *frontier.Frontier `json:"-"`
}

// FrontierAdvice is the settings to take.
type FrontierAdvice struct {
	CostUnit string  `json:"cost_unit"`
	Cell     int     `json:"cell"` // from 0
	Holds    bool    `json:"holds_budgets"`
	Lacks    *string `json:"lacks"` // what is missing, where it does not
}

// FrontierCell is one combination of settings.
type FrontierCell struct {
	Settings       []string `json:"settings"`  // values, in the order of the keys
	Now            bool     `json:"now"`       // the scenario has them
	Frontier       bool     `json:"frontier"`  // no other beats it
	BeatenBy       *int     `json:"beaten_by"` // cell, from 0, on the frontier where one of those beats it
	Recommended    bool     `json:"recommended"`
	Holds          bool     `json:"holds_budgets"`
	Impossible     *string  `json:"impossible"` // why it cannot be run
	Inside         *float64 `json:"inside_share"`
	P50            *float64 `json:"ttfc_p50_ms"`
	P95            *float64 `json:"ttfc_p95_ms"`
	Useful         *float64 `json:"useful_share"` // of opportunities
	Flashes        *float64 `json:"flash_share"`
	RequestsPerKey *float64 `json:"requests_per_key"`
	WastedPrompt   *float64 `json:"wasted_prompt_tokens_per_useful"`
	WastedOutput   *float64 `json:"wasted_output_tokens_per_useful"`
	Seconds        *float64 `json:"accelerator_seconds_per_1000_keys"` // null of a hosted model
	Saved          *float64 `json:"saved_characters_per_1000_keys"`    // null where nothing is accepted
	Cost           *float64 `json:"cost_per_1000_keys"`
	CostUnit       string   `json:"cost_unit"`
	Developers     *int     `json:"developers"` // that fit inside the budgets at a time; null where it was not looked for
}

// NewFrontier reports a frontier that was judged.
func NewFrontier(f *frontier.Frontier) *Frontier {
	out := &Frontier{
		Version: 1, Scenario: f.Scenario, ScenarioHash: f.Hash, Seed: f.Seed, N: f.N, Repeats: f.Repeats, Budgets: f.Budgets,
		LimitMS: f.Limit.Value / 1e6, of: f,
	}
	for i, k := range f.Keys {
		out.Settings = append(out.Settings, cmp.Or(k, f.Names[i]))
	}
	if f.Ended != "" {
		out.Unfinished = &f.Ended
	}
	for i := range f.Cells {
		out.Cells = append(out.Cells, newFrontierCell(f, &f.Cells[i]))
	}
	for _, a := range f.Advice {
		one := FrontierAdvice{CostUnit: a.Unit, Cell: a.Cell, Holds: a.Holds}
		if !a.Holds {
			lacks := frontier.Lacks(a.Missed)
			one.Lacks = &lacks
		}
		out.Recommended = append(out.Recommended, one)
	}
	out.Summary, out.Trades = out.sentences(), out.trades()
	return out
}

func newFrontierCell(f *frontier.Frontier, c *frontier.Cell) FrontierCell {
	out := FrontierCell{Settings: c.Values, Now: c.Now, CostUnit: c.Rate.Unit}
	if c.Impossible != "" {
		out.Impossible = &c.Impossible
	}
	if !f.Told(c) {
		return out
	}
	s := c.Sum()
	ms := func(is bool, v float64) *float64 {
		if !is {
			return nil
		}
		v /= 1e6
		return &v
	}
	known := func(v float64) *float64 {
		if math.IsNaN(v) {
			return nil
		}
		return &v
	}
	out.Frontier, out.Recommended, out.Holds = c.Efficient, c.Advised, c.Holds()
	if c.Beats >= 0 && !c.Beside {
		out.BeatenBy = &c.Beats
	}
	out.Inside, out.Useful, out.Flashes, out.RequestsPerKey = known(s.Inside), known(s.Useful), known(s.Flashes), known(s.RequestsPerKey)
	out.P50, out.P95 = ms(frontier.Known(s.P50), float64(s.P50)), ms(frontier.Known(s.P95), float64(s.P95))
	out.WastedPrompt, out.WastedOutput, out.Cost = known(s.WastedPrompt), known(s.WastedOutput), known(s.Cost)
	if c.Rate.Accelerators > 0 {
		out.Seconds = known(s.Seconds)
	}
	if f.Saves {
		out.Saved = known(s.Saved)
	}
	if k := c.Capacity; k != nil && k.Why == "" {
		out.Developers = &k.Developers
	}
	return out
}

// Holds reports whether some settings hold every budget.
func (f *Frontier) Holds() bool { return f.of.Holds() }

// Measured reports whether any settings were run to the end.
func (f *Frontier) Measured() bool { return len(f.Recommended) > 0 }

// JSON writes the document.
func (f *Frontier) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(f); err != nil {
		return fmt.Errorf("write frontier: %w", err)
	}
	return nil
}

// frontierFields are the columns of a cell's row for programs, after the settings.
var frontierFields = []string{
	"now", "frontier", "recommended", "holds_budgets", "inside_share", "ttfc_p50_ms", "ttfc_p95_ms", "useful_share", "flash_share", "requests_per_key",
	"wasted_prompt_tokens_per_useful", "wasted_output_tokens_per_useful", "accelerator_seconds_per_1000_keys", "saved_characters_per_1000_keys",
	"cost_per_1000_keys", "cost_unit", "developers", "impossible", "beaten_by",
}

// CSV writes a row for each cell.
func (f *Frontier) CSV(w io.Writer) error {
	out := csv.NewWriter(w)
	_ = out.Write(append(slices.Clone(f.Settings), frontierFields...)) // errors show at the end
	for i := range f.Cells {
		_ = out.Write(f.Cells[i].row())
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("write frontier: %w", err)
	}
	return nil
}

func (c *FrontierCell) row() []string {
	number := func(v *float64) string {
		if v == nil {
			return ""
		}
		return strconv.FormatFloat(*v, 'g', 6, 64)
	}
	row := slices.Clone(c.Settings)
	for _, is := range []bool{c.Now, c.Frontier, c.Recommended, c.Holds} {
		row = append(row, strconv.FormatBool(is))
	}
	for _, v := range []*float64{c.Inside, c.P50, c.P95, c.Useful, c.Flashes, c.RequestsPerKey, c.WastedPrompt, c.WastedOutput, c.Seconds, c.Saved, c.Cost} {
		row = append(row, number(v))
	}
	developers, impossible, beatenBy := "", "", ""
	if c.BeatenBy != nil {
		beatenBy = strconv.Itoa(*c.BeatenBy)
	}
	if c.Developers != nil {
		developers = strconv.Itoa(*c.Developers)
	}
	if c.Impossible != nil {
		impossible = *c.Impossible
	}
	return append(row, c.CostUnit, developers, impossible, beatenBy)
}

// sentences say which settings to take, and what for.
func (f *Frontier) sentences() (all []string) {
	for _, a := range f.of.Advice {
		c := &f.of.Cells[a.Cell]
		s := c.Sum()
		inside := "There were no opportunities"
		if s.Opportunities > 0 {
			inside = fmt.Sprintf("%s of opportunities are inside %s", budgets.Share.Format(s.Inside), budgets.Duration.Format(f.of.Limit.Value))
		}
		words := fmt.Sprintf("Recommended%s: %s. %s, for %s for 1,000 keys", f.among(a.Unit), f.of.Name(c), inside, frontier.CostWords(a.Unit, s.Cost))
		if a.Holds {
			words += "; every budget holds in every run."
		} else {
			words += fmt.Sprintf(". No settings that were tried%s hold every budget: %s.", f.among(a.Unit), frontier.Lacks(a.Missed))
		}
		if a.Now {
			words += " The scenario's own settings, which are none of those, hold every budget."
		}
		all = append(all, words+f.capacity(c))
	}
	if len(all) == 0 {
		all = []string{"Nothing was run to the end, so nothing can be recommended."}
	}
	return all
}

// capacity says how many developers fit.
func (f *Frontier) capacity(c *frontier.Cell) string {
	k := c.Capacity
	switch {
	case k == nil:
		return ""
	case k.Why != "":
		return " How many developers fit is not known: " + k.Why + "."
	case k.Developers == 0:
		return " Not one developer fits inside the budgets."
	}
	words := fmt.Sprintf(" %s at a time fit inside the budgets", counted(k.Developers, "developer"))
	if n := c.Rate.Accelerators; n > 1 {
		words += fmt.Sprintf(", %.3g for each of %d accelerators", float64(k.Developers)/float64(n), n)
	}
	if h := c.Rate.Hour; h > 0 {
		words += fmt.Sprintf(": %.3g USD an hour for each", h.USD()*float64(c.Rate.Accelerators)/float64(k.Developers))
	}
	if k.Outside > 0 {
		return words + fmt.Sprintf("; of %d not all do.", k.Outside)
	}
	return words + "; more were not tried."
}

// among says of which settings one is recommended, where costs cannot be compared.
func (f *Frontier) among(unit string) string {
	if len(f.of.Units()) < 2 {
		return ""
	}
	return " on " + cmp.Or(unit, "a model whose costs nobody knows")
}

// trades say what it brings to leave the present settings for those that are recommended, and
// what their neighbours would.
func (f *Frontier) trades() (all []string) {
	now := f.of.Now()
	for _, a := range f.of.Advice {
		if now >= 0 && now != a.Cell {
			all = append(all, "From the scenario's own settings: "+f.of.Trade(now, a.Cell)+".")
		}
		for _, n := range f.of.Neighbours(a.Cell) {
			all = append(all, "From the recommended ones"+f.among(a.Unit)+": "+f.of.Trade(a.Cell, n)+".")
		}
		if words := f.of.Beaten(a.Unit); words != "" {
			all = append(all, "Beaten"+f.among(a.Unit)+": "+words+".")
		}
	}
	return all
}

// facts say what was run.
func (f *Frontier) facts() string {
	impossible, all := 0, 0
	for i := range f.of.Cells {
		c := &f.of.Cells[i]
		if !c.Beside {
			all++
		}
		if c.Impossible != "" {
			impossible++
		}
	}
	parts := []string{f.Scenario, strings.Join(f.Budgets, ", "), counted(all, "combination")}
	if impossible > 0 {
		parts[2] += fmt.Sprintf(", %d impossible", impossible)
	}
	parts = append(parts, fmt.Sprintf("%s of %s keys each", counted(f.Repeats, "run"), budgets.Number(float64(f.N), 0)), fmt.Sprintf("seed %d", f.Seed), fmt.Sprintf("scenario hash %.12s", f.ScenarioHash))
	return pipeline.Printable(strings.Join(parts, " · "))
}

// Subtitle says in a line what the picture is of.
func (f *Frontier) Subtitle() string { return f.facts() }

// notes say what has to be known to read the table.
func (f *Frontier) notes() (notes []string) {
	aims := "opportunities inside, cost, flashes and waste"
	if f.of.Saves {
		aims = "opportunities inside, cost, flashes, waste and characters saved"
	}
	notes = append(notes,
		fmt.Sprintf("On the frontier (●) are settings that no other beats. One beats another that is better in at least one of %s, and worse in none: in every run against the run of the same seed, by half a point of a share, or 1 %% of the rest. Settings that hold every budget are beaten only by others that do. What differs by less, or not in every run, is no difference.", aims),
		frontier.Rule)
	notes = append(notes, f.costNotes()...)
	notes = append(notes, fmt.Sprintf("inside: opportunities, which are keys after which the plugin's own rules would ask, whose first character could be shown within %s; p50 and p95 are of those where it came at all. useful: opportunities whose own request's answer was shown, or drawn on by another step, right or not; text that a cache or typing along an earlier answer brought is not among it. flash: suggestions that were gone before anybody could read them. wasted: tokens, of prompts and answers, computed for what was not useful, or is known to be wrong, for each useful answer. A dash is what is not known: nothing appeared that could flash, or nothing was useful; it is neither better nor worse than anything, and its settings beat none of which it is known.", budgets.Duration.Format(f.of.Limit.Value)))
	notes = append(notes, "How often an answer is right is the scenario's (ide.answer.truth), and the same for every model unless --for says otherwise: whether a larger model writes better code is not modelled.")
	if f.of.Assumed {
		notes = append(notes, "150 ms is assumed: no budget of the scenario limits ttfc.")
	}
	return notes
}

// costNotes say what costs are.
func (f *Frontier) costNotes() (notes []string) {
	units := f.of.Units()
	if slices.Contains(units, frontier.Dollars) {
		notes = append(notes, "Cost: dollars for 1,000 keys, of a hosted model by its published price for tokens, of an accelerator by the stated price of an hour times the time in which it worked on a request, as if others filled the rest.")
	}
	if slices.ContainsFunc(units, func(u string) bool { return u != frontier.Dollars && u != "" }) {
		notes = append(notes, "Cost: seconds of the accelerators in which a request was worked on, warm-ups among them, for 1,000 keys. Those of different accelerators are not compared, since nobody stated what an hour of them costs (--dollars-hour).")
	}
	if slices.Contains(units, "") {
		notes = append(notes, "Of a hosted model without a published price no cost is known.")
	}
	return notes
}

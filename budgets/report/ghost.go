package report

import (
	"time"

	"halfsecond/budgets"
	"halfsecond/budgets/ghost"
	"halfsecond/pipeline/quantile"
)

// Ghost is what a report of ghost text has beside its metrics; docs/ghost-report.md defines
// each figure.
type Ghost struct {
	Reason        *string       `json:"reason"` // why the budget is kept or not, a sentence
	Keys          int           `json:"keys"`
	Opportunities int           `json:"opportunities"`
	Requests      int           `json:"requests"`
	WarmUps       int           `json:"warm_ups"`
	PerKey        *float64      `json:"requests_per_key"`
	First         GhostTimes    `json:"first_character"` // of opportunities, as the two below
	Line          GhostTimes    `json:"first_line"`
	Last          GhostTimes    `json:"last_character"`
	BySource      []GhostSource `json:"by_source"`
	Censored      GhostCensored `json:"censored"`
	Stages        []GhostStage  `json:"stages"`
	Verdicts      []GhostCount  `json:"verdicts"`
	Useful        GhostUseful   `json:"useful"`
	Screen        GhostScreen   `json:"screen"`
	Ledger        []GhostEntry  `json:"given_up"`
	Waste         GhostWaste    `json:"waste"`
	Prefix        GhostPrefix   `json:"prompts"`
	Edges         GhostCensored `json:"lost_edges"`
	Regret        GhostRegret   `json:"debounce_regret"`
	Cold          GhostCold     `json:"cold"`
	Quality       *GhostQuality `json:"quality,omitempty"` // of runs whose answers were checked
	figures       *ghost.Figures
	run           *ghost.Run
	reasonOf      *budgets.Judgement // that Reason is of
}

// GhostTimes are percentiles in ms; null where there are too few.
type GhostTimes struct {
	N   int      `json:"n"`
	P50 *float64 `json:"p50"`
	P95 *float64 `json:"p95"`
	P99 *float64 `json:"p99"`
}

// GhostSource is the keys whose first text came from one source.
type GhostSource struct {
	Source string     `json:"source"`
	Keys   int        `json:"keys"`
	First  GhostTimes `json:"first_character"`
	Line   GhostTimes `json:"first_line"`
	Last   GhostTimes `json:"last_character"`
}

// GhostShare is a part of a whole; Value is null of nothing.
type GhostShare struct {
	N     int      `json:"n"`
	Of    int      `json:"of"`
	Value *float64 `json:"value"`
}

// GhostCount is how many there were of something.
type GhostCount struct {
	Name string `json:"name"`
	N    int    `json:"n"`
}

// GhostCensored is a share with the reasons.
type GhostCensored struct {
	GhostShare
	Why []GhostCount `json:"why"`
}

// GhostStage is one stage over the opportunities that landed.
type GhostStage struct {
	Stage   string     `json:"stage"`
	Times   GhostTimes `json:"times"`
	Mean    *float64   `json:"mean"`
	Untold  int        `json:"untold"`
	Longest int        `json:"longest"`
}

// GhostUseful is the answers that were useful on arrival, over three wholes, and those of them that
// were right.
type GhostUseful struct {
	OfOpportunities GhostShare `json:"of_opportunities"`
	OfRequests      GhostShare `json:"of_requests"`
	OfAnswers       GhostShare `json:"of_answers"`
	Right           GhostShare `json:"right"` // of the useful ones of which it is known
}

// GhostScreen is what was seen.
type GhostScreen struct {
	Suggestions  int        `json:"suggestions"`
	Shown        int        `json:"shown"`
	Flashes      int        `json:"flashes"`
	Flickers     int        `json:"flickers"`
	LeastVisible float64    `json:"least_visible_ms"`
	Visible      GhostTimes `json:"visible"`
	Blanks       int        `json:"blanks"`
	Blank        float64    `json:"blank_ms"`
	Flickering   float64    `json:"flicker_blank_ms"`
	Accepted     int        `json:"accepted"`
	Saved        int        `json:"characters_saved"`
}

// GhostEntry is what somebody gave up.
type GhostEntry struct {
	By           string `json:"by"`
	Requests     int    `json:"requests"`
	OnWire       int    `json:"on_wire"`
	Known        int    `json:"work_known_of"`
	PromptBefore int    `json:"prompt_tokens_by_close"`
	OutputBefore int    `json:"output_tokens_by_close"`
	PromptAfter  int    `json:"prompt_tokens_after_close"`
	OutputAfter  int    `json:"output_tokens_after_close"`
}

// GhostWaste is tokens for nobody.
type GhostWaste struct {
	Useful          int      `json:"useful_answers"`
	Prompt          int      `json:"prompt_tokens"`
	Output          int      `json:"output_tokens"`
	WastedPrompt    int      `json:"wasted_prompt_tokens"`
	WastedOutput    int      `json:"wasted_output_tokens"`
	WrongPrompt     int      `json:"wrong_prompt_tokens"` // of the wasted ones, of useful answers that were wrong
	WrongOutput     int      `json:"wrong_output_tokens"`
	Estimated       int      `json:"estimated"`
	Unknown         int      `json:"unknown_requests"`
	PromptPerUseful *float64 `json:"wasted_prompt_per_useful"`
	OutputPerUseful *float64 `json:"wasted_output_per_useful"`
}

// GhostPrefix is how much of prompts was known to a cache, or was as in the prompt before.
type GhostPrefix struct {
	Cached GhostShare   `json:"cached"`
	Shared GhostShare   `json:"shared"`
	Causes []GhostDrift `json:"causes"`
}

// GhostDrift is the prompts that differ from the one before for one cause.
type GhostDrift struct {
	Cause    string     `json:"cause"`
	Requests int        `json:"requests"`
	First    int        `json:"first_differing_token_p50"`
	Shared   GhostShare `json:"shared"`
}

// GhostRegret is what the debounce costs.
type GhostRegret struct {
	Late    GhostShare `json:"late"`
	Waited  GhostTimes `json:"waited"`
	Missed  GhostShare `json:"missed"`
	Service *float64   `json:"service_ms"`
}

// GhostCold is requests that waited for a load, apart from the others.
type GhostCold struct {
	GhostShare
	Cold GhostTimes `json:"cold"`
	Warm GhostTimes `json:"warm"`
}

// ghost returns what is known of ghost text; nil of other kinds.
func (r *Report) ghost() *Ghost {
	run := r.analysis.Ghost()
	if run == nil {
		return nil
	}
	f := run.Figures()
	g := &Ghost{
		Keys: f.Keys, Opportunities: f.Opportunities, Requests: f.Requests, WarmUps: f.WarmUps, PerKey: partOf(ghost.Share{N: f.Requests, Of: f.Keys}).Value,
		First: ghostTimes(f.First.Character), Line: ghostTimes(f.First.Line), Last: ghostTimes(f.First.Last), BySource: []GhostSource{},
		Censored: censored(f.Censored.Share, f.Censored.Why), Stages: []GhostStage{}, Verdicts: countsOf(f.Worth.Verdicts),
		Useful: GhostUseful{partOf(f.Worth.OfOpportunities), partOf(f.Worth.OfRequests), partOf(f.Worth.OfAnswers), partOf(f.Worth.Right)},
		Screen: screenOf(&f.Seen, run.Options.LeastVisible), Ledger: []GhostEntry{}, Waste: wasteOf(f.Waste), Prefix: prefixOf(&f.Prefix),
		Edges:  censored(f.Edges.Share, f.Edges.Why),
		Regret: GhostRegret{partOf(f.Regret.Late), ghostTimes(f.Regret.Waited), partOf(f.Regret.Missed), inMS(f.Regret.Service)},
		Cold:   GhostCold{partOf(f.Cold.Share), ghostTimes(f.Cold.Cold), ghostTimes(f.Cold.Warm)}, figures: f, run: run,
	}
	for _, s := range f.BySource {
		g.BySource = append(g.BySource, GhostSource{s.Source, s.Keys, ghostTimes(s.First.Character), ghostTimes(s.First.Line), ghostTimes(s.First.Last)})
	}
	for _, s := range f.Stages {
		g.Stages = append(g.Stages, GhostStage{s.Stage.String(), ghostTimes(s.Times), inMS(s.Times.Mean()), s.Untold, s.Longest})
	}
	for _, e := range f.Ledger {
		g.Ledger = append(g.Ledger, GhostEntry{e.Owner, e.Requests, e.OnWire, e.Known, e.Before.Prompt, e.Before.Output, e.After.Prompt, e.After.Output})
	}
	g.Quality = ghostQuality(r.analysis.Quality())
	if reason := r.analysis.Reason(); reason != nil {
		g.Reason, g.reasonOf = text(reasonWords(reason, f)), reason.Judgement
	}
	return g
}

func ghostTimes(t ghost.Times) GhostTimes {
	return GhostTimes{len(t), inMS(t.Quantile(quantile.P50)), inMS(t.Quantile(quantile.P95)), inMS(t.Quantile(quantile.P99))}
}

func partOf(s ghost.Share) GhostShare {
	v, ok := s.Value()
	return GhostShare{s.N, s.Of, number(budgets.Share, v, ok)}
}

func countsOf(all []ghost.Count) []GhostCount {
	out := make([]GhostCount, len(all))
	for i, c := range all {
		out[i] = GhostCount(c)
	}
	return out
}

func censored(s ghost.Share, why []ghost.Count) GhostCensored {
	return GhostCensored{partOf(s), countsOf(why)}
}

func screenOf(s *ghost.Seen, least time.Duration) GhostScreen {
	return GhostScreen{
		Suggestions: s.Suggestions, Shown: s.Shown, Flashes: s.Flashes, Flickers: s.Flickers, LeastVisible: millis(least), Visible: ghostTimes(s.Visible),
		Blanks: len(s.Blank), Blank: millis(s.Blank.Sum()), Flickering: millis(s.Flickering.Sum()), Accepted: s.Accepted, Saved: s.Saved,
	}
}

func wasteOf(w ghost.Waste) GhostWaste {
	per := func(tokens int) *float64 {
		v, ok := w.PerUseful(tokens)
		return number(budgets.Count, v, ok)
	}
	return GhostWaste{w.Useful, w.Prompt, w.Output, w.WastedPrompt, w.WastedOutput, w.WrongPrompt, w.WrongOutput, w.Estimated, w.Unknown, per(w.WastedPrompt), per(w.WastedOutput)}
}

func prefixOf(p *ghost.Prefix) GhostPrefix {
	out := GhostPrefix{partOf(p.Cached), partOf(p.Shared), []GhostDrift{}}
	for _, d := range p.Causes {
		out.Causes = append(out.Causes, GhostDrift{d.Cause, d.Requests, d.First[(len(d.First)-1)/2], partOf(d.Shared)})
	}
	return out
}

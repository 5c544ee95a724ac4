package budgets

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"halfsecond/budgets/ghost"
	"halfsecond/budgets/quality"
	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

// Quality is how fast a model was of which completions were checked, and what the checks said.
type Quality struct {
	quality.Speed
	trace.Quality
	Unfinished int           // answers that were cut, with nothing wrong in them
	Unknown    int           // of which the checker could not tell, for the document was wrong elsewhere
	Failed     int           // on which the checker itself failed
	Why        []ghost.Count // they failed
}

// Quality returns what is known of the answers of an editor as code; nil where they were not
// checked. It works it out once, so that the first call may not come from two goroutines.
func (a *Analysis) Quality() *Quality {
	if a.Run.Header.Quality == (trace.Quality{}) || a.quality != nil {
		return a.quality
	}
	traces := a.withSteps()
	q := &Quality{Quality: a.Run.Header.Quality}
	q.Speed = quality.Of(checked(traces), q.Quality.Repair, a.Run.Header.Seed)
	why := map[string]int{}
	for i := range traces {
		switch failed := traces[i].Fact(pipeline.FactSyntaxFailed); {
		case failed != "":
			q.Failed++
			why[failed]++
		case traces[i].Fact(pipeline.FactSyntax) == pipeline.SyntaxUnfinished:
			q.Unfinished++
		case traces[i].Fact(pipeline.FactSyntax) == pipeline.SyntaxUnknown:
			q.Unknown++
		}
	}
	q.Why = ghost.Most(why)
	a.quality = q
	return q
}

// Answers returns the checked answers of each interaction, in the order of the run's traces; those
// of another step are told of the last interaction of the same person before it, or else of the
// first. Their sessions are not told again. It is nil where answers were not checked.
func (a *Analysis) Answers() [][]quality.Answer {
	if a.Run.Header.Quality == (trace.Quality{}) {
		return nil
	}
	all, people := make([][]quality.Answer, len(a.Run.Traces)), peopleOf(a.Run.Traces)
	add := func(t *pipeline.Trace, at int) {
		if answer, _, ok := answerOf(t); ok && at >= 0 {
			answer.Session = 0
			all[at] = append(all[at], answer)
		}
	}
	for i := range a.Run.Traces {
		add(&a.Run.Traces[i], i)
	}
	for i := range a.Steps {
		add(&a.Steps[i], people.before(&a.Steps[i]))
	}
	return all
}

// checked returns the answers that were checked, in the order in which they were asked for.
func checked(traces []pipeline.Trace) (all []quality.Answer) {
	type asked struct {
		quality.Answer
		at time.Duration
	}
	var answers []asked
	for i := range traces {
		if a, at, ok := answerOf(&traces[i]); ok {
			answers = append(answers, asked{a, at})
		}
	}
	slices.SortStableFunc(answers, func(a, b asked) int { return cmp.Compare(a.at, b.at) })
	for _, a := range answers {
		all = append(all, a.Answer)
	}
	return all
}

// answerOf returns the answer of a trace's request and when it was asked for; ok is false where
// there is none that was checked, and where nobody knows when it was there.
func answerOf(t *pipeline.Trace) (a quality.Answer, at time.Duration, ok bool) {
	said := t.Fact(pipeline.FactSyntax)
	if said == "" || len(t.Requests) == 0 {
		return a, 0, false
	}
	r := &t.Requests[len(t.Requests)-1]
	last := r.LastOutput
	if r.Whole() {
		last = r.End
	}
	took := pipeline.Since(r.Due, last)
	if took == pipeline.Unknown || took <= 0 {
		return a, 0, false
	}
	characters, _ := strconv.Atoi(t.Fact(pipeline.FactCharacters))
	useful, _ := strconv.Atoi(t.Fact(pipeline.FactUsefulCharacters))
	a = quality.Answer{Session: t.Session, For: took, Tokens: r.Output(), Characters: characters, Useful: useful}
	switch said {
	case pipeline.SyntaxParses:
		a.Syntax = quality.Parses
	case pipeline.SyntaxBreaks:
		a.Syntax = quality.Breaks
	}
	return a, r.Due, true
}

const checkedAnswers = "answers that came whole and were checked"

// qualityFigures are the figures of answers as code that have one value for a whole run, with
// how much of the base of its unit one of a Speed is.
var qualityFigures = []struct {
	name, formula string
	repaired      bool // repair cost is in it
	unit          Unit
	base          float64
	of            func(s *quality.Speed) quality.Estimate
}{
	{"useful_characters", "characters of answers that parse and that the user goes on to type / time of the answers", false, Rate, 1, func(s *quality.Speed) quality.Estimate { return s.Useful }},
	{"working_code", "mean time of an answer + share that is broken x repair cost", true, Duration, float64(time.Second), func(s *quality.Speed) quality.Estimate { return s.Working }},
	{EffectiveSpeed, "useful tokens of answers that parse / (time of the answers + repair of the broken ones)", true, TokenRate, 1, func(s *quality.Speed) quality.Estimate { return s.Effective }},
}

// The names of the metrics of answers as code that others look for.
const (
	EffectiveSpeed = "effective_speed"
	syntaxShare    = "syntax_share"
)

// qualityMetrics are those of answers as code, where a broken one costs so much.
func qualityMetrics(repair time.Duration) []Metric {
	all := []Metric{{
		Name: syntaxShare, Unit: Share, Formula: "answers that leave code that parses / those of which it could be told", Over: checkedAnswers,
		gather: func(traces []pipeline.Trace, p *Pool) {
			for i := range traces {
				switch v := traces[i].Fact(pipeline.FactSyntax); v {
				case pipeline.SyntaxParses, pipeline.SyntaxBreaks:
					p.put(flag(v == pipeline.SyntaxParses))
				}
			}
		},
	}}
	for _, f := range qualityFigures {
		m := Metric{Name: f.name, Unit: f.unit, Formula: f.formula, Over: checkedAnswers, whole: true}
		if f.repaired {
			m.Formula += "; a broken answer costs " + Duration.Format(float64(repair))
		}
		m.gather = func(traces []pipeline.Trace, p *Pool) {
			s := quality.Point(checked(traces), repair)
			if e := f.of(&s); e.Known {
				p.add(e.Value * f.base)
			}
		}
		all = append(all, m)
	}
	return all
}

// ofQuality gives a budget on the mean of a figure of answers as code the interval that it has
// in the report.
func (j *Judgement) ofQuality(a *Analysis) {
	name := j.Budget.Metric.Name
	i := slices.IndexFunc(qualityMetrics(0), func(m Metric) bool { return m.Name == name })
	if i < 0 || !j.HasValue || j.Budget.Function != Mean {
		return
	}
	switch q := a.Quality(); {
	case q == nil:
	case name == syntaxShare:
		j.Low, j.High, j.HasInterval, j.Independent = q.Parsing.Low, q.Parsing.High, q.Parsing.HasInterval, q.Independent
	default:
		f := &qualityFigures[i-1]
		e := f.of(&q.Speed)
		j.Low, j.High, j.HasInterval, j.N = e.Low*f.base, e.High*f.base, e.HasInterval, q.Answers
	}
}

// repairCost returns what a broken answer costs in a run.
func repairCost(h *trace.Header) time.Duration {
	if h.Quality == (trace.Quality{}) {
		return quality.DefaultRepair
	}
	return h.Quality.Repair
}

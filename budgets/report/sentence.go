package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"halfsecond/budgets"
	"halfsecond/pipeline"
)

// sentence says the verdict, with the margin of the first budget that has it.
func (r *Report) sentence() string {
	if r.N == 0 && r.UnfinishedReason != nil {
		return fmt.Sprintf("UNMEASURED: there is no %s to judge, of %s asked for: %s.", r.noun(1), count(r.NAsked), strings.TrimRight(*r.UnfinishedReason, "."))
	}
	js := r.analysis.Judgements
	decisive := slices.IndexFunc(js, func(j budgets.Judgement) bool { return j.Verdict == r.Verdict })
	if decisive < 0 {
		ok := r.Outcomes[pipeline.OK.String()]
		return r.unfinished(fmt.Sprintf("NO BUDGET is set, so nothing was judged: %s of %s %s ended ok.", count(ok), count(r.N), r.noun(r.N)))
	}
	j := &js[decisive]
	var words string
	switch {
	case r.nothing() && r.Verdict == budgets.Unmeasured:
		return r.unfinished("UNMEASURED: " + r.noneEnded())
	case r.Unfit != nil:
		return r.unfinished("UNMEASURED: " + *r.Unfit + ", so no budget is judged.")
	case !j.HasValue:
		words = fmt.Sprintf("%s cannot be judged: %s%s", subject(j), j.Reason, r.unstreamed())
	case j.Verdict == budgets.Unmeasured:
		words = fmt.Sprintf("%s, but that cannot be judged: it %s%s", statement(j), j.Reason, r.remedy(j))
	case j.Verdict == budgets.Fail:
		words = statement(j) + ", " + distance(j) + r.blame(j)
	default:
		words = statement(j) + ", " + distance(j)
	}
	return r.unfinished(strings.ToUpper(r.Verdict.String()) + ": " + words + "." + r.others())
}

// nothing reports whether there were interactions and none of them ended ok: what failed is
// then what matters, however late the tester was.
func (r *Report) nothing() bool { return r.N > 0 && r.Outcomes[pipeline.OK.String()] == 0 }

// noneEnded says why none of the interactions ended ok, and then whether the tester was fit.
func (r *Report) noneEnded() string {
	words := fmt.Sprintf("none of %s %s ended ok, most often: %s.", count(r.N), r.noun(r.N), strings.TrimRight(r.mostly(), "."))
	if r.Target == "endpoint" {
		words += " 'halfsecond doctor' with the URL of what failed shows what it answers."
	}
	if r.Unfit != nil {
		return words + " Beside that " + *r.Unfit + "."
	}
	return words
}

// certainty says why a failure is one though only medians are known of a part of it.
func certainty(j *budgets.Judgement) string {
	if j.Certain == "" {
		return ""
	}
	return "; " + j.Certain
}

// others counts the budgets, when there is more than one.
func (r *Report) others() string {
	total, same := len(r.Budgets), 0
	for _, b := range r.Budgets {
		if b.Verdict == r.Verdict {
			same++
		}
	}
	switch {
	case total == 1:
		return ""
	case r.Verdict == budgets.Pass && total == 2:
		return " Both budgets pass."
	case r.Verdict == budgets.Pass:
		return fmt.Sprintf(" All %d budgets pass.", total)
	case r.Verdict == budgets.Fail:
		return fmt.Sprintf(" Budgets failed: %d of %d.", same, total)
	default:
		return fmt.Sprintf(" Budgets not measured: %d of %d.", same, total)
	}
}

// failures counts the interactions that did not end ok and gives the reason that
// most of them have; it is empty when there are none.
func (r *Report) failures() string {
	bad := r.N - r.Outcomes[pipeline.OK.String()]
	if bad == 0 {
		return ""
	}
	return fmt.Sprintf(" %s of %s %s did not end ok, most often: %s.", count(bad), count(r.N), r.noun(r.N), strings.TrimRight(r.mostly(), "."))
}

// mostly returns the reason that most of the interactions have which did not end ok.
func (r *Report) mostly() string {
	reasons, most := map[string]int{}, ""
	for i := range r.analysis.Run.Traces {
		if t := &r.analysis.Run.Traces[i]; t.Outcome != pipeline.OK {
			why := cmp.Or(t.Reason, t.Outcome.String())
			reasons[why]++
			if n := reasons[why]; n > reasons[most] || n == reasons[most] && why < most {
				most = why
			}
		}
	}
	return most
}

// loads says how many requests waited for the model to be in memory; it is empty when
// none did.
func (r *Report) loads() string {
	waited, all, longest := 0, 0, time.Duration(0)
	for i := range r.analysis.Run.Traces {
		for j := range r.analysis.Run.Traces[i].Requests {
			all++
			if l := r.analysis.Run.Traces[i].Requests[j].Loading; l > 0 {
				waited++
				longest = max(longest, l)
			}
		}
	}
	if waited == 0 {
		return ""
	}
	return fmt.Sprintf(" Of %s, %s waited for the model to be loaded, up to %s.", counted(all, "request"), count(waited), budgets.Duration.Format(float64(longest)))
}

// unfinished adds what kept the verdict from resting on all that was asked for:
// interactions that did not end ok, and a run that was cut short.
func (r *Report) unfinished(words string) string {
	words += r.loads()
	if !r.nothing() || r.Verdict != budgets.Unmeasured {
		words += r.failures()
	}
	words += r.empties()
	if r.Finished {
		return words
	}
	why := ""
	if r.UnfinishedReason != nil {
		why = " (" + *r.UnfinishedReason + ")"
	}
	return fmt.Sprintf("%s The run did not finish%s: this judges %s of %s %s.", words, why, count(r.N), count(r.NAsked), r.noun(r.NAsked))
}

// noun names n interactions of the run's kind.
func (r *Report) noun(n int) string {
	one := map[string]string{"voice": "turn", "ide": "key"}[r.Kind]
	if one == "" {
		one = "interaction"
	}
	if n == 1 {
		return one
	}
	return one + "s"
}

// landingWords are for the metrics that interactions land with: what one is,
// what it does, and what many do.
var landingWords = map[string][3]string{
	"reply":      {"reply", "lands at", "replies land"},
	"ttfc":       {"first character", "lands at", "completions show their first character"},
	"ttfc_shown": {"first character shown", "lands at", "shown completions show their first character"},
}

func wordsFor(m budgets.Metric) (noun, verb, many string) {
	if w, ok := landingWords[m.Name]; ok {
		return w[0], w[1], w[2]
	}
	if m.Unit == budgets.Duration {
		return m.Name, "takes", m.Name + " stay"
	}
	return m.Name, "is", m.Name + " stay"
}

// subject names what a budget is about, such as "the p95 reply".
func subject(j *budgets.Judgement) string {
	noun, _, _ := wordsFor(j.Budget.Metric)
	switch j.Budget.Function {
	case budgets.Quantile:
		return fmt.Sprintf("the %v %s", j.Budget.Q, noun)
	case budgets.Mean:
		return "the mean " + noun
	case budgets.Max:
		return "the largest " + noun
	default:
		return j.Budget.Name()
	}
}

// statement says what was measured, such as "the p95 reply lands at 431 ms".
func statement(j *budgets.Judgement) string {
	value, _, _ := j.Beside()
	_, verb, many := wordsFor(j.Budget.Metric)
	if j.Budget.Function != budgets.ShareWhere {
		return fmt.Sprintf("%s %s %s", subject(j), verb, value)
	}
	inner := j.Budget.Inner
	sign := map[budgets.Comparison]string{
		budgets.Less: "under", budgets.AtMost: "within", budgets.Greater: "above", budgets.AtLeast: "at or above",
	}[inner.Comparison]
	if inner.Comparison == budgets.Less && verb == "lands at" {
		sign = "in under"
	}
	return fmt.Sprintf("%s of %s %s %s", value, many, sign, inner.Unit.Format(inner.Value))
}

// distance says how far the value is from the limit, such as "69 ms inside 500 ms".
func distance(j *budgets.Judgement) string {
	_, limit, gap := j.Beside()
	if j.Unit() == budgets.Share {
		limit = "the " + limit + " asked for"
	}
	upper := j.Budget.Limit.Comparison == budgets.Less || j.Budget.Limit.Comparison == budgets.AtMost
	relation := "over"
	switch {
	case j.Margin == 0 && j.Verdict == budgets.Pass:
		return "exactly " + limit
	case j.Margin == 0:
		return "exactly " + limit + ", which is not inside"
	case upper && j.Margin > 0:
		relation = "inside"
	case !upper && j.Margin < 0:
		relation = "short of"
	}
	return fmt.Sprintf("%s %s %s", gap, relation, limit)
}

// blame says what a failure is owing to, and what would bring it inside: of ghost text the
// reason that stands in the report as well.
func (r *Report) blame(j *budgets.Judgement) string {
	if !r.gives(j) {
		return ownership(j) + certainty(j) + r.remedy(j)
	}
	words := "; " + *r.Ghost.Reason + certainty(j)
	if slices.ContainsFunc(j.Levers, func(l budgets.Lever) bool { return l.Enough }) { // another pace changes what is shown, and so what is asked
		words += "; a run with it tells whether that holds for the keys it then asks after"
	}
	return words
}

// gives reports whether the reason of ghost text is that of a failed budget.
func (r *Report) gives(j *budgets.Judgement) bool {
	return r.Ghost != nil && r.Ghost.Reason != nil && r.Ghost.reasonOf == j && j.Verdict == budgets.Fail
}

// why returns the reason of ghost text as a sentence; "" where there is none, or the first
// sentence of the report has it.
func (r *Report) why() string {
	if r.Ghost == nil || r.Ghost.Reason == nil || strings.Contains(r.Summary, *r.Ghost.Reason) {
		return ""
	}
	return "Why: " + *r.Ghost.Reason + "."
}

func ownership(j *budgets.Judgement) string {
	if j.Owner == nil {
		return ""
	}
	return "; " + j.Owner.Words()
}

// remedy names the best lever that is enough, or says that none is.
func (r *Report) remedy(j *budgets.Judgement) string {
	if len(j.Levers) == 0 {
		return ""
	}
	best := slices.IndexFunc(j.Levers, func(l budgets.Lever) bool { return l.Enough })
	switch {
	case best < 0 && j.Lost > 0 && j.Value*float64(j.N) < float64(j.N-j.Lost):
		answered := budgets.Share.Format(float64(j.N-j.Lost) / float64(j.N))
		return fmt.Sprintf("; with every answer in time it would be %s: how many of the other %d a faster stage saves, only a run with it tells", answered, j.Lost)
	case best < 0:
		return "; no stage, and no two together, would bring it inside"
	}
	stages, to := strings.Join(j.Levers[best].Stages, " and "), target(j.Levers[best])
	if to == "" {
		return fmt.Sprintf("; only doing without %s would bring it inside", stages)
	}
	return fmt.Sprintf("; shortening %s to %s would bring it inside", stages, to)
}

// target says how short the stages of a lever that is enough have to become; ""
// when nothing may be left of them.
func target(l budgets.Lever) string {
	if len(l.Stages) > 1 {
		if l.Keep == 0 {
			return ""
		}
		return fmt.Sprintf("%d %% of what they took", l.Keep)
	}
	under := roundedDown(l.Cap + 1)
	if under == 0 {
		return ""
	}
	return "under " + budgets.Duration.Format(float64(under))
}

// roundedDown cuts d to the digits that are shown of it, so that what is said
// of "under d" stays true.
func roundedDown(d time.Duration) time.Duration {
	step := time.Microsecond
	for _, from := range []time.Duration{time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond, 10 * time.Second, 100 * time.Second, 1000 * time.Second} {
		if d >= from {
			step *= 10
		}
	}
	return d.Truncate(step)
}

func count(n int) string { return budgets.Number(float64(n), 0) }

// counted returns a number of things of one name.
func counted(n int, name string) string {
	if n == 1 {
		return "1 " + name
	}
	return count(n) + " " + name + "s"
}

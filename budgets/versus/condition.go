package versus

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"halfsecond/budgets"
	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

// Condition is something beside the scenario under which a run was measured, and by which
// another may differ. It is of what a run's header keeps, and of what its requests say of the
// connection; which server was asked is none, for that is what most comparisons are about,
// and neither are caps and prices, which change no latency of a run that finished.
type Condition struct {
	Name  string `json:"name"`
	Value string `json:"value"` // in words
}

// conditionsOf returns the conditions of a run, in a fixed order, not nil.
func conditionsOf(a *budgets.Analysis) []Condition {
	run, l := &a.Run, conditions{}
	var stages []string
	for i := range run.Header.Endpoints {
		stages = append(stages, run.Header.Endpoints[i].Stage)
	}
	l.add("services", cmp.Or(strings.Join(stages, ", "), "none"))
	for i := range run.Header.Endpoints {
		l.service(&run.Header.Endpoints[i], i == 0)
	}
	if len(stages) > 0 {
		l.add("prompts", either(run.Header.Load.Salt != 0, "set apart from those of other runs by a salt", "those of each run with this seed (--salt 0)"))
	}
	l.connection(slices.Concat(run.Traces, a.Steps))
	l.add("texts", either(run.Header.TextsHashed, "kept as hashes", "kept"))
	if run.Header.Target != "sim" {
		l.add("self test of the tester", either(run.Header.SelfTest == trace.SelfTest{}, "none", "made"))
	}
	return l
}

type conditions []Condition

// add adds a condition; one without a value is none.
func (l *conditions) add(name, value string) {
	if value != "" {
		*l = append(*l, Condition{name, value})
	}
}

// service adds how a service was asked. The model of the first is told beside it.
func (l *conditions) service(e *trace.Endpoint, first bool) {
	if !first {
		l.add("model of "+e.Stage, e.Model+" over "+e.Protocol)
	}
	l.add("TLS to "+e.Stage, either(strings.HasPrefix(e.URL, "https:") || strings.HasPrefix(e.URL, "wss:"), "with", "without"))
	l.add("connections to "+e.Stage, either(e.Cold, "one for each request (--cold)", "kept open"))
	if e.Stage == "llm" {
		l.add("answers of "+e.Stage, either(e.IgnoreEOS, "of full length (--ignore-eos)", "as long as the model makes them"))
		l.add("requests of a user in flight to "+e.Stage, fmt.Sprint(e.PerUser))
	}
	l.add("limits of "+e.Stage, limitsOf(&e.Limits))
	l.add("voice of "+e.Stage, e.Voice)
	l.add("language of "+e.Stage, e.Language)
	l.add("recordings to "+e.Stage, e.Recordings[:min(len(e.Recordings), 12)])
}

func limitsOf(l *trace.Limits) string {
	if *l == (trace.Limits{}) {
		return ""
	}
	return fmt.Sprintf("%s to connect, %s to the first byte, %s between reads, %s in all, %d bytes", l.Connect, l.FirstByte, l.Gap, l.Whole, l.Bytes)
}

// connection adds what the responses say of the connections that they came over.
func (l *conditions) connection(traces []pipeline.Trace) {
	var versions, codings []string
	see := func(t *pipeline.Transport) {
		if t.Status == 0 {
			return
		}
		versions = append(versions, "HTTP/"+t.HTTP)
		codings = append(codings, cmp.Or(t.Encoding, "none"))
	}
	for i := range traces {
		t := &traces[i]
		for j := range t.Requests {
			see(&t.Requests[j].Transport)
		}
		for j := range t.Hearings {
			see(&t.Hearings[j].Transport)
		}
		for j := range t.Sayings {
			see(&t.Sayings[j].Transport)
		}
		for j := range t.Answers {
			see(&t.Answers[j].Transport)
		}
	}
	for _, seen := range []struct {
		name   string
		values []string
	}{{"HTTP version", versions}, {"content coding", codings}} {
		slices.Sort(seen.values)
		l.add(seen.name, strings.Join(slices.Compact(seen.values), " and "))
	}
}

func either(is bool, yes, no string) string {
	if is {
		return yes
	}
	return no
}

// conditions warns of each condition that is another in the two runs.
func (c *Comparison) conditions() {
	a, b := c.A.Conditions, c.B.Conditions
	for _, s := range []struct {
		name       string
		conditions []Condition
	}{{"A", a}, {"B", b}} {
		if s.conditions == nil {
			c.warn("%s is a baseline of an earlier program, which does not say how it was asked: connections, limits and the like are not compared; save it again", s.name)
		}
	}
	if a == nil || b == nil {
		return
	}
	for _, name := range names(a, b) {
		if va, vb := valueOf(a, name), valueOf(b, name); va != vb {
			c.warn("%s: A %s, B %s; a difference may come from there", name, cmp.Or(va, "nothing"), cmp.Or(vb, "nothing"))
		}
	}
}

// names returns the names of the conditions in either list, those of the second behind.
func names(lists ...[]Condition) (all []string) {
	for _, l := range lists {
		for _, x := range l {
			if !slices.Contains(all, x.Name) {
				all = append(all, x.Name)
			}
		}
	}
	return all
}

// valueOf returns the value of a condition, "" for one that is not there.
func valueOf(all []Condition, name string) string {
	for _, x := range all {
		if x.Name == name {
			return x.Value
		}
	}
	return ""
}

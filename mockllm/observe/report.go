package observe

import (
	"cmp"
	"slices"
	"time"

	"halfsecond/mockllm/token"
	"halfsecond/pipeline"
	"halfsecond/pipeline/document"
)

// Report is what the kept requests tell. Its JSON form has durations in ms since the start
// of the server, and shares from 0 to 1.
type Report struct {
	Requests int `json:"requests"` // completions of a document
	Dropped  int `json:"dropped"`  // of them, that nothing else here counts: the oldest
	GivenUp  int `json:"given_up"` // of them, by their clients
	Others   int `json:"others"`   // no completions of a document
	Refused  int `json:"refused"`  // before anybody looked at their prompts

	Connections int        `json:"connections"` // that were opened; 0 where nobody knows
	Documents   []Document `json:"documents"`
	Answers     Answers    `json:"answers"`
	Findings    []Finding  `json:"findings"`
}

// Document is one text that somebody edited.
type Document struct {
	ID       int     `json:"id"`
	Requests int     `json:"requests"`
	First    float64 `json:"first_ms"`
	Last     float64 `json:"last_ms"`
	Typed    int     `json:"keys_typed"`
	Erased   int     `json:"keys_erased"`
	Accepted int     `json:"accepted"`
	Inserted int     `json:"inserted"` // at once: pasted, or completed by the editor
	Moved    int     `json:"moved"`
	Edited   int     `json:"edited"` // elsewhere, or in more than one place
	Steps    []Step  `json:"steps"`
}

// Step is what was done in the editor between two requests.
type Step struct {
	Request int `json:"request"`
	// Between them it was done: after the request before, and before this one.
	From float64 `json:"earliest_ms"`
	To   float64 `json:"latest_ms"`
	Kind Kind    `json:"kind"`
	Keys int     `json:"keys,omitempty"`
	// Bytes of the text that came in and went.
	Inserted int `json:"inserted_bytes,omitempty"`
	Deleted  int `json:"deleted_bytes,omitempty"`

	PromptTokens int      `json:"prompt_tokens"`
	Cached       *int     `json:"cached_tokens"`
	FirstToken   *float64 `json:"first_ms"`
	Ended        *float64 `json:"ended_ms"`
	Left         *float64 `json:"left_ms"`

	OnArrival  document.Verdict `json:"on_arrival"`
	Afterwards document.Verdict `json:"afterwards"`
	Kept       int              `json:"kept_tokens"` // of the answer

	Text   string `json:"text,omitempty"`   // that came in, where texts are asked for
	Answer string `json:"answer,omitempty"` // likewise
}

// Answers counts what answers were worth.
type Answers struct {
	// OnArrival is when the first token came, beside the last request before that; Afterwards
	// is beside the first request behind it.
	OnArrival  map[document.Verdict]int `json:"on_arrival"`
	Afterwards map[document.Verdict]int `json:"afterwards"`
	Tokens     int                      `json:"tokens"`      // that clients were there for
	Kept       int                      `json:"kept_tokens"` // of them, that stood in the text later
}

// Report computes what the kept requests tell. With texts it holds what was typed and
// answered, else only how much.
func (o *Observer) Report(texts bool) Report {
	counts, requests := o.look()
	v := look(requests)
	r := Report{
		Requests: counts.Requests, Dropped: counts.Dropped, GivenUp: counts.GivenUp, Others: counts.Others, Refused: counts.Refused,
		Documents: []Document{}, Findings: append([]Finding{}, v.findings()...),
		Answers: Answers{OnArrival: map[document.Verdict]int{}, Afterwards: map[document.Verdict]int{}},
	}
	for _, q := range requests {
		if q.Use == 1 {
			r.Connections++
		}
	}
	for _, t := range v.texts {
		r.Documents = append(r.Documents, t.report(texts))
		for i := range t.visits {
			r.Answers.add(&t.visits[i])
		}
	}
	return r
}

// add counts an answer.
func (a *Answers) add(v *visit) {
	a.Tokens += v.taken()
	a.Kept += token.Count(v.Answer[:v.kept])
	if v.onArrival != document.NoVerdict {
		a.OnArrival[v.onArrival]++
	}
	if v.afterwards != document.NoVerdict {
		a.Afterwards[v.afterwards]++
	}
}

func (t *text) report(texts bool) Document {
	d := Document{ID: t.id, Requests: len(t.visits), First: milliseconds(t.visits[0].Arrived), Last: milliseconds(t.visits[len(t.visits)-1].Arrived)}
	for i := range t.visits {
		v := &t.visits[i]
		switch v.step.kind {
		case Typed:
			d.Typed += len(v.step.keys)
		case Erased:
			d.Erased += len(v.step.keys)
		case Accepted:
			d.Accepted++
		case Inserted:
			d.Inserted++
		case Moved:
			d.Moved++
		case Edited:
			d.Edited++
		}
		d.Steps = append(d.Steps, v.report(t.since(i), texts))
	}
	return d
}

func (v *visit) report(since time.Duration, texts bool) Step {
	s := Step{
		Request: v.Number, From: milliseconds(since), To: milliseconds(v.Arrived), Kind: v.step.kind, Keys: len(v.step.keys),
		Inserted: len(v.edit.Insert), Deleted: v.edit.Delete, PromptTokens: v.PromptTokens,
		FirstToken: known(v.First), Ended: known(v.Ended), Left: known(v.Left),
		OnArrival: v.onArrival, Afterwards: v.afterwards, Kept: token.Count(v.Answer[:v.kept]),
	}
	if v.Caches {
		s.Cached = &v.Cached
	}
	if texts {
		s.Text, s.Answer = v.edit.Insert, v.Answer
	}
	return s
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func known(d time.Duration) *float64 {
	if d == pipeline.Unknown {
		return nil
	}
	ms := milliseconds(d)
	return &ms
}

// verdicts are in the order in which they are told.
var verdicts = []document.Verdict{document.Exact, document.TypedThrough, document.UsedUp, document.Diverged, document.Moved, document.Undone, document.Empty}

// byVerdict returns the verdicts that were counted, in order.
func byVerdict(counts map[document.Verdict]int) []document.Verdict {
	var all []document.Verdict
	for v := range counts {
		all = append(all, v)
	}
	slices.SortFunc(all, func(a, b document.Verdict) int {
		return cmp.Compare(slices.Index(verdicts, a), slices.Index(verdicts, b))
	})
	return all
}

package recount

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"halfsecond/pipeline"
)

// interactions compares traces with what the bytes say: of each of them what holds of any,
// and what holds of its kind. Of a trace of which nothing could be read nothing is compared.
// It counts the voice turns whose records were all read, one of a speech service among them.
func (r *Result) interactions(traces []pipeline.Trace, says *told) {
	for i := range traces {
		trace, read, whole, spoken := says.say(&traces[i])
		t := interaction{Trace: &trace, whole: whole, says: says}
		if read > 0 {
			t.check()
		}
		if trace.Kind == pipeline.KindIDE || trace.Kind == pipeline.KindStep {
			t.key()
		}
		if spoken && whole {
			r.Turns++
		}
		r.Differ = append(r.Differ, t.differ...)
	}
}

// interaction is a trace that is looked at, with what the bytes say in place of its records.
type interaction struct {
	*pipeline.Trace
	whole  bool // all of its records that went over a wire were read
	says   *told
	differ []Difference
}

// kinds are the interactions whose traces are known, by what one is called.
var kinds = map[string]string{pipeline.KindVoice: "turn", pipeline.KindIDE: "key", pipeline.KindStep: "step", pipeline.KindBench: "interaction"}

// check compares what a trace has with its records: what any has, and what its kind has.
func (t *interaction) check() {
	if kinds[t.Kind] == "" {
		return
	}
	t.asked()
	t.ended()
	switch t.Kind {
	case pipeline.KindVoice:
		t.turn()
	case pipeline.KindBench:
		t.plain()
	}
}

// inTurn is how long after the last instant in it a trace may end: its end is handled in
// turn, behind what the tester's own loop has in hand, and a client first looks for the rest
// of a response. Nothing of a server lies there. Assumed, and a hundred times what a busy
// machine of two cores was seen to take.
const inTurn = time.Second

// ended compares the end of a trace, which is no sooner than that of any record in it, and
// follows on the last instant in it.
func (t *interaction) ended() {
	least := pipeline.Unknown
	for i := range t.Requests {
		least = max(least, t.Requests[i].End)
	}
	for i := range t.Hearings {
		least = max(least, t.Hearings[i].End)
	}
	for i := range t.Sayings {
		least = max(least, t.Sayings[i].End)
	}
	for i := range t.Answers {
		least = max(least, t.Answers[i].End)
	}
	most := max(least, t.Due)
	for _, s := range t.Spans {
		most = max(most, s.End)
	}
	for _, m := range t.Marks {
		most = max(most, m.At)
	}
	switch {
	case t.End < least:
		t.say("end_ns", nanos(t.End), nanos(least)+" or later")
	case t.End > most+inTurn:
		t.say("end_ns", nanos(t.End), nanos(most)+" or little later")
	}
}

// Stages from asking a model to its first token, of whatever kind it is.
var firstTokens = []string{pipeline.SpanLLMLoad, pipeline.SpanLLMQueue, pipeline.SpanLLMPrefill, pipeline.SpanLLMFirstToken, pipeline.SpanLLMReasoning}

// asked compares the stages of a language model with the requests that ended ok: they begin
// when a request is due, and end when its first text has come, or of a plain request its
// first output. Requests for nothing leave none.
func (t *interaction) asked() {
	for i := range t.Requests {
		q := &t.Requests[i]
		first, figure := q.FirstText, "first_text_ns"
		if t.Kind == pipeline.KindBench {
			first, figure = q.FirstOutput, "first_output_ns"
		}
		if i > 0 && t.Kind == pipeline.KindBench {
			break // what streams beside has no stages
		}
		if q.Simulated || !t.reads(q) || q.Outcome != pipeline.OK || first == pipeline.Unknown || i < t.forNothing() {
			continue
		}
		begin, end := pipeline.Unknown, pipeline.Unknown
		for _, s := range t.Spans {
			if !slices.Contains(firstTokens, s.Name) || s.End == pipeline.Unknown {
				continue
			}
			if begin == pipeline.Unknown || (s.Start-q.Due).Abs() < (begin-q.Due).Abs() {
				begin = s.Start
			}
			if s.Start <= first {
				end = max(end, s.End)
			}
		}
		t.same("span "+pipeline.SpanLLMFirstToken+", its begin", begin, q.Due)
		if end != pipeline.Unknown && end < first {
			t.say("span "+pipeline.SpanLLMFirstToken+", its end", nanos(end), nanos(first)+" or later ("+figure+")")
		}
	}
}

// forNothing returns how many of the requests of a voice turn were made for nothing: the first
// of them. Those at pauses inside it are told as a number; a guess at its end that was wrong
// has a span, unless it never was sent and so is not there.
func (t *interaction) forNothing() int {
	n, err := strconv.Atoi(t.Fact(pipeline.FactInVain))
	if err != nil || n < 0 {
		n = 0
	}
	if t.Fact(pipeline.FactGuess) == "wrong" && t.has(pipeline.SpanWrongGuess) {
		n++
	}
	return min(n, len(t.Requests))
}

// same notes two instants that differ, one that is unknown beside one that is not among them.
func (t *interaction) same(figure string, traced, told time.Duration) {
	if traced != told {
		t.say(figure, nanos(traced), nanos(told))
	}
}

// notBefore notes a stage that ends before what it waits for has come. It may end later, for
// what comes is handled in turn.
func (t *interaction) notBefore(span, figure string, at time.Duration) {
	if end := t.end(span); end != pipeline.Unknown && at != pipeline.Unknown && end < at {
		t.say("span "+span+", its end", nanos(end), nanos(at)+" or later ("+figure+")")
	}
}

func (t *interaction) say(figure, traced, told string) {
	d := Difference{t.name(), 0, figure, traced, told}
	if !slices.Contains(t.differ, d) {
		t.differ = append(t.differ, d)
	}
}

// name says which trace it is.
func (t *interaction) name() string {
	return fmt.Sprintf("%s %d of session %d", kinds[t.Kind], t.Index, t.Session)
}

// reads reports whether a request was read from its bytes.
func (t *interaction) reads(q *pipeline.Request) bool {
	_, ok := t.says.requests[q.ID]
	return ok
}

func (t *interaction) has(span string) bool {
	return slices.ContainsFunc(t.Spans, func(s pipeline.Span) bool { return s.Name == span })
}

// end returns when the last span of a name ended that did; Unknown for none.
func (t *interaction) end(name string) time.Duration {
	at := pipeline.Unknown
	for _, s := range t.Spans {
		if s.Name == name {
			at = max(at, s.End)
		}
	}
	return at
}

// begin returns when the first span of a name began; Unknown for none.
func (t *interaction) begin(name string) time.Duration {
	for _, s := range t.Spans {
		if s.Name == name {
			return s.Start
		}
	}
	return pipeline.Unknown
}

// takes adds up the spans of some names.
func (t *interaction) takes(names []string) (sum time.Duration) {
	for _, s := range t.Spans {
		if slices.Contains(names, s.Name) && s.End != pipeline.Unknown {
			sum += s.For()
		}
	}
	return sum
}

package recount

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"halfsecond/pipeline"
)

// turns compares the spans and marks of voice turns with the records of speech services that
// they are made of, and those with each other: whoever moves one has to move all. It counts
// those that have such a record.
func (r *Result) turns(traces []pipeline.Trace) {
	for i := range traces {
		t := turn{Trace: &traces[i]}
		t.check()
		if t.real {
			r.Turns++
		}
		r.Differ = append(r.Differ, t.differ...)
	}
}

// turn is a voice turn that is looked at.
type turn struct {
	*pipeline.Trace
	real   bool // there is a record of a real service
	differ []Difference
}

// The spans to the agent that a recording goes through, and those from the first sample that
// can be heard to the ear.
var (
	toAgent = []string{pipeline.SpanCapture, pipeline.SpanUplink, pipeline.SpanJitterBuffer}
	toEar   = []string{pipeline.SpanEgress, pipeline.SpanPlayout, pipeline.SpanPlayoutLoss}
)

func (t *turn) check() {
	for i := range t.Answers {
		if a := &t.Answers[i]; !a.Simulated {
			t.real = true
			t.answered(a)
		}
	}
	for i := range t.Hearings {
		if h := &t.Hearings[i]; !h.Simulated {
			t.real = true
			t.due(h.SpeechEnd)
			t.notBefore(pipeline.SpanSTTTail, "first_final_ns", h.FirstFinal)
		}
	}
	for i := range t.Sayings {
		if s := &t.Sayings[i]; !s.Simulated {
			t.real = true
			if i == 0 {
				t.notBefore(pipeline.SpanTTSFirstAudio, "first_audio_ns", s.FirstAudio)
			}
		}
	}
	t.asked()
	if first := t.voiced(); first != pipeline.Unknown {
		t.same("span "+pipeline.SpanLeading+", its end", t.end(pipeline.SpanLeading), first)
	}
	if t.real {
		t.linked()
		t.landed()
	}
}

// firstTokens are the stages from asking a model to the first token of its answer.
var firstTokens = []string{pipeline.SpanLLMLoad, pipeline.SpanLLMQueue, pipeline.SpanLLMPrefill, pipeline.SpanLLMFirstToken, pipeline.SpanLLMReasoning}

// asked compares the stages of a language model with the requests of a voice turn that ended
// ok: they begin when a request is due, and end when its first text has come. An early
// request that was wrong leaves none.
func (t *turn) asked() {
	if t.Kind != pipeline.KindVoice {
		return
	}
	for i := range t.Requests {
		q := &t.Requests[i]
		if q.Simulated || q.Outcome != pipeline.OK || q.FirstText == pipeline.Unknown || i == 0 && t.Fact(pipeline.FactGuess) == "wrong" {
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
			if s.Start <= q.FirstText {
				end = max(end, s.End)
			}
		}
		t.same("span "+pipeline.SpanLLMFirstToken+", its begin", begin, q.Due)
		if end != pipeline.Unknown && end < q.FirstText {
			t.say("span "+pipeline.SpanLLMFirstToken+", its end", nanos(end), nanos(q.FirstText)+" or later (first_text_ns)")
		}
	}
}

// due compares the instant of the turn with the end of speech at the agent.
func (t *turn) due(speechEnd time.Duration) {
	if speechEnd != pipeline.Unknown {
		t.same("due_ns", t.Due, speechEnd-t.takes(toAgent))
	}
}

// answered compares the stages of a model that hears and speaks with its record.
func (t *turn) answered(a *pipeline.Answered) {
	t.due(a.SpeechEnd)
	for _, s := range []struct {
		name string
		at   time.Duration
	}{{pipeline.SpanEndOfTurn, a.Committed}, {pipeline.SpanModelAudio, a.FirstAudio}, {pipeline.SpanLeading, a.Voiced}} {
		t.same("span "+s.name+", its end", t.end(s.name), s.at)
	}
	if a.Voiced != pipeline.Unknown {
		t.same("mark "+pipeline.MarkReplyHeard, t.Mark(pipeline.MarkReplyHeard), a.Voiced+t.takes(toEar))
	}
	t.cutIn(a)
}

// cutIn compares whether a turn says that the agent spoke into a pause with the record of its
// answer.
func (t *turn) cutIn(a *pipeline.Answered) {
	told := t.Fact(pipeline.FactCutIn)
	if told == "" && a.CutIns == pipeline.UnknownCount {
		return
	}
	want := "no"
	switch {
	case a.CutIns == pipeline.UnknownCount:
		want = unknown
	case a.CutIns > 0:
		want = "yes"
	}
	if told != want {
		t.say("fact "+pipeline.FactCutIn, cmp.Or(told, unknown), want)
	}
}

// voiced returns when the silence that the first audio of a reply begins with was played;
// Unknown where no sound of a real voice was heard.
func (t *turn) voiced() time.Duration {
	if len(t.Sayings) == 0 || t.Sayings[0].Simulated || t.Mark(pipeline.MarkReplyHeard) == pipeline.Unknown {
		return pipeline.Unknown
	}
	for i := range t.Sayings {
		if at := t.Sayings[i].Voiced; at != pipeline.Unknown {
			return at
		}
	}
	return pipeline.Unknown
}

// linked compares the stages behind the first audio, which follow each other without a gap.
func (t *turn) linked() {
	behind := append([]string{pipeline.SpanLeading, pipeline.SpanPostWait, pipeline.SpanPreBuffer, pipeline.SpanFillerWait}, toEar...)
	for _, s := range t.Spans {
		if !slices.Contains(behind, s.Name) || len(s.After) == 0 {
			continue
		}
		last := pipeline.Unknown
		for _, a := range s.After {
			last = max(last, t.Spans[a].End)
		}
		t.same("span "+s.Name+", its begin", s.Start, last)
	}
}

// landed compares the mark of the reply with the last stage on its way to the ear.
func (t *turn) landed() {
	last := pipeline.Unknown
	for _, name := range toEar {
		last = max(last, t.end(name))
	}
	t.same("mark "+pipeline.MarkReplyHeard, t.Mark(pipeline.MarkReplyHeard), last)
}

// same notes two instants that differ; what is not known is not compared.
func (t *turn) same(figure string, traced, told time.Duration) {
	if traced != told && traced != pipeline.Unknown && told != pipeline.Unknown {
		t.say(figure, nanos(traced), nanos(told))
	}
}

// notBefore notes a stage that ends before what it waits for has come. It may end later, for
// what comes is handled in turn.
func (t *turn) notBefore(span, figure string, at time.Duration) {
	if end := t.end(span); end != pipeline.Unknown && at != pipeline.Unknown && end < at {
		t.say("span "+span+", its end", nanos(end), strconv.FormatInt(int64(at), 10)+" or later ("+figure+")")
	}
}

func (t *turn) say(figure, traced, told string) {
	d := Difference{fmt.Sprintf("turn %d of session %d", t.Index, t.Session), 0, figure, traced, told}
	if !slices.Contains(t.differ, d) {
		t.differ = append(t.differ, d)
	}
}

// end returns when the last span of a name ended that did; Unknown for none.
func (t *turn) end(name string) time.Duration {
	at := pipeline.Unknown
	for _, s := range t.Spans {
		if s.Name == name {
			at = max(at, s.End)
		}
	}
	return at
}

// takes adds up the spans of some names.
func (t *turn) takes(names []string) (sum time.Duration) {
	for _, s := range t.Spans {
		if slices.Contains(names, s.Name) && s.End != pipeline.Unknown {
			sum += s.For()
		}
	}
	return sum
}

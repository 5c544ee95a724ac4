package recount

import (
	"cmp"
	"slices"
	"time"

	"halfsecond/pipeline"
)

// The spans to the agent that a recording goes through, and those from the first sample that
// can be heard to the ear.
var (
	toAgent = pipeline.ToAgent()
	toEar   = pipeline.ToEar()
	held    = []string{pipeline.SpanPostWait, pipeline.SpanPreBuffer} // before that goes out
)

// turn compares the spans and marks of a voice turn with the records that they are made of,
// and those with each other: whoever moves one has to move all.
func (t *interaction) turn() {
	for i := range t.Answers {
		if a := &t.Answers[i]; !a.Simulated && t.whole {
			t.answered(a)
		}
	}
	for i := range t.Hearings {
		if h := &t.Hearings[i]; !h.Simulated && t.whole {
			t.heard(h)
		}
	}
	if len(t.Sayings) > 0 && !t.Sayings[0].Simulated && t.whole {
		t.spoken()
	}
	if n := t.forNothing(); n > 0 && t.has(pipeline.SpanWrongGuess) && !t.Requests[n-1].Simulated {
		t.same("span "+pipeline.SpanWrongGuess+", its begin", t.begin(pipeline.SpanWrongGuess), t.Requests[n-1].Due)
	}
	t.linked()
	t.landed()
	if t.whole {
		t.outcome()
	}
}

// due compares the instant of the turn with the end of speech at the agent.
func (t *interaction) due(speechEnd time.Duration) {
	if speechEnd != pipeline.Unknown {
		t.same("due_ns", t.Due, speechEnd-t.takes(toAgent))
	}
}

// heard compares the wait for the final text with what was written down. Of a turn that went
// on after it the text was there.
func (t *interaction) heard(h *pipeline.Transcription) {
	t.due(h.SpeechEnd)
	t.notBefore(pipeline.SpanSTTTail, "first_final_ns", h.FirstFinal)
	if t.Outcome == pipeline.OK && h.FirstFinal != pipeline.Unknown && t.end(pipeline.SpanSTTTail) == pipeline.Unknown {
		t.say("span "+pipeline.SpanSTTTail+", its end", unknown, nanos(h.FirstFinal)+" or later (first_final_ns)")
	}
}

// answered compares the stages of a model that hears and speaks with its record. One that had
// ended before those in front of it leaves no span.
func (t *interaction) answered(a *pipeline.Answered) {
	t.due(a.SpeechEnd)
	last := t.Due + t.takes(toAgent)
	for _, s := range []struct {
		name string
		at   time.Duration
	}{{pipeline.SpanEndOfTurn, a.Committed}, {pipeline.SpanModelAudio, a.FirstAudio}, {pipeline.SpanLeading, a.Voiced}} {
		want := pipeline.Unknown
		if s.at > last {
			want, last = s.at, s.at
		}
		t.same("span "+s.name+", its end", t.end(s.name), want)
	}
	heard := pipeline.Unknown
	if a.Outcome == pipeline.OK && a.Voiced != pipeline.Unknown {
		heard = last + t.takes(held) + t.takes(toEar)
	}
	t.same("mark "+pipeline.MarkReplyHeard, t.Mark(pipeline.MarkReplyHeard), heard)
	t.cutIn(a)
}

// spoken compares the stages of a voice with the records of what it said: it was asked for
// when the first is due, its first audio is that one's, and the silence that this begins with
// ends with the first sample that can be heard. A reply of which nothing could be heard is not
// heard, and one whose sound came whole is.
func (t *interaction) spoken() {
	first := &t.Sayings[0]
	t.same("span "+pipeline.SpanTTSFirstAudio+", its begin", t.begin(pipeline.SpanTTSFirstAudio), first.Due)
	t.notBefore(pipeline.SpanTTSFirstAudio, "first_audio_ns", first.FirstAudio)
	voiced, sure := t.voiced()
	mark := t.Mark(pipeline.MarkReplyHeard)
	switch {
	case voiced == pipeline.Unknown:
		t.same("mark "+pipeline.MarkReplyHeard, mark, voiced)
	case mark == pipeline.Unknown && (!sure || t.ear() != pipeline.Unknown): // it was given up before that was played, or see landed
	case mark == pipeline.Unknown:
		t.say("mark "+pipeline.MarkReplyHeard, unknown, nanos(voiced+t.takes(held)+t.takes(toEar))+" or later")
	case t.has(pipeline.SpanLeading):
		t.same("span "+pipeline.SpanLeading+", its end", t.end(pipeline.SpanLeading), voiced)
	case t.end(pipeline.SpanTTSFirstAudio) < voiced:
		t.say("span "+pipeline.SpanLeading+", its end", unknown, nanos(voiced))
	}
}

// cutIn compares whether a turn says that the agent spoke into a pause with the record of its
// answer.
func (t *interaction) cutIn(a *pipeline.Answered) {
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

// voiced returns when the first sample of the reply that can be heard was played; Unknown
// where none came. sure is set where what it is of came to its end.
func (t *interaction) voiced() (at time.Duration, sure bool) {
	for i := range t.Sayings {
		if s := &t.Sayings[i]; s.Voiced != pipeline.Unknown {
			return s.Voiced, s.Outcome == pipeline.OK
		}
	}
	return pipeline.Unknown, false
}

// linked compares the stages behind the first audio, which follow each other without a gap.
func (t *interaction) linked() {
	behind := slices.Concat([]string{pipeline.SpanLeading}, held, []string{pipeline.SpanFillerWait}, toEar)
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
func (t *interaction) landed() {
	t.same("mark "+pipeline.MarkReplyHeard, t.Mark(pipeline.MarkReplyHeard), t.ear())
}

// ear returns when the last stage on the way to the ear ended; Unknown for none.
func (t *interaction) ear() time.Duration {
	last := pipeline.Unknown
	for _, name := range toEar {
		last = max(last, t.end(name))
	}
	return last
}

// outcome compares how the turn ended with how its records did. It ended as the first of them
// did that it needed and that failed, and ok where none did and the reply was heard. Requests
// for nothing it did not need, and what was given up since the user spoke into the reply had
// done its part.
func (t *interaction) outcome() {
	ends := t.failures()
	heard := t.Mark(pipeline.MarkReplyHeard) != pipeline.Unknown || t.ear() != pipeline.Unknown
	switch {
	case t.Outcome == pipeline.OK && len(ends) > 0:
		t.ends(ends[0])
	case t.Outcome == pipeline.OK && !heard:
		t.ends(pipeline.Error)
	case t.Outcome != pipeline.OK && len(ends) == 0 && heard:
		t.ends(pipeline.OK)
	case t.Outcome != pipeline.OK && len(ends) > 0 && !slices.Contains(ends, t.Outcome) && !slices.Contains(ends, pipeline.Error):
		t.ends(ends[0])
	}
}

// failures returns how the records failed that the turn needed.
func (t *interaction) failures() (all []pipeline.Outcome) {
	spokenInto := t.Fact(pipeline.FactBargeIn) != ""
	add := func(o pipeline.Outcome) {
		if o != pipeline.OK && !(o == pipeline.Cancelled && spokenInto) {
			all = append(all, o)
		}
	}
	for i := range t.Hearings {
		switch h := &t.Hearings[i]; {
		case h.Outcome == pipeline.OK && (h.Text == "" || h.End < t.Due): // nothing was heard, or not all
			add(pipeline.Error)
		case h.FirstFinal == pipeline.Unknown:
			add(h.Outcome)
		}
	}
	heard := false
	for i := range t.Sayings {
		s := &t.Sayings[i]
		if heard = heard || s.Voiced != pipeline.Unknown; !heard && s.Outcome == pipeline.OK { // no sound that can be heard
			add(pipeline.Error)
		}
		add(s.Outcome)
	}
	for i := range t.Answers {
		if a := &t.Answers[i]; a.Outcome == pipeline.OK && a.Voiced == pipeline.Unknown { // no sound that can be heard
			add(pipeline.Error)
		} else {
			add(a.Outcome)
		}
	}
	if n := len(t.Requests); n > t.forNothing() {
		add(t.Requests[n-1].Outcome)
	}
	return all
}

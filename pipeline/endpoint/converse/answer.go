package converse

import (
	"fmt"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/reply"
	"halfsecond/pipeline/endpoint/sound"
	"halfsecond/pipeline/endpoint/talk"
	"halfsecond/pipeline/wire/realtime"
)

// maxKinds and maxKind bound the kinds of events of a session that are kept, and how long
// the name of one may be.
const maxKinds, maxKind = 100, 100

// take handles an event of the server.
func (f *flight) take(e *event, at time.Duration) {
	f.see(e.kind, at)
	r := f.record()
	switch e.kind {
	case realtime.EventSessionUpdated:
		f.sounds(e.rate)
		f.speak(at)
	case realtime.EventSpeechStarted:
		f.started(at)
	case realtime.EventSpeechStopped:
		// The last one before the answer: a pause in the user's speech has one too.
		if f.call.whose.Own(e.itemID, e.upTo) && !f.answering() {
			r.SpeechStopped = at
		}
	case realtime.EventCommitted:
		if f.call.whose.Own(e.itemID, e.upTo) && !f.answering() {
			r.Committed, f.asked, f.committed = at, e.itemID, true
			r.HeardAt = pipeline.Unknown // the words of a part before are not these
		}
	case realtime.EventTranscriptionCompleted:
		f.heard(e, at)
	case realtime.EventResponseCreated:
		f.begin(e, at)
	case realtime.EventAudioDelta, realtime.EventAudioTranscriptDelta, realtime.EventTextDelta:
		if e.responseID == f.answer && !f.over {
			f.output(e, at)
		}
	case realtime.EventResponseDone:
		if e.responseID == f.answer && !f.over {
			f.end(e, at)
		}
	case realtime.EventItemTruncated:
		if f.truncating && r.Truncated == pipeline.Unknown {
			r.Truncated = at
			f.settle(at)
		}
	}
	if f.failure == nil && e.failure != nil && !harmless(e.failure) {
		f.failure = e.failure
		if !e.unread { // else the session ends with it
			f.finish(at)
		}
	}
}

// harmless reports whether an error says that an answer was over already when the client
// gave it up: both may cross on their way.
func harmless(f *reply.Failure) bool { return f.Code == "response_cancel_not_active" }

// see marks the first coming of a kind of event.
func (f *flight) see(kind string, at time.Duration) {
	if f.seen == nil {
		f.seen = map[string]bool{}
	}
	if kind == "" || f.seen[kind] || len(f.seen) >= maxKinds || len(kind) > maxKind {
		return
	}
	f.seen[kind] = true
	f.record().Events = append(f.record().Events, pipeline.Mark{Name: kind, At: at})
}

// answering reports whether the answer has begun.
func (f *flight) answering() bool {
	return f.interrupted != pipeline.Unknown || f.answer != "" && !f.early()
}

// begun reports whether what is committed now may be answered already. What began before the user had
// finished and is heard is no answer to it: a greeting may be in the making.
func (f *flight) begun() bool {
	return f.other || f.answer != "" && (!f.early() || f.record().FirstOutput == pipeline.Unknown)
}

// started hears that the server hears speech: the user's turn, or an interruption.
func (f *flight) started(at time.Duration) {
	r := f.record()
	if f.interrupted == pipeline.Unknown || at < f.interrupted {
		set(&r.SpeechStarted, at)
		f.fallSilent(at)
		return
	}
	set(&r.Noticed, at)
	f.truncate(at)
}

// heard takes what the user said.
func (f *flight) heard(e *event, at time.Duration) {
	r := f.record()
	if !f.call.whose.Own(e.itemID, pipeline.Unknown) || f.interrupted != pipeline.Unknown && e.itemID != f.asked {
		return
	}
	if r.Heard != "" && e.text != "" {
		r.Heard += " "
	}
	r.Heard += e.text
	if e.itemID == f.asked || f.asked == "" {
		r.HeardAt = at
		f.settle(at)
	}
}

// sounds hears how many samples a second the answers will have; 0 is what was asked for.
func (f *flight) sounds(rate int) {
	format := samples
	format.Rate = rate
	if f.meter.Samples == 0 && format.Check() == nil {
		f.call.format, f.meter = format, sound.NewMeter(format)
	}
}

// begin takes a response as the answer, unless there is one. One that began before the user had
// finished makes room for it.
func (f *flight) begin(e *event, at time.Duration) {
	if f.answer != "" && !f.early() || !f.mayAnswer(at) {
		return
	}
	if f.answer != "" {
		f.none()
		f.fallSilent(at)
	}
	f.answer = e.responseID
	f.record().ResponseCreated = at
	f.call.line.Answering(true)
}

// mayAnswer reports whether a response that begins now may answer the turn: it may be a greeting,
// or late and answer a turn before. What a server answers it has committed first, unless it is one
// that says so behind its answer.
func (f *flight) mayAnswer(at time.Duration) bool {
	c := f.call
	switch {
	case c.ready == pipeline.Unknown || at < f.start, c.client.config.Manual && at < f.speechEnd:
		return false
	case c.commits && !c.behind:
		return f.committed
	case c.whose.Owes():
		c.whose.Paid()
		f.other = true
		return false
	}
	return true
}

// output takes more of the answer.
func (f *flight) output(e *event, at time.Duration) {
	r := f.record()
	if f.call.whose.Past(f.call.follows[e.itemID]) {
		f.forget()
		return
	}
	if len(e.audio) > 0 || e.text != "" {
		set(&r.FirstOutput, at)
	}
	r.Text += e.text
	if e.kind != realtime.EventAudioDelta {
		return
	}
	f.item, f.content = e.itemID, e.content
	quiet := !f.meter.Audible()
	n, err := f.meter.Take(e.audio, at)
	if err != nil {
		f.failure = &reply.Failure{Kind: reply.BadLink, Cause: err}
		f.finish(at)
		return
	}
	if n > 0 && f.turn.Notify != nil && !f.cancelled {
		f.turn.Notify(pipeline.Sound{At: at, Samples: n, Audible: f.meter.Audible(), Voiced: f.meter.Voiced})
	}
	if quiet && f.meter.Audible() && f.turn.Interruption != nil && !f.early() {
		f.interruptAt(at + f.turn.InterruptAfter)
	}
}

// end hears that the answer is over. One that began before the user had finished was none.
func (f *flight) end(e *event, at time.Duration) {
	r := f.record()
	if f.early() && e.response.Status != realtime.Failed {
		f.none()
		if e.response.Status == realtime.Cancelled {
			f.fallSilent(at)
		}
		return
	}
	f.over, f.done = true, e.response
	f.call.line.Answering(false)
	r.ResponseDone, r.Status, r.Cancelled = at, e.response.Status, e.response.Status == realtime.Cancelled
	if u := e.response.Usage; u != nil {
		count(&r.InputTokens, u.Input)
		count(&r.OutputTokens, u.Output)
		count(&r.CachedTokens, u.Details.Cached)
	}
	f.after(max(at, f.meter.PlayedUp())+f.turn.InterruptAfter+closing, func() { f.finish(f.loop().Now()) })
	f.settle(at)
}

func set(into *time.Duration, at time.Duration) {
	if *into == pipeline.Unknown {
		*into = at
	}
}

func count(into, n *int) {
	if n != nil {
		*into = *n
	}
}

// landed completes the record: of the session so much went out, it was closed with a code, and
// that is how the turn ended.
func (f *flight) landed(sent talk.Sent, code int, transport pipeline.Transport, o pipeline.Outcome, reason string) {
	r, m := f.record(), f.meter
	f.tellCutIns()
	r.FirstFrame, r.LastFrame, r.Late, r.Frames = sent.First, sent.Last, sent.Late, sent.Frames
	r.FirstAudio, r.FirstAudible, r.LastAudio = m.FirstAudio, m.FirstAudible, m.LastAudio
	r.Lead, r.Voiced = m.Lead, m.Voiced
	r.Rate, r.Samples, r.Underruns, r.Stalled = m.Format.Rate, m.Samples, m.Underruns, m.Stalled
	r.Close, r.Transport = code, transport
	f.close(o, reason)
}

// connection returns what is known of the connection for the turn: a later one finds it open.
func (f *flight) connection() pipeline.Transport {
	if f.call.turns > 1 {
		return talk.Open(f.call.transport)
	}
	return f.call.transport
}

// outcome says how the turn ended, and why, where the session has ended like that.
func (f *flight) outcome(e *talk.End) (pipeline.Outcome, string) {
	wrong, reason := e.Wrong()
	switch {
	case f.cancelled:
		return pipeline.Cancelled, talk.ErrCancelled.Error()
	case f.failure != nil, f.over, f.finishing:
		return f.verdict()
	case wrong != pipeline.OK:
		return wrong, reason
	}
	if how := e.Closed(); how != "" {
		return pipeline.Truncated, "the session ended before the answer did: " + how
	}
	return pipeline.Truncated, "the session ended before the answer did"
}

// BeganEarly begins the reason of a turn in which the model answered a pause, and nothing else.
const BeganEarly = "the model began to answer before the end of speech"

// verdict says how the turn ended that the client ended.
func (f *flight) verdict() (pipeline.Outcome, string) {
	switch {
	case f.failure != nil:
		return pipeline.Error, f.failure.String()
	case f.over:
		return f.answered()
	}
	within := fmt.Sprintf("within %s of the end of speech", f.client.config.Trail)
	switch {
	case f.other:
		return pipeline.Truncated, "no answer began " + within + " but one that may be to the turn before, which had none"
	case len(f.cutIns) > 0:
		return pipeline.Truncated, fmt.Sprintf("%s, and not within %s of it", BeganEarly, f.client.config.Trail)
	}
	return pipeline.Truncated, "no answer began " + within
}

// answered judges an answer that is over.
func (f *flight) answered() (pipeline.Outcome, string) {
	reason := f.done.Details.Reason
	switch f.done.Status {
	case realtime.Completed:
	case realtime.Cancelled:
		if f.interrupted == pipeline.Unknown {
			return pipeline.Truncated, "the server gave the answer up: " + reason
		}
	case realtime.Failed:
		return pipeline.Error, f.done.words()
	default:
		return pipeline.Truncated, f.done.words()
	}
	if f.meter.Samples == 0 {
		return pipeline.Error, "no audio came"
	}
	return pipeline.OK, ""
}

func (f *flight) close(o pipeline.Outcome, reason string) {
	if f.ended {
		return
	}
	f.ended = true
	f.rest()
	key := f.client.config.Key
	r := f.record()
	r.Outcome, r.Reason, r.Status = o, key.Tidy(reason), key.TidyName(r.Status)
	r.Heard, r.Text = key.MaskText(r.Heard), key.MaskText(r.Text)
	for i := range r.Events {
		r.Events[i].Name = key.MaskText(r.Events[i].Name)
	}
	f.turn.Done()
}

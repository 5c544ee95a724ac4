package speech

import (
	"time"

	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
)

// Hearing sets up a Recognizer. Only Rate must be set.
type Hearing struct {
	Rate    int
	Profile STT
	Script  Script
	Seed    uint64
	// Stream tells apart recognizers of one seed, such as connections or channels.
	Stream int
	// Turn says when an utterance has ended; the zero Turn is the profile's.
	Turn Turn
	// WordGap is the time without words after which UtteranceEnd comes; 0 is never.
	WordGap time.Duration
	// Detector tunes the search for speech; its rate is set by Rate.
	Detector DetectorConfig
}

// Recognizer behaves like a streaming speech recognizer that hears what its script
// says. All its methods run on the loop, and so does tell.
//
// Where speech is follows from the samples, and what has been heard of a text from how
// much speech there was: its words go by at the usual pace, and at the end of an
// utterance those that are left are told as well, all spread over the speech. An
// utterance that ends before half of its text was heard is told up to there, and the
// next one goes on with the text.
//
// Positions and words do not depend on how the samples are cut into calls of Feed;
// instants do, since a sample has been heard when it arrived. SpeechStarted and
// EndOfSpeech come at once, what has words after the profile's time: the Final of an
// utterance may come after the SpeechStarted of the next.
type Recognizer struct {
	h      Hearing
	loop   pipeline.Scheduler
	out    outbox
	ear    *Detector
	calls  arrivals
	heard  time.Duration // position up to which everything is decided
	closed bool
	finals dist.Rand // delays of finals
	lags   dist.Rand // and of interims

	u      utterance
	speech spoken
	notes  notes
}

// utterance is what is being said.
type utterance struct {
	number   int // from 0
	open     bool
	start    time.Duration // its first sample
	since    time.Duration // position at which it was found
	interims int
	shown    int            // words in the last interim
	eager    pipeline.Timer // EagerEnd, told or on its way when hasty
	hasty    bool
	ended    ending // of the speech that came last
}

// ending is where speech ended, when that sample arrived, and how long the final text
// takes from then on.
type ending struct{ position, instant, delay time.Duration }

// NewRecognizer returns a recognizer whose audio starts with the next Feed. It panics
// when the rate is not one that package audio takes.
func NewRecognizer(loop pipeline.Scheduler, h Hearing, tell func(Event)) *Recognizer {
	h.Detector.Rate = h.Rate
	if h.Turn == (Turn{}) {
		h.Turn = h.Profile.Turn
	}
	return &Recognizer{
		h:      h,
		loop:   loop,
		out:    outbox{loop: loop, tell: tell},
		ear:    NewDetector(h.Detector),
		finals: dist.Stream(h.Seed, "speech/finals", h.Stream),
		lags:   dist.Stream(h.Seed, "speech/interims", h.Stream),
		u:      utterance{number: -1},
		notes:  notes{script: h.Script, seed: h.Seed, stream: h.Stream},
	}
}

// Feed hears samples that arrive now. It tells nothing itself: events come from the
// loop, at this instant at the earliest. After Close it does nothing.
func (r *Recognizer) Feed(samples []int16) {
	if r.closed {
		return
	}
	r.calls.add(audio.Duration(r.ear.samples+len(samples), r.h.Rate), r.loop.Now())
	for len(samples) > 0 {
		n := min(len(samples), r.ear.wants())
		r.ear.Feed(samples[:n], r.edge)
		samples = samples[n:]
		if now := at(r.ear.frames); now > r.heard {
			r.heard = now
			r.decide()
		}
	}
}

// Heard returns how much audio was fed.
func (r *Recognizer) Heard() time.Duration { return r.ear.Heard() }

// SetTurn changes when utterances end, from now on.
func (r *Recognizer) SetTurn(t Turn) { r.h.Turn = t }

// Finalize asks for what was heard so far: a Final with Cause ByRequest follows,
// without words when there are none since the last one. The utterance goes on.
func (r *Recognizer) Finalize() {
	if r.closed {
		return
	}
	due := 0
	if r.u.open {
		due = r.due()
	}
	instant := r.loop.Now()
	if due > 0 {
		instant = r.settled()
	}
	r.final(ByRequest, due, false, instant)
}

// EndTurn ends the utterance now: EndOfSpeech and a Final with Cause ByRequest and
// Endpoint follow. Speech that goes on belongs to no utterance until its next pause.
// It reports false, and does nothing, when no utterance is open.
func (r *Recognizer) EndTurn() bool {
	if r.closed || !r.u.open {
		return false
	}
	r.end(ByRequest, r.due())
	return true
}

// Close says that no more audio comes: what is open ends as by silence, with Cause
// ByClose and all words of its text, and then comes Closed.
func (r *Recognizer) Close() {
	if r.closed {
		return
	}
	r.closed = true
	r.heard = r.ear.Heard()
	r.ear.Close(r.edge)
	if r.u.open {
		r.end(ByClose, r.notes.left(r.spokenUntil()))
	}
	r.out.at(r.loop.Now(), Event{Kind: Closed, Utterance: max(0, r.u.number), Start: r.heard, End: r.heard})
}

// Stop takes everything back that is still to be told: the client is gone.
func (r *Recognizer) Stop() { r.closed, r.out.stopped = true, true }

// edge handles a start or an end of speech.
func (r *Recognizer) edge(e Edge) {
	switch {
	case !e.Speech:
		r.speech.shut(e.At)
		r.stopped(e.At)
	case r.u.open:
		r.speech.begin(e.At)
		r.resume(e)
	default:
		r.speech.begin(e.At)
		r.begin(e)
	}
}

// stopped notes that speech has ended there, for now.
func (r *Recognizer) stopped(position time.Duration) {
	if r.u.ended.position != position {
		r.u.ended = ending{position, r.calls.at(position), r.h.Profile.Final.Draw(&r.finals)}
	}
}

// begin begins an utterance.
func (r *Recognizer) begin(e Edge) {
	r.notes.begin(e.At-r.u.ended.position, r.speech.total(e.At))
	if t := r.notes.text; t != nil {
		r.speech.forget(t.from)
	}
	r.u = utterance{number: r.u.number + 1, open: true, start: e.At, since: e.Heard, ended: r.u.ended}
	r.out.now(Event{Kind: SpeechStarted, Utterance: r.u.number, Start: e.At, End: e.Heard})
}

// resume goes on with an utterance after a pause.
func (r *Recognizer) resume(e Edge) {
	if r.u.hasty && !r.u.eager.Stop() {
		r.out.at(r.loop.Now(), Event{Kind: Resumed, Utterance: r.u.number, Start: e.At, End: e.Heard})
	}
	r.u.hasty = false
}

// decide decides what follows from another frame.
func (r *Recognizer) decide() {
	if r.u.open && !r.speech.open {
		r.pause()
	}
	if r.u.open {
		r.goOn()
	}
	if r.h.WordGap > 0 && !r.speech.open {
		r.gap()
	}
}

// pause decides whether silence ends the utterance.
func (r *Recognizer) pause() {
	silence, t := r.heard-r.u.ended.position, r.h.Turn
	if t.Unfinished > 0 && !r.notes.finished(r.spokenUntil()) {
		t.Silence, t.Eager = t.Unfinished, 0
	}
	switch {
	case t.Never:
	case silence >= t.Silence:
		r.end(BySilence, r.due())
	case t.Eager > 0 && silence >= t.Eager && !r.u.hasty:
		r.hurry()
	}
}

// goOn decides whether something is told of an utterance that goes on.
func (r *Recognizer) goOn() {
	if r.u.hasty {
		return
	}
	known := r.notes.heard(r.certain())
	every, span := r.h.Profile.Every, r.h.Profile.MaxSpan
	switch {
	case span > 0 && known > 0 && r.heard-max(r.u.start, r.notes.span) >= span:
		r.final(BySpan, known, false, r.loop.Now()+r.h.Profile.Interim.Draw(&r.lags))
	case every == 0 && known > r.u.shown, every > 0 && r.heard-r.u.since >= every*time.Duration(r.u.interims+1):
		r.u.interims++
		r.u.shown = known
		r.out.overtakable(r.loop.Now()+r.h.Profile.Interim.Draw(&r.lags), r.event(Interim, r.words(known, false)))
	}
}

// gap decides whether words have stayed away for long.
func (r *Recognizer) gap() {
	if r.u.open && r.heard-r.u.ended.position >= r.h.WordGap {
		if due := r.due(); due > 0 {
			r.final(BySpan, due, false, r.settled())
		}
		if r.h.Turn.Never {
			r.notes.end()
			r.u.open = false
		}
	}
	goesOn := r.u.open && r.notes.heard(r.certain()) > 0
	if r.notes.fresh && !goesOn && r.heard-r.notes.lastWord >= r.h.WordGap {
		r.notes.fresh = false
		e := r.event(UtteranceEnd, nil)
		e.Start, e.End = r.notes.lastWord, r.notes.lastWord
		r.out.at(r.loop.Now(), e)
	}
}

// hurry tells that the utterance has probably ended.
func (r *Recognizer) hurry() {
	r.u.hasty = true
	r.u.eager = r.out.at(r.settled(), r.event(EagerEnd, r.words(r.due(), true)))
}

// end ends the utterance with so many words.
func (r *Recognizer) end(why Cause, due int) {
	instant := r.settled()
	e := r.event(EndOfSpeech, nil)
	e.End, e.Cause = r.u.ended.position, why
	r.out.now(e)
	r.final(why, due, true, instant)
	r.notes.end()
	r.u.open = false
}

// final tells so many words for good.
func (r *Recognizer) final(why Cause, due int, endpoint bool, instant time.Duration) {
	spread := why != BySpan || !r.speech.open
	e := r.event(Final, r.words(due, spread))
	e.Cause, e.Endpoint = why, endpoint
	if why == BySpan && due > 0 {
		e.End = e.Words[due-1].End
	}
	r.notes.tell(e.Words, r.spreads(due, spread), e.End, r.spokenUntil())
	if t := r.notes.text; t != nil {
		r.speech.forget(t.from)
	}
	r.u.shown = 0
	r.out.at(instant, e)
}

// words returns the next words, spread over the speech when its text ends with them
// and that is wanted.
func (r *Recognizer) words(count int, spread bool) []Word {
	return r.notes.words(count, r.spreads(count, spread), r.spokenUntil(), &r.speech)
}

func (r *Recognizer) spreads(count int, wanted bool) bool {
	return wanted && count == r.notes.unsaid()
}

// event returns an event about the words since the last Final.
func (r *Recognizer) event(k Kind, words []Word) Event {
	return Event{
		Kind: k, Utterance: max(0, r.u.number), Start: r.notes.span, End: r.heard,
		Words: words, Confidence: r.confidence(),
	}
}

// due returns how many words a Final has whose speech has ended, or is taken to have:
// all that are left when the text sounds finished, and else those that were said.
func (r *Recognizer) due() int {
	if until := r.spokenUntil(); r.notes.finished(until) {
		return r.notes.left(until)
	}
	return r.notes.said(r.spokenUntil())
}

// settled returns when the words of speech that has ended, or is taken to have, are
// final, which may have been before now: what silence was waited for ran at the same time.
func (r *Recognizer) settled() time.Duration {
	if r.speech.open {
		r.stopped(r.ear.speechUntil())
	}
	return r.u.ended.instant + r.u.ended.delay
}

// spokenUntil returns how much speech there was.
func (r *Recognizer) spokenUntil() time.Duration { return r.speech.total(r.ear.speechUntil()) }

// certain returns how much speech there was for certain: what has just been heard may
// turn out to have been its end.
func (r *Recognizer) certain() time.Duration {
	if r.speech.open {
		return min(r.spokenUntil(), r.speech.total(r.heard-r.ear.config.Hangover))
	}
	return r.spokenUntil()
}

// confidence returns how certain it is that the utterance has ended.
func (r *Recognizer) confidence() float64 {
	if r.speech.open || !r.u.open {
		return 0
	}
	c := EndConfidence(r.heard - r.u.ended.position)
	if !r.notes.finished(r.spokenUntil()) {
		c /= 2
	}
	return c
}

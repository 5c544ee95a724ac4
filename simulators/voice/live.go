package voice

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"halfsecond/pipeline"
	"halfsecond/simulators/voice/gather"
	"halfsecond/simulators/voice/playback"
	"halfsecond/simulators/voice/utterance"
)

// Services take the place of modelled stages: real ones, or our own mock's.
type Services struct {
	STT    pipeline.STT
	TTS    pipeline.TTS
	Direct pipeline.Converser
	// Voices is what users say, one after the other; at least one where STT or Direct is set.
	Voices []Said
	// Last reports whether a turn is the last of its session. With it, and a context that says
	// how many turns a call has, those of a call go on in one session of STT or Direct; nil is
	// a session for each turn.
	Last func(session, index int) bool
	// Prompts has the model asked with what STT heard, where it heard something, and not with
	// words of ours of the same length.
	Prompts bool
	// Ahead has a connection to a TTS that takes text as it comes opened before there is a reply.
	Ahead bool
	// Pieces has each piece of the reply spoken by a request of its own, for a service that
	// takes whole texts; otherwise the text goes out as it comes.
	Pieces bool
}

// Said is an utterance.
type Said struct {
	Voice pipeline.Voice
	Text  string
	// Detect returns what the agent's own detector makes of the recording when so much silence
	// ends speech; nil has the detector modelled.
	Detect func(silence time.Duration) utterance.Detection
}

// hears reports whether users speak audio.
func (s *Services) hears() bool { return s.STT != nil || s.Direct != nil }

// live is the part of a turn that services take.
type live struct {
	hearing pipeline.Hearing
	final   bool          // the transcript is
	heard   string        // what of it there is
	known   time.Duration // all else that the commit waits for has passed
	joined  bool          // the turn is committed, or its commit laid out

	ahead   *ahead // nil for none
	sayings []*pipeline.Saying
	came    []playback.Piece // sound of the reply, as it is at the ear
	lead    time.Duration    // so much of it is silence first; Unknown before it is heard
	waiting []string         // pieces of the reply that are not asked for yet
	given   int              // tokens of a modelled reply that were handed on
	cutter  gather.Cutter    // of a real one
	whole   strings.Builder  // pieces of it that were not handed on
	piece   strings.Builder  // the one after them, as far as there is of it
	said    bool             // all of the reply was handed on
	audio   pipeline.SpanID  // until the first sample; NoSpan before it is asked for
	answer  pipeline.Turn

	outcome pipeline.Outcome // of a service that failed
	reason  string
}

// utterance returns what the user says in the turn.
func (t *turn) utterance() *Said { return &t.simulator.config.Services.Voices[t.recording()] }

// recording returns which of the utterances that is: one after the other, each user from another
// on, so that they do not say the same at a time, and all are said however few turns a session
// has.
func (t *turn) recording() int {
	return (t.trace.Session + t.trace.Index) % len(t.simulator.config.Services.Voices)
}

// begin has the user begin to speak now. The turn is due when the last sample of speech
// leaves the mouth.
func (t *turn) begin() {
	s, x := &t.simulator.config.Services, t.utterance()
	now := t.loop().Now()
	t.trace.Due = now + x.Voice.SpeechEnd
	t.drawn.utterance = x.Voice.SpeechEnd
	t.openAhead()
	agent := now + t.drawn.capture + t.drawn.uplink + t.drawn.jitter
	if s.Direct != nil {
		t.waits++
		a := &t.live.answer
		*a = pipeline.Turn{Session: t.trace.Session, Voice: x.Voice, More: t.goesOn(), Begin: agent, Done: t.answered}
		a.Record = pipeline.NewAnswered(t.simulator.config.NextRequest(), agent)
		s.Direct.Start(a)
		return
	}
	h := &t.live.hearing
	*h = pipeline.Hearing{Session: t.trace.Session, Stream: t.stream(0), Voice: x.Voice, More: t.goesOn(), Begin: agent, Notify: t.hears, Done: t.transcribed}
	if x.Detect != nil {
		h.Stop = t.silence()
	}
	h.Record = pipeline.NewTranscription(t.simulator.config.NextRequest(), agent)
	t.waits += 2 // its session, and the end of the speech
	s.STT.Start(h)
	t.loop().At(t.trace.Due, pipeline.RankInput, func() {
		t.waits--
		if t.live.outcome == pipeline.OK {
			t.listen()
		}
		t.finish()
	})
}

// silence returns how long after the end of speech the agent's detector has it, once it hears
// that: on a recording, what it makes of that one.
func (t *turn) silence() time.Duration {
	d := &t.drawn
	if x := t.recorded(); x != nil {
		return max(0, t.looked(x.Detect(d.vad).Stop)-x.Voice.SpeechEnd) + d.compute
	}
	return d.grid + d.vad + d.compute
}

// recorded returns the recording that the detector hears; nil where it is modelled.
func (t *turn) recorded() *Said {
	if !t.simulator.config.Services.hears() {
		return nil
	}
	if x := t.utterance(); x.Detect != nil {
		return x
	}
	return nil
}

// looked returns when the detector has looked at so much of a recording, which it does once
// in a frame.
func (t *turn) looked(at time.Duration) time.Duration {
	frame := t.simulator.config.Stack.VADFrame
	if frame == 0 {
		return at
	}
	return (at + frame - 1) / frame * frame
}

// cutter is an Ending that knows when it would commit a turn in a pause of it.
type cutter interface {
	CutsIn(seed uint64, session, index int, final time.Duration) bool
}

// tellCutIn has the trace say whether the turn would have been committed in a pause of it, once
// the final text is there, for which the commit waits. It would have come as late in a pause as
// it did at the end: of a policy's turns behind the end of speech, and of a recording behind the
// detector's stop, before that hears that speech goes on.
func (t *turn) tellCutIn() {
	d, k, x := &t.drawn, &t.simulator.config.Stack, t.recorded()
	if c, ok := k.Ending.(cutter); ok {
		final := max(t.since(t.ear.final), t.since(t.ear.timer))
		t.fact(pipeline.FactCutIn, yesNo(c.CutsIn(t.simulator.config.Seed, t.trace.Session, t.trace.Index, final)))
	}
	if x == nil || k.Ending != nil {
		return
	}
	after := max(d.endOfTurn+d.policy, t.end(t.ear.final)-t.end(t.ear.stopped), k.STTTimer)
	into := slices.ContainsFunc(x.Detect(d.vad).Pauses, func(p utterance.Pause) bool {
		return t.looked(p.Stop)+after < t.looked(p.Resume)
	})
	t.fact(pipeline.FactCutIn, yesNo(into))
	t.fact(pipeline.FactRecording, strconv.Itoa(t.recording()))
}

// commitLive has the turn committed once the transcript of a service is final and all
// else that it waits for has passed.
func (t *turn) commitLive() {
	_, final := t.needs()
	if g := t.simulator.config.Stack.Guess; g != nil && g.From != OnFinal && !(final && g.From == OnEarly) {
		t.guess()
	}
	if t.live.final { // while the user still spoke
		t.finalText()
		return
	}
	t.awaitRest()
}

// finalText ends the wait for the transcript.
func (t *turn) finalText() {
	t.live.final = true
	span := &t.trace.Spans[t.ear.final]
	span.End = max(t.loop().Now(), span.Start)
	t.tellCutIn()
	_, final := t.needs()
	if final {
		t.decide()
	}
	t.awaitRest() // before the guess, which has no sense at the instant of the commit
	if g := t.simulator.config.Stack.Guess; g != nil && (g.From == OnFinal || final && g.From == OnEarly) {
		t.guess()
	}
}

// awaitRest has the turn committed when all that it waits for has passed and the transcript
// is final.
func (t *turn) awaitRest() {
	t.live.known = max(t.loop().Now(), t.latest(t.ear.commit))
	t.waits++
	t.loop().At(t.live.known, pipeline.RankTimer, func() {
		t.waits--
		t.joinUp()
		t.finish()
	})
}

// transcribed hears that the session with the service is over.
func (t *turn) transcribed() {
	t.waits--
	r := &t.live.hearing.Record
	if !t.live.final {
		t.live.heard = r.Text
	}
	if t.ear.final != pipeline.NoSpan {
		t.trace.Spans[t.ear.final].Simulated = r.Simulated
	}
	t.trace.Hearings = append(t.trace.Hearings, *r)
	switch {
	case t.live.final:
	case r.Outcome == pipeline.OK && r.Text != "" && t.loop().Now() >= t.trace.Due:
		t.finalText() // it never said that the text is final
	case r.Outcome == pipeline.OK && r.Text != "":
		t.fail(pipeline.Error, "speech to text: its session was over before the user had finished")
	case r.Outcome == pipeline.OK:
		t.fail(pipeline.Error, "speech to text: nothing was heard")
	default:
		t.fail(r.Outcome, "speech to text: "+r.Reason)
	}
	t.finish()
}

// joinUp commits the turn once the transcript is final and all else that it waits for has
// passed.
func (t *turn) joinUp() {
	if l := t.live; l.final && !l.joined && t.loop().Now() >= l.known && l.outcome == pipeline.OK {
		l.joined = true
		t.settle()
	}
}

// fail ends the turn: a service that it needs has failed.
func (t *turn) fail(o pipeline.Outcome, reason string) {
	if t.live.outcome == pipeline.OK {
		t.live.outcome, t.live.reason = o, reason
	}
	if a := t.last(); a != nil && !a.ended {
		t.simulator.config.LLM.Cancel(&a.call)
	}
}

// say hands text of the reply to the service that speaks it, which it goes on with.
func (t *turn) say(text string, after pipeline.SpanID) {
	s := &t.simulator.config.Services
	l := t.live
	switch {
	case len(l.sayings) == 0:
		l.audio = t.Begin(pipeline.SpanTTSFirstAudio, false, after)
		t.start(text, !s.Pieces)
		if a := t.last(); a.ended { // while it was held back
			t.rest(a)
		}
	case !s.Pieces:
		s.TTS.Say(l.sayings[0], text)
	default:
		l.waiting = append(l.waiting, text)
		t.sayNext()
	}
}

// stream returns what a service draws its delays from for the nth thing that it does in this
// turn: a number of this turn's own, which no setting changes, far above those that a mock
// counts for others.
func (t *turn) stream(n int) int {
	const things, turns = 1 << 10, 1 << 22
	return n%things + things*(t.trace.Index%turns+turns*(t.trace.Session+1))
}

// start begins to have a text spoken.
func (t *turn) start(text string, more bool) {
	x := t.live.ahead.take()
	open := x != nil
	if !open {
		x = &pipeline.Saying{Session: t.trace.Session, Stream: t.stream(len(t.live.sayings)), Text: text, More: more, Rest: len(t.live.sayings) > 0, Notify: t.sounds}
		x.Done = func() { t.saidAll(x) }
		x.Record = pipeline.NewSpeech(t.simulator.config.NextRequest(), t.loop().Now())
	}
	t.live.sayings = append(t.live.sayings, x)
	t.waits++
	if open {
		x.Record.Due = t.loop().Now()
		t.simulator.config.Services.TTS.Say(x, text)
	} else {
		t.simulator.config.Services.TTS.Start(x)
	}
	t.trace.Spans[t.live.audio].Simulated = x.Record.Simulated
}

// sayNext has the next piece spoken once the one before it is.
func (t *turn) sayNext() {
	l := t.live
	if len(l.waiting) > 0 && len(l.sayings) == len(t.trace.Sayings) {
		text := l.waiting[0]
		l.waiting = l.waiting[1:]
		t.start(text, false)
	}
}

// sounds takes audio of the reply. The first that can be heard is heard once the silence
// before it is played.
func (t *turn) sounds(s pipeline.Sound) {
	t.keepSound(s)
	if t.open(t.live.audio) && s.Samples > 0 {
		t.End(t.live.audio)
	}
	if t.spoken || !s.Audible || t.live.audio == pipeline.NoSpan {
		return
	}
	t.play(t.live.audio, s.Voiced-t.end(t.live.audio), t.trace.Spans[t.live.audio].Simulated)
}

// keepSound notes what of the reply's sound is at the ear when, and how much of it is silence
// before the first that can be heard.
func (t *turn) keepSound(s pipeline.Sound) {
	l := t.live
	if s.Samples == 0 || s.Rate == 0 || l.audio == pipeline.NoSpan || t.simulator.config.Stack.BargeIn == nil {
		return
	}
	at := s.At + t.wayOut()
	l.came = append(l.came, playback.Piece{First: at, Last: at, For: pipeline.SamplesLast(int64(s.Samples), s.Rate)})
	if s.Audible && l.lead == pipeline.Unknown {
		l.lead = s.Voiced + t.wayOut() - l.came[0].First
	}
}

// audible returns the sound that came from the first on that can be heard.
func (l *live) audible() (all []playback.Piece) {
	silent := l.lead
	for _, x := range l.came {
		cut := min(silent, x.For)
		silent -= cut
		if x.For -= cut; x.For > 0 {
			all = append(all, x)
		}
	}
	return all
}

// saidAll hears that a text is spoken.
func (t *turn) saidAll(x *pipeline.Saying) {
	t.waits--
	r := &x.Record
	t.trace.Sayings = append(t.trace.Sayings, *r)
	switch {
	case r.Outcome == pipeline.Cancelled && t.stopped:
	case r.Outcome != pipeline.OK:
		t.fail(r.Outcome, "text to speech: "+r.Reason)
	case !t.spoken:
		t.fail(pipeline.Error, "text to speech: no audio that can be heard")
	}
	t.sayNext()
	t.interrupt()
	t.finish()
}

// answered has the trace say how a model answered that hears and speaks. Where it failed before, the
// turn is over when the user has finished.
func (t *turn) answered() {
	r := &t.live.answer.Record
	t.trace.Answers = append(t.trace.Answers, *r)
	d := &t.drawn
	if r.SpeechEnd != pipeline.Unknown { // who waits for a greeting speaks later
		t.trace.Due = r.SpeechEnd - d.capture - d.uplink - d.jitter
	}
	early := r.SpeechEnd != pipeline.Unknown && r.Voiced != pipeline.Unknown && r.Voiced < r.SpeechEnd
	if r.CutIns != pipeline.UnknownCount {
		t.fact(pipeline.FactCutIn, yesNo(early || r.CutIns > 0))
	}
	at := t.arrive()
	at = t.until(pipeline.SpanEndOfTurn, r.Committed, at)
	at = t.until(pipeline.SpanModelAudio, r.FirstAudio, at)
	at = t.until(pipeline.SpanLeading, r.Voiced, at)
	switch {
	case r.Outcome != pipeline.OK:
		t.fail(r.Outcome, r.Reason)
	case r.Voiced == pipeline.Unknown:
		t.fail(pipeline.Error, "no audio that can be heard")
	case early:
		t.fail(pipeline.Truncated, fmt.Sprintf("the answer was heard %s before the end of speech: it is none to all that was said", r.SpeechEnd-r.Voiced))
	default:
		at = t.stage(pipeline.SpanPreBuffer, d.buffer, t.stage(pipeline.SpanPostWait, d.post, at))
		at = t.stage(pipeline.SpanEgress, d.egress, at)
		at = t.trace.Append(pipeline.SpanPlayout, d.playout, true, at)
		at = t.stage(pipeline.SpanPlayoutLoss, t.loseReply(), at)
		t.trace.Marks = append(t.trace.Marks, pipeline.Mark{Name: pipeline.MarkReplyHeard, At: t.end(at)})
		t.spoken, t.replied = true, true
	}
	over := func() { t.waits--; t.finish() }
	if t.trace.Due > t.loop().Now() {
		t.loop().At(t.trace.Due, pipeline.RankInput, over)
		return
	}
	over()
}

// until appends a stage that ended at an instant; one that nobody saw, or that had ended
// before, is not there.
func (t *turn) until(name string, at time.Duration, after pipeline.SpanID) pipeline.SpanID {
	from := t.end(after)
	if at == pipeline.Unknown || at <= from {
		return after
	}
	return t.trace.Append(name, at-from, false, after)
}

// hush gives up what is still to be spoken of the reply.
func (t *turn) hush() {
	l := t.live
	l.waiting = nil
	if n := len(l.sayings); n > len(t.trace.Sayings) {
		t.simulator.config.Services.TTS.Cancel(l.sayings[n-1])
	}
}

package listen

import (
	"strings"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/reply"
	"halfsecond/pipeline/endpoint/talk"
)

// step is what one message says.
type step struct {
	ready   bool // the service takes audio
	partial string
	finals  []final
	events  []string // the service's own words
	turnEnd bool     // the turn has ended
	settled bool     // and all of its text is there
	last    bool     // nothing follows
	failure *reply.Failure

	item   string        // what of the session it is of, by the service's own name; "" is none
	placed bool          // it is said where in all audio that was sent what it is of ends
	upTo   time.Duration // and that is there
}

// final is text that will not change.
type final struct {
	// turn names what the text is of: a later one of the same turn replaces it. "" is none
	// but its own.
	turn string
	text string
	span string // the stretch of audio that it is of; "" where that is not told
}

func (s *step) final(turn, text string) { s.finals = append(s.finals, final{turn: turn, text: text}) }
func (s *step) event(name string)       { s.events = append(s.events, name) }

// place notes that it is of audio up to so many seconds.
func (s *step) place(upTo float64) {
	if upTo > 0 && upTo < longest.Seconds() {
		s.placed, s.upTo = true, time.Duration(upTo*float64(time.Second))
	}
}

// longest is more audio than any session has.
const longest = 1000 * time.Hour

// owned reports whether a message is of the utterance under way; one that is not leaves nothing but
// that the session is over, or has failed. What says neither what it is of nor of which audio is
// of the first utterance that waits for its text.
func (s *step) owned(turns *talk.Turns) bool {
	upTo, own := pipeline.Unknown, false
	if s.placed {
		upTo = s.upTo
	}
	if s.item != "" || s.placed || !turns.Owes() {
		own = turns.Own(s.item, upTo)
	} else if s.settled {
		turns.Paid()
	}
	if !own {
		*s = step{ready: s.ready, last: s.last, failure: s.failure}
	}
	return own
}

// fail notes what the service says is wrong; code is "" or 0 for none.
func (s *step) fail(message string, code any) {
	if code == "" || code == 0 {
		code = nil
	}
	s.failure = &reply.Failure{Kind: reply.InBand, Message: message, Code: code}
}

// complain notes what a message complains of that is none of the protocol's own.
func (s *step) complain(m talk.Message) { s.failure = talk.Complaint(m.Data) }

// unreadable notes that what came is none of the protocol's messages.
func (s *step) unreadable(cause error) {
	s.failure = &reply.Failure{Kind: reply.BadLink, Cause: cause}
}

// gatherer makes the record of a session out of its messages.
type gatherer struct {
	glue   string
	notify func(pipeline.Heard) // nil when nobody wants to know
	record pipeline.Transcription

	finals  []final
	turns   map[string]int // where in finals the text of a turn is
	last    bool
	failure *reply.Failure
}

// maxEvents is how many events of a session are kept, and maxName how long the name of one
// may be.
const maxEvents, maxName = 1000, 64

// take takes what a message of that instant said.
func (g *gatherer) take(s *step, at time.Duration) {
	r := &g.record
	if strings.TrimSpace(s.partial) != "" {
		r.Partials++
		first(&r.FirstPartial, at)
		g.tell(pipeline.Heard{Kind: pipeline.HeardPartial, At: at, Text: s.partial})
	}
	for _, f := range s.finals {
		if strings.TrimSpace(f.text) == "" {
			if f.text != "" && g.glue == "" { // it is what joins the texts around it
				g.keep(f)
			}
			continue
		}
		r.Finals++
		first(&r.FirstFinal, at)
		r.LastFinal = at
		g.keep(f)
		g.tell(pipeline.Heard{Kind: pipeline.HeardFinal, At: at, Text: f.text, SoFar: g.text(), TurnEnd: s.turnEnd, Settled: s.settled})
	}
	if s.turnEnd {
		r.TurnEnd = at
	}
	for _, name := range s.events {
		if len(name) > maxName {
			continue
		}
		if len(r.Events) < maxEvents {
			r.Events = append(r.Events, pipeline.Mark{Name: name, At: at})
		}
		h := pipeline.Heard{Kind: pipeline.HeardEvent, At: at, Name: name, TurnEnd: s.turnEnd, Settled: s.settled}
		if s.settled {
			h.SoFar = g.text()
		}
		g.tell(h)
	}
	g.last = g.last || s.last
	if g.failure == nil {
		g.failure = s.failure
	}
}

// keep keeps a final text, in place of an earlier one of its turn.
func (g *gatherer) keep(f final) {
	if i, ok := g.turns[f.turn]; ok {
		g.finals[i] = f
		return
	}
	if f.turn != "" {
		if g.turns == nil {
			g.turns = map[string]int{}
		}
		g.turns[f.turn] = len(g.finals)
	}
	g.finals = append(g.finals, f)
}

func (g *gatherer) tell(h pipeline.Heard) {
	if g.notify != nil {
		g.notify(h)
	}
}

func first(into *time.Duration, at time.Duration) {
	if *into == pipeline.Unknown {
		*into = at
	}
}

// finish completes the record when the session has ended like that. Of a service that ends
// a session with a message of its own, wantsLast is true.
func (g *gatherer) finish(e *talk.End, wantsLast bool) {
	r := &g.record
	r.End, r.Close, r.Transport = e.At, e.Code, e.Transport
	r.FirstFrame, r.LastFrame, r.Late, r.Frames = e.Sent.First, e.Sent.Last, e.Sent.Late, e.Sent.Frames
	r.Text = g.text()
	r.Outcome, r.Reason = g.outcome(e)
	complete := r.Outcome == pipeline.OK || r.Outcome == pipeline.Truncated
	r.Flags = []string{}
	if complete && wantsLast && !g.last {
		r.Flags = append(r.Flags, reply.FlagNoDone)
	}
	if complete && r.SpeechEnd != pipeline.Unknown && !g.answered() {
		r.Flags = append(r.Flags, pipeline.FlagNoFinal)
	}
}

// text returns all final texts so far.
func (g *gatherer) text() string {
	texts := make([]string, len(g.finals))
	for i, f := range g.finals {
		texts[i] = f.text
	}
	return strings.TrimSpace(strings.Join(texts, g.glue))
}

// leave completes the record of an utterance that others follow in its session.
func (g *gatherer) leave(at time.Duration, sent talk.Sent, t pipeline.Transport) {
	r := &g.record
	r.End, r.Transport = at, t
	r.FirstFrame, r.LastFrame, r.Late, r.Frames = sent.First, sent.Last, sent.Late, sent.Frames
	r.Text, r.Flags = g.text(), []string{}
	switch {
	case g.failure != nil:
		r.Outcome, r.Reason = pipeline.Error, g.failure.String()
	case g.answered():
		r.Outcome, r.Reason = pipeline.OK, ""
	default:
		r.Outcome, r.Reason = pipeline.Truncated, "no final transcript came after the end of speech"
		if r.SpeechEnd != pipeline.Unknown {
			r.Flags = append(r.Flags, pipeline.FlagNoFinal)
		}
	}
}

// unanswered reports whether the text of an utterance that is over may still come: it did not, and
// settled says whether the service said that there is none.
func (g *gatherer) unanswered(settled bool) bool {
	return g.failure == nil && g.record.SpeechEnd != pipeline.Unknown && !settled && !g.answered()
}

// answered reports whether a final text has come since the end of speech.
func (g *gatherer) answered() bool { return g.record.TTFS() != pipeline.Unknown }

// outcome says how the session ended, and why. One that ended without its last message is
// complete when a final text came after the end of speech and either side has closed as one
// should.
func (g *gatherer) outcome(e *talk.End) (pipeline.Outcome, string) {
	wrong, reason := e.Wrong()
	switch {
	case g.failure != nil:
		return pipeline.Error, g.failure.String()
	case g.last && g.record.FirstFrame == pipeline.Unknown:
		return pipeline.Truncated, closedBy(e, "the session ended before any audio was sent")
	case g.last && e.At < g.record.SpeechEnd:
		return pipeline.Truncated, closedBy(e, "the session ended before the speech did")
	case g.last, g.answered() && (e.Clean() || e.HungUp && wrong == pipeline.Truncated):
		return pipeline.OK, ""
	case wrong == pipeline.OK, e.HungUp && wrong == pipeline.Truncated:
		return pipeline.Truncated, closedBy(e, "the session ended without a final transcript after the end of speech")
	}
	return wrong, reason
}

// closedBy adds to a reason how the server closed, where it was first.
func closedBy(e *talk.End, reason string) string {
	if e.Code == 0 || e.HungUp {
		return reason
	}
	return reason + ": " + e.Closed()
}

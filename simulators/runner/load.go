package runner

import (
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
	"halfsecond/simulators/arrival"
	"halfsecond/simulators/bench"
	"halfsecond/simulators/scenario"
	"halfsecond/simulators/voice"
)

// Interactions begins interactions one by one: voice turns and plain requests.
type Interactions interface {
	// Begin starts interaction index of a session, due now.
	Begin(session, index int, done func(*pipeline.Trace))
	// Busy returns how long the user is busy before it falls due in a closed loop,
	// beside thinking.
	Busy(session, index int) time.Duration
}

// Stand is where Interactions stand: the loop of a run, and the model on it.
type Stand struct {
	Loop pipeline.Scheduler
	LLM  pipeline.LLM
	Late func() time.Duration // how late the loop handles the work in hand; nil means never
}

// load makes the interactions of a run fall due and gathers their traces.
type load struct {
	run   *run
	fail  func(error)                // ends the run
	warm  func(*pipeline.Trace) bool // whether a trace belongs to the warm-up
	asked int                        // interactions in all, warm-up included
	ended int
}

// startLoad schedules the scenario's first interactions on the run's loop.
func (r *run) startLoad(fail func(error)) (*load, error) {
	l := &load{run: r, fail: fail, asked: r.scenario.WarmUp + r.settings.N}
	switch s := r.scenario; {
	case s.IDE != nil:
		return l, l.typing(s.IDE)
	case s.Voice != nil:
		l.arrive(voice.New(r.voice(s.Voice)))
	case r.settings.Interactions != nil:
		l.arrive(r.settings.Interactions(Stand{Loop: r.clock, LLM: r.model, Late: r.late()}))
	default:
		l.arrive(bench.New(r.bench(s.Bench)))
	}
	return l, nil
}

func (r *run) voice(v *scenario.Voice) voice.Config {
	return voice.Config{
		Loop: r.clock, LLM: r.model, Seed: r.settings.Seed, NextRequest: r.nextID, Late: r.late(),
		Stack: voice.Stack{
			Utterance: v.Utterance.Dist, Uplink: v.Uplink.Dist, VADSilence: v.VADSilence.Dist,
			EndOfTurn: v.EndOfTurn.Dist, STTTail: v.STTTail.Dist,
			PromptTokens: v.PromptTokens, SystemTokens: v.SystemTokens, ReplyTokens: v.ReplyTokens, FirstSentence: v.FirstSentenceTokens,
			TTSFirstAudio: v.TTSFirstAudio.Dist, LeadingSilence: v.LeadingSilence.Dist, Playout: v.Playout.Dist,
			SpeechPerToken: v.SpeechPerToken,
		},
	}
}

func (r *run) bench(b *scenario.Bench) bench.Config {
	return bench.Config{
		Loop: r.clock, LLM: r.model, Seed: r.settings.Seed, NextRequest: r.nextID, Late: r.late(),
		PromptTokens: b.PromptTokens, SharedPrefix: b.SharedPrefix, OutputTokens: b.OutputTokens,
	}
}

// arrive has interactions fall due as the scenario's arrivals say.
func (l *load) arrive(x Interactions) {
	if p := l.run.scenario.Arrivals; p.Open() {
		l.open(x, p)
	} else {
		l.closed(x, p)
	}
}

// open gives each interaction a session of its own, due whatever the others do.
func (l *load) open(x Interactions, p arrival.Process) {
	l.warm = func(t *pipeline.Trace) bool { return t.Session < l.run.scenario.WarmUp }
	due := p.Due(dist.Stream(l.run.settings.Seed, "runner/arrivals"))
	session, done := 0, l.done
	var next func()
	next = func() {
		this := session
		if session++; session < l.asked {
			l.run.clock.At(due.Next(), pipeline.RankInput, next)
		}
		x.Begin(this, 0, done)
	}
	l.run.clock.At(due.Next(), pipeline.RankInput, next)
}

// closed has each user begin the next interaction after the end of the one
// before.
func (l *load) closed(x Interactions, p arrival.Process) {
	l.warmByIndex(p.Users)
	for user := range p.Users {
		count := share(l.asked, p.Users, user)
		think := dist.Stream(l.run.settings.Seed, "runner/think", user)
		index := 0
		var next, begin func()
		next = func() {
			if index < count {
				l.run.clock.After(p.Think.Draw(&think)+x.Busy(user, index), pipeline.RankInput, begin)
			}
		}
		begin = func() {
			x.Begin(user, index, func(t *pipeline.Trace) {
				l.done(t)
				next()
			})
			index++
		}
		next()
	}
}

// warmByIndex makes each user's first interactions the warm-up.
func (l *load) warmByIndex(users int) {
	l.warm = func(t *pipeline.Trace) bool { return t.Index < share(l.run.scenario.WarmUp, users, t.Session) }
}

// share returns the part of a total that falls to one of so many users.
func share(total, users, user int) int {
	n := total / users
	if user < total%users {
		n++
	}
	return n
}

// done takes a finished trace; the last one ends the run on the wall clock, which
// does not end by itself.
func (l *load) done(t *pipeline.Trace) {
	l.ended++
	if !l.warm(t) {
		if err := l.run.keep(t); err != nil {
			l.fail(err)
		}
	}
	l.stopIfWhole()
}

func (l *load) stopIfWhole() {
	if w, wall := l.run.clock.(*pipeline.Wall); wall && l.whole() {
		w.Stop()
	}
}

// whole reports whether all interactions have ended.
func (l *load) whole() bool { return l.ended == l.asked }

package runner

import (
	"fmt"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/trace"
	"halfsecond/simulators/arrival"
	"halfsecond/simulators/bench"
	"halfsecond/simulators/ide/typing"
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
	if err := Enough(r.scenario, r.settings.N); err != nil {
		return l, err
	}
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
		Loop: r.clock, LLM: r.model, Services: r.services, Seed: r.settings.Seed, Salt: r.settings.Salt, NextRequest: r.nextID, Late: r.late(),
		Stack: v.Stack(r.settings.Target == Sim, r.scenario.Arrivals.Users),
	}
}

func (r *run) bench(b *scenario.Bench) bench.Config {
	if r.settings.Target == Endpoint {
		r.sizing = &bench.Sizing{}
	}
	c := bench.Config{
		Loop: r.clock, LLM: r.model, Seed: r.settings.Seed, NextRequest: r.nextID, Late: r.late(),
		PromptTokens: b.PromptTokens, OutputTokens: b.OutputTokens, Shared: b.Shared,
		Salt: r.settings.Salt, Sizing: r.sizing,
	}
	if b.Traced() {
		replay := &r.scenario.Arrivals.Replay
		c.Lengths = func(session, _ int) (prompt, output int) {
			row := replay.Row(session)
			return row.PromptTokens, row.OutputTokens
		}
	}
	return c
}

// Enough reports arrivals that end before a run of n interactions does.
func Enough(s *scenario.Scenario, n int) error {
	if all, end := s.Arrivals.Requests(); end && all < s.WarmUp+n {
		return fmt.Errorf("the trace %s has %d requests in what is played of it, and the run takes %d: ask for fewer with n or warm_up, or loop: true plays it again",
			s.Arrivals.Replay.Trace.Name, all, s.WarmUp+n)
	}
	return nil
}

// EndsBefore reports a recorded session that ends before a run of n interactions does, which
// then has fewer and is not finished.
func EndsBefore(s *scenario.Scenario, n int) error {
	if s.IDE == nil || s.IDE.Typist.Session.Name == "" {
		return nil
	}
	types, err := replay(s.IDE.Typist)
	if err != nil {
		return err
	}
	users, keys, y := max(1, s.Arrivals.Users), 0, types(0)
	for step, more := y.Next(); more; step, more = y.Next() {
		if step.Kind == typing.Key {
			keys++
		}
	}
	if users*keys < s.WarmUp+n {
		return fmt.Errorf("the session %s has %d keys in what is replayed of it, with users: %d, and the run takes %d: ask for fewer with n or warm_up, or it will not finish",
			s.IDE.Typist.Session.Name, keys, users, s.WarmUp+n)
	}
	return nil
}

// asks returns how the run asks, as far as a report needs it.
func (r *run) asks() trace.Load {
	l := trace.Load{Salt: r.settings.Salt}
	if s := r.scenario; s.FindStartUp {
		l.FindStartUp, l.Users, l.Settling = true, s.Arrivals.Users, s.Arrivals.Settling()
	}
	return l
}

// prompts returns how prompts were cut to length.
func (r *run) prompts() trace.Prompts {
	if r.sizing == nil {
		return trace.Prompts{}
	}
	return trace.Prompts{Learned: r.sizing.Learned, Blind: r.sizing.Blind, PerWord: r.sizing.PerWord, Extra: r.sizing.Extra}
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
		l.begins(this, 0)
		x.Begin(this, 0, done)
	}
	l.run.clock.At(due.Next(), pipeline.RankInput, next)
}

// closed has each user begin the next interaction after the end of the one
// before, the first one after they came.
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
			l.begins(user, index)
			x.Begin(user, index, func(t *pipeline.Trace) {
				l.done(t)
				next()
			})
			index++
		}
		if joins := p.Joins(user); joins > 0 {
			l.run.clock.At(joins, pipeline.RankInput, next)
		} else {
			next()
		}
	}
}

// begins has the server's counters looked at before the first interaction of the report.
func (l *load) begins(session, index int) {
	if c := l.run.counting; c != nil && !l.warm(&pipeline.Trace{Session: session, Index: index}) {
		c.begin()
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

// done takes a finished trace, unless a cap of the run kept it from being sent: that says
// nothing of the endpoint. The last one ends the run on the wall clock, which
// does not end by itself.
func (l *load) done(t *pipeline.Trace) {
	l.ended++
	warm := l.warm(t)
	l.run.counting.add(t, !warm)
	if !warm && !(t.Outcome == pipeline.Dropped && l.run.capMet() != nil) {
		if err := l.run.keep(t); err != nil {
			l.fail(err)
		}
	}
	l.stopIfWhole()
}

// beside takes the trace of a step that is no interaction, and that came after so many of the
// user's interactions.
func (l *load) beside(t *pipeline.Trace, after int) {
	inFile := after >= share(l.run.scenario.WarmUp, l.run.scenario.Arrivals.Users, t.Session)
	l.run.counting.add(t, inFile)
	if inFile {
		if err := l.run.keep(t); err != nil {
			l.fail(err)
		}
	}
}

func (l *load) stopIfWhole() {
	if w, wall := l.run.clock.(*pipeline.Wall); wall && l.whole() {
		w.Stop()
	}
}

// whole reports whether all interactions have ended.
func (l *load) whole() bool { return l.ended == l.asked }

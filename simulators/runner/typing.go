package runner

import (
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
	"halfsecond/simulators/ide"
	"halfsecond/simulators/ide/syntax"
	"halfsecond/simulators/ide/typing"
	"halfsecond/simulators/scenario"
)

// typist returns what each user of a scenario does.
func (r *run) typist(t scenario.Typist) (func(user int) typing.Source, error) {
	if t.Session.Name != "" {
		return replay(t)
	}
	profile, err := typing.ProfileNamed(t.Profile)
	if err != nil {
		return nil, err
	}
	profile.WPM, profile.Shape, profile.Lines = t.WPM, t.Gaps, t.Lines
	profile.Slips, profile.Rethinks, profile.Jumps, profile.Pastes = t.Errors, t.Rethinks, t.Jumps, t.Pastes
	profile.HoldFirst, profile.HoldNext = t.HoldFirst, t.HoldNext
	typist, err := typing.NewTypist(t.Text.Content, profile)
	if err != nil {
		return nil, err
	}
	return func(user int) typing.Source { return typist.Type(r.settings.Seed, user) }, nil
}

// focused has the editor of each user get the focus once the first document is open, where
// the plugin has a use for that.
func focused(types func(user int) typing.Source, warmsUp bool) func(user int) typing.Source {
	if !warmsUp {
		return types
	}
	return func(user int) typing.Source { return typing.Focused(types(user)) }
}

// replay has each user do what was recorded.
func replay(t scenario.Typist) (func(user int) typing.Source, error) {
	session := t.Session.Recording
	if t.Document == scenario.AllDocuments {
		return func(int) typing.Source { return session.Whole() }, nil
	}
	if _, err := session.Replay(t.Document); err != nil {
		return nil, err
	}
	return func(int) typing.Source {
		typing, _ := session.Replay(t.Document) // tried above
		return typing
	}, nil
}

// typing has each user type a share of the run's keys, after a first think time.
func (l *load) typing(s *scenario.IDE) error {
	types, err := l.run.typist(s.Typist)
	if err != nil {
		return err
	}
	var watch ide.Watcher
	open := func(int) {}
	if server := l.run.server; server != nil {
		w := watched{server, documentName(s.Typist)}
		watch, open = w, func(user int) { w.Open(user, "", "", 0) }
	}
	var reads *typing.Reader
	if r, accepts := s.Typist.Reader(l.run.settings.Seed); accepts {
		reads = &r
	}
	var answered func(ide.Answered)
	if i := l.run.inspects; i != nil {
		answered = i.answered
	}
	sim, err := ide.New(ide.Config{
		Answered: answered, Watch: watch, Reads: reads, Drift: true, Typed: !l.run.settings.HashTexts,
		Loop: l.run.clock, LLM: l.run.model, Seed: l.run.settings.Seed, Plugin: s.Plugin, Right: s.Truth,
		Broken: s.Broken, Language: syntax.LanguageOf(s.Typist.Text.Name),
		Typing: focused(types, s.Plugin.WarmUp), MaxPause: s.Typist.MaxPause, NextRequest: l.run.nextID, Late: l.run.late(),
	})
	if err != nil {
		return err
	}
	p := l.run.scenario.Arrivals
	l.warmByIndex(p.Users)
	for user := range p.Users {
		think := dist.Stream(l.run.settings.Seed, "runner/think", user)
		keys := share(l.asked, p.Users, user)
		missing := keys
		done := func(t *pipeline.Trace) {
			if t.Kind == pipeline.KindStep {
				l.beside(t, keys-missing)
				return
			}
			missing--
			l.begins(user, t.Index+1)
			l.done(t)
		}
		finished := func() { l.spare(missing) }
		l.run.clock.At(p.Joins(user)+p.Think.Draw(&think), pipeline.RankInput, func() {
			l.begins(user, 0)
			open(user)
			sim.Start(user, keys, done, finished)
		})
	}
	return nil
}

// spare takes back interactions that will not come, since a recording was shorter
// than what was asked for.
func (l *load) spare(n int) {
	l.asked -= n
	l.stopIfWhole()
}

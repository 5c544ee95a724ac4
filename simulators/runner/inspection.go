package runner

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"halfsecond/budgets/quality"
	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
	"halfsecond/simulators/ide"
	"halfsecond/simulators/ide/syntax"
	"halfsecond/simulators/runner/checker"
	"halfsecond/simulators/scenario"
)

// inspection checks the syntax of answers, away from the clock of the run: while a run in real
// time goes on its answers are kept, with the traces, and they are checked once it is over. On
// the virtual clock, which nothing delays, they are checked in between as well, so that no more
// of them are kept than batch. What is said of an answer depends on neither.
type inspection struct {
	ctx      context.Context
	language string
	checker  syntax.Checker
	said     trace.Quality // for the header
	batch    int           // answers that are kept before they are checked; 0 keeps all
	room     int           // bytes of documents that may be kept still
	hash     bool          // nothing that a program said is told

	answers []ide.Answered
	verdict map[int64]verdict
	traces  []*pipeline.Trace // whose answers are not checked yet, and those after them
}

// What is kept at most: answers on the virtual clock, bytes of documents in real time. The
// documents of neighbours share most of theirs, so that far less than this is taken.
const (
	mostAnswers = 2048
	mostRoom    = 1 << 30
	mostKnown   = 8192 // texts of which is known what the checker said
)

// verdict is what a check said of an answer.
type verdict struct {
	syntax             syntax.Verdict
	failed             string // why the checker told nothing
	characters, useful int
}

// Checking is the syntax checks that are asked for beside the scenario's own: the language, and
// the program that parses it, nil for a built-in checker.
type Checking struct {
	Language string
	Command  *checker.Command
}

// inspect returns the inspection of a run, nil where none is asked for.
func (r *run) inspect(ctx context.Context) (*inspection, error) {
	s, asked := r.scenario, r.settings.Checking
	switch {
	case s.IDE == nil && asked != nil:
		return nil, fmt.Errorf("the syntax of completions is checked in an editor: it is for kind ide, not for kind %s", s.Kind)
	case s.IDE == nil || s.IDE.Quality == nil && asked == nil:
		return nil, nil
	}
	q := scenario.Quality{}
	if s.IDE.Quality != nil {
		q = *s.IDE.Quality
	}
	i := &inspection{ctx: ctx, room: mostRoom, hash: r.settings.HashTexts, verdict: map[int64]verdict{}}
	if r.settings.Target == Sim {
		i.batch = mostAnswers
	}
	if i.language = cmp.Or(q.Language, s.IDE.Typist.Language()); i.language == "" && asked != nil {
		i.language = asked.Language
	}
	if err := i.choose(asked); err != nil {
		return nil, err
	}
	i.said.Language, i.said.Repair, i.said.Assumed = i.language, quality.DefaultRepair, q.Repair == nil
	if q.Repair != nil {
		i.said.Repair = *q.Repair
	}
	if asked == nil || asked.Command == nil {
		return i, nil
	}
	return i, i.tryOut(s.IDE.Typist.Text.Content)
}

// choose finds the checker for the language.
func (i *inspection) choose(asked *Checking) error {
	if asked != nil && asked.Language != i.language {
		return fmt.Errorf("the checker is for %s, and what is typed is %s: name a checker for that, or say another language in ide.quality.language", asked.Language, i.language)
	}
	if asked != nil && asked.Command != nil {
		i.checker, i.said.Checker = syntax.Remember(asked.Command.Until(i.ctx), mostKnown), asked.Command.Program()
		return nil
	}
	built, ok := syntax.With(nil)[i.language]
	if !ok {
		return fmt.Errorf("there is no built-in checker for %s, those are go and json: name a program that reads the text on its standard input, --checker '%s=COMMAND'", i.language, i.language)
	}
	i.checker, i.said.Checker = syntax.Remember(built, mostKnown), map[string]string{"go": "go/parser", "json": "encoding/json"}[i.language]
	return nil
}

// tryOut refuses a program that cannot tell anything: all of the text that will be typed is
// known where nobody recorded it, and a program that says no to that would say no to everything.
func (i *inspection) tryOut(text string) error {
	if text == "" {
		return nil
	}
	switch r := i.checker.Check(text); {
	case !r.Known:
		return fmt.Errorf("the checker %s tells nothing: %s", i.said.Checker, r.Message)
	case !r.OK:
		return fmt.Errorf("the checker %s says that even the text as it will be in the end does not parse (%s): with it nothing could be told of answers", i.said.Checker, r.Message)
	}
	return nil
}

// errTooMany is said of answers for whose documents there is no room.
const errTooMany = "no room to keep more documents until the run is over"

// answered takes an answer, on the loop.
func (i *inspection) answered(a ide.Answered) {
	size := len(a.Asked.Before()) + len(a.Asked.After()) + len(a.Will) + len(a.Text)
	if i.batch == 0 && i.room < size {
		i.verdict[a.Request] = measured(&a, verdict{syntax: syntax.Unknown, failed: errTooMany})
		return
	}
	i.room -= size
	i.answers = append(i.answers, a)
}

// full reports whether it is time to check what was kept.
func (i *inspection) full() bool { return i.batch > 0 && len(i.answers) >= i.batch }

// check checks all answers that are kept, several at once.
func (i *inspection) check() {
	said := make([]verdict, len(i.answers))
	next := make(chan int)
	var all sync.WaitGroup
	for range min(len(said), max(2, runtime.GOMAXPROCS(0))) {
		all.Go(func() {
			for n := range next {
				said[n] = i.judge(&i.answers[n])
			}
		})
	}
	for n := range said {
		next <- n
	}
	close(next)
	all.Wait()
	for n := range said {
		i.verdict[i.answers[n].Request] = said[n]
	}
	i.answers = i.answers[:0]
}

// judge checks one answer.
func (i *inspection) judge(a *ide.Answered) verdict {
	if a.Stands {
		return measured(a, verdict{syntax: syntax.Parses})
	}
	if i.ctx.Err() != nil {
		return measured(a, verdict{syntax: syntax.Unknown, failed: "interrupted"})
	}
	c := watchful{Checker: i.checker}
	j := syntax.Judge(&c, syntax.Place{
		Before: string(a.Asked.Before()), After: a.Asked.After(), Closed: a.Asked.Closed(), Will: a.Will,
	}, a.Text, a.Cut)
	if c.failed != "" && j.Verdict != syntax.Parses {
		return measured(a, verdict{syntax: syntax.Unknown, failed: c.failed})
	}
	return measured(a, verdict{syntax: j.Verdict})
}

// watchful is a checker that remembers why it told nothing: a no that rests on that is none.
type watchful struct {
	syntax.Checker
	failed string
}

// Check implements syntax.Checker.
func (w *watchful) Check(text string) syntax.Result {
	r := w.Checker.Check(text)
	if !r.Known {
		w.failed = cmp.Or(w.failed, r.Message, "it told nothing")
	}
	return r
}

// measured adds how much of an answer the person goes on to type.
func measured(a *ide.Answered, v verdict) verdict {
	v.characters = utf8.RuneCountInString(a.Text)
	for at, c := range a.Text {
		if !strings.HasPrefix(a.Will[min(at, len(a.Will)):], string(c)) {
			break
		}
		v.useful++
	}
	return v
}

// note puts what is known of a trace's answer into its facts.
func (i *inspection) note(t *pipeline.Trace) {
	for n := range t.Requests {
		v, ok := i.verdict[t.Requests[n].ID]
		if !ok {
			continue
		}
		delete(i.verdict, t.Requests[n].ID)
		t.Facts = append(t.Facts, pipeline.Fact{Name: pipeline.FactSyntax, Value: string(v.syntax)})
		if failed := v.failed; failed != "" {
			if i.hash {
				failed, _, _ = strings.Cut(failed, ": ")
			}
			t.Facts = append(t.Facts, pipeline.Fact{Name: pipeline.FactSyntaxFailed, Value: failed})
		}
		t.Facts = append(t.Facts,
			pipeline.Fact{Name: pipeline.FactCharacters, Value: strconv.Itoa(v.characters)},
			pipeline.Fact{Name: pipeline.FactUsefulCharacters, Value: strconv.Itoa(v.useful)},
		)
	}
}

// finish checks what is kept and hands the traces on, in the order in which they came.
func (i *inspection) finish(keep func(*pipeline.Trace) error) error {
	i.check()
	held := i.traces
	i.traces = nil
	for _, t := range held {
		i.note(t)
		if err := keep(t); err != nil {
			return err
		}
	}
	return nil
}

// hold has a trace wait for the check of its answer.
func (i *inspection) hold(t *pipeline.Trace) { i.traces = append(i.traces, t) }

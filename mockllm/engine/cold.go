package engine

import (
	"errors"
	"fmt"
	"time"

	"halfsecond/pipeline"
)

// ColdConfig tells when a model is brought into memory and when it leaves.
type ColdConfig struct {
	// Load is the time that the first load takes and Reload that of every later
	// one, when the weights may still be in the host's memory: see LoadTime.
	// Zero or more.
	Load, Reload time.Duration
	// WarmUp is the time that the first request after a load takes longer, and with it
	// all that come meanwhile: what an engine compiles, measures or allocates when it is
	// first used, and not before it takes requests. Zero or more.
	WarmUp time.Duration
	// Idle is the time after the end of the last request at which the model is
	// unloaded; 0 means never.
	Idle time.Duration
	// Loaded says that the model is in memory when the run starts. The first
	// load of the run is then a reload. It has served before unless Unused says that
	// its first request is yet to come.
	Loaded, Unused bool
}

// Validate reports everything that makes a configuration impossible.
func (c ColdConfig) Validate() error {
	var errs []error
	for _, f := range []struct {
		name  string
		value time.Duration
	}{{"load", c.Load}, {"reload", c.Reload}, {"warm-up", c.WarmUp}, {"idle", c.Idle}} {
		if f.value < 0 {
			errs = append(errs, fmt.Errorf("%s is %s, must not be negative", f.name, f.value))
		}
	}
	return errors.Join(errs...)
}

// Cold is an engine whose model is not always in memory. The first request that
// finds it absent starts a load, and the first of those that are there when it ends, or
// that comes later, a warm-up; it and all that come meanwhile wait, and reach the
// engine in order of arrival. A load or a warm-up goes on although everybody gave up.
// With the model goes all that the engine had cached.
type Cold struct {
	loop   pipeline.Scheduler
	config ColdConfig
	build  func(pipeline.Scheduler) Engine

	engine  Engine // in memory, or the one that a load will bring
	phase   phase
	lobby   lobby
	waiting []*guest      // for the load or the warm-up, in order of arrival
	open    int           // requests at the engine
	idle    time.Duration // since when there is none, if there is none
	keep    time.Duration // how long the model stays when there is none; negative for ever
	past    Stats         // of engines that were unloaded, and the loads
}

type phase uint8

const (
	absent phase = iota
	loading
	unused // in memory, and nobody asked yet
	warming
	present
)

// kept returns how long an idle model stays, negative for ever.
func (c ColdConfig) kept() time.Duration {
	if c.Idle == 0 {
		return -1
	}
	return c.Idle
}

// NewCold returns an engine on the loop whose model is brought into memory by
// build. It panics when the configuration is not valid.
func NewCold(loop pipeline.Scheduler, c ColdConfig, build func(pipeline.Scheduler) Engine) *Cold {
	if err := c.Validate(); err != nil {
		panic(fmt.Sprintf("engine: %v", err))
	}
	e := &Cold{loop: loop, config: c, build: build, engine: build(loop), lobby: newLobby(loop), idle: loop.Now(), keep: c.kept()}
	switch {
	case c.Loaded && c.Unused && c.WarmUp > 0:
		e.phase = unused
	case c.Loaded:
		e.phase = present
	}
	return e
}

// Submit implements Engine.
func (e *Cold) Submit(r *Request) {
	e.expire()
	if e.phase == present {
		e.pass(r)
		return
	}
	e.waiting = append(e.waiting, e.lobby.enter(r))
	switch e.phase {
	case absent:
		e.load()
	case unused:
		e.warm()
	}
}

// load starts to bring the model into memory.
func (e *Cold) load() {
	wait := e.config.Reload
	if e.past.Loads == 0 && !e.config.Loaded {
		wait = e.config.Load
	}
	e.phase = loading
	e.past.Loads++
	e.loop.After(wait, pipeline.RankOutput, e.loaded)
}

// loaded ends a load.
func (e *Cold) loaded() {
	e.idle = e.loop.Now()
	switch {
	case e.config.WarmUp == 0:
		e.serve()
	case len(e.lobby.guests) > 0:
		e.warm()
	default:
		e.phase, e.waiting = unused, nil
	}
}

// warm starts to serve for the first time.
func (e *Cold) warm() {
	e.phase = warming
	e.loop.After(e.config.WarmUp, pipeline.RankOutput, e.serve)
}

// serve hands those who wait to the engine.
func (e *Cold) serve() {
	now := e.loop.Now()
	e.phase, e.idle = present, now
	for _, g := range e.waiting {
		if r := e.lobby.release(g); r != nil {
			r.Loading += now - g.since
			e.pass(r)
		}
	}
	e.waiting = nil
}

// pass submits the request to the engine and learns of its end. The request then has
// its own Done again, since its asker may use it for another.
func (e *Cold) pass(r *Request) {
	e.open++
	told := r.Done
	r.Done = func(o pipeline.Outcome) {
		e.open--
		e.idle = e.loop.Now()
		r.Done = told
		told(o)
	}
	e.engine.Submit(r)
}

// expire unloads the model if it has been idle for too long. It is looked at when
// somebody asks, so that no timer keeps a run alive.
func (e *Cold) expire() {
	if e.phase != present && e.phase != unused || e.keep < 0 || e.open > 0 || e.loop.Now()-e.idle < e.keep {
		return
	}
	e.past = Then(e.past, e.engine.Stats().Gone())
	e.engine, e.phase = e.build(e.loop), absent
}

// Cancel implements Engine.
func (e *Cold) Cancel(r *Request) {
	g := e.lobby.guests[r]
	if !e.lobby.cancel(r) {
		e.engine.Cancel(r)
		return
	}
	r.Loading += e.loop.Now() - g.since
}

// Stats implements Engine.
func (e *Cold) Stats() Stats {
	e.expire()
	return Then(e.past, e.lobby.with(e.engine.Stats()))
}

// Keep sets how long the model stays from now on when nobody is served: not at all for 0,
// for ever for less, and as configured for nil. A client of Ollama says so with each
// request.
func (e *Cold) Keep(idle *time.Duration) {
	if e.loop.Now() > e.idle { // what a request says when it ends is about its own end
		e.expire()
	}
	e.keep = e.config.kept()
	if idle != nil {
		e.keep = *idle
	}
	e.expire()
}

// Residence reports whether the model is in memory, or on its way there, and the instant
// at which it leaves unless somebody asks; pipeline.Unknown for never.
func (e *Cold) Residence() (here bool, until time.Duration) {
	e.expire()
	switch {
	case e.phase == absent:
		return false, pipeline.Unknown
	case e.keep < 0:
		return true, pipeline.Unknown
	case e.open > 0 || e.phase == loading || e.phase == warming:
		return true, e.loop.Now() + e.keep
	}
	return true, e.idle + e.keep
}

// FindCold returns the Cold that an engine is or has behind it, nil when there is none, or
// one for each of several replicas.
func FindCold(e Engine) *Cold {
	switch e := e.(type) {
	case *Cold:
		return e
	case *Front:
		return FindCold(e.engine)
	case *Detector:
		return FindCold(e.engine)
	case *Quota:
		return FindCold(e.engine)
	}
	return nil
}

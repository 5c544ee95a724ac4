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
	// Idle is the time after the end of the last request at which the model is
	// unloaded; 0 means never.
	Idle time.Duration
	// Loaded says that the model is in memory when the run starts. The first
	// load of the run is then a reload.
	Loaded bool
}

// Validate reports everything that makes a configuration impossible.
func (c ColdConfig) Validate() error {
	var errs []error
	for _, f := range []struct {
		name  string
		value time.Duration
	}{{"load", c.Load}, {"reload", c.Reload}, {"idle", c.Idle}} {
		if f.value < 0 {
			errs = append(errs, fmt.Errorf("%s is %s, must not be negative", f.name, f.value))
		}
	}
	return errors.Join(errs...)
}

// Cold is an engine whose model is not always in memory. The first request that
// finds it absent starts a load; it and all that come meanwhile wait, and reach
// the engine in order of arrival when the load ends. A load goes on although
// everybody gave up. With the model goes all that the engine had cached.
type Cold struct {
	loop   pipeline.Scheduler
	config ColdConfig
	build  func(pipeline.Scheduler) Engine

	engine  Engine // in memory, or the one that a load will bring
	phase   phase
	lobby   lobby
	waiting []*guest      // for the load, in order of arrival
	open    int           // requests at the engine
	idle    time.Duration // since when there is none, if there is none
	past    Stats         // of engines that were unloaded, and the loads
}

type phase uint8

const (
	absent phase = iota
	loading
	present
)

// NewCold returns an engine on the loop whose model is brought into memory by
// build. It panics when the configuration is not valid.
func NewCold(loop pipeline.Scheduler, c ColdConfig, build func(pipeline.Scheduler) Engine) *Cold {
	if err := c.Validate(); err != nil {
		panic(fmt.Sprintf("engine: %v", err))
	}
	e := &Cold{loop: loop, config: c, build: build, engine: build(loop), lobby: newLobby(loop), idle: loop.Now()}
	if c.Loaded {
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
	if e.phase == absent {
		e.load()
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
	e.loop.After(wait, pipeline.RankOutput, e.ready)
}

// ready ends a load.
func (e *Cold) ready() {
	e.phase, e.idle = present, e.loop.Now()
	for _, g := range e.waiting {
		if r := e.lobby.release(g); r != nil {
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
	if e.phase != present || e.config.Idle == 0 || e.open > 0 || e.loop.Now()-e.idle < e.config.Idle {
		return
	}
	e.past = Total(e.past, e.engine.Stats().Gone())
	e.engine, e.phase = e.build(e.loop), absent
}

// Cancel implements Engine.
func (e *Cold) Cancel(r *Request) {
	if !e.lobby.cancel(r) {
		e.engine.Cancel(r)
	}
}

// Stats implements Engine.
func (e *Cold) Stats() Stats {
	e.expire()
	return Total(e.past, e.lobby.with(e.engine.Stats()))
}

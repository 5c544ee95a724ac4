package ide

import (
	"halfsecond/pipeline"
	"halfsecond/pipeline/document"
	"halfsecond/simulators/ide/cache"
)

// recall has what the cache has for the document as it is shown, as an answer that came now, and
// reports whether the step needs no request: there is something to show, or it is known that
// nothing is said there.
func (e *Editor) recall(k *key) bool {
	asked := e.document.Snapshot()
	hit, ok := e.find(&asked)
	if ok && hit.Rest == "" {
		e.asking.patience.Asked()
		k.held = heldByKnown
		return true
	}
	r := e.cached(k, &asked, &hit)
	if _, any := e.part(r, hit.Rest); !ok || !any || !e.displayable(hit.Rest) {
		return false
	}
	e.asking.patience.Asked()
	if s := &e.screen; !k.landed() && (s.held == nil || s.held.Record.ID < hit.Request) {
		k.waited(e.sim.config.Loop.Now())
	}
	e.offer(r, hit.Rest)
	return true
}

// find looks for an answer to the document as it is, or may be.
func (e *Editor) find(asked *document.Snapshot) (cache.Hit, bool) {
	if e.cache == nil {
		return cache.Hit{}, false
	}
	return e.cache.Find(cache.Of(asked, e.number), e.sim.config.Loop.Now())
}

// cached returns an answer from the cache as that to a request of a step, which has ended.
func (e *Editor) cached(k *key, asked *document.Snapshot, hit *cache.Hit) *request {
	r := &request{editor: e, key: k, asked: *asked, document: e.number, text: hit.Rest, whole: hit.Complete, ready: pipeline.Unknown, begun: pipeline.Unknown}
	r.cached, r.ended = true, true
	r.Record.ID = hit.Request
	return r
}

// store keeps the answer of a request that has ended, where the rules keep it: one to the
// document as it still is, and others only by KeepSuperseded.
func (e *Editor) store(r *request) {
	p := &e.sim.config.Plugin
	complete := r.Record.Outcome == pipeline.OK && !r.closed
	nothing := r.text == "" && complete && p.Cache.Empty
	if e.cache == nil || r.warmUp || !document.Visible(r.text) && !nothing || r.superseded() && !p.KeepSuperseded {
		return
	}
	r.key.stored = e.cache.Store(cache.Of(&r.asked, r.document), cache.Answer{Text: r.text, Complete: complete, Request: r.Record.ID}, e.sim.config.Loop.Now())
}

// superseded reports whether a request is to an older document than the one that is edited,
// or than one that is supposed.
func (r *request) superseded() bool {
	v, _ := r.editor.document.Judge(&r.asked, r.text)
	return r.dropped || v != document.Exact && !r.speculative
}

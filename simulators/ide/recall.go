package ide

import (
	"halfsecond/pipeline"
	"halfsecond/pipeline/document"
	"halfsecond/simulators/ide/cache"
)

// recall shows what the cache has for the document as it is, and reports whether the step
// needs no request: there is something to show, or it is known that nothing is said there.
func (e *Editor) recall(k *key) bool {
	if e.cache == nil {
		return false
	}
	asked := e.document.Snapshot()
	hit, ok := e.cache.Find(cache.Of(&asked, e.number), e.sim.config.Loop.Now())
	if ok && hit.Rest == "" {
		e.asking.patience.Asked()
		k.held = heldByKnown
		return true
	}
	if !ok || !document.Visible(hit.Rest) || !e.displayable(hit.Rest) {
		return false
	}
	now := e.sim.config.Loop.Now()
	e.asking.patience.Asked()
	k.waited(now)
	k.source = pipeline.SourceCache
	k.Uses = append(k.Uses, pipeline.Use{Request: hit.Request, How: "cached"})
	k.landWith(hit.Rest, hit.Complete, now)
	e.hide(pipeline.MarkReplaced)
	e.appear(k, hit.Request, hit.Rest, hit.Complete)
	return true
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

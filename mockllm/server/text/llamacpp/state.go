package llamacpp

import (
	"net/http"
	"slices"

	"halfsecond/mockllm/server/text/serve"
	"halfsecond/pipeline/wire"
	"halfsecond/pipeline/wire/llamacpp"
)

// slotTable is the slots of one model that answer a request of llama.cpp's protocol.
// The loop owns it. Which slot of an engine a request has the engine does not tell: here
// an answer has the lowest that is free, from its first token on.
type slotTable struct{ busy []*answer }

// take gives an answer a slot: the one that it asks for, where that is free.
func (t *slotTable) take(l *answer) {
	l.slot = slices.Index(t.busy, nil)
	if wish := l.q.IDSlot; wish != nil && *wish >= 0 && *wish < len(t.busy) && t.busy[*wish] == nil {
		l.slot = *wish
	}
	if l.slot < 0 {
		l.slot = len(t.busy)
		t.busy = append(t.busy, nil)
	}
	t.busy[l.slot] = l
}

// leave frees the slot of an answer, if it has one.
func (t *slotTable) leave(l *answer) {
	if l.slot < len(t.busy) && t.busy[l.slot] == l {
		t.busy[l.slot] = nil
	}
}

// showSlots answers GET /slots, of ?model=NAME where there are several.
func (a *Front) showSlots(w http.ResponseWriter, r *http.Request) {
	m, fault := a.pick(r.FormValue("model"))
	if fault != nil {
		api.Refuse(w, fault)
		return
	}
	var slots []llamacpp.Slot
	if !a.Ask(func() { slots = a.describeSlots(m) }) {
		api.Refuse(w, serve.ShuttingDown)
		return
	}
	idle := slices.ContainsFunc(slots, func(s llamacpp.Slot) bool { return !s.IsProcessing })
	if r.FormValue("fail_on_no_slot") != "" && !idle {
		api.Refuse(w, &wire.Failure{Status: http.StatusServiceUnavailable, Message: "no slot available"})
		return
	}
	serve.WriteJSON(w, http.StatusOK, slots)
}

// describeSlots returns the slots of a model. It runs on the loop. Of requests that have
// no token yet, or are of another protocol, it is known only how many there are.
func (a *Front) describeSlots(m *serve.Model) []llamacpp.Slot {
	busy := a.slots[m.Name].busy
	running := a.Stats(m).Running
	slots := make([]llamacpp.Slot, max(1, m.Slots, running, len(busy)))
	for i := range slots {
		slots[i] = llamacpp.Slot{ID: i, NContext: m.Context}
		if i < len(busy) && busy[i] != nil {
			busy[i].describe(&slots[i])
			running--
		}
	}
	for i := range slots {
		if !slots[i].IsProcessing && running > 0 {
			slots[i].IsProcessing = true
			running--
		}
	}
	return slots
}

// describe tells of the answer in a slot.
func (l *answer) describe(s *llamacpp.Slot) {
	settings := l.q.Settings()
	n := l.watch.Out
	remain := -1
	if limit, limited := l.q.Limit(); limited {
		remain = limit - n
	}
	s.IsProcessing, s.IDTask, s.Params = true, &l.task, &settings
	s.NPrompt, s.NPromptCache = &l.g.Request.Prompt, &l.g.Cached
	s.NextToken = []llamacpp.NextToken{{HasNextToken: true, HasNewLine: l.newLine(n), NRemain: remain, NDecoded: n}}
}

// showProps answers GET /props, of ?model=NAME where there are several.
func (a *Front) showProps(w http.ResponseWriter, r *http.Request) {
	m, fault := a.pick(r.FormValue("model"))
	if fault != nil {
		api.Refuse(w, fault)
		return
	}
	serve.WriteJSON(w, http.StatusOK, llamacpp.Props{
		DefaultGenerationSettings: llamacpp.DefaultGeneration{Params: llamacpp.DefaultSettings(), NContext: m.Context},
		TotalSlots:                max(1, m.Slots), ModelAlias: m.Name, ModelPath: m.Name,
		EndpointSlots: true, EndpointMetrics: true, BuildInfo: serve.Build,
	})
}

package cases

import (
	"time"

	"halfsecond/pipeline"
	"halfsecond/simulators/ide/typing"
)

// screen tells what could be seen, and for how long: what is still there when a run ends by
// itself stays, nobody knows for how long.
func (t *told) screen() {
	var visible []any
	stays := false
	for _, s := range t.Sights() {
		to := s.To
		if to == pipeline.Unknown && t.setup.Until != nil {
			to = t.at
		}
		stays = stays || to == pipeline.Unknown
		visible = append(visible, ms(pipeline.Since(s.From, to)))
	}
	seen := t.Seen()
	t.all["visible_for"], t.all["shown"] = visible, seen.Shown > 0 || stays
	t.all["suggestions"], t.all["flickers"], t.all["flashes"] = float64(seen.Suggestions), float64(seen.Flickers), float64(seen.Flashes)
	t.all["blank"] = ms(seen.Blank.Sum())
	d := t.setup.display()
	taken := t.script.taken
	t.all["doubles_suffix"] = taken != nil && taken.doubles || t.shown != "" && d.Doubles(t.shown, t.document.RestOfLine())
	displayable := true
	for i := range t.Requests {
		v := t.Requests[i].Trace.Fact(pipeline.FactVerdict)
		displayable = displayable && v != "not_displayable"
	}
	t.all["displayable"] = displayable
	t.all["trailing_edge_lost"] = t.typed && t.shown == "" && !t.willAsk && len(t.latest) > 0 && t.EdgeLost(t.latest[0])
}

// gaps tells how keys follow each other, those of a recording document by document.
func (t *told) gaps() error {
	gaps := t.script.gaps()
	for _, k := range t.setup.Keys {
		if k.Trace == "" {
			continue
		}
		recorded, err := t.setup.gaps(k.Trace)
		if err != nil {
			return err
		}
		gaps = append(gaps, recorded...)
	}
	longer := 0
	for _, g := range gaps {
		if g > span(t.setup.Plugin.Debounce) {
			longer++
		}
	}
	t.all["gaps"], t.all["may_trigger_share"] = float64(len(gaps)), share(longer, len(gaps))
	return nil
}

// gaps returns the time between the keys that a case names itself.
func (w *script) gaps() (all []time.Duration) {
	last := pipeline.Unknown
	for _, a := range w.done() {
		if a.kind != typing.Key || a.step != nil {
			continue
		}
		if last != pipeline.Unknown {
			all = append(all, a.at-last)
		}
		last = a.at
	}
	return all
}

// gaps returns the time between two keys that follow each other in a document of a
// recording.
func (s *Setup) gaps(path string) (all []time.Duration, err error) {
	session, err := s.session(path)
	if err != nil {
		return nil, err
	}
	for _, number := range session.Documents() {
		source, err := session.Replay(number)
		if err != nil {
			return nil, err
		}
		afterKey, since := false, time.Duration(0)
		for {
			step, ok := source.Next()
			if !ok {
				break
			}
			since += step.Gap
			if step.Kind == typing.Move {
				continue
			}
			if step.Kind == typing.Key && afterKey {
				all = append(all, since)
			}
			afterKey, since = step.Kind == typing.Key, 0
		}
	}
	return all, nil
}

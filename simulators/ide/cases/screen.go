package cases

import (
	"bytes"
	"strings"
	"time"

	"halfsecond/pipeline"
	"halfsecond/simulators/ide/plugin"
	"halfsecond/simulators/ide/recording"
	"halfsecond/simulators/ide/typing"
)

// screen tells what could be seen, and for how long.
func (t *told) screen() {
	var visible []any
	for _, s := range t.Sights() {
		visible = append(visible, ms(s.Until(t.at)-s.From))
	}
	hidden := pipeline.Unknown
	if t.setup.Document.Ghost != "" {
		hidden = t.ghostHidden()
	}
	seen := t.SeenFrom(hidden)
	t.all["visible_for"], t.all["shown"] = visible, seen.Shown > 0
	t.all["suggestions"], t.all["flickers"], t.all["flashes"] = float64(seen.Suggestions), float64(seen.Flickers), float64(seen.Flashes)
	t.all["blank"] = ms(seen.Blank.Sum())
	d := plugin.Display{}
	if t.setup.Plugin.Accept == "replace_line" {
		d.Accept = plugin.AcceptReplace
	}
	rest, _, _ := strings.Cut(t.document.After(), "\n")
	t.all["doubles_suffix"] = t.shown != "" && d.Doubles(t.shown, rest)
	displayable := true
	for i := range t.Requests {
		v := t.Requests[i].Trace.Fact(pipeline.FactVerdict)
		displayable = displayable && v != "not_displayable"
	}
	t.all["displayable"] = displayable
	t.all["trailing_edge_lost"] = t.typed && t.shown == "" && t.last != nil && t.EdgeLost(t.last)
}

// ghostHidden returns when the suggestion that stood there from the start was hidden by a key.
func (t *told) ghostHidden() time.Duration {
	for _, x := range t.traces {
		if x.Kind == pipeline.KindIDE {
			if x.Fact(pipeline.FactSource) == pipeline.SourceReuse {
				continue
			}
			return x.Due
		}
	}
	return pipeline.Unknown
}

// gaps tells of a recording how its keys follow each other.
func (t *told) gaps() error {
	for _, k := range t.setup.Keys {
		if k.Trace == "" {
			continue
		}
		gaps, err := t.setup.gaps(k.Trace)
		if err != nil {
			return err
		}
		longer := 0
		for _, g := range gaps {
			if g > span(t.setup.Plugin.Debounce) {
				longer++
			}
		}
		t.all["gaps"], t.all["may_trigger_share"] = float64(len(gaps)), share(longer, len(gaps))
	}
	return nil
}

// gaps returns the time between two keys that follow each other in a document of a
// recording.
func (s *Setup) gaps(path string) (all []time.Duration, err error) {
	data, err := s.folder(path)
	if err != nil {
		return nil, err
	}
	session, err := recording.Read(path, bytes.NewReader(data))
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

package cases

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"time"

	"halfsecond/pipeline"
	"halfsecond/simulators/ide/plugin"
	"halfsecond/simulators/ide/recording"
	"halfsecond/simulators/ide/typing"
)

// sight is a stretch in which a suggestion was on the screen.
type sight struct {
	from, to time.Duration // to is Unknown when it was still there
	again    bool
	by       string // what hid it
}

// sights returns all of them, in order; what stood there from the start has no trace.
func (t *told) sights() (all []sight) {
	for _, x := range t.traces {
		for _, m := range x.Marks {
			switch m.Name {
			case pipeline.MarkShown, pipeline.MarkShownAgain:
				all = append(all, sight{from: m.At, to: pipeline.Unknown, again: m.Name == pipeline.MarkShownAgain})
			case pipeline.MarkHiddenByKey, pipeline.MarkHiddenByStep, pipeline.MarkHiddenByPopup, pipeline.MarkReplaced, pipeline.MarkAccepted:
				if n := len(all); n > 0 && all[n-1].to == pipeline.Unknown {
					all[n-1].to, all[n-1].by = m.At, m.Name
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b sight) int { return cmp.Compare(a.from, b.from) })
	return all
}

// screen tells what could be seen, and for how long.
func (t *told) screen() {
	all := t.sights()
	var visible []any
	flickers, flashes := 0, 0
	shown := false
	least := span(t.setup.Plugin.MinVisible)
	blank, hidden := time.Duration(0), pipeline.Unknown
	if t.setup.Document.Ghost != "" {
		hidden = t.ghostHidden()
	}
	for _, s := range all {
		to := s.to
		if to == pipeline.Unknown {
			to = t.at
		}
		visible = append(visible, ms(to-s.from))
		shown = shown || to-s.from >= least
		if s.to != pipeline.Unknown && s.by != pipeline.MarkAccepted && s.to-s.from < least {
			flashes++
		}
		if s.again {
			flickers++
		}
		if hidden != pipeline.Unknown {
			blank += s.from - hidden
			hidden = pipeline.Unknown
		}
		if s.by == pipeline.MarkHiddenByKey {
			hidden = s.to
		}
	}
	t.all["visible_for"], t.all["shown"] = visible, shown
	t.all["suggestions"], t.all["flickers"], t.all["flashes"] = float64(len(all)), float64(flickers), float64(flashes)
	t.all["blank"] = ms(blank)
	d := plugin.Display{}
	if t.setup.Plugin.Accept == "replace_line" {
		d.Accept = plugin.AcceptReplace
	}
	rest, _, _ := strings.Cut(t.document.After(), "\n")
	t.all["doubles_suffix"] = t.shown != "" && d.Doubles(t.shown, rest)
	displayable := true
	asked := false
	for i := range t.requests {
		v := t.requests[i].trace.Fact(pipeline.FactVerdict)
		displayable = displayable && v != "not_displayable"
		asked = asked || t.last != nil && t.requests[i].Due >= t.lastKey
	}
	t.all["displayable"] = displayable
	t.all["trailing_edge_lost"] = t.typed && t.shown == "" && !asked && t.last != nil && t.last.Mark(pipeline.MarkFirstCharacter) == pipeline.Unknown
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

package others

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

// MostTurns bounds an import.
const MostTurns = 1_000_000

// Settings are what a user adds to what was logged.
type Settings struct {
	// Uplink is the way from the mouth to the agent, Playout that from the agent's first
	// audio to the ear; nil where nobody stated it.
	Uplink, Playout *time.Duration
}

// Import is what was made of logs.
type Import struct {
	Source Source
	Traces []pipeline.Trace
	// Cut says which files end in mid-air; empty when none does. What comes before is there.
	Cut string
	// Clocked is false where a source has no clock of its own: all turns are then due at
	// once, and say nothing of how much time lay between them.
	Clocked bool
	// Sent and Heard count the turns whose reply was sent, and heard.
	Sent, Heard int
	// Notes say what was left out and why; Warnings what should be looked at.
	Notes, Warnings []string
}

// Importer reads files of one source. It is not safe for concurrent use.
type Importer struct {
	set      Settings
	source   string // "" until a record told
	seen     string // where it did
	turns    []*turn
	left     map[string]int // what was left out, by what it is
	warnings []string
	cut      []string
	named    map[[2]string]place // where each turn stands that has a call and a number

	spans    spanStore
	pipecat  pipecatLog
	livekit  livekitLog
	items    itemLog
	deepgram string // the call that messages belong to
}

// New returns an importer that has read nothing.
func New(set Settings) *Importer {
	return &Importer{set: set, left: map[string]int{}, named: map[[2]string]place{}}
}

// place is where something stands.
type place struct {
	file   string
	line   int
	record int // from 1; 0 where a line tells all
}

func (p place) String() string {
	at := fmt.Sprintf("%s, line %d", p.file, p.line)
	if p.record > 1 {
		at += fmt.Sprintf(" (record %d)", p.record)
	}
	return at
}

// errorf returns an error that says where.
func (p place) errorf(format string, a ...any) error {
	return fmt.Errorf("%s: %s", p, pipeline.Printable(fmt.Sprintf(format, a...)))
}

// Formats says what a file may be, for who has another.
const Formats = "OpenTelemetry spans as OTLP/JSON, metrics of Pipecat or LiveKit as JSON Lines, a log of Pipecat, Deepgram's LatencyReport messages, a call of Vapi, or CSV with a column turn, v2v_ms or the like"

// Read reads one file. name is for messages, and names the call where a log does not. An
// error is that of a file that cannot be what it should: nothing of the import is then of use.
// A file that ends in mid-air is none.
func (im *Importer) Read(name string, from io.Reader) error {
	before := im.taken()
	g := newGuard(from, im.taken)
	r := bufio.NewReaderSize(g, 64<<10)
	begins, err := r.Peek(4 << 10)
	if err != nil && err != io.EOF {
		return fmt.Errorf("%s: %w", name, err)
	}
	begins = bytes.TrimPrefix(begins, []byte("\ufeff"))
	switch {
	case len(bytes.TrimSpace(begins)) == 0:
		return fmt.Errorf("%s is empty: want %s", name, Formats)
	case isJSON(begins):
		err = im.readJSON(name, r, g)
	case isTable(begins):
		err = im.readTable(name, r, g)
	default:
		err = im.readLog(name, r, g)
	}
	im.endFile()
	switch {
	case err != nil:
		return err
	case im.taken() == before && len(im.cut) == 0:
		return fmt.Errorf("%s: nothing in it is known%s; want %s", name, im.met(), Formats)
	}
	return nil
}

// taken counts what was taken from files so far: turns, and what becomes turns later.
func (im *Importer) taken() int {
	return len(im.turns) + im.spans.count() + im.pipecat.n + im.livekit.n + im.items.n
}

// met says what was in a file of which nothing is known.
func (im *Importer) met() string {
	if len(im.left) == 0 {
		return ""
	}
	return " (it has " + strings.Join(im.leftOut(), ", ") + ")"
}

// isJSON tells JSON from a log whose lines begin with a bracket.
func isJSON(begins []byte) bool {
	text := bytes.TrimSpace(begins)
	if text[0] != '[' {
		return text[0] == '{'
	}
	rest := bytes.TrimSpace(text[1:])
	return len(rest) == 0 || rest[0] == '{' || rest[0] == ']' || rest[0] == '['
}

// use says which source a record is of. All of an import are of one.
func (im *Importer) use(source string, at place) error {
	if im.source == "" {
		im.source, im.seen = source, at.String()
	}
	if im.source != source {
		return at.errorf("this is %s, while %s is %s: import them one by one, so that no turn counts twice",
			sourceOf(source).Title, im.seen, sourceOf(im.source).Title)
	}
	return nil
}

func (im *Importer) add(t *turn, at place) error {
	if len(im.turns) >= MostTurns {
		return at.errorf("there are more than %d turns: import a part of them", MostTurns)
	}
	im.turns = append(im.turns, t)
	return nil
}

// addOnce is add for a source in which a call and a number name one turn.
func (im *Importer) addOnce(t *turn, at place) error {
	if t.number != "" {
		name := [2]string{t.call, t.number}
		if first, there := im.named[name]; there {
			return at.errorf("turn %.40q of call %.40q is there twice, first in %s: want each turn once, and its call with it where several are told", t.number, t.call, first)
		}
		im.named[name] = at
	}
	return im.add(t, at)
}

// leave counts something that is not imported.
func (im *Importer) leave(what string) {
	if _, ok := im.left[what]; ok || len(im.left) < 50 {
		im.left[what]++
	}
}

// endFile ends what does not go on in another file.
func (im *Importer) endFile() {
	im.pipecat.flush(im)
	im.livekit.flush(im)
	im.items.flush(im)
	im.deepgram = ""
}

// Finish returns the traces of all files.
func (im *Importer) Finish() (*Import, error) {
	if err := im.assemble(); err != nil {
		return nil, err
	}
	if len(im.turns) == 0 {
		why := "no turn was found"
		if left := im.leftOut(); len(left) > 0 {
			why += "; left out: " + strings.Join(left, ", ")
		}
		return nil, errors.New(why)
	}
	out := &Import{Source: sourceOf(im.source), Cut: strings.Join(im.cut, "; "), Warnings: im.warnings}
	overfull := 0
	for _, t := range im.turns {
		t.settle()
		if t.overfull {
			overfull++
		}
	}
	out.Clocked = im.clocked()
	im.traces(out)
	if overfull > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("%s whose stages add up to more than the whole: they overlapped, as where the model began before the turn had ended", plural(overfull, "turn")))
	}
	if left := im.leftOut(); len(left) > 0 {
		out.Notes = append(out.Notes, "left out: "+strings.Join(left, ", "))
	}
	out.Notes = append(out.Notes, im.ear(out)...)
	return out, nil
}

// clocked reports whether every turn with a reply has an instant. The others are then where
// the turn before them is, for their logs stand in the order of time.
func (im *Importer) clocked() bool {
	first := slices.IndexFunc(im.turns, func(t *turn) bool { return t.clock != unknown })
	if first < 0 || slices.ContainsFunc(im.turns, func(t *turn) bool { return t.clock == unknown && t.lands() != unknown }) {
		for _, t := range im.turns {
			t.clock = unknown
		}
		return false
	}
	last := im.turns[first].clock
	for _, t := range im.turns {
		if t.clock == unknown {
			t.clock = last
		}
		last = t.clock
	}
	return true
}

// traces numbers sessions and turns, and makes the traces.
func (im *Importer) traces(out *Import) {
	if out.Clocked {
		slices.SortStableFunc(im.turns, func(a, b *turn) int { return cmp.Compare(a.clock, b.clock) })
	}
	first := im.turns[0].clock
	sessions, indexes, numbered := map[string]int{}, map[string]int{}, map[string]bool{}
	for _, t := range im.turns {
		numbered[t.call] = numbered[t.call] || t.number != ""
	}
	for _, t := range im.turns {
		due := time.Duration(0)
		if out.Clocked {
			due = t.clock - first
		}
		if _, ok := sessions[t.call]; !ok {
			sessions[t.call] = len(sessions)
		}
		if !numbered[t.call] {
			t.number = strconv.Itoa(indexes[t.call] + 1)
		}
		tr := t.trace(im.source, im.set, due)
		tr.Session, tr.Index = sessions[t.call], indexes[t.call]
		indexes[t.call]++
		if tr.Mark(pipeline.MarkReplySent) != unknown {
			out.Sent++
		}
		if tr.Mark(pipeline.MarkReplyHeard) != unknown {
			out.Heard++
		}
		out.Traces = append(out.Traces, tr)
	}
}

// ear says whether the figures are of the ear.
func (im *Importer) ear(out *Import) (notes []string) {
	switch {
	case out.Heard == 0 && out.Sent > 0:
		notes = append(notes, "V2V is not known: the clock stops where the first audio leaves the agent (mark reply_sent). State the way from there to the ear (--playout 40ms) to judge V2V, or measure it at the ear")
	case im.set.Playout != nil && out.Sent > 0:
		notes = append(notes, fmt.Sprintf("the way to the ear, %s, is stated and not measured", *im.set.Playout))
		if im.set.Uplink == nil {
			notes = append(notes, "the way from the mouth to the agent is left out: state it with --uplink")
		}
	}
	if im.set.Uplink != nil {
		notes = append(notes, fmt.Sprintf("the way from the mouth, %s, is stated and not measured", *im.set.Uplink))
	}
	if !out.Clocked {
		notes = append(notes, "the log has no clock: what lay between turns is not known")
	}
	return notes
}

// leftOut says what was left out, in order.
func (im *Importer) leftOut() []string {
	var out []string
	for what, n := range im.left {
		out = append(out, fmt.Sprintf("%d %s", n, what))
	}
	slices.Sort(out)
	return out
}

func plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// Stages returns what is known of the stages of an import, in the order of the pipeline.
func (in *Import) Stages() (out []trace.Stage) {
	there, stated := map[string]bool{}, map[string]bool{}
	for i := range in.Traces {
		for _, s := range in.Traces[i].Spans {
			there[s.Name] = true
			stated[s.Name] = stated[s.Name] || s.Simulated
		}
	}
	for _, name := range stages {
		if there[name] {
			out = append(out, trace.Stage{Name: name, Simulated: stated[name]})
		}
	}
	return out
}

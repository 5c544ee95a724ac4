package others

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"halfsecond/pipeline"
)

// pipecatLog puts metrics together that do not say which turn they belong to, by the order in
// which they come: speech to text, model, TTS, and then the latency of the turn, when the bot
// begins to speak.
type pipecatLog struct {
	n       int
	call    string
	open    *cycle
	pending []*cycle
	begun   int           // cycles of the call
	timed   bool          // one of them had a latency
	last    time.Duration // latency that ended a cycle, when nothing has come since
	heard   string        // the metric that came last: two observers may log the same
}

// cycle is one turn under way.
type cycle struct {
	at                                place
	call, number                      string
	clock                             time.Duration
	stt, decided, llm, gathering, tts time.Duration
	whole                             time.Duration
	first                             bool // of its call
}

// processorKind tells from the name of a processor, such as DeepgramSTTService#0, what it does.
func processorKind(name string) string {
	name = strings.ToLower(name)
	for _, kind := range []string{"stt", "tts", "llm"} {
		if strings.Contains(name, kind+"service") {
			return kind
		}
	}
	for _, kind := range []string{"stt", "tts", "llm"} {
		if strings.Contains(name, kind) {
			return kind
		}
	}
	return ""
}

// cycle returns the one under way.
func (p *pipecatLog) cycle(call string, at place) *cycle {
	if p.open == nil {
		p.open = &cycle{at: at, call: call, clock: unknown, stt: unknown, decided: unknown, llm: unknown, gathering: unknown, tts: unknown, whole: unknown, first: p.begun == 0}
		p.begun++
		p.last = unknown
	}
	return p.open
}

// in says which call what follows is of.
func (p *pipecatLog) in(im *Importer, call string) {
	if p.call != call {
		p.flush(im)
		p.call = call
	}
}

// close ends the cycle under way.
func (p *pipecatLog) close() {
	if p.open != nil {
		p.pending = append(p.pending, p.open)
		p.open = nil
	}
}

// ttfb takes a time to first byte.
func (im *Importer) ttfb(call, processor string, value time.Duration, at place) {
	p := &im.pipecat
	p.in(im, call)
	p.n++
	again := processor + value.String()
	switch {
	case value == 0:
		im.leave("TTFB of 0, which Pipecat sends when a call begins")
		return
	case p.heard == again:
		return
	}
	p.heard = again
	switch processorKind(processor) {
	case "stt":
		if p.open != nil && (p.open.llm != unknown || p.open.tts != unknown) {
			p.close()
		}
		p.cycle(call, at).stt = value
	case "llm":
		if p.open != nil && p.open.tts != unknown {
			p.close()
		}
		p.cycle(call, at).llm = value
	case "tts":
		if p.open == nil || p.open.tts != unknown {
			im.leave("TTFB of further sentences")
			return
		}
		p.open.tts = value
	default:
		im.leave("TTFB of processors that are neither STT, LLM nor TTS")
	}
}

// latency takes the latency of a turn, which ends it.
func (im *Importer) latency(call, number string, value, now time.Duration, at place) {
	p := &im.pipecat
	p.in(im, call)
	p.n++
	if p.open == nil && p.last != unknown && (p.last-value).Abs() <= time.Millisecond && len(p.pending) > 0 {
		if c := p.pending[len(p.pending)-1]; c.number == "" {
			c.number = number
		}
		return // the other observer of the same turn
	}
	c := p.cycle(call, at)
	c.whole, c.number, c.clock = value, number, minus(now, value)
	p.close()
	p.timed, p.last, p.heard = true, value, ""
}

// flush makes turns of what was gathered of a call.
func (p *pipecatLog) flush(im *Importer) {
	p.close()
	for _, c := range p.pending {
		if p.timed && c.first && c.whole == unknown && c.stt == unknown && c.decided == unknown {
			im.leave("answers without a latency, such as greetings")
			continue
		}
		t := newTurn(c.call, c.number)
		t.clock, t.sent = c.clock, c.whole
		t.lay([][]step{{{pipeline.SpanSTTTail, c.stt}}}, []step{{pipeline.SpanEndOfTurn, c.decided}, {pipeline.SpanLLMFirstToken, c.llm}, {pipeline.SpanGathering, c.gathering}, {pipeline.SpanTTSFirstAudio, c.tts}})
		im.turns = append(im.turns, t)
	}
	*p = pipecatLog{n: p.n, last: unknown}
}

// latencyKeys are names under which programs write the figure of UserBotLatencyObserver, which
// has none of its own: seconds.
var latencyKeys = []string{"user_bot_latency_seconds", "turn.user_bot_latency_seconds", "user_bot_latency", "latency_seconds", "latency_secs"}

func isPipecat(o object) bool {
	if o.text("label") == "rtvi-ai" || o.has("processor") || len(o.list("ttfb")) > 0 || o.has("user_turn_secs") || len(o.list("segments")) > 0 {
		return true
	}
	if slices.ContainsFunc(latencyKeys, o.has) {
		return true
	}
	l := o.list("data")
	return len(l) > 0 && objectOf(l[0]).has("processor")
}

// pipecatRecord reads a JSON record of Pipecat: a LatencyBreakdown, a message of RTVI, the data
// of a MetricsFrame, or a latency. Seconds. Sources: src/pipecat/metrics/metrics.py @034e06a and
// src/pipecat/observers/user_bot_latency_observer.py of github.com/pipecat-ai/pipecat, read
// 2026-11-30.
func (im *Importer) pipecatRecord(o object, at place) error {
	rtvi := o.text("label") == "rtvi-ai"
	if rtvi && o.text("type") != "metrics" {
		im.leave("messages of RTVI of other types")
		return nil
	}
	if err := im.use(pipecatMetrics, at); err != nil {
		return err
	}
	call := callOf(o, at.file)
	switch {
	case rtvi:
		return im.rtvi(objectOf(o["data"]), call, at)
	case isBreakdown(o):
		return im.breakdown(o, call, at)
	case o.has("processor"):
		return im.metricsData(o, call, at)
	case o.has("data"):
		for _, raw := range o.list("data") {
			if err := im.metricsData(objectOf(raw), call, at); err != nil {
				return err
			}
		}
		return nil
	case len(o.list("ttfb")) > 0:
		return im.rtvi(o, call, at)
	}
	whole, err := latencyOf(o)
	if err != nil {
		return at.errorf("%v", err)
	}
	if whole == unknown {
		im.leave("records " + whatIs(o))
		return nil
	}
	im.latency(call, o.word("turn", "turn_number"), whole, unknown, at)
	return nil
}

// rtvi reads the metrics of a message of RTVI.
func (im *Importer) rtvi(data object, call string, at place) error {
	for _, raw := range data.list("ttfb") {
		m := objectOf(raw)
		d, err := m.span("value", time.Second)
		if err != nil || d == unknown {
			return at.errorf("ttfb %.80s: want a processor and a value in seconds", raw)
		}
		im.ttfb(call, m.text("processor"), d, at)
	}
	im.pipecat.n++
	return nil
}

// metricsData reads one of the data of a MetricsFrame. Its class is not in it, so whoever wrote
// it down has to say it.
func (im *Importer) metricsData(m object, call string, at place) error {
	if m.has("e2e_processing_time_ms") {
		d, err := m.span("e2e_processing_time_ms", time.Millisecond)
		if err != nil {
			return at.errorf("%v", err)
		}
		im.decided(call, m.true("is_complete"), d, at)
		return nil
	}
	class := m.word("type", "metric", "class", "kind")
	switch strings.TrimSuffix(strings.ToLower(class), "metricsdata") {
	case "ttfb", "textaggregation":
	case "":
		im.pipecat.n++
		im.leave("metrics without a type, which may be TTFB or anything else: write down the name of the class as type")
		return nil
	default:
		im.pipecat.n++
		im.leave(class + ", which is no latency of a turn")
		return nil
	}
	d, err := m.span("value", time.Second)
	if err != nil || d == unknown {
		return at.errorf("%s of %s: want a value in seconds", class, m.text("processor"))
	}
	if strings.HasPrefix(strings.ToLower(class), "text") {
		im.aggregated(call, d, at)
		return nil
	}
	im.ttfb(call, m.text("processor"), d, at)
	return nil
}

// decided takes how long the end of a turn took to be decided after the VAD's stop.
func (im *Importer) decided(call string, complete bool, d time.Duration, at place) {
	im.pipecat.in(im, call)
	im.pipecat.n++
	if !complete {
		return
	}
	p := &im.pipecat
	if p.open != nil && p.open.tts != unknown {
		p.close()
	}
	p.cycle(call, at).decided = d
}

// aggregated takes how long the first sentence took to be gathered.
func (im *Importer) aggregated(call string, d time.Duration, at place) {
	im.pipecat.in(im, call)
	im.pipecat.n++
	if c := im.pipecat.open; c != nil && c.gathering == unknown {
		c.gathering = d
		return
	}
	im.leave("gathering times of further sentences")
}

func latencyOf(o object) (time.Duration, error) {
	for _, key := range latencyKeys {
		if o.has(key) {
			return o.span(key, time.Second)
		}
	}
	return unknown, nil
}

// isBreakdown tells a LatencyBreakdown from a message of RTVI.
func isBreakdown(o object) bool {
	l := o.list("ttfb")
	return o.has("user_turn_secs") || o.has("user_turn_start_time") || len(o.list("segments")) > 0 || len(l) > 0 && objectOf(l[0]).has("duration_secs")
}

// part is a length in a breakdown, with its instant.
type part struct{ from, takes time.Duration }

func partOf(o object) (p part, err error) {
	if p.from, err = o.instant("start_time", time.Second); err == nil {
		p.takes, err = o.span("duration_secs", time.Second)
	}
	return p, err
}

// breakdown reads a LatencyBreakdown, which is one turn.
func (im *Importer) breakdown(o object, call string, at place) error {
	t := newTurn(call, o.word("turn", "turn_number"))
	var err error
	if t.clock, err = o.instant("user_turn_start_time", time.Second); err != nil {
		return at.errorf("%v", err)
	}
	released, err := o.span("user_turn_secs", time.Second)
	if err != nil {
		return at.errorf("%v", err)
	}
	if t.sent, err = latencyOf(o); err == nil && t.sent == unknown {
		t.sent, err = sumOf(o.list("segments"))
	}
	if err != nil {
		return at.errorf("%v", err)
	}
	im.pipecat.n++
	if t.clock == unknown && released == unknown && t.sent == unknown {
		im.leave("answers without a latency, such as greetings")
		return nil
	}
	kinds := map[string][]part{}
	for _, list := range []string{"ttfb", "function_calls"} {
		for _, raw := range o.list(list) {
			m := objectOf(raw)
			p, err := partOf(m)
			if err != nil || p.takes == unknown {
				return at.errorf("%s %.80s: want start_time and duration_secs in seconds", list, raw)
			}
			kind := processorKind(m.text("processor"))
			if list == "function_calls" {
				kind = pipeline.SpanTool
			}
			kinds[kind] = append(kinds[kind], p)
		}
	}
	if g := objectOf(o["text_aggregation"]); g != nil {
		p, err := partOf(g)
		if err != nil {
			return at.errorf("text_aggregation: %v", err)
		}
		kinds[pipeline.SpanGathering] = append(kinds[pipeline.SpanGathering], p)
	}
	t.breakdown(released, kinds)
	return im.add(t, at)
}

func sumOf(segments []json.RawMessage) (time.Duration, error) {
	whole := unknown
	for _, raw := range segments {
		d, err := objectOf(raw).span("duration_secs", time.Second)
		if err != nil || d == unknown {
			return unknown, err
		}
		whole = known(whole) + d
	}
	return whole, nil
}

// breakdown places the parts of a turn: where they were, if all have instants.
func (t *turn) breakdown(released time.Duration, kinds map[string][]part) {
	placed := t.clock != unknown
	for _, parts := range kinds {
		placed = placed && !slices.ContainsFunc(parts, func(p part) bool { return p.from == unknown })
		slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(a.from, b.from) })
	}
	one := func(kind string) part {
		if l := kinds[kind]; len(l) > 0 {
			return l[0]
		}
		return part{unknown, unknown}
	}
	tts, model := one("tts"), part{unknown, unknown}
	for _, p := range kinds["llm"] { // the last that began before TTS did
		if model.takes == unknown || tts.from == unknown || p.from <= tts.from {
			model = p
		}
	}
	if !placed {
		var tools []step
		for _, p := range kinds[pipeline.SpanTool] {
			tools = append(tools, step{pipeline.SpanTool, p.takes})
		}
		t.lay([][]step{{{pipeline.SpanSTTTail, one("stt").takes}}, {{pipeline.SpanEndOfTurn, released}}},
			slices.Concat(tools, []step{{pipeline.SpanLLMFirstToken, model.takes}, {pipeline.SpanGathering, one(pipeline.SpanGathering).takes}, {pipeline.SpanTTSFirstAudio, tts.takes}}))
		return
	}
	at := func(name string, p part) {
		from := minus(p.from, t.clock)
		t.addLoose(name, from, plus(from, p.takes))
	}
	if released != unknown {
		t.addLoose(pipeline.SpanEndOfTurn, 0, released)
	}
	at(pipeline.SpanSTTTail, one("stt"))
	at(pipeline.SpanLLMFirstToken, model)
	at(pipeline.SpanGathering, one(pipeline.SpanGathering))
	at(pipeline.SpanTTSFirstAudio, tts)
	for i, p := range kinds[pipeline.SpanTool] {
		if i < mostTools {
			at(pipeline.SpanTool, p)
		}
	}
	if len(kinds[pipeline.SpanTool]) > 0 {
		for _, p := range kinds["llm"] {
			if p.from < model.from {
				at(pipeline.SpanToolCall, p)
			}
		}
	}
}

// mostTools bounds the tools of a turn that become spans.
const mostTools = 30

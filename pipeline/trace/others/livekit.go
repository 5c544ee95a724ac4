package others

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"halfsecond/pipeline"
)

// livekitLog gathers metrics events until their file ends: those of one speech_id are of one
// turn, in whatever order they come.
type livekitLog struct {
	n        int
	order    []*speech
	byID     map[string]*speech
	lastTurn *speech // the last with an end of turn
}

// speech is what was logged of one answer.
type speech struct {
	call, id string
	at       place
	eou      *eou
	llm, tts []call
	model    []call // of speech to speech
	err      string
}

type eou struct{ tail, delay, hook, due, end time.Duration }

// call is one request to a model or TTS: when it began, and how long its first output took.
type call struct {
	from, first, took time.Duration
	cancelled         bool
	facts             []pipeline.Fact
}

// livekitMetric reads one event of LiveKit Agents. Seconds in Python; the JavaScript SDK has
// other names, and ms. Sources: livekit-agents/livekit/agents/metrics/base.py @c64df45 of
// github.com/livekit/agents, docs.livekit.io/reference/agents-js, read 2026-11-30. -1 stands for
// what did not come, and an end_of_utterance_delay of 0 for an end of speech that was not
// detected, as base.py says.
func (im *Importer) livekitMetric(o, around object, at place) error {
	m := metric{o, time.Second}
	for key := range o {
		if strings.HasSuffix(key, "Ms") {
			m.unit = time.Millisecond
		}
	}
	kind := o.text("type")
	switch kind {
	case "eou_metrics", "llm_metrics", "tts_metrics", "realtime_model_metrics":
	case "stt_metrics", "vad_metrics", "interruption_metrics", "avatar_metrics", "decision_metrics":
		if err := im.use(livekitMetrics, at); err != nil {
			return err
		}
		im.leave(kind + ", which have no latency of a turn")
		im.livekit.n++
		return nil
	default:
		im.leave("records " + whatIs(o))
		return nil
	}
	if err := im.use(livekitMetrics, at); err != nil {
		return err
	}
	im.livekit.n++
	if im.livekit.n > 8*MostTurns {
		return at.errorf("there are more than %d events: import a part of them", 8*MostTurns)
	}
	s := im.livekit.speech(callOf(around, callOf(o, at.file)), cmp.Or(o.text("speech_id"), o.text("speechId")), kind, at)
	if e := objectOf(o["error"]); e != nil {
		s.err = cmp.Or(e.word("error", "message"), "error")
	}
	if err := s.read(kind, &m); err != nil {
		return at.errorf("%s: %v", kind, err)
	}
	return nil
}

// speech returns the one that an event belongs to. Events without an id belong to the last
// end of turn; an end of turn without an id begins another.
func (l *livekitLog) speech(call, id, kind string, at place) *speech {
	if l.byID == nil {
		l.byID = map[string]*speech{}
	}
	s := l.byID[call+"\x00"+id]
	if id == "" {
		s = l.lastTurn
		if kind == "eou_metrics" || s == nil || s.call != call {
			s = nil
		}
	}
	if s == nil {
		s = &speech{call: call, id: id, at: at}
		l.order = append(l.order, s)
		if id != "" {
			l.byID[call+"\x00"+id] = s
		}
	}
	if kind == "eou_metrics" {
		l.lastTurn = s
	}
	return s
}

// metric reads figures by their Python names.
type metric struct {
	object
	unit time.Duration // of instants, and of lengths whose name ends in Ms
}

// figure reads a length; -1 and nothing are unknown.
func (m *metric) figure(name string) (time.Duration, error) {
	key, unit := name, time.Second
	if js := camel(name) + "Ms"; m.has(js) {
		key, unit = js, time.Millisecond
	}
	if v, ok, err := m.number(key); err == nil && ok && v == -1 {
		return unknown, nil
	}
	return m.span(key, unit)
}

func (m *metric) stamp(name string) (time.Duration, error) {
	if js := camel(name) + "Ms"; m.has(js) {
		return m.instant(js, time.Millisecond)
	}
	if !m.has(name) && m.has(camel(name)) {
		return m.instant(camel(name), m.unit)
	}
	return m.instant(name, m.unit)
}

// camel turns a_name into aName.
func camel(name string) string {
	words := strings.Split(name, "_")
	for i := 1; i < len(words); i++ {
		if words[i] != "" {
			words[i] = strings.ToUpper(words[i][:1]) + words[i][1:]
		}
	}
	return strings.Join(words, "")
}

func (s *speech) read(kind string, m *metric) error {
	end, err := m.stamp("timestamp")
	if err != nil {
		return err
	}
	if kind == "eou_metrics" {
		return s.readEOU(m, end)
	}
	c := call{cancelled: m.true("cancelled")}
	name := "ttft"
	if kind == "tts_metrics" {
		name = "ttfb"
	}
	if c.first, err = m.figure(name); err != nil {
		return err
	}
	if c.took, err = m.figure("duration"); err != nil {
		return err
	}
	switch kind {
	case "realtime_model_metrics":
		c.from = end // "the timestamp of the response creation"
		s.model = append(s.model, c)
	case "llm_metrics":
		c.from, c.facts = minus(end, c.took), tokens(m)
		s.llm = append(s.llm, c)
	default:
		c.from = minus(end, c.took)
		s.tts = append(s.tts, c)
	}
	return nil
}

func (s *speech) readEOU(m *metric, end time.Duration) (err error) {
	e := &eou{end: end}
	for _, f := range []figure{{"transcription_delay", &e.tail}, {"end_of_utterance_delay", &e.delay}, {"on_user_turn_completed_delay", &e.hook}} {
		if *f.into, err = m.figure(f.name); err != nil {
			return err
		}
	}
	if e.delay == 0 {
		e.delay, e.tail = unknown, unknown
	}
	if e.due, err = m.stamp("last_speaking_time"); err != nil {
		return err
	}
	if e.due == unknown {
		e.due = minus(end, plus(e.delay, known(e.hook)))
	}
	s.eou = e
	return nil
}

// tokens returns what a model's metrics count.
func tokens(m *metric) (facts []pipeline.Fact) {
	for _, name := range []string{"prompt_tokens", "prompt_cached_tokens", "completion_tokens"} {
		if n := m.word(name, camel(name)); n != "" {
			facts = append(facts, pipeline.Fact{Name: name, Value: n})
		}
	}
	return facts
}

// flush makes turns of what was gathered.
func (l *livekitLog) flush(im *Importer) {
	for _, s := range l.order {
		if s.eou == nil {
			im.leave("answers to no logged end of turn, such as greetings")
			continue
		}
		im.turns = append(im.turns, s.turn())
	}
	*l = livekitLog{n: l.n}
}

func (s *speech) turn() *turn {
	t := newTurn(s.call, "")
	t.fact("speech_id", s.id)
	e := s.eou
	t.clock = e.due
	byStart := func(a, b call) int { return cmp.Compare(a.from, b.from) }
	for _, calls := range [][]call{s.llm, s.tts, s.model} {
		slices.SortStableFunc(calls, byStart)
	}
	audio := slices.IndexFunc(s.tts, func(c call) bool { return c.first != unknown })
	model := s.answer(audio)
	if e.due == unknown || audio >= 0 && s.tts[audio].from == unknown || model >= 0 && s.llm[model].from == unknown {
		s.lengths(t, model, audio)
	} else {
		s.instants(t, model, audio)
	}
	if model >= 0 {
		t.facts = append(t.facts, s.llm[model].facts...)
	}
	s.ended(t)
	return t
}

// answer returns the call of the model whose first token the first audio waited for: the last
// that had one before TTS began.
func (s *speech) answer(audio int) int {
	found := -1
	for i, c := range s.llm {
		if c.first == unknown || c.cancelled && found >= 0 {
			continue
		}
		late := audio >= 0 && c.from != unknown && s.tts[audio].from != unknown && c.from > s.tts[audio].from
		if found < 0 || s.llm[found].cancelled || !late && audio >= 0 {
			found = i
		}
	}
	return found
}

// instants places the stages where they were.
func (s *speech) instants(t *turn, model, audio int) {
	e := s.eou
	if e.tail != unknown {
		t.addLoose(pipeline.SpanSTTTail, 0, e.tail)
	}
	if e.delay != unknown {
		t.addLoose(pipeline.SpanEndOfTurn, 0, e.delay)
		if e.hook != unknown {
			t.addLoose(pipeline.SpanHook, e.delay, e.delay+e.hook)
		}
	}
	for i, c := range s.llm {
		switch from := minus(c.from, e.due); {
		case i == model:
			t.add(pipeline.SpanLLMFirstToken, from, plus(from, c.first))
		case i < model && !c.cancelled:
			t.add(pipeline.SpanToolCall, from, plus(from, c.took))
		}
	}
	if audio >= 0 {
		from := minus(s.tts[audio].from, e.due)
		t.sent = plus(from, s.tts[audio].first)
		t.add(pipeline.SpanTTSFirstAudio, from, t.sent)
	}
	if i := slices.IndexFunc(s.model, func(c call) bool { return c.first != unknown && c.from != unknown }); audio < 0 && i >= 0 {
		from := minus(s.model[i].from, e.due)
		t.sent = plus(from, s.model[i].first)
		t.add(pipeline.SpanModelAudio, from, t.sent)
	}
}

// lengths places the stages of which no instants are known.
func (s *speech) lengths(t *turn, model, audio int) {
	e := s.eou
	reply := []step{}
	if model >= 0 {
		reply = append(reply, step{pipeline.SpanLLMFirstToken, s.llm[model].first})
	}
	if audio >= 0 {
		reply = append(reply, step{pipeline.SpanTTSFirstAudio, s.tts[audio].first})
	}
	t.lay([][]step{{{pipeline.SpanSTTTail, e.tail}}, {{pipeline.SpanEndOfTurn, e.delay}, {pipeline.SpanHook, e.hook}}}, reply)
}

// ended says how a turn without audio ended.
func (s *speech) ended(t *turn) {
	if t.sent != unknown || t.has(pipeline.SpanTTSFirstAudio, pipeline.SpanModelAudio) {
		return
	}
	all := slices.Concat(s.llm, s.tts, s.model)
	switch {
	case s.err != "":
		t.outcome, t.reason = pipeline.Error, s.err
	case len(all) > 0 && !slices.ContainsFunc(all, func(c call) bool { return !c.cancelled }):
		t.outcome, t.reason = pipeline.Cancelled, "interrupted before the first audio"
	}
}

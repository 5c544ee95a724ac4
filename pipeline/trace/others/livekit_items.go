package others

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"halfsecond/pipeline"
)

// itemLog pairs what an assistant says with what the user said before.
type itemLog struct {
	n    int
	call string
	user metric // the metrics of the last thing that a user said, which nothing answered yet
	at   place
	ever bool // there was one
}

// isItems reports whether a record is a chat message of LiveKit Agents with metrics, or holds
// such messages: a session report, its history, or an event.
func isItems(o object) bool {
	for _, key := range []string{"chat_history", "history"} {
		if h := objectOf(o[key]); h.has("items") {
			return true
		}
	}
	if item := objectOf(o["item"]); item.has("role") && item.has("metrics") {
		return true
	}
	return o.has("items") || o.has("role") && o.has("metrics")
}

// chatItems reads the metrics of chat messages: seconds, instants in seconds since 1970.
// Source: docs.livekit.io/reference/agents-js/interfaces/agents.llm.MetricsReport.html, read
// 2026-11-30; Python has the same with _ between words.
func (im *Importer) chatItems(o object, at place) error {
	call := callOf(o, at.file)
	items := o.list("items")
	for _, key := range []string{"chat_history", "history"} {
		if l := objectOf(o[key]).list("items"); len(l) > 0 {
			items = l
		}
	}
	if o.has("item") {
		items = []json.RawMessage{o["item"]}
	} else if o.has("role") {
		raw, err := json.Marshal(o)
		if err != nil {
			return at.errorf("%v", err)
		}
		items = []json.RawMessage{raw}
	}
	for _, raw := range items {
		if item := objectOf(raw); item.has("metrics") {
			if err := im.chatItem(item, call, at); err != nil {
				return err
			}
		}
	}
	if o.has("events") {
		im.leave("lists of events in session reports, of which the messages have the same figures")
	}
	return nil
}

func (im *Importer) chatItem(item object, call string, at place) error {
	m := metric{objectOf(item["metrics"]), time.Second}
	if m.object == nil {
		return at.errorf("metrics is %.40q: want an object", item["metrics"])
	}
	if len(m.object) == 0 {
		return nil
	}
	if err := im.use(livekitTurns, at); err != nil {
		return err
	}
	l := &im.items
	if l.call != call {
		l.flush(im)
	}
	l.n++
	l.call, l.at = call, at
	switch item.text("role") {
	case "user":
		l.flush(im)
		l.user, l.ever = m, true
		return nil
	case "assistant":
		if l.user.object == nil {
			im.leave("answers to no logged end of turn, such as greetings")
			return nil
		}
		t, err := l.turn(&m, item)
		if err != nil {
			return at.errorf("%v", err)
		}
		l.user = metric{}
		return im.add(t, at)
	}
	return nil
}

// flush keeps what a user said and nobody answered.
func (l *itemLog) flush(im *Importer) {
	if l.user.object == nil {
		return
	}
	if t, err := l.turn(nil, nil); err == nil {
		im.turns = append(im.turns, t)
	} else {
		im.warnings = append(im.warnings, l.at.errorf("%v", err).Error())
	}
	l.user = metric{}
}

// plain reads a length in seconds, in either spelling.
func (m *metric) plain(name string) (time.Duration, error) {
	if js := camel(name); !m.has(name) && m.has(js) {
		name = js
	}
	return m.span(name, time.Second)
}

// turn makes a turn of what a user said and of the answer, which may be missing.
func (l *itemLog) turn(reply *metric, item object) (*turn, error) {
	t := newTurn(l.call, "")
	var tail, delay, hook, first, audio, whole, stopped, started time.Duration = unknown, unknown, unknown, unknown, unknown, unknown, unknown, unknown
	figures := []struct {
		m    *metric
		name string
		into *time.Duration
	}{
		{&l.user, "transcription_delay", &tail}, {&l.user, "end_of_turn_delay", &delay}, {&l.user, "on_user_turn_completed_delay", &hook},
		{reply, "llm_node_ttft", &first}, {reply, "tts_node_ttfb", &audio}, {reply, "e2e_latency", &whole},
	}
	for _, f := range figures {
		if f.m == nil {
			continue
		}
		d, err := f.m.plain(f.name)
		if err != nil {
			return nil, err
		}
		*f.into = d
	}
	var err error
	if stopped, err = l.user.stamp("stopped_speaking_at"); err != nil {
		return nil, err
	}
	if reply != nil {
		if started, err = reply.stamp("started_speaking_at"); err != nil {
			return nil, err
		}
	}
	if delay == 0 { // as in the events
		delay, tail = unknown, unknown
	}
	t.clock, t.sent = stopped, whole
	if whole == unknown {
		t.sent = minus(started, stopped)
	}
	t.fact("message", cmp.Or(item.text("id"), ""))
	t.lay([][]step{{{pipeline.SpanSTTTail, tail}}, {{pipeline.SpanEndOfTurn, delay}, {pipeline.SpanHook, hook}}}, []step{{pipeline.SpanLLMFirstToken, first}, {pipeline.SpanTTSFirstAudio, audio}})
	if item.true("interrupted") && t.sent == unknown && audio == unknown {
		t.outcome, t.reason = pipeline.Cancelled, "interrupted before the first audio"
	}
	t.fact("interrupted", strings.TrimSpace(map[bool]string{true: "yes"}[item.true("interrupted")]))
	return t, nil
}

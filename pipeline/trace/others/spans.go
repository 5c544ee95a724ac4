package others

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// MostSpans bounds the spans of an import, which are held until all files are read: those of
// a turn may come in any order, and in several files.
const MostSpans = 4_000_000

// spanStore holds spans as they come.
type spanStore struct {
	spans []span
	byID  map[spanKey]int32
	names map[string]int // of spans that nobody asks for
}

type spanKey struct{ trace, id string }

// span is what is kept of a span of OpenTelemetry.
type span struct {
	key        spanKey
	parent     string
	name       string        // "" for one of which only its place in the tree matters
	from, to   time.Duration // since 1970; to is unknown for one that never ended
	attributes object        // those that are asked for
	failed     string        // why, when its status is an error
}

func (s *spanStore) count() int { return len(s.spans) }

// asked are the names of spans that say something of a turn.
var asked = []string{
	"conversation", "turn", "stt", "llm", "tts",
	"agent_session", "user_turn", "eou_wait", "agent_turn", "llm_node", "llm_request", "tts_node", "tts_request", "agent_speaking", "function_tool",
}

// kept are the attributes of those.
var kept = []string{
	"conversation.id", "turn.number", "turn.was_interrupted", "turn.user_bot_latency_seconds", "turn.user_turn_seconds", "turn.text_aggregation_seconds", "metrics.ttfb",
	"gen_ai.operation.name", "gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens",
	"lk.speech_id", "lk.interrupted", "lk.e2e_latency", "lk.transcription_delay", "lk.end_of_turn_delay", "lk.eou.outcome", "lk.response.ttft", "lk.response.ttfb", "lk.llm_metrics", "lk.tts_metrics",
}

// add reads one span of OTLP/JSON. Source: opentelemetry.io/docs/specs/otel/protocol/file-exporter,
// read 2026-11-30: ids in hex, 64-bit numbers as text.
func (s *spanStore) add(o object, at place) error {
	if len(s.spans) >= MostSpans {
		return at.errorf("there are more than %d spans: import a part of the time", MostSpans)
	}
	sp := span{key: spanKey{o.text("traceId"), o.text("spanId")}, parent: o.text("parentSpanId"), name: o.text("name")}
	if sp.key.id == "" || sp.key.trace == "" {
		return at.errorf("a span without traceId and spanId: want OTLP/JSON, with names such as \"spanId\"")
	}
	var err error
	if sp.from, err = nanos(o, "startTimeUnixNano"); err == nil && sp.from == unknown {
		err = errors.New("startTimeUnixNano is missing")
	}
	if err == nil {
		sp.to, err = nanos(o, "endTimeUnixNano")
	}
	if err != nil {
		return at.errorf("span %.40q: %v", sp.name, err)
	}
	if status := objectOf(o["status"]); status != nil {
		if code := status.word("code"); code == "2" || code == "STATUS_CODE_ERROR" {
			sp.failed = status.text("message")
			if sp.failed == "" {
				sp.failed = "error"
			}
		}
	}
	sp.attributes = attributes(o.list("attributes"))
	sp.name = s.canonical(sp.name, sp.attributes)
	if s.byID == nil {
		s.byID = map[spanKey]int32{}
	}
	if _, twice := s.byID[sp.key]; twice {
		return at.errorf("span %s of trace %s is there twice: is a file given twice?", sp.key.id, sp.key.trace)
	}
	s.byID[sp.key] = int32(len(s.spans))
	s.spans = append(s.spans, sp)
	return nil
}

// canonical returns the name that a span is asked for by, "" for none. Releases of Pipecat
// before 0.0.77 had the service in it, such as llm_openaillmservice.
func (s *spanStore) canonical(name string, attributes object) string {
	if slices.Contains(asked, name) {
		return name
	}
	for _, kind := range []string{"stt", "llm", "tts"} {
		if strings.HasPrefix(name, kind+"_") && strings.HasSuffix(name, kind+"service") {
			return kind
		}
	}
	if strings.HasPrefix(name, "turn-") && attributes.has("turn.number") {
		return "turn"
	}
	if s.names == nil {
		s.names = map[string]int{}
	}
	if _, ok := s.names[name]; ok || len(s.names) < 20 {
		s.names[name]++
	}
	return ""
}

func nanos(o object, key string) (time.Duration, error) {
	text := o.word(key)
	if text == "" || text == "0" {
		return unknown, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return unknown, fmt.Errorf("%s is %.40q: want nanoseconds since 1970", key, text)
	}
	return time.Duration(n), nil
}

// attributes returns those that are kept, each as the JSON of its value.
func attributes(list []json.RawMessage) object {
	var out object
	for _, raw := range list {
		a := objectOf(raw)
		key := a.text("key")
		if !slices.Contains(kept, key) {
			continue
		}
		for kind, value := range objectOf(a["value"]) {
			switch kind {
			case "stringValue", "doubleValue", "intValue", "boolValue":
				if out == nil {
					out = object{}
				}
				out[key] = slices.Clone(value)
			}
		}
	}
	return out
}

// within returns the closest span around one that has one of the names.
func (s *spanStore) within(sp *span, names ...string) *span {
	for range 64 {
		i, ok := s.byID[spanKey{sp.key.trace, sp.parent}]
		if !ok {
			return nil
		}
		sp = &s.spans[i]
		if slices.Contains(names, sp.name) {
			return sp
		}
	}
	return nil
}

// assemble makes turns of the spans.
func (im *Importer) assemble() error {
	s := &im.spans
	if len(s.spans) == 0 {
		return nil
	}
	named := func(names ...string) int {
		return slices.IndexFunc(s.spans, func(sp span) bool { return slices.Contains(names, sp.name) })
	}
	pipecat, livekit := named("turn"), named("user_turn", "agent_turn")
	switch {
	case im.source != "":
		return fmt.Errorf("there are spans of OpenTelemetry beside %s: import them one by one, so that no turn counts twice", sourceOf(im.source).Title)
	case pipecat >= 0 && livekit >= 0:
		return errors.New("there are spans both of Pipecat (turn) and of LiveKit (user_turn): import them one by one")
	case pipecat >= 0:
		im.source = pipecatSpans
		return im.pipecatTurns()
	case livekit >= 0:
		im.source = livekitSpans
		return im.livekitTurns()
	}
	var names []string
	for name, n := range s.names {
		names = append(names, fmt.Sprintf("%d of %.40q", n, name))
	}
	slices.Sort(names)
	return fmt.Errorf("none of the %d spans is a turn: want those of Pipecat (turn) or of LiveKit Agents (user_turn, agent_turn); there are %s", len(s.spans), strings.Join(names, ", "))
}

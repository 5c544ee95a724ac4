package others

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"halfsecond/pipeline"
)

// turnLatencies finds the latencies of the turns of a call: in its artifact, in the call of a
// message, or at hand.
func turnLatencies(o object) []json.RawMessage {
	for _, path := range [][]string{
		{"artifact", "performanceMetrics"}, {"performanceMetrics"}, {"message", "artifact", "performanceMetrics"},
		{"call", "artifact", "performanceMetrics"}, {"message", "call", "artifact", "performanceMetrics"}, nil,
	} {
		in := o
		for _, key := range path {
			in = objectOf(in[key])
		}
		if l := in.list("turnLatencies"); len(l) > 0 {
			return l
		}
	}
	return nil
}

// vapiCall reads a call of Vapi. Its turns have lengths in ms and no instants: turnLatency,
// endpointingLatency, transcriberLatency, modelLatency, voiceLatency. Source: schema TurnLatency
// of Vapi's API, and docs.vapi.ai/assistants/model-intelligence/understanding-latency ("Each
// stage begins after the previous one"), read 2026-11-30.
func (im *Importer) vapiCall(o object, at place) error {
	if err := im.use(vapiCalls, at); err != nil {
		return err
	}
	call := o.word("id", "callId")
	for _, path := range [][]string{{"call"}, {"message", "call"}} {
		in := o
		for _, key := range path {
			in = objectOf(in[key])
		}
		call = cmp.Or(in.word("id"), call)
	}
	if call == "" {
		call = at.file
		if at.record > 1 {
			call += "#" + strconv.Itoa(at.record)
		}
	}
	for i, raw := range turnLatencies(o) {
		l := objectOf(raw)
		if l == nil {
			return at.errorf("turnLatencies has %.40q in place %d: want an object such as {\"turnLatency\": 900}", raw, i+1)
		}
		var parts [5]time.Duration
		for j, key := range []string{"turnLatency", "endpointingLatency", "transcriberLatency", "modelLatency", "voiceLatency"} {
			d, err := l.span(key, time.Millisecond)
			if err != nil {
				return at.errorf("turn %d: %v", i+1, err)
			}
			parts[j] = d
		}
		if err := im.vapiTurn(call, strconv.Itoa(i+1), parts, unknown, at); err != nil {
			return err
		}
	}
	return nil
}

// vapiTurn adds a turn: the whole, endpointing, transcriber, model, voice.
func (im *Importer) vapiTurn(call, number string, parts [5]time.Duration, knowledge time.Duration, at place) error {
	if err := whole("turnLatency", parts[0]); err != nil {
		return at.errorf("turn %s: %v", cmp.Or(number, "of the log"), err)
	}
	t := newTurn(call, number)
	t.sent = parts[0]
	t.lay([][]step{{{pipeline.SpanEndOfTurn, parts[1]}, {pipeline.SpanSTTTail, parts[2]}}}, []step{{pipeline.SpanHook, knowledge}, {pipeline.SpanLLMFirstToken, parts[3]}, {pipeline.SpanTTSFirstAudio, parts[4]}})
	return im.addOnce(t, at)
}

// vapiLine reads a line of Vapi's call log, such as "Turn latency: 2719ms (transcriber: 232ms,
// endpointing: 1501ms, kb: N/A, model: 532ms, voice: 406ms)". Source:
// support.vapi.ai/t/27151661/improving-latency, read 2026-11-30. These parts add up to 2671 of
// 2719 ms, so they follow each other. kb, the look-up of knowledge, is a hook before the model.
func (im *Importer) vapiLine(line string, at place) error {
	_, rest, _ := strings.Cut(line, vapiSign)
	whole, inside, ok := strings.Cut(rest, "(")
	if !ok {
		return at.errorf("%q: want the parts in brackets, as in %q", line, vapiSign+" 2719ms (transcriber: 232ms, model: 532ms)")
	}
	if err := im.use(vapiCalls, at); err != nil {
		return err
	}
	parts := [5]time.Duration{unknown, unknown, unknown, unknown, unknown}
	knowledge := unknown
	var err error
	if parts[0], err = milliseconds(whole); err != nil {
		return at.errorf("turn latency %v", err)
	}
	inside, _, _ = strings.Cut(inside, ")")
	for part := range strings.SplitSeq(inside, ",") {
		name, value, _ := strings.Cut(part, ":")
		into := map[string]*time.Duration{"endpointing": &parts[1], "transcriber": &parts[2], "model": &parts[3], "voice": &parts[4], "kb": &knowledge}[strings.TrimSpace(name)]
		if into == nil {
			im.leave("parts of Vapi's turn latency named " + strconv.Quote(strings.TrimSpace(name)))
			continue
		}
		if *into, err = milliseconds(value); err != nil {
			return at.errorf("%s %v", strings.TrimSpace(name), err)
		}
	}
	return im.vapiTurn(at.file, "", parts, knowledge, at)
}

// milliseconds reads a length such as 232ms; N/A is unknown.
func milliseconds(text string) (time.Duration, error) {
	text = strings.TrimSpace(text)
	if text == "N/A" {
		return unknown, nil
	}
	v, err := strconv.ParseFloat(strings.TrimSuffix(text, "ms"), 64)
	if err != nil || !strings.HasSuffix(text, "ms") {
		return unknown, strconvError(text)
	}
	return spanOf(v, time.Millisecond)
}

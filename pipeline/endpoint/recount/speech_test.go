package recount

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/converse"
	"halfsecond/pipeline/endpoint/listen"
	"halfsecond/pipeline/endpoint/speak"
	"halfsecond/pipeline/exchange"
	"halfsecond/pipeline/trace"
)

const ms = time.Millisecond

// conversation returns a session over a WebSocket that was open from 10 ms to 900 ms, with
// what the server said at its instants.
func conversation(id int64, protocol, setting string, said ...string) *exchange.Exchange {
	x := &exchange.Exchange{Request: id, Protocol: protocol, Due: 5 * ms, Sent: 6 * ms, Answered: 10 * ms, Status: 101, HTTP: "1.1", How: exchange.EOF, End: 900 * ms, Setting: setting}
	x.Messages = append(x.Messages, exchange.Message{At: 20 * ms, From: exchange.Client, Kind: exchange.Binary, Due: 20 * ms, Data: make([]byte, 640), Bytes: 640})
	for i, text := range said {
		x.Messages = append(x.Messages, exchange.Message{At: time.Duration(300+100*i) * ms, From: exchange.Server, Kind: exchange.Text, Due: pipeline.Unknown, Data: []byte(text), Bytes: len(text)})
	}
	return x
}

func heardSession(id int64) *exchange.Exchange {
	return conversation(id, "deepgram-listen", `{"pace":1,"speech_ns":200000000,"begin_ns":20000000}`,
		`{"type":"Results","is_final":false,"channel":{"alternatives":[{"transcript":"a ta"}]}}`,
		`{"type":"Results","is_final":true,"speech_final":true,"channel":{"alternatives":[{"transcript":"a table"}]}}`)
}

func saidSession(id int64) *exchange.Exchange {
	x := &exchange.Exchange{Request: id, Protocol: "openai-speech", Method: "POST", Due: 5 * ms, Sent: 6 * ms, Answered: 10 * ms, Status: 200, HTTP: "1.1", How: exchange.EOF, End: 900 * ms,
		Setting: `{"format":"pcm","rate":24000,"characters":12}`, Headers: [][2]string{{"Content-Type", "audio/pcm"}}}
	x.Add(400*ms, make([]byte, 2400)) // 50 ms of silence
	x.Add(500*ms, bytes.Repeat([]byte{0, 64}, 1200))
	return x
}

func answeredSession(id int64) *exchange.Exchange {
	return conversation(id, converse.Name, `{"speech_ns":200000000,"begin_ns":20000000}`,
		`{"type":"session.updated","session":{}}`, `{"type":"input_audio_buffer.committed"}`, `{"type":"response.created","response":{"id":"r"}}`,
		`{"type":"response.output_audio.delta","response_id":"r","delta":"AEAAQABAAEA="}`, `{"type":"response.done","response":{"id":"r","status":"completed","usage":{"input_tokens":3,"output_tokens":4}}}`)
}

// inTrace returns a trace with what the sessions made.
func inTrace(t *testing.T, all ...*exchange.Exchange) pipeline.Trace {
	t.Helper()
	var tr pipeline.Trace
	for _, x := range all {
		made, err := retold(spoken(x.Protocol), x)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range made {
			switch v := r.value.Interface().(type) {
			case pipeline.Transcription:
				tr.Hearings = append(tr.Hearings, v)
			case pipeline.Speech:
				tr.Sayings = append(tr.Sayings, v)
			case pipeline.Answered:
				tr.Answers = append(tr.Answers, v)
			}
		}
	}
	return tr
}

// TestSessionsAgain: sessions with speech services are read again from their bytes, whose
// records are those of the traces.
func TestSessionsAgain(t *testing.T) {
	tr := inTrace(t, heardSession(1), saidSession(2), answeredSession(3))
	if h, s, a := &tr.Hearings[0], &tr.Sayings[0], &tr.Answers[0]; h.Text != "a table" || h.LastFinal != 400*ms || s.FirstAudible != 500*ms || a.FirstAudible != 600*ms || a.Committed != 400*ms {
		t.Fatalf("the sessions are not what they should be: %+v\n%+v\n%+v", h, s, a)
	}
	tr.Requests = []pipeline.Request{mustRequest(t, 4)}
	dropped := pipeline.NewTranscription(5, 0)
	dropped.Outcome = pipeline.Dropped
	lost := pipeline.NewSpeech(6, 0)
	modelled := pipeline.NewSpeech(7, 0)
	modelled.Simulated = true
	tr.Hearings, tr.Sayings = append(tr.Hearings, dropped), append(tr.Sayings, lost, modelled)
	got, err := Traces([]pipeline.Trace{tr}, log(t, exchange.Header{}, 0, saidSession(2), answered(4), answeredSession(3), heardSession(1), heardSession(8)))
	if err != nil {
		t.Fatal(err)
	}
	want := &Result{Again: 1, Hearings: 1, Sayings: 1, Answers: 1, Turns: 1, Unsent: 1, Missing: 1, Others: 1, Spoken: true}
	got.Differ = slices.DeleteFunc(got.Differ, func(d Difference) bool { return d.Request == 0 }) // this trace has no spans
	if len(got.Differ) == 0 {
		got.Differ = nil
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	// Texts that were not to be kept leave nothing to read again.
	got, err = Traces([]pipeline.Trace{{Hearings: tr.Hearings[:1]}}, log(t, exchange.Header{Hashed: true}, 0, heardSession(1)))
	if err != nil || got.Wordless != 1 || got.Turns != 0 || got.Hearings != 0 || got.Missing != 0 {
		t.Errorf("without texts: %+v, error %v; want 1 without bytes", got, err)
	}
}

func mustRequest(t *testing.T, id int64) pipeline.Request {
	t.Helper()
	r, err := Request(answered(id))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestEveryMemberIsCompared: a change of any member of a record is named, by its name in a
// trace file, and no other is.
func TestEveryMemberIsCompared(t *testing.T) {
	written := map[string]any{}
	var b bytes.Buffer
	w, err := trace.NewWriter(&b, trace.Header{Kind: pipeline.KindVoice})
	if err != nil {
		t.Fatal(err)
	}
	full := inTrace(t, heardSession(1), saidSession(2), answeredSession(3))
	fill(t, reflect.ValueOf(&full.Hearings[0]).Elem())
	fill(t, reflect.ValueOf(&full.Sayings[0]).Elem())
	fill(t, reflect.ValueOf(&full.Answers[0]).Elem())
	if err := w.Write(&full); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(trace.Footer{}); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(bytes.Split(b.Bytes(), []byte("\n"))[1], &written); err != nil {
		t.Fatal(err)
	}
	for of, x := range map[string]*exchange.Exchange{"hearings": heardSession(1), "sayings": saidSession(1), "answers": answeredSession(1)} {
		keys := written[of].([]any)[0].(map[string]any)
		tr := inTrace(t, x)
		var v reflect.Value
		switch of {
		case "hearings":
			v = reflect.ValueOf(&tr.Hearings[0]).Elem()
		case "sayings":
			v = reflect.ValueOf(&tr.Sayings[0]).Elem()
		default:
			v = reflect.ValueOf(&tr.Answers[0]).Elem()
		}
		compare := func() (names []string) {
			r := &Result{}
			left := map[int64]record{1: {spoken(x.Protocol), 1, v}}
			if err := r.compareSpeech(spoken(x.Protocol), left, x, newTold(), false); err != nil || len(left) != 0 {
				t.Fatalf("%s: %v, %d left", of, err, len(left))
			}
			for _, d := range r.Differ {
				names = append(names, d.Figure)
			}
			return names
		}
		if names := compare(); names != nil {
			t.Fatalf("%s: %v differ", of, names)
		}
		walk(v, "", func(name string, f reflect.Value) {
			if name == "ID" { // it is found by that
				return
			}
			was := reflect.New(f.Type()).Elem()
			was.Set(f)
			other(t, f)
			names := compare()
			f.Set(was)
			if slices.Contains(unsaid, name) {
				if names != nil {
					t.Errorf("%s: %s is told by no byte, and %v differ", of, name, names)
				}
				return
			}
			if len(names) != 1 {
				t.Errorf("%s: of a change of %s %v differ", of, name, names)
				return
			}
			in := keys
			key, inner, nested := strings.Cut(names[0], ".")
			if nested {
				in, key = keys[key].(map[string]any), inner
			}
			if _, there := in[key]; !there {
				t.Errorf("%s: %s is compared as %s, which a trace file does not have: %v", of, name, names[0], keys)
			}
		})
	}
}

// walk calls f with each member of a record, those of its transport among them.
func walk(v reflect.Value, in string, f func(name string, v reflect.Value)) {
	for i := range v.NumField() {
		if name := v.Type().Field(i).Name; v.Field(i).Kind() == reflect.Struct {
			walk(v.Field(i), name+".", f)
		} else {
			f(in+name, v.Field(i))
		}
	}
}

// fill gives every member of a record a value, so that all are written.
func fill(t *testing.T, v reflect.Value) {
	t.Helper()
	walk(v, "", func(_ string, f reflect.Value) { other(t, f) })
}

func other(t *testing.T, f reflect.Value) {
	t.Helper()
	switch f.Kind() {
	case reflect.Int, reflect.Int64:
		f.SetInt(77)
	case reflect.Uint8:
		f.SetUint(uint64(pipeline.Refused))
	case reflect.String:
		f.SetString("77")
	case reflect.Bool:
		f.SetBool(!f.Bool())
	case reflect.Slice:
		f.Set(reflect.Append(f, reflect.New(f.Type().Elem()).Elem()))
	default:
		t.Fatalf("a member of kind %s", f.Kind())
	}
}

// TestKinds: each protocol of a speech service is known, and no other.
func TestKinds(t *testing.T) {
	for of, protocols := range map[string][]string{hearing: listen.Protocols(), saying: speak.Protocols(), answer: {"openai-realtime", "twilio-media-streams"}, "": {"openai-chat", "", "anthropic-messages"}} {
		for _, p := range protocols {
			if got := spoken(p); got != of {
				t.Errorf("%q is of a %q, want %q", p, got, of)
			}
		}
	}
}

// spokenTurn returns a turn of a real recognizer and a real voice: the user falls silent at
// 180 ms, the agent has that at 220, the text at 420, the voice's first byte at 500 and its
// first sound at 550, played at 550 and heard 50 ms later.
func spokenTurn() pipeline.Trace {
	t := pipeline.Trace{Kind: pipeline.KindVoice, Session: 2, Index: 3, Due: 180 * ms}
	uplink := t.Append(pipeline.SpanUplink, 40*ms, true)
	final := t.Add(pipeline.Span{Name: pipeline.SpanSTTTail, Start: 220 * ms, End: 420 * ms}, uplink)
	audio := t.Add(pipeline.Span{Name: pipeline.SpanTTSFirstAudio, Start: 430 * ms, End: 500 * ms}, final)
	leading := t.Append(pipeline.SpanLeading, 50*ms, false, audio)
	egress := t.Append(pipeline.SpanEgress, 10*ms, true, leading)
	ear := t.Append(pipeline.SpanPlayout, 40*ms, true, egress)
	t.Marks = []pipeline.Mark{{Name: pipeline.MarkReplyHeard, At: t.Spans[ear].End}}
	h, s := pipeline.NewTranscription(1, 0), pipeline.NewSpeech(2, 430*ms)
	h.SpeechEnd, h.FirstFinal, h.LastFinal, h.End, h.Text = 220*ms, 420*ms, 420*ms, 430*ms, "a table"
	s.FirstAudio, s.FirstAudible, s.Voiced = 499*ms, 500*ms, 550*ms // taken in turn, a little later
	t.Hearings, t.Sayings = []pipeline.Transcription{h}, []pipeline.Speech{s}
	t.End = t.Spans[ear].End
	return t
}

// answeredTurn returns a turn of a bot that was called: silent at 180 ms, at the bot at 220,
// committed at 420, first byte at 500, first sound played at 550.
func answeredTurn() pipeline.Trace {
	t := pipeline.Trace{Kind: pipeline.KindVoice, Session: 2, Index: 3, Due: 180 * ms}
	at := t.Append(pipeline.SpanUplink, 40*ms, true)
	at = t.Append(pipeline.SpanEndOfTurn, 200*ms, false, at)
	at = t.Append(pipeline.SpanModelAudio, 80*ms, false, at)
	at = t.Append(pipeline.SpanLeading, 50*ms, false, at)
	at = t.Append(pipeline.SpanPlayout, 40*ms, true, at)
	t.Marks = []pipeline.Mark{{Name: pipeline.MarkReplyHeard, At: t.Spans[at].End}}
	a := pipeline.NewAnswered(1, 0)
	t.End = t.Spans[at].End
	a.SpeechEnd, a.Committed, a.FirstAudio, a.FirstAudible, a.Voiced = 220*ms, 420*ms, 500*ms, 510*ms, 550*ms
	t.Answers = []pipeline.Answered{a}
	return t
}

// askedTurn is a turn with a real model alone, asked at 430 ms, which answers at 500.
func askedTurn() pipeline.Trace {
	t := spokenTurn()
	t.Hearings, t.Sayings = nil, nil
	t.Spans[2].Name = pipeline.SpanLLMFirstToken
	q := pipeline.NewRequest(1, 430*ms)
	q.Sent, q.FirstText, q.End = 430*ms, 499*ms, 510*ms
	t.Requests = []pipeline.Request{q}
	return t
}

// TestModelsStages: the stages of a real model are where its requests have them.
func TestModelsStages(t *testing.T) {
	for by, want := range map[time.Duration]string{
		0:       "",
		-3 * ms: "turn 3 of session 2: span llm_first_token, its begin is 427000000 in the trace, 430000000 by its bytes\nturn 3 of session 2: span llm_first_token, its end is 497000000 in the trace, 499000000 or later (first_text_ns) by its bytes\n",
		3 * ms:  "turn 3 of session 2: span llm_first_token, its begin is 433000000 in the trace, 430000000 by its bytes\n",
	} {
		r, text := &Result{}, ""
		wrong := moved(askedTurn(), 2, by)
		asItSays(r, wrong)
		for _, d := range r.Differ {
			text += d.String() + "\n"
		}
		if text != want || r.Turns != 0 {
			t.Errorf("moved by %s: %s\nwant %s", by, text, want)
		}
	}
}

// TestForNothing: requests that were made for nothing leave no stages, but for the guess at
// the end of the turn, however they ended: those at pauses inside it, of which there may be
// several, and the guess, which is not there where it never was sent.
func TestForNothing(t *testing.T) {
	vain := pipeline.NewRequest(8, 220*ms)
	vain.Sent, vain.FirstText, vain.End, vain.Outcome = 220*ms, 300*ms, 320*ms, pipeline.OK
	wrong := pipeline.NewRequest(9, 330*ms)
	wrong.Sent, wrong.FirstText, wrong.End = 330*ms, 380*ms, 390*ms
	guessed := func(begin time.Duration, facts ...pipeline.Fact) pipeline.Trace {
		x := askedTurn()
		x.Facts = facts
		if begin != 0 {
			x.Add(pipeline.Span{Name: pipeline.SpanWrongGuess, Start: begin, End: 430 * ms})
		}
		return x
	}
	inVain, isWrong := pipeline.Fact{Name: pipeline.FactInVain, Value: "2"}, pipeline.Fact{Name: pipeline.FactGuess, Value: "wrong"}
	for _, c := range []struct {
		name   string
		turn   pipeline.Trace
		before []pipeline.Request
		want   string
	}{
		{"at pauses", guessed(0, inVain), []pipeline.Request{vain, vain}, ""},
		{"at pauses and at the end", guessed(330*ms, inVain, isWrong), []pipeline.Request{vain, vain, wrong}, ""},
		{"at the end", guessed(330*ms, isWrong), []pipeline.Request{wrong}, ""},
		{"at the end, moved", guessed(331*ms, isWrong), []pipeline.Request{wrong}, "turn 3 of session 2: span wrong_guess, its begin is 331000000 in the trace, 330000000 by its bytes\n"},
		{"at the end, never sent", guessed(0, isWrong), nil, ""},
		{"never sent, and the answer's moved", moved(guessed(0, isWrong), 2, 3*ms), nil, "turn 3 of session 2: span llm_first_token, its begin is 433000000 in the trace, 430000000 by its bytes\n"},
		{"one more than is told", guessed(0, inVain), []pipeline.Request{vain, vain, vain}, "turn 3 of session 2: span llm_first_token, its begin is 430000000 in the trace, 220000000 by its bytes\n"},
	} {
		c.turn.Requests = append(slices.Clone(c.before), c.turn.Requests...)
		for i := range c.turn.Requests {
			c.turn.Requests[i].ID = int64(i + 1)
		}
		r, text := &Result{}, ""
		asItSays(r, c.turn)
		for _, d := range r.Differ {
			text += d.String() + "\n"
		}
		if text != c.want {
			t.Errorf("%s: %s\nwant %s", c.name, text, c.want)
		}
	}
}

// asItSays compares a turn whose records are what the bytes say.
func asItSays(r *Result, t pipeline.Trace) {
	says := newTold()
	for _, q := range t.Requests {
		says.requests[q.ID] = q
	}
	for _, h := range t.Hearings {
		says.hearings[h.ID] = h
	}
	for _, s := range t.Sayings {
		says.sayings[s.ID] = s
	}
	for _, a := range t.Answers {
		says.answers[a.ID] = a
	}
	r.interactions([]pipeline.Trace{t}, says)
}

// moved moves every span from one on, and the marks.
func moved(t pipeline.Trace, from int, by time.Duration) pipeline.Trace {
	for i := from; i < len(t.Spans); i++ {
		t.Spans[i].Start, t.Spans[i].End = t.Spans[i].Start+by, t.Spans[i].End+by
	}
	t.Marks[0].At += by
	return t
}

// TestTurnsAgain: spans and marks are where the records of speech services have them; a turn
// in which somebody moved some, or all, is named.
func TestTurnsAgain(t *testing.T) {
	for _, c := range []struct {
		name   string
		turn   pipeline.Trace
		change func(t *pipeline.Trace)
		want   string
	}{
		{"spoken", spokenTurn(), nil, ""},
		{"answered", answeredTurn(), nil, ""},
		{"frames that are sent again", spokenTurn(), func(t *pipeline.Trace) {
			t.Append(pipeline.SpanUplinkLoss, 20*ms, true, 0)
			t.Hearings[0].SpeechEnd = 240 * ms
		}, ""},
		{"no mark", spokenTurn(), func(t *pipeline.Trace) { t.Marks = nil }, "mark reply_heard is unknown in the trace, 600000000 by its bytes"},
		{"no mark, and no stage to the ear", spokenTurn(), func(t *pipeline.Trace) { t.Marks, t.Spans = nil, t.Spans[:4] }, "mark reply_heard is unknown in the trace, 550000000 or later by its bytes"},
		{"no silence, no way", spokenTurn(), func(t *pipeline.Trace) { t.Spans = t.Spans[:3] }, "span leading_silence, its end is unknown in the trace, 550000000 by its bytes"},
		{"no end of the text", spokenTurn(), func(t *pipeline.Trace) { t.Spans[1].End = pipeline.Unknown }, "span stt_tail, its end is unknown in the trace, 420000000 or later (first_final_ns) by its bytes"},
		{"being asked", spokenTurn(), func(t *pipeline.Trace) { t.Spans[2].Start -= ms }, "span tts_first_audio, its begin is 429000000 in the trace, 430000000 by its bytes"},
		{"a reply of no sound", spokenTurn(), func(t *pipeline.Trace) { t.Sayings[0].Voiced, t.Outcome = pipeline.Unknown, pipeline.Error }, "mark reply_heard is 600000000 in the trace, unknown by its bytes"},
		{"a failure that is none", spokenTurn(), func(t *pipeline.Trace) { t.Outcome = pipeline.Error }, "outcome is error in the trace, ok by its bytes"},
		{"a failure that is not told", spokenTurn(), func(t *pipeline.Trace) { t.Sayings[0].Outcome = pipeline.Timeout }, "outcome is ok in the trace, timeout by its bytes"},
		{"another failure", spokenTurn(), func(t *pipeline.Trace) { t.Sayings[0].Outcome, t.Outcome = pipeline.Timeout, pipeline.Refused }, "outcome is refused in the trace, timeout by its bytes"},
		{"given up since it was spoken into", spokenTurn(), func(t *pipeline.Trace) {
			t.Sayings[0].Outcome, t.Facts = pipeline.Cancelled, []pipeline.Fact{{Name: pipeline.FactBargeIn, Value: "stopped"}}
		}, ""},
		{"its end, sooner", spokenTurn(), func(t *pipeline.Trace) { t.Hearings[0].End = 700 * ms }, "end_ns is 600000000 in the trace, 700000000 or later by its bytes"},
		{"its end, later", spokenTurn(), func(t *pipeline.Trace) { t.End += 6 * time.Second }, "end_ns is 6600000000 in the trace, 600000000 or little later by its bytes"},
		{"a bot's mark is not there", answeredTurn(), func(t *pipeline.Trace) { t.Marks = nil }, "mark reply_heard is unknown in the trace, 590000000 by its bytes"},
		{"a bot's stage is not there", answeredTurn(), func(t *pipeline.Trace) { t.Spans[2].Name = "another" }, "span model_first_audio, its end is unknown in the trace, 500000000 by its bytes"},
		{"a bot that failed", answeredTurn(), func(t *pipeline.Trace) { t.Answers[0].Outcome = pipeline.Error }, "outcome is ok in the trace, error by its bytes"},
		{"a mark", spokenTurn(), func(t *pipeline.Trace) { t.Marks[0].At -= ms }, "mark reply_heard is 599000000 in the trace, 600000000 by its bytes"},
		{"all from the voice on, sooner", moved(spokenTurn(), 2, -300*ms), nil, "span tts_first_audio, its end is 200000000 in the trace, 499000000 or later (first_audio_ns) by its bytes"},
		{"all from the voice on, later", moved(spokenTurn(), 2, 300*ms), nil, "span leading_silence, its end is 850000000 in the trace, 550000000 by its bytes"},
		{"the way to the ear", moved(spokenTurn(), 4, -5*ms), nil, "span egress, its begin is 545000000 in the trace, 550000000 by its bytes"},
		{"the text", spokenTurn(), func(t *pipeline.Trace) { t.Spans[1].End -= ms }, "span stt_tail, its end is 419000000 in the trace, 420000000 or later (first_final_ns) by its bytes"},
		{"being due", spokenTurn(), func(t *pipeline.Trace) { t.Due += ms }, "due_ns is 181000000 in the trace, 180000000 by its bytes"},
		{"a bot's mark", answeredTurn(), func(t *pipeline.Trace) { t.Marks[0].At -= ms }, "mark reply_heard is 589000000 in the trace, 590000000 by its bytes"},
		{"all of a bot's, sooner", moved(answeredTurn(), 1, -300*ms), nil, "span end_of_turn, its end is 120000000 in the trace, 420000000 by its bytes"},
		{"a cut-in", answeredTurn(), func(t *pipeline.Trace) {
			t.Answers[0].CutIns, t.Facts = 1, []pipeline.Fact{{Name: pipeline.FactCutIn, Value: "no"}}
		}, "fact cut_in is no in the trace, yes by its bytes"},
		{"none, and nothing said", answeredTurn(), func(t *pipeline.Trace) { t.Answers[0].CutIns = 0 }, "fact cut_in is unknown in the trace, no by its bytes"},
		{"a bot's due", answeredTurn(), func(t *pipeline.Trace) { t.Due -= ms }, "due_ns is 179000000 in the trace, 180000000 by its bytes"},
	} {
		if c.change != nil {
			c.change(&c.turn)
		}
		r := &Result{}
		asItSays(r, c.turn)
		if r.Turns != 1 {
			t.Errorf("%s: %d turns were compared", c.name, r.Turns)
		}
		text := ""
		for _, d := range r.Differ {
			text += d.String() + "\n"
		}
		if c.want == "" && text != "" || !strings.Contains(text, c.want) || c.want != "" && !strings.HasPrefix(text, "turn 3 of session 2: ") {
			t.Errorf("%s: %s\nwant %s", c.name, text, c.want)
		}
	}
	r := &Result{}
	alone := spokenTurn()
	alone.Hearings, alone.Sayings = nil, nil
	if asItSays(r, moved(alone, 2, 5*ms)); fmt.Sprint(*r) != fmt.Sprint(Result{}) {
		t.Errorf("of a turn without a real service: %+v", r)
	}
}

package recount

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline"
)

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
// committed at 420, first byte at 500, first sound played at 550, and heard once it went through
// spans of 10 ms each on top of 40.
func answeredTurn(through ...string) pipeline.Trace {
	t := pipeline.Trace{Kind: pipeline.KindVoice, Session: 2, Index: 3, Due: 180 * ms}
	at := t.Append(pipeline.SpanUplink, 40*ms, true)
	at = t.Append(pipeline.SpanEndOfTurn, 200*ms, false, at)
	at = t.Append(pipeline.SpanModelAudio, 80*ms, false, at)
	at = t.Append(pipeline.SpanLeading, 50*ms, false, at)
	for _, name := range through {
		at = t.Append(name, 10*ms, true, at)
	}
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
		{"answered, and held", answeredTurn(pipeline.SpanPostWait, pipeline.SpanPreBuffer, pipeline.SpanEgress), nil, ""},
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

package phone

import (
	"fmt"
	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/mockllm/server/voice/voicetest"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline"
	"halfsecond/pipeline/wire/twilio"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"
)

// TestTwilioCall lets a caller say two texts to a bot that answers both.
func TestTwilioCall(t *testing.T) {
	phoning(t, Config{Transcript: []string{"abcde", "fg"}}, nil, func(r *voicetest.Rig, b *bot) {
		sid := place(r, url.Values{"Twiml": {toBot}})
		b.expect(agent, opened, begun)
		// The caller speaks after a second, from 1000 to 1500.
		time.Sleep(2 * time.Second)
		b.play(50*ms, 150*ms)
		b.send(`{"event":"mark","streamSid":"SID","mark":{"name":"one"}}`)
		time.Sleep(time.Second)
		// The mark passes at 2200; the caller speaks again a second later, at 3200.
		b.expect(`2200 {"event":"mark","sequenceNumber":"111","mark":{"name":"one"},"streamSid":"SID"}`)
		time.Sleep(600 * ms)
		// Its speech ends at 3400, and the answer is heard from 3600 to 3700.
		b.play(0, 100*ms)
		time.Sleep(2 * time.Second)
		// It hangs up with the frame that ends a second after that, at 4700.
		b.expect(
			`4700 {"event":"stop","sequenceNumber":"238","stop":{"accountSid":"AC1","callSid":"SID"},"streamSid":"SID"}`,
			`4700 websocket: close 1000 (normal)`,
		)
		if want := `4700 {"event":"media","sequenceNumber":"237","media":{"track":"inbound","chunk":"235","timestamp":"4700","payload":"160"},"streamSid":"` + b.sid + `"}`; b.last != want {
			t.Errorf("last media %s, want %s", b.last, want)
		}
		first, last := b.spoken(1000*ms, "abcde")
		again, end := b.spoken(3200*ms, "fg")
		report := reportOf(r, sid)
		sound := audio.Duration(slices.IndexFunc(voicetest.Voiced(time.Second, 8000), func(s int16) bool { return s >= 328 }), 8000)
		want := []turnReport{
			reported("abcde", first, last, 2050*ms+sound, 2200*ms),
			reported("fg", again, end, 3600*ms+sound, 3700*ms),
		}
		if got := talk.JSON(report.Turns); string(got) != string(talk.JSON(want)) || report.Status != "completed" || report.Heard != 300 {
			t.Errorf("report %+v\n got %s\nwant %s", report, got, talk.JSON(want))
		}
		all, _ := r.Ledger.Latest(9)
		if len(all) != 3 {
			t.Fatalf("%d entries, want two turns and a stream", len(all))
		}
		if e := all[0]; e.Protocol != "twilio turn" || e.ID != sid+"/0" || e.Arrived != last || e.First != 2050*ms+sound || e.Ended != 2200*ms || e.Outcome != pipeline.OK {
			t.Errorf("entry %+v, want the first turn", e)
		}
		if e := all[2]; e.Protocol != "twilio media stream" || e.ID != sid || e.AudioIn != 300*ms || e.AudioOut != 4700*ms || e.First != 2050*ms+sound || e.Ended != 4700*ms {
			t.Errorf("entry %+v, want the stream", e)
		}
	})
}

func reported(text string, start, end, first, over time.Duration) turnReport {
	at := func(d time.Duration) *float64 { x := talk.Milliseconds(d); return &x }
	return turnReport{text, talk.Milliseconds(start), talk.Milliseconds(end), at(first), at(first - end), at(over)}
}

// TestTwilioPlayout checks what plays when.
func TestTwilioPlayout(t *testing.T) {
	phoning(t, Config{Transcript: []string{"abcde"}}, nil, func(r *voicetest.Rig, b *bot) {
		sid := place(r, url.Values{"Twiml": {toBot}})
		b.expect(agent, opened, begun)
		mark := func(name string) { b.send(`{"event":"mark","streamSid":"SID","mark":{"name":%q}}`, name) }
		passed := func(at, sequence int, name string) string {
			return fmt.Sprintf(`%d {"event":"mark","sequenceNumber":"%d","mark":{"name":%q},"streamSid":"SID"}`, at, sequence, name)
		}
		time.Sleep(110 * ms)
		mark("empty")  // passes at once
		b.play(0, 200) // too short for a sample
		b.play(0, 60*ms)
		mark("first")
		b.play(0, 40*ms)
		mark("second")
		mark("third")
		time.Sleep(110 * ms)
		b.expect(passed(110, 7, "empty"), passed(170, 11, "first"), passed(210, 14, "second"), passed(210, 15, "third"))
		b.play(0, time.Second)
		mark("fourth")
		b.play(0, time.Second)
		mark("fifth")
		time.Sleep(105 * ms)
		b.send(`{"event":"clear","streamSid":"SID"}`)
		mark("sixth")
		time.Sleep(ms)
		b.expect(passed(325, 22, "fourth"), passed(325, 23, "fifth"), passed(325, 24, "sixth"))
		// What was dropped is not waited for: the caller speaks with the first frame that
		// begins a second after the clear.
		time.Sleep(2 * time.Second)
		b.spoken(1340*ms, "abcde")
		if report := reportOf(r, sid); report.Heard != 2100 || len(report.Turns) != 1 || report.Turns[0].FirstAudible != nil {
			t.Errorf("report %+v, want a turn without an answer", report)
		}
	})
}

// TestTwilioEarly checks that a bot that does not let the caller finish is seen, and one
// that is cut off.
func TestTwilioEarly(t *testing.T) {
	phoning(t, Config{Transcript: []string{"abcdefghij"}}, nil, func(r *voicetest.Rig, b *bot) {
		sid := place(r, url.Values{"Twiml": {toBot}})
		time.Sleep(1500 * ms)
		b.play(0, 100*ms)
		time.Sleep(100 * ms)
		b.send(`{"event":"clear","streamSid":"SID"}`)
		time.Sleep(3 * time.Second)
		_, last := b.spoken(1000*ms, "abcdefghij")
		report := reportOf(r, sid)
		// The answer began at 1500 and had stopped when the caller had not.
		if turn := report.Turns[0]; turn.VoiceToVoice == nil || *turn.VoiceToVoice > talk.Milliseconds(1510*ms-last) || *turn.AnswerEnd != 1600 {
			t.Errorf("turn %s, want an answer that was too early", talk.JSON(turn))
		}
		if report.Status != "completed" {
			t.Errorf("status %s, want completed: a second of quiet has passed since 2000", report.Status)
		}
	})
}

func TestTwilioNoAnswer(t *testing.T) {
	phoning(t, Config{Transcript: []string{"ab", "...", "cd"}}, nil, func(r *voicetest.Rig, b *bot) {
		sid := place(r, url.Values{"Twiml": {toBot}})
		time.Sleep(40 * time.Second)
		_, last := b.spoken(1000*ms, "ab")
		// The next text comes with the first frame that is 15 s after the last sample.
		next := (last + 15*time.Second + 19*ms).Truncate(20 * ms)
		b.spoken(next, "cd")
		report := reportOf(r, sid)
		if len(report.Turns) != 2 || report.Turns[1].FirstAudible != nil || report.Turns[1].VoiceToVoice != nil || report.Turns[1].AnswerEnd != nil || report.Status != "completed" {
			t.Errorf("report %s, want two turns without an answer", talk.JSON(report))
		}
		all, _ := r.Ledger.Latest(9)
		if e := all[1]; e.Outcome != pipeline.Timeout || e.Reason != "no answer was heard" || e.First != pipeline.Unknown {
			t.Errorf("entry %+v, want a turn without an answer", e)
		}
	})
}

// TestTwilioComplains sends what Twilio does not take: the call goes on.
func TestTwilioComplains(t *testing.T) {
	phoning(t, Config{Transcript: []string{"ab"}}, nil, func(r *voicetest.Rig, b *bot) {
		sid := place(r, url.Values{"Twiml": {toBot}})
		b.send(`no json`)
		b.send(`{"event":"media","streamSid":"MZother","media":{"payload":""}}`)
		b.send(`{"event":"media","streamSid":"SID"}`)
		b.send(`{"event":"stop","streamSid":"SID"}`)
		b.send(`{"event":"media","streamSid":"SID","media":{"payload":"*"}}`)
		if err := b.conn.WriteMessage(websocket.BinaryMessage, []byte{1}); err != nil {
			t.Fatal(err)
		}
		for range 11 { // 11 minutes, of which the last does not fit
			b.play(0, time.Minute)
		}
		synctest.Wait()
		var got []string
		for _, e := range reportOf(r, sid).Errors {
			got = append(got, fmt.Sprint(e.Code, " ", sids.ReplaceAllString(e.Message, "SID")))
		}
		const bad = "31924 Stream - WebSocket - Protocol Error: "
		want := []string{
			bad + "a message is not JSON of the right form: invalid character 'o' in literal null (expecting 'u')",
			bad + `a "media" message is for the stream "MZother", want "SID"`,
			bad + `a message has the event "media", want media, mark or clear with its contents`,
			bad + `a message has the event "stop", want media, mark or clear with its contents`,
			bad + "the payload of a media message is not base64: illegal base64 data at input byte 0",
			bad + "a binary message came, want text",
			"31931 Stream - Media buffer overflow: audio of 10m0s is queued, and 1m0s more is dropped",
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		b.send(`{"event":"clear","streamSid":"SID"}`)
		time.Sleep(1500 * ms)
		b.spoken(1000*ms, "ab")
	})
}

func FuzzTwilioStream(f *testing.F) {
	f.Add(`{"event":"media","streamSid":"MZ","media":{"payload":"AAAA"}}`)
	f.Add(`{"event":"mark","streamSid":"MZ","mark":{}}`)
	f.Add(`{"event":"clear","streamSid":"MZ","media":null}`)
	s := New(voicetest.Alone(), Config{})
	f.Fuzz(func(t *testing.T, text string) {
		c := &call{}
		stream := s.newMediaStream(talk.NewSocket(s.Host), c, twilio.Stream{})
		voicetest.Do(stream.Text([]byte(strings.ReplaceAll(text, "MZ", stream.sid))))
		voicetest.Do(stream.Text([]byte(text)))
		stream.Gone()
	})
}

// TestTwilioMarks: marks that wait are not kept for ever.
func TestTwilioMarks(t *testing.T) {
	s := New(voicetest.Alone(), Config{})
	stream := s.newMediaStream(talk.NewSocket(s.Host), &call{}, twilio.Stream{})
	stream.line.play(make([]int16, 8000)) // a second
	for range mostMarks {
		if err := stream.mark("m"); err != nil {
			t.Fatal(err)
		}
	}
	if err := stream.mark("m"); err == nil || err.Error() != "10000 marks wait for audio to play, and another one is dropped" {
		t.Errorf("got %v, want that it is dropped", err)
	}
	if err := stream.mark(strings.Repeat("m", 1001)); err == nil || err.Error() != "the name of a mark has 1001 bytes, want at most 1000" {
		t.Errorf("got %v, want that its name is too long", err)
	}
	stream.Gone()
}

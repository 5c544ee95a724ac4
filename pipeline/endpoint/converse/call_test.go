package converse

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"halfsecond/mockllm/server/voice/peer"
	"halfsecond/pipeline"
	"halfsecond/pipeline/exchange"
)

// goOn speaks turns of one session, each so long after the end of the one before.
func (r *rig) goOn(t *testing.T, wait time.Duration, turns ...pipeline.Turn) (all []*answered) {
	t.Helper()
	first := r.ids()
	for i, turn := range turns {
		turn.More = i < len(turns)-1
		a := &answered{Turn: turn, done: make(chan struct{})}
		a.Begin = pipeline.Unknown
		a.Record = pipeline.NewAnswered(first+int64(i), r.Now())
		a.Done = func() { close(a.done) }
		again := func(x *exchange.Exchange) (pipeline.Answered, error) { return nth(x, i) }
		peer.ExpectIn(r.Rig, first, a.Record.ID, &a.Record, outcome, again)
		r.Do(func() { r.client.Start(&a.Turn) })
		a.wait()
		all = append(all, a)
		time.Sleep(wait)
	}
	return all
}

func (r *rig) ids() int64 { return r.ID() * 100 }

// nth returns the record of a turn of a session, from what was kept of that.
func nth(x *exchange.Exchange, n int) (pipeline.Answered, error) {
	all, err := RetellAll(x, nil)
	if err != nil || n >= len(all) {
		return pipeline.Answered{}, fmt.Errorf("%d turns: %w", len(all), err)
	}
	return all[n], nil
}

// TestTurns: the first turn is as that of a session of its own, see TestMock. The answer to it
// plays until 2510, and the next one begins with the sample of that instant: it is spoken from
// 3010 to 4010, and its end is found 210 ms after that, in the frame of 4300. The answer is heard
// 360 ms later.
func TestTurns(t *testing.T) {
	turn := pipeline.Turn{Voice: spoken(500*msec, 1000*msec, 300*msec)}
	bubble(t, mocked(t, []string{"hello there", "and", "bye"}, []string{"ab", "cd", "ef"}), Config{Transcriber: "gpt-4o-transcribe"}, func(r *rig) {
		all := r.goOn(t, msec, turn, turn)
		for i, want := range []string{
			`ready 0 frames 22 from 100 late 0 speech 600..1800 end 1500 committed 1800 created 1800 output 2110 audio 2110..2260 audible 2160 v2v 660 done 2260 samples 9600 underruns 0 heard "hello there" at 1910 said "ab" interrupted - noticed - truncated - played - cancelled false completed tokens 29+0->9 end 2260 ok ""`,
			`ready 0 frames 22 from 2600 late 0 speech 3100..4300 end 4010 committed 4300 created 4300 output 4610 audio 4610..4760 audible 4660 v2v 650 done 4760 samples 9600 underruns 0 heard "and" at 4410 said "cd" interrupted - noticed - truncated - played - cancelled false completed tokens 53+0->9 end 4760 ok ""`,
		} {
			if got := figures(&all[i].Record); got != want {
				t.Errorf("turn %d\n got %s\nwant %s", i, got, want)
			}
		}
		if a, b := all[0].Record.Transport, all[1].Record.Transport; a.Reused || !b.Reused || a.Status != 101 || b.Status != 101 || b.HTTP != "1.1" {
			t.Errorf("connections %+v and %+v", a, b)
		}
		r.client.Close()
		if n := len(r.Kept()); n != 1 {
			t.Errorf("%d sessions, want 1", n)
		}
	})
}

// TestTurnsInterrupted: an answer that is cut into is over with the server's word for what was
// heard of it, and the session goes on.
func TestTurnsInterrupted(t *testing.T) {
	barge := spoken(0, 300*msec, 100*msec)
	turn := pipeline.Turn{Voice: spoken(500*msec, 1000*msec, 300*msec)}
	cut := turn
	cut.Interruption, cut.InterruptAfter = &barge, 230*msec
	long := strings.Repeat("ab cd ef gh ij kl mn op qr st uv wx yz ", 2)
	for _, manual := range []bool{false, true} {
		bubble(t, mocked(t, []string{"a", "b", "c"}, []string{long}), Config{Manual: manual}, func(r *rig) {
			all := r.goOn(t, 3*time.Second, turn, cut, turn)
			for i, a := range all {
				if a.Record.Outcome != pipeline.OK || a.Record.Cancelled != (i == 1) || a.Record.Voiced == pipeline.Unknown {
					t.Errorf("manual %t, turn %d: %s", manual, i, figures(&a.Record))
				}
			}
		})
	}
}

// TestBadTurns: what goes wrong in one turn is of that turn, and with the session those end
// that were to follow.
func TestBadTurns(t *testing.T) {
	turn := pipeline.Turn{Voice: spoken(0, 300*msec, 100*msec)}
	one := peer.Script{400 * msec, created("a"), delta("a"), done("a", "completed", "")}
	with := func(more ...any) peer.Script { return append(append(peer.Script{}, one...), more...) }
	for name, tt := range map[string]struct {
		script peer.Script
		want   string
	}{
		"nothing more": {with(peer.Hangs{}), `ok "", truncated "no answer began within 10s of the end of speech", truncated "no answer began within 10s of the end of speech"`},
		"an error":     {with(700*msec, `{"type":"error","error":{"code":"c"}}`, 900*msec, created("b"), delta("b"), done("b", "completed", ""), peer.Hangs{}), `ok "", error "the server reports error c", ok ""`},
		"closes":       {with(700*msec, peer.Closes(1011)), `ok "", error "the server closed with code 1011: so it is", dropped "the session ended before the turn: the server closed with code 1011: so it is"`},
		"closes early": {with(100*msec, peer.Closes(1000)), `ok "", dropped "the session ended before the turn: the server closed with code 1000: so it is", dropped "the session ended before the turn: the server closed with code 1000: so it is"`},
		"garbage":      {with(700*msec, "{"), `ok "", error "a message that cannot be read: unexpected end of JSON input", dropped "the session ended before the turn: what the server said cannot be read"`},
	} {
		bubble(t, session(t, tt.script, nil), Config{}, func(r *rig) {
			var got []string
			for _, a := range r.goOn(t, 500*msec, turn, turn, turn) {
				got = append(got, fmt.Sprintf("%s %q", a.Record.Outcome, a.Record.Reason))
			}
			if text := strings.Join(got, ", "); text != tt.want {
				t.Errorf("%s\n got %s\nwant %s", name, text, tt.want)
			}
		})
	}
}

// TestTurnsStall: the limits count for each turn, and none counts between them, whether silence
// goes out there or nothing.
func TestTurnsStall(t *testing.T) {
	turn := pipeline.Turn{Voice: spoken(0, 300*msec, 100*msec)}
	script := peer.Script{400 * msec, created("a"), delta("a"), done("a", "completed", ""), 60*time.Second + 700*msec, created("b"), delta("b"), peer.Hangs{}}
	for _, manual := range []bool{false, true} {
		c := Config{Manual: manual}
		c.Limits.Gap, c.Limits.Whole = 3*time.Second, 20*time.Second
		bubble(t, session(t, script, nil), c, func(r *rig) {
			all := r.goOn(t, time.Minute, turn, turn)
			if a, b := all[0].Record, all[1].Record; a.Outcome != pipeline.OK || b.Outcome != pipeline.Timeout || b.Reason != "nothing came within 3s (--limit-gap)" {
				t.Errorf("manual %t: %s %q, then %s %q", manual, a.Outcome, a.Reason, b.Outcome, b.Reason)
			}
			r.client.Close() // who says where turns end is silent between them
			if n := len(r.Kept()[0].Messages); (n < 100) != manual {
				t.Errorf("manual %t: %d messages", manual, n)
			}
		})
	}
}

// TestBusy: one turn of a session is under way at a time, and sessions are apart.
func TestBusy(t *testing.T) {
	bubble(t, mocked(t, []string{"a"}, []string{"ab"}), Config{}, func(r *rig) {
		turn := pipeline.Turn{Voice: spoken(500*msec, 300*msec, 100*msec), More: true}
		other := turn
		other.Session = 1
		first := r.speak(turn)
		second, third := r.speak(turn), r.speak(other)
		if got := second.wait(); got.Outcome != pipeline.Dropped || got.Reason != "the session has a turn under way" {
			t.Errorf("%s %q", got.Outcome, got.Reason)
		}
		if a, b := first.wait(), third.wait(); a.Outcome != pipeline.OK || b.Outcome != pipeline.OK || b.Transport.Reused {
			t.Errorf("%s %q and %s %q", a.Outcome, a.Reason, b.Outcome, b.Reason)
		}
	})
}

// TestLateWords: what the user said in a turn that is over is no part of the next one.
func TestLateWords(t *testing.T) {
	words := func(item, text string) string {
		return `{"type":"conversation.item.input_audio_transcription.completed","item_id":"` + item + `","transcript":"` + text + `"}`
	}
	committed := func(item string) string { return `{"type":"input_audio_buffer.committed","item_id":"` + item + `"}` }
	script := peer.Script{400 * msec, committed("u"), 11*time.Second + 500*msec, words("u", "late"), committed("v"), created("b"), delta("b"), words("v", "and"), done("b", "completed", ""), peer.Hangs{}}
	bubble(t, session(t, script, nil), Config{Transcriber: "t"}, func(r *rig) {
		turn := pipeline.Turn{Voice: spoken(0, 300*msec, 100*msec)}
		all := r.goOn(t, time.Second, turn, turn)
		if a, b := all[0].Record, all[1].Record; a.Outcome != pipeline.Truncated || b.Heard != "and" || b.Outcome != pipeline.OK {
			t.Errorf("%s, then %s %q, heard %q", a.Outcome, b.Outcome, b.Reason, b.Heard)
		}
	})
}

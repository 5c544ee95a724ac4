package phone

import (
	"fmt"
	"strings"
	"testing"
	"time"

	mock "halfsecond/mockllm/server/voice/bot"
	"halfsecond/mockllm/server/voice/peer"
	"halfsecond/pipeline"
	"halfsecond/pipeline/exchange"
)

// goOn says turns of one session, each so long after the end of the one before.
func (r *rig) goOn(wait time.Duration, turns ...pipeline.Turn) (all []*answering) {
	first := r.ID() * 100
	for i, turn := range turns {
		turn.More = i < len(turns)-1
		a := &answering{Turn: turn, done: make(chan struct{})}
		a.Begin = pipeline.Unknown
		a.Record = pipeline.NewAnswered(first+int64(i), r.Now())
		a.Done = func() { close(a.done) }
		outcome := func(r *pipeline.Answered) pipeline.Outcome { return r.Outcome }
		peer.ExpectIn(r.Rig, first, a.Record.ID, &a.Record, outcome, func(x *exchange.Exchange) (pipeline.Answered, error) {
			all, err := RetellAll(x, nil)
			if err != nil || i >= len(all) {
				return pipeline.Answered{}, fmt.Errorf("%d turns: %w", len(all), err)
			}
			return all[i], nil
		})
		r.Do(func() { r.client.Start(&a.Turn) })
		<-a.done
		all = append(all, a)
		time.Sleep(wait)
	}
	return all
}

// TestTurnsInCall: turns of one session are said in one call, whose connection is opened once and whose
// greeting is heard once: from 470 to 670. The caller cuts into the second answer, and is answered
// until 9010: the last turn begins a second after that.
func TestTurnsInCall(t *testing.T) {
	b := mock.Config{Greeting: "ab", Replies: []string{"abcd", "ab cd ef gh ij kl mn op qr st", "ab"}, Ahead: -1}
	config := Config{}
	config.URL = "http://peer.test" + mock.Path
	bubble(t, mocked(t, b), config, func(r *rig) {
		turn := pipeline.Turn{Voice: spoken(0, time.Second, 100*msec)}
		over := spoken(0, 600*msec, 0)
		cut := turn
		cut.Interruption, cut.InterruptAfter = &over, 565*msec
		all := r.goOn(505*msec, turn, cut, turn)
		for i, want := range []string{
			"speech 1670.125..2670 heard 3350..3749.75 interrupted - frames 237 from 20",
			"speech 5254.875..6254.75 heard 6930..7600 interrupted 7533.125 frames 143 from 4760",
			"speech 10010.125..11010 heard 11690..12089.75 interrupted - frames 274 from 7620",
		} {
			s := all[i].State.(*single)
			q := &s.said.Record
			got := fmt.Sprintf("speech %s..%s heard %s..%s interrupted %s frames %d from %s", peer.MS(q.SpeechStart), peer.MS(q.SpeechEnd), peer.MS(q.Voiced), peer.MS(q.Over), peer.MS(q.Interrupted), q.Frames, peer.MS(q.FirstFrame))
			if got != want || q.Outcome != pipeline.OK {
				t.Errorf("turn %d, %s %q\n got %s\nwant %s", i, q.Outcome, q.Reason, got, want)
			}
			if link := all[i].Record.Transport; link.Reused != (i > 0) || link.Status != 101 {
				t.Errorf("turn %d: %+v", i, link)
			}
		}
		r.client.Close()
		if n := len(r.Kept()); n != 1 {
			t.Errorf("%d calls, want 1", n)
		}
	})
}

// TestBadTurnsInCall: a bot that leaves ends the turn under way, and those that were to follow.
func TestBadTurnsInCall(t *testing.T) {
	turn := pipeline.Turn{Voice: spoken(0, 300*msec, 0)}
	for name, tt := range map[string]struct {
		script []any
		want   string
	}{
		"first":   {script(until(500*msec), closes(1000)), `truncated "the bot closed the stream before it answered" 1000, dropped "the call is over: the bot closed the stream before the turn" 0`},
		"between": {script(until(500*msec), sound(0, 100*msec), until(1700*msec), closes(1011)), `ok "" 0, dropped "the call is over: the server closed with code 1011: so it is" 0`},
		"second":  {script(until(500*msec), sound(0, 100*msec), until(2500*msec), closes(1011)), `ok "" 0, error "the server closed with code 1011: so it is" 1011`},
	} {
		bubble(t, (&bot{t: t, script: tt.script}).serve(), Config{NoGreeting: true}, func(r *rig) {
			var got []string
			for _, a := range r.goOn(500*msec, turn, turn) {
				got = append(got, fmt.Sprintf("%s %q %d", a.Record.Outcome, a.Record.Reason, a.Record.Close))
			}
			if text := strings.Join(got, ", "); text != tt.want {
				t.Errorf("%s\n got %s\nwant %s", name, text, tt.want)
			}
		})
	}
}

// TestLimitsByTurn: the limits count for each turn, and the one for the whole call for the greeting
// too; none counts between turns, whatever the bot sends then. Each answer is 27 kB in base64.
func TestLimitsByTurn(t *testing.T) {
	turn := pipeline.Turn{Voice: spoken(0, 300*msec, 0)}
	answers := func(times ...time.Duration) (s []any) {
		for _, at := range times {
			s = append(s, until(at), sound(0, 2500*msec))
		}
		return s
	}
	c := Config{NoGreeting: true, Whole: time.Minute}
	c.Limits.Whole = time.Minute
	for want, tt := range map[string]struct {
		bytes  int64
		wait   time.Duration
		script []any
	}{
		`ok "", ok "", ok ""`:  {30_000, time.Second, answers(500*msec, 5500*msec, 10500*msec)},
		` ok "", ok "", ok ""`: {0, 100 * time.Second, answers(500*msec, 104500*msec, 208500*msec)},
		`ok "", error "the server sends more than 30000 bytes (--limit-bytes)", dropped "the call is over: the server sends more than 30000 bytes (--limit-bytes)"`: {30_000, time.Second, answers(500*msec, 5500*msec, 5600*msec)},
	} {
		c.MaxBytes = tt.bytes
		bubble(t, (&bot{t: t, script: script(tt.script...)}).serve(), c, func(r *rig) {
			var got []string
			for _, a := range r.goOn(tt.wait, turn, turn, turn) {
				got = append(got, fmt.Sprintf("%s %q", a.Record.Outcome, a.Record.Reason))
			}
			if text := strings.Join(got, ", "); text != strings.TrimSpace(want) {
				t.Errorf("\n got %s\nwant %s", text, want)
			}
		})
	}
}

// TestLateAnswersInCall: a telephone does not say what it answers. After a turn without an answer
// the next one is taken for that one's, and a turn in which only one comes has none that is known. The
// second turn begins at 3300 and ends at 3600, the third one a second after that is over.
func TestLateAnswersInCall(t *testing.T) {
	const (
		none = `truncated - "no answer was heard within 2s of the end of speech"`
		one  = `truncated - "no answer was heard within 2s of the end of speech but one that may be to the turn before, which had none"`
	)
	heard := func(times ...time.Duration) []any {
		var s []any
		for _, at := range times {
			s = append(s, until(at), sound(0, 100*msec))
		}
		return script(s...)
	}
	turn := pipeline.Turn{Voice: spoken(0, 300*msec, 0)}
	for name, tt := range map[string]struct {
		script []any
		want   string
	}{
		"between":           {heard(3000*msec, 4800*msec, 7400*msec), none + `, ok 400 "", ok 200 ""`}, // which the caller waits for the end of
		"while it speaks":   {heard(3400*msec, 4200*msec, 6900*msec), none + `, ok 600 "", ok 300 ""`},
		"after it, and own": {heard(3700*msec, 5100*msec, 7800*msec), none + `, ok 1500 "", ok 300 ""`},
		"only one":          {heard(3700*msec, 7100*msec, 8500*msec), none + ", " + one + `, ok 1600 ""`},
		"none ever":         {heard(), none + ", " + none + ", " + none},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, (&bot{t: t, script: tt.script}).serve(), Config{NoGreeting: true, Patience: 2 * time.Second}, func(r *rig) {
				var got []string
				for _, a := range r.goOn(time.Second, turn, turn, turn) {
					v2v := pipeline.Since(a.Record.SpeechEnd, a.Record.Voiced)
					got = append(got, fmt.Sprintf("%s %s %q", a.Record.Outcome, peer.MS(v2v), a.Record.Reason))
					if a.Record.CutIns != 0 {
						t.Errorf("%d cut-ins", a.Record.CutIns)
					}
				}
				if text := strings.Join(got, ", "); text != tt.want {
					t.Errorf("\n got %s\nwant %s", text, tt.want)
				}
			})
		})
	}
}

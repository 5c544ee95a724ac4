package converse

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"halfsecond/mockllm/server/voice/peer"
	"halfsecond/pipeline"
)

func committedItem(item string) string {
	return `{"type":"input_audio_buffer.committed","item_id":"` + item + `"}`
}

func stoppedAt(item string, upTo int) string {
	return fmt.Sprintf(`{"type":"input_audio_buffer.speech_stopped","item_id":"%s","audio_end_ms":%d}`, item, upTo)
}

func added(item, follows string) string {
	return `{"type":"conversation.item.added","previous_item_id":"` + follows + `","item":{"id":"` + item + `","role":"assistant"}}`
}

const startedSpeech = `{"type":"input_audio_buffer.speech_started"}`

func times(n int, what string) (s peer.Script) {
	for range n {
		s = append(s, what)
	}
	return s
}

func script(parts ...any) (all peer.Script) {
	for _, p := range parts {
		if s, ok := p.(peer.Script); ok {
			all = append(all, s...)
		} else {
			all = append(all, p)
		}
	}
	return all
}

func told(r *pipeline.Answered) string {
	ms := peer.MS
	return fmt.Sprintf("cut-ins %d from %s played %s dropped %s v2v %s text %q %s %q", r.CutIns, ms(r.FirstCutIn), ms(r.CutInPlayed), ms(r.CutInDropped), ms(r.V2V()), r.Text, r.Outcome, r.Reason)
}

// TestCutIns: a second of speech begins at 0, with a pause in it that only the server knows of. The
// script begins at 100.
func TestCutIns(t *testing.T) {
	answer := script(created("b"), 100*msec, delta("b"), done("b", "completed", ""), peer.Hangs{})
	early := script(committedItem("u"), created("a"), times(30, delta("a"))) // 300 ms at once
	for name, tt := range map[string]struct {
		script peer.Script
		want   string
	}{
		"none":              {script(time.Second, committedItem("u"), answer), `cut-ins 0 from - played 0 dropped 0 v2v 200 text "" ok ""`},
		"completed":         {script(100*msec, early, done("a", "completed", ""), 50*msec, startedSpeech, 850*msec, committedItem("v"), answer), `cut-ins 1 from 200 played 50 dropped 250 v2v 200 text "" ok ""`},
		"cancelled":         {script(100*msec, early, 60*msec, startedSpeech, 10*msec, done("a", "cancelled", ""), 830*msec, committedItem("v"), answer), `cut-ins 1 from 200 played 60 dropped 240 v2v 200 text "" ok ""`},
		"played to its end": {script(100*msec, early, done("a", "completed", ""), 900*msec, committedItem("v"), answer), `cut-ins 1 from 200 played 300 dropped 0 v2v 200 text "" ok ""`},
		"goes on":           {script(100*msec, early, 1000*msec, done("a", "completed", ""), committedItem("v"), answer), `cut-ins 1 from 200 played 300 dropped 0 v2v 300 text "" ok ""`},
		"overtaken":         {script(100*msec, early, 900*msec, committedItem("v"), answer), `cut-ins 1 from 200 played 300 dropped 0 v2v 200 text "" ok ""`},
		"unheard":           {script(100*msec, committedItem("u"), created("a"), 20*msec, done("a", "cancelled", ""), 880*msec, committedItem("v"), answer), `cut-ins 1 from - played 0 dropped 0 v2v 200 text "" ok ""`},
		"alone":             {script(100*msec, early, done("a", "completed", ""), peer.Hangs{}), `cut-ins 1 from 200 played 300 dropped 0 v2v - text "" truncated "the model began to answer before the end of speech, and not within 10s of it"`},
		"never done":        {script(100*msec, early, peer.Hangs{}), `cut-ins 1 from 200 played 300 dropped 0 v2v - text "" truncated "the model began to answer before the end of speech, and not within 10s of it"`},
		"uncommitted":       {script(created("g"), delta("g"), done("g", "completed", ""), time.Second, committedItem("u"), answer), `cut-ins 1 from 100 played 10 dropped 0 v2v 200 text "" ok ""`},
		"closes":            {script(100*msec, early, 100*msec, peer.Closes(1000)), `cut-ins 1 from 200 played 300 dropped 0 v2v - text "" truncated "the session ended before the answer did: the server closed with code 1000: so it is"`},
		"never answered":    {script(peer.Closes(1000)), `cut-ins -1 from - played - dropped - v2v - text "" truncated "the session ended before the answer did: the server closed with code 1000: so it is"`},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, session(t, tt.script, nil), Config{}, func(r *rig) {
				got := r.speak(pipeline.Turn{Voice: spoken(0, 1000*msec, 100*msec)}).wait()
				if text := told(got); text != tt.want {
					t.Errorf("\n got %s\nwant %s", text, tt.want)
				}
			})
		})
	}
}

// TestMockCutsIn: the mock takes a pause of 2.5 s for the end, and answers it with .4 s of sound,
// which is complete and played before the user goes on.
func TestMockCutsIn(t *testing.T) {
	v, again := spoken(500*msec, 1000*msec, 2500*msec), spoken(0, 1000*msec, 300*msec)
	v.Samples, v.SpeechEnd = append(v.Samples, again.Samples...), 5000*msec
	bubble(t, mocked(t, []string{"a", "b"}, []string{"ab", "cd"}), Config{}, func(r *rig) {
		got := r.speak(pipeline.Turn{Voice: v}).wait()
		// As in TestMock: audible 660 ms after the end of speech.
		if text, want := told(got), `cut-ins 1 from 2260 played 400 dropped 0 v2v 660 text "cd" ok ""`; text != want {
			t.Errorf("\n got %s\nwant %s", text, want)
		}
	})
}

// TestLateAnswers: what answers a turn that had no answer in time is no answer to the next one,
// which begins at 12 s: the first 300 ms were spoken from 0 on, its end was waited for until 10.3 s,
// and a second later the next is due.
func TestLateAnswers(t *testing.T) {
	const none = "no answer began within 10s of the end of speech"
	whole := func(id string) peer.Script { return script(created(id), delta(id), done(id, "completed", "")) }
	at := func(d time.Duration) time.Duration { return d - 100*msec } // since the first audio
	for name, tt := range map[string]struct {
		script peer.Script
		want   string
	}{
		"while it is spoken":       {script(400*msec, committedItem("u"), at(11400*msec)-400*msec, whole("a"), 600*msec, committedItem("v"), whole("b"), peer.Hangs{}), `truncated - "` + none + `", ok 400 ""`},
		"after it":                 {script(400*msec, committedItem("u"), at(11700*msec)-400*msec, whole("a"), 300*msec, committedItem("v"), whole("b"), peer.Hangs{}), `truncated - "` + none + `", ok 400 ""`},
		"and no other":             {script(400*msec, committedItem("u"), at(11700*msec)-400*msec, whole("a"), peer.Hangs{}), `truncated - "` + none + `", truncated - "` + none + `"`},
		"committed late":           {script(at(11400*msec), stoppedAt("u", 500), committedItem("u"), whole("a"), 600*msec, stoppedAt("v", 11_800), committedItem("v"), whole("b"), peer.Hangs{}), `truncated - "` + none + `", ok 400 ""`},
		"committed between":        {script(at(10500*msec), committedItem("u"), 1200*msec, whole("a"), 300*msec, committedItem("v"), whole("b"), peer.Hangs{}), `truncated - "` + none + `", ok 400 ""`},
		"by its item":              {script(400*msec, committedItem("u"), at(11700*msec)-400*msec, committedItem("v"), created("a"), added("i", "u"), delta("a"), done("a", "completed", ""), 300*msec, created("b"), strings.ReplaceAll(delta("b"), `"i"`, `"j"`), done("b", "completed", ""), peer.Hangs{}), `truncated - "` + none + `", ok 400 ""`},
		"nothing is told":          {script(at(11700*msec), whole("a"), 300*msec, whole("b"), peer.Hangs{}), `truncated - "` + none + `", ok 400 ""`},
		"nothing is told, between": {script(at(10500*msec), whole("a"), 1500*msec, whole("b"), peer.Hangs{}), `truncated - "` + none + `", ok 400 ""`},
		"one, and nothing is told": {script(at(11700*msec), whole("a"), peer.Hangs{}), `truncated - "` + none + `", truncated - "` + none + ` but one that may be to the turn before, which had none"`},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, session(t, tt.script, nil), Config{}, func(r *rig) {
				turn := pipeline.Turn{Voice: spoken(0, 300*msec, 100*msec)}
				var got []string
				for _, a := range r.goOn(t, time.Second, turn, turn) {
					got = append(got, fmt.Sprintf("%s %s %q", a.Record.Outcome, peer.MS(a.Record.V2V()), a.Record.Reason))
				}
				if text := strings.Join(got, ", "); text != tt.want {
					t.Errorf("\n got %s\nwant %s", text, tt.want)
				}
			})
		})
	}
}

// TestHeardInParts: where the server takes a pause for the end, the words of each part are waited for,
// though those of one before came in time, and the answer is over. A second of speech begins at 0.
func TestHeardInParts(t *testing.T) {
	words := func(item, text string) string {
		return `{"type":"conversation.item.input_audio_transcription.completed","item_id":"` + item + `","transcript":"` + text + `"}`
	}
	for name, ids := range map[string][2]string{"items": {"u", "v"}, "no items": {"", ""}} {
		s := script(100*msec, committedItem(ids[0]), 100*msec, words(ids[0], "one"), 800*msec, committedItem(ids[1]), created("b"), 100*msec, delta("b"), done("b", "completed", ""),
			100*msec, words(ids[1], "two"), peer.Hangs{})
		bubble(t, session(t, s, nil), Config{Transcriber: "t"}, func(r *rig) {
			a := r.speak(pipeline.Turn{Voice: spoken(0, 1000*msec, 100*msec)}).wait()
			if got, want := fmt.Sprintf("%q at %s, end %s, %s", a.Heard, peer.MS(a.HeardAt), peer.MS(a.End), a.Outcome), `"one two" at 1300, end 1300, ok`; got != want {
				t.Errorf("%s: %s, want %s", name, got, want)
			}
		})
	}
}

// TestCommitsBehind: a server may say what it has committed when its answer has begun, whatever else
// was said in the first turn; and one whose greeting is still being made at the first commit does not
// for that. The first turn is spoken from 0 to 300.
func TestCommitsBehind(t *testing.T) {
	whole := func(id string) peer.Script { return script(created(id), delta(id), done(id, "completed", "")) }
	one := func(id, item string) peer.Script {
		return script(created(id), committedItem(item), delta(id), done(id, "completed", ""))
	}
	for name, tt := range map[string]struct {
		script peer.Script
		want   string
	}{
		"behind":         {script(400*msec, one("a", "u"), 1500*msec, one("b", "v"), peer.Hangs{}), "ok 200, ok 200"},
		"and cuts in":    {script(50*msec, one("x", "t"), 350*msec, one("a", "u"), 1500*msec, one("b", "v"), peer.Hangs{}), "ok 200, ok 200"},
		"after a silent": {script(12000*msec, one("a", "u"), 11000*msec, one("b", "v"), peer.Hangs{}), "truncated -, truncated -, ok 200"},
		// The second turn, from 1600 on, has no answer in time: that comes in the third, from 12.9 s on.
		"a greeting": {script(created("g"), delta("g"), 400*msec, committedItem("u"), 50*msec, done("g", "completed", ""), 50*msec, whole("b"), 1700*msec, committedItem("v"),
			11000*msec, whole("a"), 200*msec, committedItem("w"), whole("c"), peer.Hangs{}), "ok 300, truncated -, ok 300"},
	} {
		bubble(t, session(t, tt.script, nil), Config{}, func(r *rig) {
			turn := pipeline.Turn{Voice: spoken(0, 300*msec, 100*msec)}
			turns := []pipeline.Turn{turn, turn, turn}
			var got []string
			for _, a := range r.goOn(t, time.Second, turns[:strings.Count(tt.want, ",")+1]...) {
				got = append(got, fmt.Sprintf("%s %s", a.Record.Outcome, peer.MS(a.Record.V2V())))
			}
			if text := strings.Join(got, ", "); text != tt.want {
				t.Errorf("%s: %s, want %s", name, text, tt.want)
			}
		})
	}
}

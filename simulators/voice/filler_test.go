package voice

import (
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
)

func TestFiller(t *testing.T) {
	filler := func(f Filler) Stack {
		k := plain
		k.Filler = &f
		return k
	}
	tools := filler(Filler{Share: 1, For: constant(700 * ms), Tools: true})
	called := tools
	called.Tool = &Tool{Share: 1, Tokens: dist.ConstantCount(25), Takes: constant(300 * ms), Result: dist.ConstantCount(50)}
	waiting := filler(Filler{Share: 1, For: constant(700 * ms)})
	waiting.PostWait, waiting.PreBuffer = constant(100*ms), constant(200*ms)
	voiced := func(v TTS) Stack {
		k := filler(Filler{Share: 1, For: constant(700 * ms)})
		v.FirstAudio = k.TTS.FirstAudio
		k.TTS = v
		return k
	}
	slow := voiced(TTS{Factor: 2})
	slow.ReplyTokens = dist.ConstantCount(4)
	for _, c := range []struct {
		name         string
		k            Stack
		marks, spans string // the latter from the commit on
	}{
		// The filler is made until 475, heard at 475 + 150 + 40, and over at 1325; the answer is made at 605.
		{"the answer waits for its end", filler(Filler{Share: 1, For: constant(700 * ms)}), "filler_heard 665, reply_heard 1515",
			"prefill 307-387 [4], filler 287-475 [2 3], filler_plays 475-1325 [6], gathering 387-417 [5], tts_first_audio 417-605 [8], filler_wait 605-1325 [9], leading_silence 1325-1475 [10 7], playout 1475-1515 [11]"},
		// It is sent 300 ms later, as the answer is, at the ear from 965 to 1665, and the answer from 150 ms later on.
		{"what the agent waits and gathers", waiting, "filler_heard 965, reply_heard 1815",
			"prefill 307-387 [4], filler 287-775 [2 3], filler_plays 775-1625 [6], gathering 387-417 [5], tts_first_audio 417-605 [8], post_wait 605-705 [9], pre_buffer 705-905 [10], filler_wait 905-1625 [11], leading_silence 1625-1775 [12 7], playout 1775-1815 [13]"},
		{"a short one", filler(Filler{Share: 1, For: constant(100 * ms)}), "filler_heard 665, reply_heard 915",
			"prefill 307-387 [4], filler 287-475 [2 3], filler_plays 475-725 [6], gathering 387-417 [5], tts_first_audio 417-605 [8], filler_wait 605-725 [9], leading_silence 725-875 [10 7], playout 875-915 [11]"},
		{"later", filler(Filler{Share: 1, After: constant(100 * ms), For: constant(700 * ms)}), "filler_heard 765, reply_heard 1615",
			"prefill 307-387 [4], gathering 387-417 [5], filler 287-575 [2 3], filler_plays 575-1425 [7], tts_first_audio 417-605 [6], filler_wait 605-1425 [9], leading_silence 1425-1575 [10 8], playout 1575-1615 [11]"},
		// The voice costs it what it costs the answer: a connection,
		{"a connection for each use", voiced(TTS{Connect: constant(60 * ms), Socket: Socket{Each: true}}), "filler_heard 725, reply_heard 1575",
			"prefill 307-387 [4], filler 287-535 [2 3], filler_plays 535-1385 [6], gathering 387-417 [5], tts_connect 417-477 [8], tts_first_audio 477-665 [9], filler_wait 665-1385 [10], leading_silence 1385-1535 [11 7], playout 1535-1575 [12]"},
		{"it opens the connection", voiced(TTS{Connect: constant(60 * ms), Socket: Socket{Idle: 5 * time.Second}}), "filler_heard 725, reply_heard 1575",
			"prefill 307-387 [4], filler 287-535 [2 3], filler_plays 535-1385 [6], gathering 387-417 [5], tts_first_audio 417-605 [8], filler_wait 605-1385 [9], leading_silence 1385-1535 [10 7], playout 1535-1575 [11]"},
		{"which the answer waits for, too", voiced(TTS{Connect: constant(200 * ms), Socket: Socket{Idle: 5 * time.Second}}), "filler_heard 865, reply_heard 1715",
			"prefill 307-387 [4], filler 287-675 [2 3], filler_plays 675-1525 [6], gathering 387-417 [5], tts_connect 417-487 [8], tts_first_audio 487-675 [9], filler_wait 675-1525 [10], leading_silence 1525-1675 [11 7], playout 1675-1715 [12]"},
		// a place, which it has for 188 + 350 ms,
		{"it has the voice", voiced(TTS{Workers: 1, Factor: .5}), "filler_heard 665, reply_heard 1515, reply_over 11515",
			"prefill 307-387 [4], filler 287-475 [2 3], filler_plays 475-1325 [6], gathering 387-417 [5], tts_queue 417-825 [8], tts_first_audio 825-1013 [9], filler_wait 1013-1325 [10], leading_silence 1325-1475 [11 7], playout 1475-1515 [12]"},
		// and its pace: all of it is made at 475 + 1400.
		{"made slower than it plays", slow, "filler_heard 665, reply_heard 2065, reply_over 3065",
			"prefill 307-387 [4], filler 287-475 [2 3], filler_plays 475-1875 [6], gathering 387-417 [5], tts_first_audio 417-605 [8], filler_wait 605-1875 [9], leading_silence 1875-2025 [10 7], playout 2025-2065 [11]"},
		{"too late: there is text of the answer", filler(Filler{Share: 1, After: constant(131 * ms), For: constant(700 * ms)}), "reply_heard 795",
			"prefill 307-387 [4], gathering 387-417 [5], tts_first_audio 417-605 [6], leading_silence 605-755 [7], playout 755-795 [8]"},
		{"no tool is called", tools, "reply_heard 795", "prefill 307-387 [4], gathering 387-417 [5], tts_first_audio 417-605 [6], leading_silence 605-755 [7], playout 755-795 [8]"},
		{"a tool is", called, "filler_heard 665, reply_heard 1515", "prefill 307-387 [4], filler 287-475 [2 3], filler_plays 475-1325 [6], tool_call 387-627 [5], tool 627-927 [8], " +
			"queue 927-947 [9], prefill 947-1027 [10], gathering 1027-1057 [11], tts_first_audio 1057-1245 [12], filler_wait 1245-1325 [13], leading_silence 1325-1475 [14 7], playout 1475-1515 [15]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr := newBench(c.k).turn(t, 10*time.Second, 0, 0)
			if got := marksOf(tr); got != c.marks {
				t.Errorf("marks %s, want %s", got, c.marks)
			}
			got := strings.Replace(spansOf(tr), "queue 287-307 [2 3], ", "", 1)
			if got = strings.TrimPrefix(got, ear); got != c.spans {
				t.Errorf("spans\n%s\nwant\n%s", got, c.spans)
			}
		})
	}
}

// TestFillerOfAFailedTurn: a filler that is to come does not come once the turn has failed,
// and not in a later turn.
func TestFillerOfAFailedTurn(t *testing.T) {
	k := plain
	k.Filler = &Filler{Share: 1, After: constant(3 * time.Second), For: constant(700 * ms)}
	k.ReplyTokens = dist.ConstantCount(1000)
	b := newBench(k)
	b.model.fails = 1
	failed := b.turn(t, 0, 0, 0)
	if failed.Outcome != pipeline.Error || failed.End != 287*ms || len(failed.Marks) != 0 {
		t.Errorf("%s at %s, marks %s; want an error at 287ms and none", failed.Outcome, failed.End, marksOf(failed))
	}
	// The same turn's memory serves the next one, which the old timer would fall into.
	b = newBench(k)
	b.model.fails = 1
	b.loop.At(0, pipeline.RankInput, func() { b.sim.Begin(0, 0, func(*pipeline.Trace) {}) })
	if next := b.turn(t, 2*time.Second, 0, 1); marksOf(next) != "reply_heard 795" {
		t.Errorf("marks of the next turn: %s", marksOf(next))
	}
}

// TestFillersWait: a filler waits for a place at the voice like any text. A filler of 100 ms and
// the reply of 10 s behind it, both made in half as long after 188 ms, have the only one from 287
// to 525 and from there to 5713.
func TestFillersWait(t *testing.T) {
	k := plain
	k.Filler = &Filler{Share: 1, For: constant(100 * ms)}
	k.TTS.Workers, k.TTS.Factor = 1, .5
	b := newBench(k)
	b.loop.At(0, pipeline.RankInput, func() { b.sim.Begin(0, 0, func(*pipeline.Trace) {}) })
	tr := b.turn(t, time.Second, 1, 0) // its filler is there at 1287, its answer at 1417
	want := "filler 287-4901 [2 3], filler_plays 4901-5151 [7], tts_queue 417-4951 [6], tts_first_audio 4951-5139 [9], filler_wait 5139-5151 [10], leading_silence 5151-5301 [11 8], playout 5301-5341 [12]"
	if got := spansOf(tr); !strings.HasSuffix(got, want) || !strings.HasPrefix(marksOf(tr), "filler_heard 5091, reply_heard 5341") {
		t.Errorf("marks %s, spans\n%s\nwant\n%s", marksOf(tr), got, want)
	}
}

// TestFillerGivenUp: a filler that waits for a place when its turn fails is never said, and takes
// no place from another.
func TestFillerGivenUp(t *testing.T) {
	k := plain
	k.Filler = &Filler{Share: 1, For: constant(100 * ms)}
	k.Tool = &Tool{Share: 1, Tokens: dist.ConstantCount(25), Takes: constant(300 * ms), Result: dist.ConstantCount(50)}
	k.TTS.Workers, k.TTS.Factor = 1, .5
	b := newBench(k)
	b.model.fails = 4 // the second request of the second turn, after its tool
	b.loop.At(0, pipeline.RankInput, func() { b.sim.Begin(0, 0, func(*pipeline.Trace) {}) })
	b.loop.At(2*time.Second, pipeline.RankInput, func() {
		if n := len(b.sim.desk.waiting); n != 1 {
			t.Errorf("%d texts wait for the voice, want the filler", n)
		}
	})
	tr := b.turn(t, 1100*ms, 1, 0) // the reply of the first turn has the voice from 1057 to 6245
	if tr.Outcome != pipeline.Error || tr.End != 2027*ms || len(tr.Marks) != 0 || strings.Contains(spansOf(tr), "filler") || len(b.sim.desk.waiting) != 0 {
		t.Errorf("%s at %s, marks %s, spans %s, %d wait", tr.Outcome, tr.End, marksOf(tr), spansOf(tr), len(b.sim.desk.waiting))
	}
}

// TestFillerOverAService: a service that speaks the answer is not asked for the filler, which
// takes as long as one does that is modelled.
func TestFillerOverAService(t *testing.T) {
	k := tuned
	k.Filler = &Filler{Share: 1, For: constant(100 * ms)}
	tr := liveStack(t, k, 300*ms, &speaker{}) // committed at 340
	if got := tr.Mark(pipeline.MarkFillerHeard) - tr.Due; got != 340*ms+188*ms+150*ms+40*ms {
		t.Errorf("the filler is heard after %s, want 718ms: %s", got, spansOf(tr))
	}
}

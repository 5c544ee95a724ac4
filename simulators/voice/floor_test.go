package voice

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
)

// marksOf returns the marks of a trace in ms from due, by name.
func marksOf(tr *pipeline.Trace) string {
	var all []string
	for _, m := range tr.Marks {
		all = append(all, fmt.Sprintf("%s %d", m.Name, (m.At-tr.Due)/ms))
	}
	return strings.Join(all, ", ")
}

func factsOf(tr *pipeline.Trace) string {
	var all []string
	for _, f := range tr.Facts {
		all = append(all, f.Name+" "+f.Value)
	}
	return strings.Join(all, ", ")
}

func TestTool(t *testing.T) {
	k := plain
	k.Tool = &Tool{Share: 1, Tokens: dist.ConstantCount(25), Takes: constant(300 * ms), Result: dist.ConstantCount(50)}
	b := newBench(k)
	tr := b.turn(t, 10*time.Second, 0, 0)
	want := ear + "queue 287-307 [2 3], prefill 307-387 [4], tool_call 387-627 [5], tool 627-927 [6], " +
		"queue 927-947 [7], prefill 947-1027 [8], gathering 1027-1057 [9], tts_first_audio 1057-1245 [10], leading_silence 1245-1395 [11], playout 1395-1435 [12]"
	if got := spansOf(tr); got != want {
		t.Errorf("spans\n%s\nwant\n%s", got, want)
	}
	calls := b.model.calls
	if len(calls) != 2 || calls[0].prompt != 1000 || calls[0].output != 25 || calls[1].prompt != 1050 || calls[1].output != 40 {
		t.Fatalf("calls %+v, want 1000 tokens in and 25 out, then 1050 and 40", calls)
	}
	if got := common(calls[0].blocks, calls[1].blocks); got != 1000 {
		t.Errorf("they share %d tokens, want the first prompt's 1000", got)
	}
	if len(tr.Requests) != 2 || tr.Requests[1].PromptTokens != 1050 {
		t.Errorf("requests %+v", tr.Requests)
	}
	// A call of one token leaves no span, and a tool that fails to be called ends the turn.
	k.Tool.Tokens = dist.ConstantCount(1)
	b = newBench(k)
	if got := spansOf(b.turn(t, 0, 0, 0)); !strings.Contains(got, "prefill 307-387 [4], tool 387-687 [5]") {
		t.Errorf("spans %s", got)
	}
	b = newBench(k)
	b.model.fails = 1
	if tr := b.turn(t, 0, 0, 0); tr.Outcome != pipeline.Error || tr.End != 287*ms {
		t.Errorf("%s at %s, want an error at 287ms", tr.Outcome, tr.End)
	}
	// Half of the turns need one.
	k.Tool.Share, k.Context.Alone = .5, true
	b = newBench(k)
	for i := range 1000 {
		b.turn(t, time.Duration(i)*10*time.Second, i, 0)
	}
	if n := len(b.model.calls) - 1000; n < 450 || n > 550 {
		t.Errorf("%d of 1000 turns called the tool, want 500", n)
	}
}

// The reply of plain is heard at 795 and plays for 10 s.
func TestBargeIn(t *testing.T) {
	barge := func(x BargeIn) Stack {
		k := plain
		x.Share = 1
		k.BargeIn = &x
		return k
	}
	long := constant(2 * time.Second)
	for _, c := range []struct {
		name         string
		k            Stack
		marks, facts string
		cancelled    time.Duration // the model's request, ms from due; -1 for not
	}{
		// 1 s into the reply; the onset is at the agent after 40 ms, the detector takes 200 more, and silence 40 to the ear.
		{"cleared", barge(BargeIn{After: constant(time.Second), Start: constant(200 * ms), For: long, Buffer: constant(900 * ms), Clear: true}),
			"reply_heard 795, barge_in 1795, noticed 2035, silence 2075", "barge_in stopped, heard_tokens 5", -1},
		{"playback goes on", barge(BargeIn{After: constant(time.Second), Start: constant(200 * ms), For: long, Buffer: constant(900 * ms)}),
			"reply_heard 795, barge_in 1795, noticed 2035, silence 2975", "barge_in stopped, heard_tokens 8", -1},
		{"the guard is longer", barge(BargeIn{After: constant(time.Second), Start: constant(200 * ms), Guard: constant(600 * ms), For: long, Clear: true}),
			"reply_heard 795, barge_in 1795, noticed 2435, silence 2475", "barge_in stopped, heard_tokens 6", -1},
		{"no interruption", barge(BargeIn{After: constant(time.Second), Start: constant(200 * ms), For: long, Clear: true, False: 1}),
			"reply_heard 795, barge_in 1795, noticed 2035, silence 2075", "barge_in false stop, heard_tokens 5", -1},
		{"shorter than the guard", barge(BargeIn{After: constant(time.Second), Guard: constant(600 * ms), For: constant(599 * ms), Clear: true}),
			"reply_heard 795, barge_in 1795", "barge_in unnoticed", -1},
		{"over before it is noticed", barge(BargeIn{After: constant(9800 * ms), Start: constant(200 * ms), For: long, Clear: true}),
			"reply_heard 795, barge_in 10595", "barge_in unnoticed", -1},
		{"after the end", barge(BargeIn{After: constant(10 * time.Second), For: long, Clear: true}), "reply_heard 795", "", -1},
		{"the rest was sent ahead", barge(BargeIn{After: constant(9500 * ms), Start: constant(200 * ms), For: long, Buffer: constant(time.Minute)}),
			"reply_heard 795, barge_in 10295, noticed 10535, silence 10795", "barge_in stopped, heard_tokens 40", -1},
		// 200 tokens are out at 2377: at 1235 the model still writes.
		{"the model is stopped", func() Stack {
			k := barge(BargeIn{After: constant(200 * ms), Start: constant(200 * ms), For: long, Clear: true})
			k.ReplyTokens = dist.ConstantCount(200)
			return k
		}(), "reply_heard 795, barge_in 995, noticed 1235, silence 1275", "barge_in stopped, heard_tokens 1", 1235},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(c.k)
			tr := b.turn(t, 10*time.Second, 0, 0)
			if got := marksOf(tr); got != c.marks {
				t.Errorf("marks %s, want %s", got, c.marks)
			}
			if got := factsOf(tr); got != c.facts || tr.Outcome != pipeline.OK {
				t.Errorf("%s %s, facts %s, want %s", tr.Outcome, tr.Reason, got, c.facts)
			}
			cancelled := time.Duration(-1)
			if at := b.model.calls[0].cancelled; at != pipeline.Unknown {
				cancelled = (at - tr.Due) / ms
			}
			if cancelled != c.cancelled {
				t.Errorf("the request was given up at %d ms, want %d", cancelled, c.cancelled)
			}
			over := tr.Mark(pipeline.MarkSilence)
			if over == pipeline.Unknown {
				over = tr.Mark(pipeline.MarkReplyHeard) + 10*time.Second
			}
			if next := newBench(c.k).nextDue(t); next != over-tr.Due+2*time.Second {
				t.Errorf("the next turn is due at %s, want 2s after %s", next, over-tr.Due)
			}
		})
	}
}

// TestBargeInFreesTheVoice: a voice that is stopped serves the next text.
func TestBargeInFreesTheVoice(t *testing.T) {
	k := plain
	k.BargeIn = &BargeIn{Share: 1, After: constant(time.Second), Start: constant(200 * ms), For: constant(2 * time.Second), Clear: true}
	k.TTS.Workers, k.TTS.Factor = 1, .9 // busy from 417 for 188 ms and 9 s, or until 2035
	b := newBench(k)
	b.loop.At(0, pipeline.RankInput, func() { b.sim.Begin(0, 0, func(*pipeline.Trace) {}) })
	tr := b.turn(t, time.Second, 1, 0)
	// Its text is there at 1417, the voice is free at 2035.
	if got := heardAfter(tr); got != 795*ms+618*ms {
		t.Errorf("heard after %s, want 1413ms: %s", got, spansOf(tr))
	}
}

// TestUnderruns: the reply of two sentences of 4 tokens, a second each, at the ear.
func TestUnderruns(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(k *Stack)
		gaps   string
		over   time.Duration // ms
	}{
		// The first is made from 417 to 605 + 500 and heard from 795 to 1795. The second's text
		// is there at 457; it is made from 1105 on: its first sample is at the ear at 1333.
		{"a voice that keeps up", func(k *Stack) { k.TTS.Factor = .5 }, "", 2795},
		// Made until 605 + 1500 = 2105: its last sample is at the ear at 2145, 350 late. The 150 ms
		// of leading silence give 100 in hand, which are used up at 795 + 300. The second comes
		// from 2293 on, at the ear at 2333 instead of 2145 with nothing in hand: its 500 ms follow.
		{"slower than speech", func(k *Stack) { k.TTS.Factor = 1.5 }, "1095-1445 2145-2833 ", 3833},
		{"a buffer helps", func(k *Stack) { k.TTS.Factor, k.PreBuffer = 1.5, constant(400*ms) }, "2195-2833 ", 3833},
		// 500 ms a token: the second sentence is whole at 387 + 7 · 500 = 3887, the first at 1887.
		{"a slow model", func(k *Stack) { k.TTS.Factor = .1 }, "3265-4115 ", 5115},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := plain
			k.ReplyTokens = dist.ConstantCount(8)
			c.change(&k)
			b := newBench(k)
			if c.name == "a slow model" {
				b.model.next = 500 * ms
			}
			tr := b.turn(t, 10*time.Second, 0, 0)
			gaps := ""
			for _, s := range tr.Spans {
				if s.Name == pipeline.SpanUnderrun {
					gaps += fmt.Sprintf("%d-%d ", (s.Start-tr.Due)/ms, (s.End-tr.Due)/ms)
				}
			}
			if over := tr.Mark(pipeline.MarkReplyOver) - tr.Due; gaps != c.gaps || over != c.over*ms {
				t.Errorf("gaps %q, over at %s; want %q and %s", gaps, over, c.gaps, c.over*ms)
			}
		})
	}
}

// TestUnderrunsOfAStoppedReply: silence that the user asked for is no hole. Of the first
// sentence, made in 1.5 s from 605 on, 833 ms are at the ear at 1895, 1100 ms after the first:
// the hole is the rest, once what the 150 ms of leading silence gave is used up, 300 ms after it.
func TestUnderrunsOfAStoppedReply(t *testing.T) {
	k := plain
	k.ReplyTokens, k.TTS.Factor = dist.ConstantCount(8), 1.5
	k.BargeIn = &BargeIn{Share: 1, After: constant(time.Second), Start: constant(20 * ms), For: constant(2 * time.Second), Clear: true}
	tr := newBench(k).turn(t, 0, 0, 0) // noticed at 1855, silent at 1895
	last := tr.Spans[len(tr.Spans)-1]
	if last.Name != pipeline.SpanUnderrun || last.Start != 1095*ms || last.For() != 1100*ms-1250*ms*2/3 || tr.Mark(pipeline.MarkReplyOver) != pipeline.Unknown {
		t.Errorf("the last span is %+v, the marks are %s", last, marksOf(tr))
	}
}

// TestHeardTokens: of a reply that is spoken into those tokens count that sounded at the ear: not
// the silence of holes, and not what was not made yet.
func TestHeardTokens(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(k *Stack)
		next   time.Duration // of the model, a token
		after  time.Duration
		want   string
	}{
		{"a reply without holes", func(*Stack) {}, 10, 5000, "20"}, // silent 5.08 s after the first
		// 4 tokens a second long, each made in 2 s, 188 ms after the one before: of 5.08 s and
		// the 150 of leading silence in hand, which is at the ear 795 - 645 before, half sounds.
		{"a voice half as fast as speech", func(k *Stack) { k.TTS.Factor = 2 }, 10, 5000, "9"},
		// Sentences are whole at 387 + 500 (4 i - 1), for a second each: the first is heard at
		// 2265, and the sixth is over at 13115, when the user speaks, who is noticed at 13305.
		{"a model of two tokens a second", func(*Stack) {}, 500, 11000, "24"},
		{"and a fast voice", func(k *Stack) { k.TTS.Factor = .1 }, 500, 11000, "24"},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := plain
			k.BargeIn = &BargeIn{Share: 1, After: constant(c.after * ms), For: constant(2 * time.Second), Clear: true}
			c.change(&k)
			b := newBench(k)
			b.model.next = c.next * ms
			tr := b.turn(t, 0, 0, 0)
			if got := tr.Fact(pipeline.FactHeardTokens); got != c.want {
				t.Errorf("heard %s, want %s: %s; %s", got, c.want, marksOf(tr), spansOf(tr))
			}
			made := tr.Requests[len(tr.Requests)-1].OutputTokens
			if n, _ := strconv.Atoi(tr.Fact(pipeline.FactHeardTokens)); n > made {
				t.Errorf("%d tokens were heard of %d", n, made)
			}
		})
	}
}

// TestBargeInAtTheEnd: a reply ends when its last sample is at the ear, holes and all, and is
// spoken into until then: the plain one of 40 tokens is over at 10.795 s, and one that is made
// half as fast as it plays at 605 + 40 + 20 s and 9 pauses of 188 ms.
func TestBargeInAtTheEnd(t *testing.T) {
	for _, c := range []struct {
		factor float64
		after  time.Duration
		spoken bool
	}{{0, 9999, true}, {0, 10000, false}, {2, 10000, true}, {2, 645 + 20000 + 9*188 - 795 - 1, true}, {2, 645 + 20000 + 9*188 - 795, false}} {
		k := plain
		k.TTS.Factor = c.factor
		k.BargeIn = &BargeIn{Share: 1, After: constant(c.after * ms), For: constant(2 * time.Second), Clear: true}
		tr := newBench(k).turn(t, 0, 0, 0)
		if spoken := tr.Mark(pipeline.MarkBargeIn) != pipeline.Unknown; spoken != c.spoken {
			t.Errorf("factor %v, %d ms after: spoken into %t, want %t", c.factor, c.after, spoken, c.spoken)
		}
	}
}

package cassette

import (
	"time"

	"halfsecond/pipeline"
)

// Stage is a cassette as the language model of a pipeline.
type Stage struct {
	loop pipeline.Scheduler
	pick func(draw uint64) *Answer
}

var _ pipeline.LLM = (*Stage)(nil)

// NewStage returns a stage on a loop that gives each call, in the order of their coming,
// the answer that pick returns for the call's Draw.
func NewStage(loop pipeline.Scheduler, pick func(draw uint64) *Answer) *Stage {
	return &Stage{loop, pick}
}

// playback is an answer on its way.
type playback struct {
	stage  *Stage
	call   *pipeline.Call
	answer *Answer
	sent   time.Duration
	next   int            // of the answer's steps
	count  int            // of the call's Counts that were told
	timer  pipeline.Timer // of the next step, or of the end
	ended  bool
}

// Start implements pipeline.LLM.
func (s *Stage) Start(c *pipeline.Call) {
	p := &playback{stage: s, call: c, answer: s.pick(c.Draw), sent: s.loop.Now()}
	c.State = p
	c.Record.Sent, c.Record.Simulated = p.sent, true
	p.arm()
}

// arm waits for the next step, or for the end.
func (p *playback) arm() {
	if p.next < len(p.answer.Steps) {
		p.timer = p.stage.loop.At(p.sent+p.answer.Steps[p.next].At, pipeline.RankOutput, p.step)
		return
	}
	end := max(p.sent+p.answer.Record.End, p.stage.loop.Now())
	p.timer = p.stage.loop.At(end, pipeline.RankOutput, func() {
		p.end(p.answer.Record.Outcome, p.answer.Record.Reason)
	})
}

// step tells the asker of the counts that a step brings.
func (p *playback) step() {
	tokens := p.answer.Steps[p.next].Tokens
	p.next++
	for c := p.call; p.count < len(c.Counts) && c.Counts[p.count] <= tokens && !p.ended; {
		p.count++
		c.Notify(pipeline.Progress{Tokens: c.Counts[p.count-1], Modelled: true})
	}
	if !p.ended {
		p.arm()
	}
}

// Cancel implements pipeline.LLM.
func (s *Stage) Cancel(c *pipeline.Call) {
	p, ok := c.State.(*playback)
	if !ok || p.ended {
		return
	}
	p.ended = true
	p.timer.Stop()
	s.loop.After(0, pipeline.RankOutput, func() { p.end(pipeline.Cancelled, "") })
}

// end completes the record with what had come by now.
func (p *playback) end(o pipeline.Outcome, reason string) {
	p.ended = true
	now := p.stage.loop.Now()
	mine, its := &p.call.Record, p.answer.Record
	for _, at := range []struct{ to, from *time.Duration }{
		{&mine.FirstByte, &its.FirstByte}, {&mine.FirstOutput, &its.FirstOutput}, {&mine.FirstText, &its.FirstText},
		{&mine.FirstSeen, &its.FirstSeen}, {&mine.LastOutput, &its.LastOutput},
	} {
		if *at.from != pipeline.Unknown && p.sent+*at.from <= now {
			*at.to = p.sent + *at.from
		}
	}
	if mine.LastOutput == pipeline.Unknown && p.next > 0 {
		mine.LastOutput = p.sent + p.answer.Steps[p.next-1].At
	}
	mine.End, mine.Outcome, mine.Reason = now, o, reason
	if o != pipeline.Cancelled { // a client never learns the counts of what it gave up
		mine.Finish, mine.TokenSource, mine.Chunks = its.Finish, its.TokenSource, its.Chunks
		mine.Choices, mine.Together, mine.Opening = its.Choices, its.Together, its.Opening
		mine.Gaps, mine.LongestGap, mine.Transport.Burst = its.Gaps, its.LongestGap, its.Transport.Burst
		mine.PromptTokens, mine.CachedTokens, mine.OutputTokens = its.PromptTokens, its.CachedTokens, its.OutputTokens
		mine.Server = its.Server
	}
	p.call.State = nil
	p.call.Done()
}

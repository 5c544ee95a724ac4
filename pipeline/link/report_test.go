package link

import (
	"testing"
	"time"

	"halfsecond/pipeline"
)

// telling is a model that answers never and knows since when it works on a call.
type telling struct {
	loop  pipeline.Scheduler
	began time.Duration
}

func (m *telling) Start(c *pipeline.Call) { c.Record.Sent, m.began = m.loop.Now(), m.loop.Now() }
func (m *telling) Cancel(*pipeline.Call)  {}
func (m *telling) Report(c *pipeline.Call) {
	c.Record.Scheduled, c.Record.FirstOutput = m.began, m.began+10*ms
	c.Record.OutputTokens = 3
}

// TestReport: what a model knows of a call that goes on comes home in the instants of the way,
// and with the connection that it travels on.
func TestReport(t *testing.T) {
	var loop pipeline.Virtual
	far := Between(&loop, trip(20*ms), &telling{loop: &loop})
	d := Dialing(&loop, Connections{Dial: 40 * ms}, far)
	c := &pipeline.Call{Record: pipeline.NewRequest(1, 0)}
	d.Start(c)
	loop.RunUntil(30 * ms)
	d.Report(c)
	if c.Record.Scheduled != pipeline.Unknown || c.Record.Sent != pipeline.Unknown {
		t.Errorf("while it dials the record is %+v", c.Record)
	}
	loop.RunUntil(100 * ms)
	d.Report(c)
	r := &c.Record
	if r.Sent != 40*ms || r.Scheduled != 40*ms || r.FirstOutput != 70*ms || r.OutputTokens != 3 || r.End != pipeline.Unknown {
		t.Errorf("sent %s, scheduled %s, first output %s, %d tokens, end %s; want 40ms, 40ms, 70ms, 3, unknown", r.Sent, r.Scheduled, r.FirstOutput, r.OutputTokens, r.End)
	}
	if r.Transport.Connect != 40*ms || r.Way != (pipeline.Way{Out: 10 * ms, Back: 10 * ms}) {
		t.Errorf("connect %s, way %+v; want 40ms, and 10ms each way", r.Transport.Connect, r.Way)
	}
}

// TestReportOfNone: a model that cannot tell is left alone.
func TestReportOfNone(t *testing.T) {
	var loop pipeline.Virtual
	d := Dialing(&loop, Connections{Open: 1}, Between(&loop, trip(20*ms), &echo{loop: &loop}))
	c := &pipeline.Call{Record: pipeline.NewRequest(1, 0)}
	d.Start(c)
	loop.RunUntil(20 * ms)
	if d.Report(c); c.Record.Scheduled != pipeline.Unknown {
		t.Errorf("scheduled %s, which nobody knows", c.Record.Scheduled)
	}
}

// ending is a model that ends at once, and has no more to tell.
type ending struct{ refusing }

func (m ending) Report(*pipeline.Call) {}

// TestReportOfTheEnd: an end that is on its way home has not come.
func TestReportOfTheEnd(t *testing.T) {
	var loop pipeline.Virtual
	d := Between(&loop, trip(60*ms), ending{refusing{&loop}})
	c := &pipeline.Call{Done: func() {}, Record: pipeline.NewRequest(1, 0)}
	d.Start(c)
	loop.RunUntil(40 * ms)
	d.(pipeline.Reporter).Report(c)
	if r := &c.Record; r.End != pipeline.Unknown || r.Outcome != pipeline.OK || r.Reason != "" || r.Transport.RetryAfter != pipeline.Unknown || r.Sent != 0 {
		t.Errorf("refused at 30ms, told of at 40ms: %+v", r)
	}
	loop.RunUntil(time.Second)
	if r := &c.Record; r.End != 60*ms || r.Outcome != pipeline.Refused || r.Transport.RetryAfter != time.Second {
		t.Errorf("at home the record is %+v", r)
	}
}

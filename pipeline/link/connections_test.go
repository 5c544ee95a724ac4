package link

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline"
)

// prompt is a model that answers after 10 ms, or is closed at once.
type prompt struct{ loop pipeline.Scheduler }

func (p prompt) Start(c *pipeline.Call) {
	c.Record.Sent = p.loop.Now()
	c.State = p.loop.After(10*time.Millisecond, pipeline.RankOutput, func() { p.end(c, pipeline.OK) })
}

func (p prompt) end(c *pipeline.Call, o pipeline.Outcome) {
	c.Record.Outcome, c.Record.End = o, p.loop.Now()
	c.Done()
}

func (p prompt) Cancel(c *pipeline.Call) {
	if c.State.(pipeline.Timer).Stop() {
		p.loop.After(0, pipeline.RankOutput, func() { p.end(c, pipeline.Cancelled) })
	}
}

// TestConnections: who dials, and when the requests leave.
func TestConnections(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		name   string
		config Connections
		at     []int // of requests, ms
		closes map[int]int
		want   string
		dials  int
	}{
		{"one to itself, and then reused", Connections{Dial: 40 * ms}, []int{0, 100}, nil, "40 new ok, 100 reused ok", 1},
		{"two at once", Connections{Dial: 40 * ms}, []int{0, 5, 100, 101}, nil, "40 new ok, 45 new ok, 100 reused ok, 101 reused ok", 2},
		{"open before", Connections{Dial: 40 * ms, Open: 1}, []int{0, 5}, nil, "0 reused ok, 45 new ok", 1},
		{"closed with its connection", Connections{Dial: 40 * ms, Open: 1}, []int{0, 100}, map[int]int{0: 5}, "0 reused cancelled, 140 new ok", 1},
		{"closed while it dials", Connections{Dial: 40 * ms}, []int{0, 100}, map[int]int{0: 5}, "never new cancelled, 140 new ok", 2},
		{"shared", Connections{Shared: true, Dial: 40 * ms}, []int{0, 5, 100}, nil, "40 new ok, 40 new ok, 100 reused ok", 1},
		{"shared, closed", Connections{Shared: true, Dial: 40 * ms, Open: 1}, []int{0, 1, 100}, map[int]int{0: 5}, "0 reused cancelled, 1 reused ok, 100 reused ok", 0},
		{"shared, closed while it dials", Connections{Shared: true, Dial: 40 * ms}, []int{0, 5}, map[int]int{0: 6}, "never new cancelled, 40 new ok", 1},
	} {
		var loop pipeline.Virtual
		d := Dialing(&loop, c.config, prompt{&loop})
		calls := make([]pipeline.Call, len(c.at))
		ended := 0
		for i, at := range c.at {
			calls[i].Done = func() { ended++ }
			loop.At(time.Duration(at)*ms, pipeline.RankTimer, func() {
				calls[i].Record = pipeline.NewRequest(int64(i+1), loop.Now())
				d.Start(&calls[i])
			})
			if at, ok := c.closes[i]; ok {
				loop.At(time.Duration(at)*ms, pipeline.RankInput, func() { d.Cancel(&calls[i]) })
			}
		}
		loop.RunUntil(pipeline.LastInstant)
		var got []string
		for i := range calls {
			r := &calls[i].Record
			sent, how := "never", "new"
			if r.Sent != pipeline.Unknown {
				sent = fmt.Sprint(int(r.Sent / ms))
			}
			if r.Transport.Reused {
				how = "reused"
			}
			got = append(got, fmt.Sprintf("%s %s %s", sent, how, r.Outcome))
		}
		if text := strings.Join(got, ", "); text != c.want || d.Dials() != c.dials || ended != len(calls) {
			t.Errorf("%s: %s, %d dials, %d ended; want %s, %d dials", c.name, text, d.Dials(), ended, c.want, c.dials)
		}
	}
}

package phone

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"halfsecond/mockllm/server/voice/peer"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/talk"
	"halfsecond/pipeline/exchange"
)

// calling is a call in a test.
type calling struct {
	r     *rig
	call  *Call
	told  []string
	ended chan struct{}
}

// open calls, and does something on the loop with the call at once.
func (r *rig) open(then func(c *calling)) *calling {
	c := &calling{r: r, ended: make(chan struct{})}
	id := r.ID()
	r.Do(func() {
		var err error
		if c.call, err = r.client.Open(id, r.Now()); err != nil {
			r.T.Error(err)
		}
		c.call.Greeted = func(g *Record) { c.tell("greeted", g) }
		c.call.Ended = func() { close(c.ended) }
		peer.Expect(r.Rig, id, &c.call.Record,
			func(r *CallRecord) pipeline.Outcome { return r.Outcome },
			func(x *exchange.Exchange) (CallRecord, error) { return RetellCall(x, nil) })
		then(c)
	})
	return c
}

func (c *calling) tell(name string, r *Record) {
	c.told = append(c.told, fmt.Sprintf("%s %s %s", name, peer.MS(c.r.Loop.Now()), figures(r)))
}

// utterance returns one that tells when it is done, and then does something.
func (c *calling) utterance(name string, sound time.Duration, then func()) *Utterance {
	u := &Utterance{Voice: spoken(0, sound, 0), Begin: pipeline.Unknown, Record: NewRecord(int64(len(name)), c.r.Loop.Now())}
	u.Done = func() {
		c.tell(name, &u.Record)
		if then != nil {
			then()
		}
	}
	return u
}

func (c *calling) must(err error) {
	if err != nil {
		c.r.T.Error(err)
	}
}

func (c *calling) expect(want ...string) {
	c.r.T.Helper()
	<-c.ended
	if !slices.Equal(c.told, want) {
		c.r.T.Errorf("\n got %s\nwant %s", strings.Join(c.told, "\n     "), strings.Join(want, "\n     "))
	}
}

// TestCall: the bot greets from 200 to 1200; the caller waits a second. Its first answer comes
// 400 ms after what the caller says, and plays for a second; into the second, which is three
// seconds long, the caller says something half a second after it is heard, and the bot clears
// 150 ms later, and answers that.
func TestCall(t *testing.T) {
	b := &bot{t: t, script: script(
		until(200*msec), sound(0, time.Second), // the caller speaks from 2200 to 2500
		until(2900*msec), sound(0, time.Second), // and from 4900 to 5100
		until(5500*msec), sound(0, 3*time.Second), // into which from 6000 to 6400
		until(6150*msec), clearing, until(6800*msec), sound(0, 200*msec),
	)}
	bubble(t, b.serve(), Config{}, func(r *rig) {
		c := r.open(func(c *calling) {
			first := c.utterance("first", 300*msec, func() {
				c.must(c.call.Say(c.utterance("second", 200*msec, nil)))
				c.must(c.call.Interrupt(c.utterance("third", 400*msec, func() {
					c.must(c.call.Say(c.utterance("fourth", 100*msec, nil)))
					c.call.HangUp()
				}), 500*msec))
			})
			c.must(c.call.Say(first))
		})
		c.expect(
			`greeted 2200 speech -..- audio 200..200 audible 200 heard 200..1200 lead 0 v2v - samples 8000 queued 1000 end 2200 ok ""`,
			`first 4900 speech 2200.125..2500 audio 2900..2900 audible 2900 heard 2900..3900 lead 0 v2v 400 samples 8000 queued 1000 end 4900 ok ""`,
			`second 6150 speech 4900.125..5100 audio 5500..5500 audible 5500 heard 5500..6160 lead 0 v2v 400 samples 24000 queued 3000 interrupted 6000.125 cleared 6150 stopped 6160 after 159.875 backlog 2499.875 on 0 played 660 dropped 2340 end 6150 ok ""`,
			`third 8000 speech 6000.125..6400 audio 6800..6800 audible 6800 heard 6800..7000 lead 0 v2v 400 samples 1600 queued 200 end 8000 ok ""`,
			`fourth 8000 speech -..- audio -..- audible - heard -..- lead - v2v - samples 0 queued - end 8000 cancelled "the caller hung up"`,
		)
		rec := &c.call.Record
		text := fmt.Sprintf("%d turns of call %d, queued %s, %d frames from %s, late %s, greeting %s, %s %q", len(rec.Turns), rec.ID, peer.MS(rec.MaxQueued), rec.Frames, peer.MS(rec.FirstFrame), peer.MS(rec.Late), peer.MS(rec.Greeting.Voiced), rec.Outcome, rec.Reason)
		if want := `3 turns of call 1, queued 3000, 400 frames from 20, late 0, greeting 200, ok ""`; text != want {
			t.Errorf("got %s, want %s", text, want)
		}
	})
	// What the caller said is where it was said, and silence all around.
	want := make([]byte, len(b.codes))
	for i := range want {
		want[i] = 0xff
	}
	for at, sound := range map[time.Duration]time.Duration{2200 * msec: 300 * msec, 4900 * msec: 200 * msec, 6000 * msec: 400 * msec} {
		copy(want[at*rate/time.Second:], audio.Encode(nil, spoken(0, sound, 0).Samples, audio.MuLaw))
	}
	if !slices.Equal(b.codes, want) {
		t.Errorf("the bot heard %d samples, not those that were said", len(b.codes))
	}
}

// TestGreetings: how long the caller waits before it speaks.
func TestGreetings(t *testing.T) {
	tests := map[string]struct {
		config Config
		script []any
		want   string
	}{
		"none":            {Config{}, script(until(3500*msec), sound(0, 100*msec)), `greeting -..- speech 3000.125..3300 heard 3500 end 4600 ok ""`},
		"not waited for":  {Config{NoGreeting: true}, script(until(500*msec), sound(0, 100*msec)), `greeting -..- speech 0.125..300 heard 500 end 1600 ok ""`},
		"short wait":      {Config{Greeting: 100 * msec}, script(until(500*msec), sound(0, 100*msec)), `greeting -..- speech 100.125..400 heard 500 end 1600 ok ""`},
		"greets":          {Config{}, script(until(200*msec), sound(0, time.Second), until(3*time.Second), sound(0, 100*msec)), `greeting 200..1200 speech 2200.125..2500 heard 3000 end 4100 ok ""`},
		"greets in parts": {Config{}, script(until(200*msec), sound(0, time.Second), until(2*time.Second), sound(0, 500*msec), until(4*time.Second), sound(0, 100*msec)), `greeting 200..2500 speech 3500.125..3800 heard 4000 end 5100 ok ""`},
		"silence first":   {Config{}, script(silent(4*time.Second), sound(0, 100*msec)), `greeting -..- speech 3000.125..3300 heard 4000 end 5100 ok ""`},
		"short pause":     {Config{Pause: 600 * msec}, script(until(200*msec), sound(0, time.Second), until(2200*msec), sound(0, 100*msec)), `greeting 200..1200 speech 1800.125..2100 heard 2200 end 2900 ok ""`},
		"greets for ever": {Config{Longest: 11 * time.Second}, script(until(200*msec), sound(0, time.Minute)), `greeting 200..60200 speech -..- heard - end 11000 timeout "the greeting was not over within 11s"`},
		"closes":          {Config{}, script(until(200*msec), sound(0, time.Second), closes(1000)), `greeting -..- speech -..- heard - end 200 truncated "the bot closed the stream before the caller spoke"`},
		"bad and closes":  {Config{}, script(until(200*msec), "{", closes(1000)), `greeting -..- speech -..- heard - end 200 truncated "the bot closed the stream before the caller spoke; what could not be played: a message is not JSON of the right form: unexpected end of JSON input (not_json, 1 of them)"`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			bubble(t, (&bot{t: t, script: tt.script}).serve(), tt.config, func(r *rig) {
				a := r.speak(pipeline.Turn{Voice: spoken(0, 300*msec, 100*msec)})
				got := a.wait()
				_, call := Details(&a.Turn)
				text := fmt.Sprintf("greeting %s..%s speech %s..%s heard %s end %s %s %q", peer.MS(call.Greeting.Voiced), peer.MS(call.Greeting.Over), peer.MS(got.SpeechStart), peer.MS(got.SpeechEnd), peer.MS(got.Voiced), peer.MS(got.End), got.Outcome, got.Reason)
				if text != tt.want {
					t.Errorf("\n got %s\nwant %s", text, tt.want)
				}
			})
		})
	}
}

// TestMessages: what a bot is told. Audio of 100 ms and its mark come at 100, and a mark alone
// at 150; 300 ms and two marks at 400 are cleared at 500.
func TestMessages(t *testing.T) {
	second := strings.ReplaceAll(marking, `"m"`, `"n"`)
	b := &bot{t: t, script: script(until(100*msec), sound(0, 100*msec), marking, until(150*msec), second, until(400*msec), sound(0, 300*msec), marking, second, until(505*msec), clearing, marking)}
	var stream string
	bubble(t, b.serve(), Config{NoGreeting: true, Parameters: map[string]string{"k": "v"}}, func(r *rig) {
		r.speak(pipeline.Turn{Voice: spoken(0, 50*msec, 0)}).wait()
		r.client.Close()
		x := r.Kept()[0]
		stream = strings.Split(x.Setting, `"`)[3]
		if strings.Contains(fmt.Sprintf("%s %v %s", x.Setting, x.Messages, x.Headers), peer.Key) || x.Status != 101 || x.Protocol != Name || x.Path != "" {
			t.Errorf("kept %+v", x)
		}
	})
	var said []string
	for _, s := range b.said {
		s = strings.ReplaceAll(s, stream, "STREAM")
		for _, prefix := range []string{"AC", "CA"} {
			for {
				i := strings.Index(s, `"`+prefix)
				if i < 0 {
					break
				}
				s = s[:i] + `"` + strings.ToLower(prefix) + s[i+35:]
			}
		}
		said = append(said, s)
	}
	want := []string{
		"agent Twilio.TmeWs/1.0, key Bearer " + peer.Key,
		`0s {"event":"connected","protocol":"Call","version":"1.0.0"}`,
		`0s {"event":"start","sequenceNumber":"1","start":{"accountSid":"ac","streamSid":"STREAM","callSid":"ca","tracks":["inbound"],"mediaFormat":{"encoding":"audio/x-mulaw","sampleRate":8000,"channels":1},"customParameters":{"k":"v"}},"streamSid":"STREAM"}`,
		`200ms {"event":"mark","sequenceNumber":"11","mark":{"name":"m"},"streamSid":"STREAM"}`,
		`200ms {"event":"mark","sequenceNumber":"12","mark":{"name":"n"},"streamSid":"STREAM"}`,
		`505ms {"event":"mark","sequenceNumber":"29","mark":{"name":"m"},"streamSid":"STREAM"}`,
		`505ms {"event":"mark","sequenceNumber":"30","mark":{"name":"n"},"streamSid":"STREAM"}`,
		`520ms {"event":"mark","sequenceNumber":"31","mark":{"name":"m"},"streamSid":"STREAM"}`,
		`1.52s {"event":"stop","sequenceNumber":"83","stop":{"accountSid":"ac","callSid":"ca"},"streamSid":"STREAM"}`,
	}
	if !slices.Equal(said, want) {
		t.Errorf("\n got %s\nwant %s", strings.Join(said, "\n     "), strings.Join(want, "\n     "))
	}
	if want := `1520 {"event":"media","sequenceNumber":"82","media":{"track":"inbound","chunk":"76","timestamp":"1520","payload":"160"},"streamSid":"STREAM"}`; strings.ReplaceAll(b.last, stream, "STREAM") != want {
		t.Errorf("the last audio was %s, want %s", b.last, want)
	}
}

// TestRefused: what cannot be said.
func TestRefused(t *testing.T) {
	bubble(t, (&bot{t: t, script: script()}).serve(), Config{}, func(r *rig) {
		c := r.open(func(c *calling) {
			slow := c.utterance("slow", 100*msec, nil)
			slow.Voice.Rate = 16_000
			still := c.utterance("still", 100*msec, nil)
			still.Voice.SpeechEnd = pipeline.Unknown
			good := func() *Utterance { return c.utterance("good", 100*msec, nil) }
			into := func(u *Utterance, after time.Duration) error { return c.call.Interrupt(u, after) }
			for _, tt := range []struct {
				got  error
				want string
			}{
				{into(good(), 0), "there is no answer to cut into: nothing is said"},
				{c.call.Say(slow), "the recording has 16000 samples a second: a telephone takes 8000"},
				{c.call.Say(&Utterance{Voice: pipeline.Voice{Rate: rate}}), "the recording is empty"},
				{c.call.Say(still), "where speech ends in a recording of 100ms is not known: nothing is answered without it"},
				{c.call.Say(good()), ""},
				{c.call.Say(good()), "the caller has something else to say"},
				{into(slow, 0), "the recording has 16000 samples a second: a telephone takes 8000"},
				{into(good(), -1), "an interruption before the answer is heard: want a time after it"},
				{into(good(), 0), ""},
				{into(good(), 0), "the caller cuts into the answer already"},
			} {
				if got := fmt.Sprint(tt.got); got != tt.want && !(tt.got == nil && tt.want == "") {
					t.Errorf("got %s, want %s", got, tt.want)
				}
			}
			c.call.HangUp()
			c.call.HangUp()
			for _, err := range []error{c.call.Say(good()), into(good(), 0)} {
				if err != errOver {
					t.Errorf("got %v, want %v", err, errOver)
				}
			}
		})
		c.expect(
			`good 0 speech -..- audio -..- audible - heard -..- lead - v2v - samples 0 queued - end 0 cancelled "the caller hung up"`,
			`good 0 speech -..- audio -..- audible - heard -..- lead - v2v - samples 0 queued - end 0 cancelled "the caller hung up"`,
		)
	})
}

func TestDropped(t *testing.T) {
	slow := spoken(0, 300*msec, 0)
	slow.Rate = 16_000
	good := spoken(0, 300*msec, 0)
	for want, turn := range map[string]pipeline.Turn{
		"the recording has 16000 samples a second: a telephone takes 8000": {Voice: slow},
		"the recording is empty":                         {Voice: good, Interruption: &pipeline.Voice{Rate: rate}},
		"an interruption 1ms before the answer is heard": {Voice: good, InterruptAfter: -msec},
	} {
		bubble(t, (&bot{t: t}).serve(), Config{}, func(r *rig) {
			a := &answering{Turn: turn, done: make(chan struct{})}
			a.Record, a.Done = pipeline.NewAnswered(r.ID(), 0), func() { close(a.done) }
			r.Do(func() { r.client.Start(&a.Turn); r.client.Cancel(&a.Turn) })
			if got := a.wait(); got.Outcome != pipeline.Dropped || got.Reason != want {
				t.Errorf("%s %q, want dropped, %q", got.Outcome, got.Reason, want)
			}
		})
	}
}

func TestCancel(t *testing.T) {
	bubble(t, (&bot{t: t, script: script(until(500*msec), sound(0, time.Second))}).serve(), Config{NoGreeting: true}, func(r *rig) {
		for range 2 {
			start := r.Now()
			a := r.speak(pipeline.Turn{Voice: spoken(0, 300*msec, 0)})
			time.Sleep(605 * msec)
			r.Do(func() { r.client.Cancel(&a.Turn) })
			got := a.wait()
			r.Do(func() { r.client.Cancel(&a.Turn) })
			if got.Outcome != pipeline.Cancelled || got.End-start != 605*msec || got.Frames != 30 || got.Samples != 8000 || got.Voiced-start != 500*msec {
				t.Errorf("%s at %s after %d frames, %d samples", got.Outcome, got.End-start, got.Frames, got.Samples)
			}
		}
		a := r.speak(pipeline.Turn{Voice: spoken(0, 300*msec, 0)})
		time.Sleep(250 * msec)
		r.client.Close()
		if got := a.wait(); got.Outcome != pipeline.Cancelled || got.Reason != "the client was closed" {
			t.Errorf("%s %q", got.Outcome, got.Reason)
		}
	})
}

// TestBegin: the caller may be told to wait.
func TestBegin(t *testing.T) {
	bubble(t, (&bot{t: t, script: script(until(2*time.Second), sound(0, 100*msec))}).serve(), Config{NoGreeting: true}, func(r *rig) {
		a := &answering{Turn: pipeline.Turn{Voice: spoken(0, 300*msec, 0), Begin: 1234567 * time.Microsecond}, done: make(chan struct{})}
		a.Record, a.Done = pipeline.NewAnswered(r.ID(), 0), func() { close(a.done) }
		r.Do(func() { r.client.Start(&a.Turn) })
		// The first sample is that which is spoken next.
		if got := a.wait(); got.SpeechEnd != 1534625*time.Microsecond {
			t.Errorf("speech ended at %s, want 1.534625s", got.SpeechEnd)
		}
	})
}

func TestCheck(t *testing.T) {
	for want, c := range map[string]Config{
		"": {},
		"a greeting is waited for and is not: want one of them":                    {NoGreeting: true, Greeting: 1},
		"uplink of -1ms is negative":                                               {Uplink: -msec},
		"hush of 2s is longer than the pause of 1s after which the bot is through": {Hush: 2 * time.Second},
		"patience of 10s is longer than the longest answer of 1s":                  {Longest: time.Second},
	} {
		c.URL = "wss://bot.test/media/?a=b"
		got := ""
		if err := c.Check(); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	for from, to := range map[string]string{"https://bot.test/media/?a=b": "wss://bot.test/media/?a=b", "http://bot.test": "ws://bot.test", "ws://bot.test/x": "ws://bot.test/x"} {
		c := Config{Config: talk.Config{URL: from}}
		if got, err := c.address(); got != to || err != nil {
			t.Errorf("%s is at %s, %v, want %s", from, got, err, to)
		}
	}
}

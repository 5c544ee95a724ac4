package phone

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"halfsecond/mockllm/server/ledger"
	mock "halfsecond/mockllm/server/voice/bot"
	"halfsecond/mockllm/server/voice/peer"
	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/mockllm/speech"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
)

// mocked serves the mock's bot. It hears that somebody has finished 200 ms after the last of
// it; its audio comes 310 ms after that, 100 ms of it every 50 ms, silent for its first 150.
// Ten characters are a second.
func mocked(t *testing.T, c mock.Config) peer.Serve {
	c.STT = speech.STT{Turn: speech.Turn{Silence: 200 * msec}}
	c.Voice = speech.TTS{FirstByte: dist.Constant(310 * msec), Speed: 2, Chunk: 100 * msec, Lead: 150 * msec, Tail: 50 * msec, Pace: 10}
	return func(mux *http.ServeMux) func() {
		loop, stopped := pipeline.NewWall(), make(chan struct{})
		h := talk.New(talk.Config{Loop: loop, Ledger: ledger.New(ledger.Config{Began: time.Now()}), Stopped: stopped})
		mock.New(h, c).Handle(mux)
		ctx, cancel := context.WithCancel(context.Background())
		go func() {
			defer close(stopped)
			if err := loop.Run(ctx); !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		}()
		return func() { cancel(); <-stopped; h.Wait() }
	}
}

// TestMock: two turns in one call, of which the caller cuts into the second.
func TestMock(t *testing.T) {
	long := "ab cd ef gh ij kl mn op qr st uv wx yz"
	for name, tt := range map[string]struct {
		bot  mock.Config
		want []string
	}{
		"at once": {mock.Config{Ahead: -1}, []string{
			`greeted 1670 speech -..- audio 310..460 audible 360 heard 470..670 lead 150 v2v - samples 3200 queued 260 end 1670 ok ""`,
			`first 4749.75 speech 1670.125..2670 audio 3190..3440 audible 3240 heard 3350..3749.75 lead 150 v2v 680 samples 4800 queued 360 end 4749.75 ok ""`,
			`second 7100 speech 4749.875..5749.75 audio 6270..7020 audible 6320 heard 6430..7100 lead 150 v2v 680.25 samples 12800 queued 860 interrupted 7031.25 cleared 7100 stopped 7100 after 68.75 backlog 848.75 on 0 played 820 dropped 780 end 7100 ok ""`,
			`third 9510 speech 7031.25..7631.125 audio 8150..8300 audible 8200 heard 8310..8510 lead 150 v2v 678.875 samples 3200 queued 260 end 9510 ok ""`,
		}},
		"paced": {mock.Config{}, []string{
			`greeted 1670 speech -..- audio 310..650 audible 450 heard 470..670 lead 150 v2v - samples 2880 queued 30 end 1670 ok ""`,
			`first 4749.75 speech 1670.125..2670 audio 3190..3730 audible 3330 heard 3350..3749.75 lead 150 v2v 680 samples 4480 queued 30 end 4749.75 ok ""`,
			`second 7100 speech 4749.875..5749.75 audio 6270..7090 audible 6410 heard 6430..7100 lead 150 v2v 680.25 samples 6720 queued 30 interrupted 7031.25 cleared 7100 stopped 7100 after 68.75 backlog 28.75 on 0 played 820 dropped 20 end 7100 ok ""`,
			`third 9510 speech 7031.25..7631.125 audio 8150..8490 audible 8290 heard 8310..8510 lead 150 v2v 678.875 samples 2880 queued 30 end 9510 ok ""`,
		}},
		"ahead": {mock.Config{Ahead: 200 * msec}, []string{
			`greeted 1670 speech -..- audio 310..460 audible 360 heard 470..670 lead 150 v2v - samples 2880 queued 220 end 1670 ok ""`,
			`first 4749.75 speech 1670.125..2670 audio 3190..3530 audible 3240 heard 3350..3749.75 lead 150 v2v 680 samples 4480 queued 230 end 4749.75 ok ""`,
			`second 7100 speech 4749.875..5749.75 audio 6270..7010 audible 6320 heard 6430..7100 lead 150 v2v 680.25 samples 7680 queued 230 interrupted 7031.25 cleared 7100 stopped 7100 after 68.75 backlog 228.75 on 0 played 820 dropped 140 end 7100 ok ""`,
			`third 9510 speech 7031.25..7631.125 audio 8150..8300 audible 8200 heard 8310..8510 lead 150 v2v 678.875 samples 2880 queued 220 end 9510 ok ""`,
		}},
		"plays on": {mock.Config{Ahead: -1, NoClear: true}, []string{
			`greeted 1670 speech -..- audio 310..460 audible 360 heard 470..670 lead 150 v2v - samples 3200 queued 260 end 1670 ok ""`,
			`first 4749.75 speech 1670.125..2670 audio 3190..3440 audible 3240 heard 3350..3749.75 lead 150 v2v 680 samples 4800 queued 360 end 4749.75 ok ""`,
			`second 8200 speech 4749.875..5749.75 audio 6270..7020 audible 6320 heard 6430..7835.5 lead 150 v2v 680.25 samples 12800 queued 860 interrupted 7031.25 cleared - stopped 7835.5 after 804.25 backlog 848.75 on 804.25 played 1600 dropped 0 end 8200 ok ""`,
			`third 9510 speech 7031.25..7631.125 audio 8150..8300 audible 8200 heard 8310..8510 lead 150 v2v 678.875 samples 3200 queued 260 end 9510 ok ""`,
		}},
		"paced without clear": {mock.Config{NoClear: true}, []string{
			`greeted 1670 speech -..- audio 310..650 audible 450 heard 470..670 lead 150 v2v - samples 2880 queued 30 end 1670 ok ""`,
			`first 4749.75 speech 1670.125..2670 audio 3190..3730 audible 3330 heard 3350..3749.75 lead 150 v2v 680 samples 4480 queued 30 end 4749.75 ok ""`,
			`second 7620 speech 4749.875..5749.75 audio 6270..7090 audible 6410 heard 6430..7120 lead 150 v2v 680.25 samples 6720 queued 30 interrupted 7031.25 cleared - stopped 7120 after 88.75 backlog 28.75 on 30 played 840 dropped 0 end 7620 ok ""`,
			`third 9510 speech 7031.25..7631.125 audio 8150..8490 audible 8290 heard 8310..8510 lead 150 v2v 678.875 samples 2880 queued 30 end 9510 ok ""`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			tt.bot.Greeting, tt.bot.Replies = "ab", []string{"abcd", long, "ab"}
			config := Config{}
			config.URL = "http://peer.test" + mock.Path
			bubble(t, mocked(t, tt.bot), config, func(r *rig) {
				c := r.open(func(c *calling) {
					c.must(c.call.Say(c.utterance("first", time.Second, func() {
						c.must(c.call.Say(c.utterance("second", time.Second, nil)))
						c.must(c.call.Interrupt(c.utterance("third", 600*msec, c.call.HangUp), 565*msec))
					})))
				})
				c.expect(tt.want...)
			})
		})
	}
}

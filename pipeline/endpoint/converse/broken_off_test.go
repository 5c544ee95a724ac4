package converse

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"halfsecond/mockllm/server/voice/peer"
	"halfsecond/pipeline"
	"halfsecond/pipeline/exchange"
	"halfsecond/pipeline/wire/realtime"
)

// loud returns when the frames were due in which the user is heard, in ms, and what else the client
// said.
func loud(t *testing.T, x *exchange.Exchange) (due, others []string) {
	t.Helper()
	for _, m := range x.Messages {
		var e realtime.ClientEvent
		if m.From != exchange.Client || m.Kind != exchange.Text {
			continue
		}
		if err := json.Unmarshal(m.Data, &e); err != nil {
			t.Fatal(err)
		}
		if e.Audio == nil {
			others = append(others, e.Type)
			continue
		}
		pcm, err := base64.StdEncoding.DecodeString(*e.Audio)
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(pcm, func(b byte) bool { return b != 0 }) {
			due = append(due, peer.MS(m.Due))
		}
	}
	return due, others
}

// TestBrokenOff: a turn that fails while the user speaks is over, and so is what he says: nothing of
// it is heard under the next turn, or behind it. The first two fail at 650 and 2250, .6 s into
// 5 s of speech; the third is spoken from 3250 to 3550.
func TestBrokenOff(t *testing.T) {
	long, short := pipeline.Turn{Voice: spoken(0, 5*time.Second, 0)}, pipeline.Turn{Voice: spoken(0, 300*msec, 0)}
	const wrong = `{"type":"error","error":{"code":"server_error"}}`
	for name, tt := range map[string]struct {
		manual bool
		fails  peer.Script
		others string
	}{
		"error":  {false, script(wrong), "[session.update]"},
		"failed": {false, script(created("x"), done("x", "failed", "")), "[session.update]"},
		// What the server holds of a turn that nobody commits would be of the next one.
		"by the client": {true, script(wrong), "[session.update input_audio_buffer.clear input_audio_buffer.clear input_audio_buffer.commit response.create]"},
	} {
		s := script(550*msec, tt.fails, 1600*msec, tt.fails, 1700*msec, created("c"), delta("c"), done("c", "completed", ""), peer.Hangs{})
		bubble(t, session(t, s, nil), Config{Manual: tt.manual}, func(r *rig) {
			all := r.goOn(t, time.Second, long, long, short)
			r.client.Close()
			due, others := loud(t, r.Kept()[0])
			if got, want := fmt.Sprint(due), "[100 200 300 400 500 600 1700 1800 1900 2000 2100 2200 3300 3400 3500 3600]"; got != want {
				t.Errorf("%s: heard in frames of\n got %s\nwant %s", name, got, want)
			}
			if fmt.Sprint(others) != tt.others {
				t.Errorf("%s: the client says\n got %s\nwant %s", name, others, tt.others)
			}
			if a := all[2].Record; a.Outcome != pipeline.OK || a.V2V() != 400*msec {
				t.Errorf("%s: then %s %q after %s", name, a.Outcome, a.Reason, a.V2V())
			}
		})
	}
}

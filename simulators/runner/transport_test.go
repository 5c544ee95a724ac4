package runner

import (
	"testing"

	"halfsecond/pipeline/trace"
	"halfsecond/simulators/scenario"
)

// TestStagesOfTransport: a figure that is a transport's says so, and one of the file's does
// not; a way that loses frames has the stages of that.
func TestStagesOfTransport(t *testing.T) {
	stagesOf := func(keys string) map[string]trace.Stage {
		s, err := scenario.Parse("test.yaml", []byte("halfsecond: 1\nkind: voice\nname: n\nvoice:\n  stt_tail: 247ms\n  tts_first_audio: 188ms\n  llm: {ttft: 98ms, tokens_per_second: 100}\n"+keys), nil)
		if err != nil {
			t.Fatal(err)
		}
		all := map[string]trace.Stage{}
		for _, x := range voiceStages(s.Voice, Sim, []trace.Stage{{Name: "llm_first_token"}}) {
			all[x.Name] = x
		}
		return all
	}
	all := stagesOf("  transport: media-streams\n  uplink: 50ms\n")
	for name, want := range map[string]string{"capture": "transport media-streams", "uplink": "", "playout": "transport media-streams", "uplink_loss": "", "playout_loss": ""} {
		if x, ok := all[name]; !ok || x.Component != want {
			t.Errorf("%s: there %v, from %q, want %q", name, ok, x.Component, want)
		}
	}
	if _, ok := stagesOf("  transport: webrtc\n")["uplink_loss"]; ok {
		t.Error("uplink_loss where nothing is sent again")
	}
	if _, ok := stagesOf("  transport: {profile: webrtc, loss: 0%}\n")["playout_loss"]; ok {
		t.Error("playout_loss where nothing is lost")
	}
}

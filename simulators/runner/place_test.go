package runner

import (
	"testing"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint"
	"halfsecond/pipeline/endpoint/converse"
	"halfsecond/pipeline/endpoint/listen"
	"halfsecond/pipeline/endpoint/speak"
	"halfsecond/simulators/voice"
)

// TestPlaces: a trace file says how services were asked.
func TestPlaces(t *testing.T) {
	if e := Place(endpoint.Config{URL: "https://a/v1", Cold: true, IgnoreEOS: true}, 3); !e.Cold || !e.IgnoreEOS || e.PerUser != 3 {
		t.Errorf("%+v, want it cold, of full length and 3 at a time", e)
	}
	says := func(samples ...int16) voice.Said {
		return voice.Said{Voice: pipeline.Voice{Rate: 8000, Samples: samples}}
	}
	one := Speech{STT: &listen.Config{Language: "en"}, TTS: &speak.Config{Voice: "alloy", Language: "de"}, Voices: []voice.Said{says(1, 2), says(3)}}
	heard, said := one.places()[0], one.places()[1]
	if heard.Language != "en" || len(heard.Recordings) != 64 || said.Voice != "alloy" || said.Language != "de" || said.Recordings != "" {
		t.Errorf("%+v, %+v", heard, said)
	}
	other := Speech{Direct: &converse.Config{Voice: "echo", Language: "fr"}, Voices: []voice.Said{says(1), says(2, 3)}}
	direct := other.places()[0]
	if direct.Voice != "echo" || direct.Language != "fr" || len(direct.Recordings) != 64 || direct.Recordings == heard.Recordings {
		t.Errorf("%+v beside %s: want the sum of other recordings", direct, heard.Recordings)
	}
}

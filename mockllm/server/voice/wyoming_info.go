package voice

import (
	"halfsecond/mockllm/speech"
	"halfsecond/pipeline/wire/wyoming"
)

// describe tells what there is: every model whose latency is known. Others may be asked
// for as well.
func (t *wyomingTalk) describe(wyoming.Event) error {
	yes := true
	none := []wyoming.Program{}
	t.say(wyoming.InfoType, wyoming.Info{
		ASR:    []wyoming.Program{{Artifact: wyomingArtifact("halfsecond"), Models: wyomingModels("stt"), TranscriptStreaming: &yes}},
		TTS:    []wyoming.Program{{Artifact: wyomingArtifact("halfsecond"), Voices: wyomingModels("tts"), SynthesizeStreaming: &yes}},
		Handle: none, Intent: none, Wake: none, Mic: none, Snd: none,
	})
	return nil
}

// wyomingArtifact describes something of the mock.
func wyomingArtifact(name string) wyoming.Artifact {
	description, version := "mock server", "1"
	return wyoming.Artifact{
		Name: name, Attribution: wyoming.Attribution{Name: "halfsecond"}, Installed: true,
		Description: &description, Version: &version,
	}
}

// wyomingModels describes the models of a kind, the first one being the default.
func wyomingModels(kind string) []wyoming.Model {
	first := map[string]string{"stt": wyomingSTT, "tts": wyomingTTS}[kind]
	models := []wyoming.Model{{Artifact: wyomingArtifact(first), Languages: []string{"en"}}}
	for _, a := range speech.Aliases(kind) {
		if a.Name != first {
			models = append(models, wyoming.Model{Artifact: wyomingArtifact(a.Name), Languages: []string{"en"}})
		}
	}
	return models
}

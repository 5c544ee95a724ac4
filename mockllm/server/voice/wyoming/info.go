package wyoming

import (
	"halfsecond/mockllm/speech"
	"halfsecond/pipeline/wire/wyoming"
)

// describe tells what there is: every model whose latency is known. Others may be asked
// for as well.
func (t *session) describe(wyoming.Event) error {
	yes := true
	none := []wyoming.Program{}
	t.say(wyoming.InfoType, wyoming.Info{
		ASR:    []wyoming.Program{{Artifact: artifact("halfsecond"), Models: models("stt"), TranscriptStreaming: &yes}},
		TTS:    []wyoming.Program{{Artifact: artifact("halfsecond"), Voices: models("tts"), SynthesizeStreaming: &yes}},
		Handle: none, Intent: none, Wake: none, Mic: none, Snd: none,
	})
	return nil
}

// artifact describes something of the mock.
func artifact(name string) wyoming.Artifact {
	description, version := "mock server", "1"
	return wyoming.Artifact{
		Name: name, Attribution: wyoming.Attribution{Name: "halfsecond"}, Installed: true,
		Description: &description, Version: &version,
	}
}

// models describes the models of a kind, the first one being the default.
func models(kind string) []wyoming.Model {
	first := map[string]string{"stt": usualSTT, "tts": usualTTS}[kind]
	models := []wyoming.Model{{Artifact: artifact(first), Languages: []string{"en"}}}
	for _, a := range speech.Aliases(kind) {
		if a.Name != first {
			models = append(models, wyoming.Model{Artifact: artifact(a.Name), Languages: []string{"en"}})
		}
	}
	return models
}

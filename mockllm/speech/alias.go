package speech

import (
	"slices"
	"strings"
)

// Alias is a model name of an API and what it stands for.
type Alias struct {
	Name   string // the model, and any name that goes on after it with "-", "_" or "."
	Slug   string // of the component
	Reason string
}

const (
	same     = "the model itself"
	noFigure = "no latency of this model was found: a model of the same vendor stands in"
	nearest  = "no latency of this vendor or model was found: a service of the same kind stands in"
)

// aliases are the names that APIs and SDKs use for models (docs of the vendors and
// types of their SDKs, read 2026-11-29).
var aliases = map[string][]Alias{
	"stt": {
		{"nova-3", "stt-deepgram-nova-3-general", same},
		{"nova-2", "stt-deepgram-nova-3-general", noFigure},
		{"nova", "stt-deepgram-nova-3-general", noFigure},
		{"enhanced", "stt-deepgram-nova-3-general", noFigure},
		{"base", "stt-deepgram-nova-3-general", noFigure},
		{"flux-general", "stt-deepgram-nova-3-general", "interims as nova-3's; the end of a turn is its own, see FluxTurn"},
		{"universal-streaming-english", "stt-assemblyai-universal-streaming-english", same},
		{"universal-streaming-multilingual", "stt-assemblyai-universal-streaming-english", noFigure},
		{"universal-streaming", "stt-assemblyai-universal-streaming-english", same},
		{"u3-rt-pro", "stt-assemblyai-u3-rt-pro", same},
		{"u3-pro", "stt-assemblyai-u3-rt-pro", same},
		{"whisper-rt", "stt-assemblyai-universal-streaming-english", noFigure},
		{"gpt-4o-transcribe", "stt-openai-gpt-4o-transcribe-realtime", "the same model over its streaming API"},
		{"gpt-4o-mini-transcribe", "stt-openai-gpt-4o-transcribe-realtime", noFigure},
		{"gpt-transcribe", "stt-openai-gpt-4o-transcribe-realtime", noFigure},
		{"gpt-realtime", "stt-openai-gpt-4o-transcribe-realtime", noFigure},
		{"whisper-1", "stt-openai-gpt-4o-transcribe-realtime", noFigure},
		{"scribe_v2_realtime", "stt-elevenlabs-scribe-v2-realtime", same},
		{"scribe_v2", "stt-elevenlabs-scribe-v2-realtime", noFigure},
		{"scribe_v1", "stt-elevenlabs-scribe-v2-realtime", noFigure},
		{"ink-2", "stt-cartesia-ink-2", same},
		{"ink-whisper", "stt-cartesia-ink-whisper", same},
		{"stt-rt-v5", "stt-soniox-stt-rt-v5", same},
		{"stt-rt-v4", "stt-soniox-stt-rt-v4", same},
		{"voxtral-mini-transcribe-realtime", "stt-mistral-voxtral-mini-transcribe-realtime-2602", same},
		{"latest_long", "stt-google-latest-long-streaming", same},
		{"faster-whisper", "stt-nvidia-nemotron-3-0-asr-en", nearest},
		{"whisper", "stt-nvidia-nemotron-3-0-asr-en", nearest},
	},
	"tts": {
		{"eleven_flash_v2_5", "tts-elevenlabs-flash-v2-5", same},
		{"eleven_flash_v2", "tts-elevenlabs-flash-v2-5", noFigure},
		{"eleven_turbo_v2_5", "tts-elevenlabs-turbo-v2-5", same},
		{"eleven_turbo_v2", "tts-elevenlabs-turbo-v2-5", noFigure},
		{"eleven_multilingual_v2", "tts-elevenlabs-multilingual-v2", same},
		{"eleven_v3", "tts-elevenlabs-multilingual-v2", noFigure},
		{"sonic-3", "tts-cartesia-sonic-3", same},
		{"sonic-2", "tts-cartesia-sonic-2-model-only", "the model itself, without the network to the vendor"},
		{"sonic-turbo", "tts-cartesia-sonic-turbo-model-only", "the model itself, without the network to the vendor"},
		{"sonic", "tts-cartesia-sonic-3", noFigure},
		{"aura-2", "tts-deepgram-aura-2", same},
		{"aura", "tts-deepgram-aura-2", noFigure},
		{"gpt-4o-mini-tts", "tts-openai-tts-synthesis-only", "a figure for the vendor that does not name the model"},
		{"gpt-realtime", "tts-openai-tts-synthesis-only", "a figure for the vendor that does not name the model"},
		{"tts-1", "tts-openai-tts-synthesis-only", "a figure for the vendor that does not name the model"},
		{"tts-1-hd", "tts-openai-tts-1-hd", same},
		{"coda", "tts-rime-coda-self-hosted-concurrency-1", same},
		{"arcana", "tts-rime-arcana-v3-self-hosted-concurrency-1", same},
		{"mistv3", "tts-rime-mist-v3-self-hosted-concurrency-1", same},
		{"mistv2", "tts-rime-mist-v3-self-hosted-concurrency-1", noFigure},
		{"piper", "tts-piper-local-subprocess", same},
		{"kokoro", "tts-piper-local-subprocess", nearest},
	},
}

// Aliases returns the model names that stand for a component of a kind, "stt" or
// "tts", in the order of the vendors.
func Aliases(kind string) []Alias { return slices.Clone(aliases[kind]) }

// alias returns what a model stands for: the alias of its name, or else the longest one
// that its name goes on after.
func alias(kind, model string) (best Alias, known bool) {
	model = strings.ToLower(model)
	for _, a := range aliases[kind] {
		rest, begins := strings.CutPrefix(model, a.Name)
		if begins && (rest == "" || strings.ContainsAny(rest[:1], "-_.")) && len(a.Name) > len(best.Name) {
			best, known = a, true
		}
	}
	return best, known
}

package ending

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"halfsecond/pipeline/dist"
)

// Preset is a policy that is in use, named after what it does.
type Preset struct {
	Name   string
	Of     string // whose it is, and whether it is what they begin with
	Policy Policy
	Scores Scores    // of its turn model; of the best known one where the policy has none, or an unknown one
	Stop   dist.Dist // silence until the detector's stop that goes with it; 0 where it needs none
	Source string    // of the settings
}

// Setup returns the preset with the final transcript and the reply of a stack.
func (p Preset) Setup(final, reply dist.Dist) Setup {
	return Setup{Policy: p.Policy, Scores: p.Scores, Stop: p.Stop, Final: final, Reply: reply}
}

const ms = time.Millisecond

// Silences after which the detectors of the frameworks report a stop.
var (
	pipecatStop = dist.Constant(200 * ms) // VADParams.stop_secs; pipecat vad_analyzer.py @acead05, 2026-08
	liveKitStop = dist.Constant(550 * ms) // min_silence_duration; livekit/agents plugins-silero vad.py @da6af86, 2026-08
	// The least that LiveKit Agents accepts beside a streaming turn model: 200 and 50 more
	// (livekit/agents issue 7188, 2026-09). With 550 its min of 300 would have no effect.
	liveKitShort = dist.Constant(250 * ms)
)

// The main sources; SOURCES.md has all of them.
const (
	liveKitTurn  = "github.com/livekit/agents livekit-agents/livekit/agents/voice/turn.py @da6af86, 2026-08"
	pipecatTurns = "github.com/pipecat-ai/pipecat src/pipecat/turns/user_stop and audio/turn/smart_turn @acead05, 2026-08"
	deepgramNova = "github.com/deepgram/deepgram-docs fern/docs/endpointing.mdx @2025-07-03"
	deepgramFlux = "developers.deepgram.com/docs/flux/configuration, read 2026-11-29"
	assemblyTurn = "assemblyai.com/docs/streaming/turn-detection and AssemblyAI/assemblyai-api-spec usm-streaming.yml @2026-03-23"
	openAITurn   = "github.com/openai/openai-openapi openapi.yaml RealtimeTurnDetection @2026-08-21"
	vapiPlan     = "github.com/VapiAI/docs fern/customization/voice-pipeline-configuration.mdx @2026-08-20"
)

// Presets returns the policies that are in use. Reports of providers are taken to come
// at once, and what SOURCES.md calls assumed is so here.
func Presets() []Preset {
	return slices.Concat(frameworks(), deepgram(), assembly(), openAI())
}

func frameworks() []Preset {
	smart := TurnModel{Threshold: .5, Compute: dist.Constant(12 * ms), From: FromVADStop, Max: 3000 * ms}
	text := TurnModel{Threshold: .56, Compute: dist.Constant(10 * ms), AfterFinal: true, Min: 500 * ms, Max: 3000 * ms}
	streaming := TurnModel{Threshold: .56, Min: 300 * ms, Max: 2500 * ms}
	return []Preset{
		{"wait-500-from-speech", "LiveKit Agents without a turn model, default", Fixed{Wait: 500 * ms}, liveKit, liveKitStop, liveKitTurn},
		{"model-500-or-3000", "LiveKit Agents with a turn model that reads text, default", text, liveKit, liveKitStop, liveKitTurn},
		{"model-300-or-2500", "LiveKit Agents with its streaming turn model, default", streaming, liveKit, liveKitShort, liveKitTurn},
		{"wait-600-after-vad", "Pipecat SpeechTimeout, default", Fixed{Wait: 600 * ms, From: FromVADStop}, liveKit, pipecatStop, pipecatTurns},
		{"model-0-or-3000-after-vad", "Pipecat Smart Turn, default", smart, smartTurn, pipecatStop, pipecatTurns},
		{"rules-on-transcript", "Vapi transcription endpointing, default", Rules{Punctuation: 100 * ms, Number: 500 * ms, Neither: 1500 * ms, From: FromFinal}, liveKit, dist.Dist{}, vapiPlan},
	}
}

func deepgram() []Preset {
	nova := Endpointing{Silence: 300 * ms}
	added := nova
	added.Wait = 500 * ms
	likely := Confidence{Threshold: .7, Timeout: 5000 * ms}
	eager := likely
	eager.Eager = .4
	return []Preset{
		{"endpoint-10", "Deepgram Nova, default", Endpointing{Silence: 10 * ms}, liveKit, dist.Dist{}, deepgramNova},
		{"endpoint-300", "Deepgram Nova, as its documentation recommends", nova, liveKit, dist.Dist{}, deepgramNova},
		{"endpoint-300-plus-500", "the same under LiveKit Agents' default wait, which adds up", added, liveKit, dist.Dist{}, liveKitTurn},
		{"confidence-0.7-or-5000", "Deepgram Flux, default", likely, flux, dist.Dist{}, deepgramFlux},
		{"confidence-0.7-eager-0.4", "Deepgram Flux with early ends", eager, flux, dist.Dist{}, deepgramFlux},
	}
}

func assembly() []Preset {
	preset := func(name, of string, threshold float64, silence, unsure time.Duration) Preset {
		return Preset{name, "AssemblyAI universal-streaming, " + of, Endpointing{Silence: silence, Unsure: unsure, Threshold: threshold}, assemblyAI, dist.Dist{}, assemblyTurn}
	}
	return []Preset{
		preset("endpoint-160-or-400", "aggressive", .4, 160*ms, 400*ms),
		preset("endpoint-400-or-1280", "balanced, default", .4, 400*ms, 1280*ms),
		preset("endpoint-800-or-3600", "conservative", .7, 800*ms, 3600*ms),
	}
}

func openAI() []Preset {
	semantic := func(eagerness string, longest time.Duration) Preset {
		// A twentieth of the longest wait, and the threshold, are assumed; see speech.SemanticVAD.
		e := Endpointing{Silence: longest / 20, Unsure: longest, Threshold: .5}
		return Preset{fmt.Sprintf("semantic-%s", eagerness), "OpenAI Realtime semantic_vad, eagerness " + eagerness, e, liveKit, dist.Dist{}, openAITurn}
	}
	return []Preset{
		{"endpoint-500", "OpenAI Realtime server_vad, default", Endpointing{Silence: 500 * ms}, liveKit, dist.Dist{}, openAITurn},
		semantic("low", 8*time.Second),
		semantic("medium", 4*time.Second),
		semantic("high", 2*time.Second),
	}
}

// Find returns the preset of that name.
func Find(name string) (Preset, error) {
	all := Presets()
	names := make([]string, len(all))
	for i, p := range all {
		if p.Name == name {
			return p, nil
		}
		names[i] = p.Name
	}
	return Preset{}, fmt.Errorf("no end-of-turn policy %q: want one of %s", name, strings.Join(names, ", "))
}

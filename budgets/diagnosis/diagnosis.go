package diagnosis

import (
	"cmp"
	"slices"
	"time"

	"halfsecond/budgets"
	"halfsecond/pipeline"
)

// IDs of the failures that are known. They are stable.
const (
	FinalNeverFlagged = "final_never_flagged"
	EndpointingAddsUp = "endpointing_adds_up"
	ScoreThreshold    = "score_threshold"
	VADBehind         = "vad_behind"
	STTBehind         = "stt_behind"
	LLMBehind         = "llm_behind"
	TTSBehind         = "tts_behind"
	LookAhead         = "look_ahead"
	TTSHeld           = "tts_held"
	DoubleRequests    = "double_requests"
	ContextGrowth     = "context_growth"
	NewConnection     = "new_connection"
	IdleSocket        = "idle_socket"
	PlaybackGoesOn    = "playback_goes_on"
	FarAway           = "far_away"
	LeadingSilence    = "leading_silence"
	FillerFlatters    = "filler_flatters"
	MetricAnchor      = "metric_anchor"
)

// Diagnosis is one failure that a run shows.
type Diagnosis struct {
	ID       string   // stable, such as "tts_held"
	Title    string   // one plain sentence
	Evidence []string // what shows it, with figures
	Fix      string   // what to do
	// Cost is how much sooner replies would land without it, on average over the turns that
	// landed, all else as it was; pipeline.Unknown where that cannot be told, or where it is
	// not the reply that suffers.
	Cost time.Duration
}

// Diagnose returns the failures that the traces of a run of voice turns show, the most
// costly first; none of a run of another kind.
func Diagnose(a *budgets.Analysis) []Diagnosis {
	if a.Run.Header.Kind != pipeline.KindVoice {
		return nil
	}
	r := newRun(a)
	if len(r.turns) < fewest {
		return nil
	}
	var found []Diagnosis
	for _, check := range []func(*run) (Diagnosis, bool){
		finalNeverFlagged, endpointingAddsUp, scoreThreshold, detectors.behind, recognizers.behind, models.behind, voices.behind,
		lookAhead, ttsHeld, doubleRequests, contextGrowth,
		newConnection, idleSocket, playbackGoesOn,
		farAway, leadingSilence, fillerFlatters, metricAnchor,
	} {
		if d, ok := check(r); ok {
			found = append(found, d)
		}
	}
	slices.SortStableFunc(found, func(x, y Diagnosis) int { return cmp.Compare(y.Cost, x.Cost) })
	return found
}

// fewest is how many turns must have landed before any of them says something of the rest.
const fewest = 3

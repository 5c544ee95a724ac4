package realtime

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"halfsecond/mockllm/catalog"
	"halfsecond/mockllm/speech"
	"halfsecond/pipeline/dist"
)

// Realtime is how a named model that hears and speaks behaves. All of it may be set by
// hand.
type Model struct {
	Name   string // of the model, as asked for
	Slug   string // of the catalogue's component that FirstAudio is taken from
	Reason string // why the name stands for that component
	// FirstAudio is the time from the end of the user's turn, when the server has waited
	// for it, to the first audio of the answer.
	FirstAudio dist.Dist
	// FirstText is that time for an answer in text, or the arguments of a call, whose
	// tokens then come Token apart.
	FirstText dist.Dist
	Token     time.Duration
	// Voice is how the answer is spoken; its FirstByte is not looked at.
	Voice speech.TTS
}

// DefaultModel is what an unknown name stands for.
const DefaultModel = "gpt-realtime"

// alias is a model name of the API, or the beginning of one that goes on with
// "-", and the component that it stands for.
type alias struct{ name, slug, reason string }

const (
	same     = "the model itself"
	noFigure = "no latency of this model was found: a model of the same vendor stands in"

	slugEnd        = "-speech-to-speech-v2v"
	slugRealtime   = "llm-gpt-realtime-speech-to-speech-v2v"
	slugRealtime15 = "llm-gpt-realtime-1-5-speech-to-speech-v2v"
	slugRealtime21 = "llm-gpt-realtime-2-1-low-speech-to-speech-v2v"
)

// aliases are the models of OpenAI's Realtime API and of servers that speak it
// (openai/openai-node src/resources/realtime/realtime.ts, commit 025ca83, read
// 2026-11-29).
var aliases = []alias{
	{"gpt-realtime", slugRealtime, same},
	{"gpt-realtime-mini", slugRealtime, noFigure},
	{"gpt-realtime-1.5", slugRealtime15, same},
	{"gpt-realtime-2", slugRealtime21, noFigure},
	{"gpt-realtime-2.1", slugRealtime21, "the model itself, at low reasoning effort"},
	{"gpt-realtime-2.1-mini", slugRealtime21, noFigure},
	{"gpt-4o-realtime-preview", slugRealtime, noFigure},
	{"gpt-4o-mini-realtime-preview", slugRealtime, noFigure},
	{"grok-voice-think-fast-1.0", "llm-grok-voice-think-fast-1-0-speech-to-speech-v2v", same},
}

// FindModel returns the profile of a model by its name in the API, such as
// "gpt-realtime", or by the slug of a component that is one from speech to speech. Known
// is false for a name that stands for nothing: the profile is then that of
// DefaultModel.
//
// The component's clock is voice to voice: from the user's last sample to the first
// audible one of the answer, on a recording, with turn detection by silence. Of it, the
// silence that the server waits for is taken to be 500 ms, the default of the API's
// schema, and the silence at the start of the answer is the mean that the component
// names; the rest is FirstAudio. So a shorter silence_duration_ms makes the answer come
// earlier, as it does in truth. No spread was published: every answer takes the median.
//
// FirstText and Token are those of an answer of gpt-realtime-mini that a user recorded
// on 2026-09-18: first delta 196 ms after response.created, five in 36 ms.
func FindModel(model string) (p Model, known bool) {
	c, reason, known := findComponent(model)
	pad := namedPad(c.Condition)
	voice, _ := speech.FindTTS(model)
	voice.Lead = pad
	return Model{
		Name: model, Slug: c.Slug, Reason: reason,
		FirstAudio: dist.Constant(max(0, c.P50-assumedSilence-pad)),
		FirstText:  dist.Constant(196 * time.Millisecond),
		Token:      9 * time.Millisecond,
		Voice:      voice,
	}, known
}

// assumedSilence is the part of a published voice-to-voice time that the server waited.
const assumedSilence = 500 * time.Millisecond

func findComponent(model string) (c catalog.Component, reason string, known bool) {
	a, known := aliasOf(model)
	if !known {
		if strings.HasSuffix(model, slugEnd) { // what else has an unknown name is none, and is not searched for
			if c, err := catalog.FindComponent(model); err == nil && c.Usable() {
				return c, "the component itself", true
			}
		}
		a, _ = aliasOf(DefaultModel)
		a.reason = "unknown model: " + DefaultModel + " stands in"
	}
	c, err := catalog.FindComponent(a.slug)
	if err != nil {
		panic(fmt.Sprintf("realtime: %v", err)) // the table is built in
	}
	return c, a.reason, known
}

// aliasOf returns the alias of a name, or else the longest one that it goes on
// after.
func aliasOf(model string) (best alias, known bool) {
	for _, a := range aliases {
		rest, begins := strings.CutPrefix(strings.ToLower(model), a.name)
		if begins && (rest == "" || rest[0] == '-') && len(a.name) > len(best.name) {
			best, known = a, true
		}
	}
	return best, known
}

var padFigure = regexp.MustCompile(`silence pad mean = (\d+)`)

// namedPad returns the silence at the start of answers that a condition names, in ms.
func namedPad(condition string) time.Duration {
	m := padFigure.FindStringSubmatch(condition)
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(m[1]) // the expression has digits alone
	return milliseconds(n)
}

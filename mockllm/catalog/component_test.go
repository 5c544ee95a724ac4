package catalog

import (
	"maps"
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline"
)

func component(t *testing.T, slug string) Component {
	t.Helper()
	c, err := FindComponent(slug)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestSlugsAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range AllComponents() {
		if seen[c.Slug] {
			t.Errorf("slug %s twice", c.Slug)
		}
		seen[c.Slug] = true
	}
}

func TestComponentFigures(t *testing.T) {
	for _, want := range []Component{
		{Slug: "stt-deepgram-nova-3-general", P50: 247 * time.Millisecond, P95: 298 * time.Millisecond, Statistic: Median},
		{Slug: "tts-rime-coda-self-hosted-concurrency-1", P50: 96 * time.Millisecond, P95: pipeline.Unknown, Statistic: Median},
		{Slug: "tts-rime-coda-self-hosted-concurrency-12", P50: 150 * time.Millisecond, P95: pipeline.Unknown, Statistic: Median},
		{Slug: "llm-gpt-4o-aiewf-eval", P50: 546 * time.Millisecond, P95: 1369 * time.Millisecond, Statistic: Median},
		{Slug: "llm-gpt-4o-deploybase", P50: 250 * time.Millisecond, P95: 700 * time.Millisecond, Statistic: Median},
		{Slug: "vad-neural-vad-cpu-cost-in-a-sip-gateway", P50: 470 * time.Microsecond, P95: pipeline.Unknown, Statistic: Median},
		{Slug: "stt-gladia", P50: pipeline.Unknown, P95: pipeline.Unknown},
	} {
		c := component(t, want.Slug)
		if c.P50 != want.P50 || c.P95 != want.P95 || c.Statistic != want.Statistic {
			t.Errorf("%s: p50 %d, p95 %d, %q; want %d, %d, %q", c.Slug, c.P50, c.P95, c.Statistic, want.P50, want.P95, want.Statistic)
		}
	}
}

func TestWhatAComponentIsGoodFor(t *testing.T) {
	for slug, want := range map[string]struct{ usable, spread, wholeTurn, low bool }{
		"stt-deepgram-nova-3-general":                      {usable: true, spread: true},
		"tts-cartesia-sonic-3":                             {usable: true},
		"stt-gladia":                                       {},
		"llm-gpt-4o-deploybase":                            {usable: true, spread: true, low: true},
		"stt-twilio-guide-target-stt":                      {usable: true, low: true},
		"llm-gpt-realtime-speech-to-speech-v2v":            {usable: true, wholeTurn: true},
		"llm-moshi-full-duplex-on-l4-gpu-speech-to-speech": {usable: true, wholeTurn: true},
	} {
		c := component(t, slug)
		if c.Usable() != want.usable || c.SpreadKnown() != want.spread || c.WholeTurn() != want.wholeTurn || c.LowConfidence() != want.low {
			t.Errorf("%s: usable %v, spread %v, whole turn %v, low confidence %v; want %+v",
				slug, c.Usable(), c.SpreadKnown(), c.WholeTurn(), c.LowConfidence(), want)
		}
	}
}

// A row whose condition says in the source's own words that its figure is no
// median is not called one.
func TestStatisticAgreesWithTheCondition(t *testing.T) {
	for _, c := range AllComponents() {
		for words, want := range map[string]Statistic{
			"MEAN ":            Mean,
			"target (not a":    Target,
			"single run":       SingleRun,
			"upper bound":      UpperBound,
			"vendor: under":    UpperBound,
			"about;":           About,
			"default ":         Default,
			"TTFA median":      Median,
			"TTFT median":      Median,
			"docs default":     Default,
			"vendor target":    Target,
			"SPEECH-TO-SPEECH": Median,
		} {
			if strings.HasPrefix(c.Condition, words) && c.Statistic != want {
				t.Errorf("%s is called %q, but its condition begins %q", c.Slug, c.Statistic, words)
			}
		}
	}
}

func TestStatisticCounts(t *testing.T) {
	got := map[Statistic]int{}
	for _, c := range AllComponents() {
		got[c.Statistic]++
	}
	want := map[Statistic]int{"": 36, Median: 91, Mean: 15, Target: 6, Default: 27, SingleRun: 11, UpperBound: 6, About: 15}
	if !maps.Equal(got, want) {
		t.Errorf("rows by statistic: %v, want %v", got, want)
	}
}

package speech

import (
	"math"
	"testing"
	"time"

	"halfsecond/mockllm/catalog"
	"halfsecond/pipeline/dist"
)

// TestProfiles: names of APIs, names that go on after one, slugs, and unknown ones.
func TestProfiles(t *testing.T) {
	for _, c := range []struct {
		model, slug string
		known       bool
		p50, p95    time.Duration
	}{
		{"nova-3", "stt-deepgram-nova-3-general", true, 247 * ms, 298 * ms},
		{"nova-3-medical", "stt-deepgram-nova-3-general", true, 247 * ms, 298 * ms},
		{"Nova-3-General", "stt-deepgram-nova-3-general", true, 247 * ms, 298 * ms},
		{"stt-deepgram-nova-3-general", "stt-deepgram-nova-3-general", true, 247 * ms, 298 * ms},
		{"supernova-3", "stt-deepgram-nova-3-general", false, 247 * ms, 298 * ms},
		{"", "stt-deepgram-nova-3-general", false, 247 * ms, 298 * ms},
		{"universal-streaming-english", "stt-assemblyai-universal-streaming-english", true, 256 * ms, 362 * ms},
		{"gpt-4o-transcribe", "stt-openai-gpt-4o-transcribe-realtime", true, 637 * ms, 965 * ms},
		{"gpt-4o-mini-transcribe-2025-12-15", "stt-openai-gpt-4o-transcribe-realtime", true, 637 * ms, 965 * ms},
		{"whisper-1", "stt-openai-gpt-4o-transcribe-realtime", true, 637 * ms, 965 * ms},
		{"whisper-rt", "stt-assemblyai-universal-streaming-english", true, 256 * ms, 362 * ms},
		{"ink-whisper", "stt-cartesia-ink-whisper", true, 266 * ms, 364 * ms},
		{"flux-general-en", "stt-deepgram-nova-3-general", true, 0, 0},
		{"stt-gladia", "stt-deepgram-nova-3-general", false, 247 * ms, 298 * ms}, // only a P99 was published
		{"tts-openai-tts-1-hd", "stt-deepgram-nova-3-general", false, 247 * ms, 298 * ms},
	} {
		p, known := FindSTT(c.model)
		if p.Slug != c.slug || known != c.known || p.Name != c.model || p.Final.Quantile(.5) != c.p50 || p.Final.Quantile(.95) != c.p95 {
			t.Errorf("%q is %s, known %t, %s, want %s, %t, %s and %s", c.model, p.Slug, known, p.Final, c.slug, c.known, c.p50, c.p95)
		}
	}
	for _, c := range []struct {
		model, slug string
		known       bool
		p50         time.Duration
	}{
		{"eleven_flash_v2_5", "tts-elevenlabs-flash-v2-5", true, 288 * ms},
		{"sonic-3", "tts-cartesia-sonic-3", true, 188 * ms},
		{"sonic-3-2025-10-27", "tts-cartesia-sonic-3", true, 188 * ms},
		{"sonic-turbo", "tts-cartesia-sonic-turbo-model-only", true, 40 * ms},
		{"aura-2-thalia-en", "tts-deepgram-aura-2", true, 313 * ms},
		{"aura-asteria-en", "tts-deepgram-aura-2", true, 313 * ms},
		{"tts-1", "tts-openai-tts-synthesis-only", true, 1437 * ms},
		{"tts-1-hd-1106", "tts-openai-tts-1-hd", true, 2295 * ms},
		{"gpt-4o-mini-tts", "tts-openai-tts-synthesis-only", true, 1437 * ms},
		{"somebody's", "tts-elevenlabs-flash-v2-5", false, 288 * ms},
	} {
		p, known := FindTTS(c.model)
		if p.Slug != c.slug || known != c.known || p.FirstByte.Quantile(.5) != c.p50 {
			t.Errorf("%q is %s, known %t, %s, want %s, %t, %s", c.model, p.Slug, known, p.FirstByte, c.slug, c.known, c.p50)
		}
	}
}

// TestAliasesStandForFigures: each has a component of its kind whose median is known.
func TestAliasesStandForFigures(t *testing.T) {
	for _, kind := range []string{"stt", "tts"} {
		all := Aliases(kind)
		if len(all) < 20 {
			t.Errorf("%d aliases of %s", len(all), kind)
		}
		for _, a := range all {
			c, err := catalog.FindComponent(a.Slug)
			if err != nil || c.Slug != a.Slug || c.Kind != kind || !c.Usable() || a.Reason == "" {
				t.Errorf("%s: %v, %s: usable %t", a.Name, err, c.Kind, c.Usable())
			}
		}
	}
	if _, known := alias("stt", DefaultSTT); !known {
		t.Errorf("%s has no alias", DefaultSTT)
	}
	if _, known := alias("tts", DefaultTTS); !known {
		t.Errorf("%s has no alias", DefaultTTS)
	}
}

// TestSpreads: a published range gives the distribution that has it.
func TestSpreads(t *testing.T) {
	between := func(d dist.Dist, low, high float64) float64 {
		return (d.Quantile(high) - d.Quantile(low)).Seconds() * 1000
	}
	sonic, _ := FindTTS("sonic-3") // IQR 100
	if got := between(sonic.FirstByte, .25, .75); math.Abs(got-100) > 1e-3 {
		t.Errorf("quartiles of %s are %.4f ms apart, want 100", sonic.FirstByte, got)
	}
	mist, _ := FindTTS("mistv3") // P90 = 56
	if got := mist.FirstByte.Quantile(.9); (got - 56*ms).Abs() > time.Microsecond {
		t.Errorf("P90 of %s is %s, want 56ms", mist.FirstByte, got)
	}
	hindi, _ := FindTTS("tts-60db-streaming-hindi") // P95 288, P90 246: the P95 counts
	if got := hindi.FirstByte.Quantile(.95); (got - 288*ms).Abs() > time.Microsecond {
		t.Errorf("P95 of %s is %s, want 288ms", hindi.FirstByte, got)
	}
	hd, _ := FindTTS("tts-1-hd")
	if hd.FirstByte.Spread() {
		t.Errorf("%s spreads, though no range was published", hd.FirstByte)
	}
}

// TestHabits: what the vendors' documents say of their silences.
func TestHabits(t *testing.T) {
	for model, want := range map[string]Turn{
		"nova-3":                      {Silence: 10 * ms},
		"universal-streaming-english": {Silence: 400 * ms, Unfinished: 1280 * ms},
		"u3-rt-pro":                   {Silence: 100 * ms, Unfinished: time.Second},
		"gpt-4o-transcribe":           {Silence: 500 * ms},
		"flux-general-en":             {Silence: 260 * ms, Unfinished: 5 * time.Second},
	} {
		if p, _ := FindSTT(model); p.Turn != want {
			t.Errorf("%s: %+v, want %+v", model, p.Turn, want)
		}
	}
}

// TestLatencies: an upload takes as long as a final.
func TestLatencies(t *testing.T) {
	p, _ := FindSTT("whisper-1")
	a, b := dist.Stream(1, "upload"), dist.Stream(1, "upload")
	if got, want := p.Latency(&a), p.Final.Draw(&b); got != want {
		t.Errorf("an upload takes %s, want %s", got, want)
	}
}

// TestFindUnknown: a name that cannot be a component's is not searched for among them,
// which would hold up the loop.
func TestFindUnknown(t *testing.T) {
	for _, name := range []string{"en_US-lessac-medium", "whatever", "stt", "tts_1"} {
		if n := testing.AllocsPerRun(10, func() { FindTTS(name); FindSTT(name) }); n > 500 {
			t.Errorf("%q takes %.0f allocations", name, n)
		}
	}
}

package study

import (
	"slices"
	"strings"
	"testing"

	"halfsecond/budgets"
	"halfsecond/simulators/scenario"
)

// What a backlog of the detectors grows to is over before the model is asked, the voice speaks or
// the turn is ended: in a closed loop of as many turns those only end the run sooner.
func TestLeversOfAStageThatIsOver(t *testing.T) {
	s := load(t, "voice-vad-behind")
	c, err := Levers(t.Context(), s, by(198, "p95(vad_backlog) < 100ms"))
	if err != nil {
		t.Fatal(err)
	}
	if len(c.All) != 1 || c.All[0].What != "2 detectors in place of 1" {
		t.Errorf("%+v, want the detectors alone", c.All)
	}
	// For the reply the others are worth it, and say nothing of the backlog.
	c, err = Levers(t.Context(), s, by(198, "p95(vad_backlog) < 100ms", "p95(reply) < 1s"))
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range c.All {
		if x.What != "2 detectors in place of 1" && (x.Gain.Value != 0 || x.Gain.Matters()) {
			t.Errorf("%s gains %+v of %s", x.What, x.Gain, c.Aims[0].Budget.Name())
		}
	}
	if len(c.All) < 3 {
		t.Errorf("%+v, want what the reply gains by", c.All)
	}
}

// crowded is a stack of users whose detectors, recognizers and voices are behind, which grows until
// the end of the run. The voice speaks twice as fast as it plays.
const crowded = `halfsecond: 1
kind: voice
name: crowded
arrivals: {process: closed, users: 33, think: {exponential: 4s}, joining: 4s}
voice:
  vad_frame: 32ms
  vad_compute: 1ms
  vad_workers: 1
  stt_tail: 100ms
  first_sentence_tokens: {p50: 8, p95: 16}
  llm: {ttft: 200ms, tokens_per_second: 100}
  tts_first_audio: 200ms
  tts_factor: 0.5
  tts_workers: 4
run: {n: 198, seed: 1, target: sim}
`

// offered returns the changes that are offered by a budget, and those in the best of them.
func offered(t *testing.T, s *scenario.Scenario, budget string) (all []string) {
	t.Helper()
	c, err := Levers(t.Context(), s, by(198, budget))
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range c.All {
		all = append(all, x.What)
	}
	if c.Best != nil {
		for _, x := range c.Best.Parts {
			all = append(all, x.What)
		}
	}
	return all
}

// TestVoicesDoNotHelpDetectors: with more voices the run of as many turns is over sooner, and what is
// behind grows for less long. More than any number of them can do nothing else for the detectors.
func TestVoicesDoNotHelpDetectors(t *testing.T) {
	got := offered(t, parse(t, crowded), "p95(vad_backlog) < 100ms")
	if want := []string{"2 detectors in place of 1", "2 detectors in place of 1"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestSilenceDoesNotHelpRecognizers: those begin with what was said, not with the silence after it.
func TestSilenceDoesNotHelpRecognizers(t *testing.T) {
	text := strings.NewReplacer("users: 33", "users: 60", "  vad_workers: 1\n", "  vad_silence: 800ms\n  ending: {fixed: {wait: 0s, from: vad_stop}}\n  stt_workers: 1\n").Replace(crowded)
	for _, from := range []string{"speech", "vad_stop"} {
		got := offered(t, parse(t, strings.Replace(text, "  stt_tail", "  stt_from: "+from+"\n  stt_tail", 1)), "p95(stt_queue) < 100ms")
		if !slices.ContainsFunc(got, func(what string) bool { return strings.Contains(what, "recognizers in place of 1") }) {
			t.Errorf("from %s: %q, want recognizers", from, got)
		}
		for _, what := range got {
			if !strings.Contains(what, "recognizers") {
				t.Errorf("from %s: %q is offered", from, what)
			}
		}
	}
}

// everything is a stack that leaves room for a change of each kind.
const everything = `halfsecond: 1
kind: voice
name: everything
arrivals: {process: closed, users: 8, think: 1s}
voice:
  uplink: 200ms
  playout: 200ms
  llm_round_trip: 300ms
  vad_frame: 32ms
  vad_compute: 10ms
  vad_workers: 1
  vad_silence: 500ms
  ending: {fixed: {wait: 250ms, from: vad_stop}}
  policy_wait: 100ms
  stt_tail: {component: stt-deepgram-nova-3-general}
  stt_timer: 800ms
  stt_workers: 1
  reasoning_tokens: 20
  llm: {model: qwen3-8b, hardware: l40s, max_sequences: 2}
  llm_connect: {takes: 80ms, each: true}
  gather: {by: sentence}
  tts_first_audio: {component: tts-elevenlabs-flash-v2-5}
  tts_factor: 0.5
  tts_workers: 1
  tts_connect: {takes: 90ms, each: true}
  filler: {share: 50%}
  leading_silence: 150ms
  post_wait: 50ms
  barge_in: {share: 50%, guard: 100ms, clear: false}
run: {n: 40, seed: 1, target: sim}
`

// TestReaches: of a stage that is work which all calls share those changes may be offered that are of
// this work, and of any other those that begin no later.
func TestReaches(t *testing.T) {
	kinds := map[string]string{
		"a nearer region": "region", "trim": "lead", "speak as soon": "post", "take back": "clear", "take the first sound": "guard",
		"stop the detector": "silence", "count every wait": "counts", "a turn model": "turn model", "no wait": "policy", "take the final": "timer", "transcribe while": "from",
		"NVIDIA": "stt", "ask the model": "early", "no reasoning": "reasoning", "keep the connection to the model": "llm socket", "no filler": "filler",
		"hand over": "clause", "keep the connection to the voice": "tts socket", "Gradium": "tts",
		"3 detectors": "detectors", "2 recognizers": "recognizers", "2 voices": "voices", "2 replicas": "replicas", "4 answers": "batch",
	}
	const (
		turn   = "region silence turn model policy counts timer stt detectors recognizers"
		model  = "guard early reasoning replicas batch"
		before = "region guard silence turn model policy counts timer stt early reasoning llm socket detectors recognizers replicas batch"
	)
	for metric, want := range map[string]string{
		"uplink": "region detectors", "vad_backlog": "detectors", "stt_queue": "stt recognizers", "stt_tail": "region stt detectors recognizers",
		"vad_wait": turn, "end_of_turn": turn, "cut_in_share": turn,
		"queue": model, "prefill": model, "llm_queue": model, "llm_first_token": "region " + model, "ttft": "region " + model,
		"llm_connect": before, "tts_queue": "guard filler tts voices",
		"tts_first_audio": "region guard silence turn model policy counts timer stt early reasoning llm socket filler clause tts socket tts detectors recognizers voices replicas batch",
	} {
		if got := reached(t, parse(t, everything), metric, kinds); got != want {
			t.Errorf("%s\n got %s\nwant %s", metric, got, want)
		}
	}
	stops := parse(t, strings.NewReplacer("  stt_tail", "  stt_from: vad_stop\n  stt_tail", "uplink: 200ms", "uplink: 20ms", "llm_round_trip: 300ms", "llm_round_trip: 1ms").Replace(everything))
	for metric, want := range map[string]string{"stt_queue": "stt recognizers", "stt_tail": "silence turn model policy counts timer from stt detectors recognizers", "ttft": model, "playout": "region"} {
		got := reached(t, stops, metric, kinds)
		if metric == "playout" {
			got, _, _ = strings.Cut(got, " ")
		}
		if got != want {
			t.Errorf("from the stop, %s\n got %s\nwant %s", metric, got, want)
		}
	}
}

// TestReachesAtPauses: an agent that asks early asks at each pause that it takes for the end, so that
// what ends turns is of the model's work.
func TestReachesAtPauses(t *testing.T) {
	kinds := map[string]string{"stop the detector": "silence", "a turn model": "turn model", "take the final": "timer", "ask the model at the commit only": "commit", "2 voices": "voices"}
	for guess, want := range map[string][2]string{
		"{from: vad_stop, right: 80%}":            {"silence turn model commit", "voices"},
		"{from: vad_stop, right: 80%, tts: true}": {"silence turn model commit", "silence turn model commit voices"},
	} {
		s := parse(t, strings.Replace(everything, "  filler", "  guess: "+guess+"\n  filler", 1))
		if got := [2]string{reached(t, s, "queue", kinds), reached(t, s, "tts_queue", kinds)}; got != want {
			t.Errorf("%s: %q, want %q", guess, got, want)
		}
	}
}

// reached returns the kinds of changes that may serve a metric, each once.
func reached(t *testing.T, s *scenario.Scenario, metric string, kinds map[string]string) string {
	t.Helper()
	budget := "p95(" + metric + ") < 1s"
	if metric == budgets.CutInShare {
		budget = "mean(" + metric + ") < 1%"
	}
	aim := by(1, budget).Aims[0]
	var all []string
	for _, l := range leversOf(s) {
		for begins, kind := range kinds {
			if strings.HasPrefix(l.What, begins) && l.reaches(s.Voice, aim) && !slices.Contains(all, kind) {
				all = append(all, kind)
			}
		}
	}
	return strings.Join(all, " ")
}

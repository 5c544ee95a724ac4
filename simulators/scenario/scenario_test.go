package scenario

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline/dist"
	"halfsecond/simulators/arrival"
	"halfsecond/simulators/ide/recording"
	"halfsecond/simulators/ide/typing"
)

var update = flag.Bool("update", false, "rewrite docs/scenario.md and the files in testdata")

// golden compares text with a file, or writes it there with -update.
func golden(t *testing.T, file, text string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if text != string(want) {
		t.Errorf("%s has\n%s\nwant\n%s", file, want, text)
	}
}

func parse(t *testing.T, text string) *Scenario {
	t.Helper()
	s, err := Parse("test.yaml", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const ms = time.Millisecond

const full = `# every way to write a value
halfsecond: 1
kind: voice
name: "a name: with a colon"
arrivals: {process: closed, users: 3, think: {exponential: 2s}}
warm_up: 5
voice:
  utterance: {uniform: [1s, 2.5s]}
  uplink: {p50: 30ms, p95: 55ms}
  vad_silence: {component: Pipecat VADParams defaults}
  end_of_turn: {p50: 12ms}
  stt_tail: {component: stt-deepgram-nova-3-general}
  prompt_tokens: {uniform: [800, 1600]}
  reply_tokens: {exponential: 70}
  first_sentence_tokens: {p50: 12, p95: 12}
  llm: {component: llm-gpt-4o-mini-aiewf-eval, tokens_per_second: 82.5}
  llm_round_trip: 0
  tts_first_audio: {component: tts-cartesia-sonic-3}
budgets:
  - p95(reply) < 500ms
  - "share(reply < 800ms) >= 90%"
run: {n: 50, seed: 18446744073709551615, target: endpoint}
endpoints:
  llm: {url: https://api.example.com/v1, model: gpt-4o-mini, key_env: KEY, ignore_eos: true}
`

func TestParse(t *testing.T) {
	fit := func(p50, p95 time.Duration) dist.Dist {
		d, err := dist.FromQuantiles(p50, p95)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	want := &Scenario{
		Version:  1,
		Kind:     "voice",
		Name:     "a name: with a colon",
		Arrivals: arrival.Closed(3, dist.Exponential(2*time.Second)),
		WarmUp:   5,
		Voice: &Voice{
			Utterance:           Delay{Dist: dist.Uniform(time.Second, 2500*ms)},
			Uplink:              Delay{Dist: fit(30*ms, 55*ms)},
			VADSilence:          Delay{Dist: dist.Constant(200 * ms), Component: "vad-pipecat-vadparams-defaults"},
			EndOfTurn:           Delay{Dist: dist.Constant(12 * ms), NoSpread: true},
			STTTail:             Delay{Dist: fit(247*ms, 298*ms), Component: "stt-deepgram-nova-3-general"},
			PromptTokens:        dist.UniformCount(800, 1600),
			ReplyTokens:         dist.ExponentialCount(70),
			FirstSentenceTokens: dist.ConstantCount(12),
			LLM:                 LLM{TTFT: Delay{Dist: fit(553*ms, 1947*ms), Component: "llm-gpt-4o-mini-aiewf-eval"}, TokensPerSecond: 82.5},
			TTSFirstAudio:       Delay{Dist: dist.Constant(188 * ms), Component: "tts-cartesia-sonic-3", NoSpread: true},
			Playout:             Delay{Dist: dist.Constant(40 * ms)},
			FirstClauseTokens:   dist.ConstantCount(6), SpeechPerToken: 250 * ms,
		},
		Budgets: []Budget{{"p95(reply) < 500ms", 20, 5}, {"share(reply < 800ms) >= 90%", 21, 5}},
		Run:     Run{N: 50, Seed: 18446744073709551615, Target: "endpoint"},
		Endpoints: Endpoints{LLM: &Endpoint{
			URL: "https://api.example.com/v1", Protocol: "openai-chat", Model: "gpt-4o-mini", KeyEnv: "KEY", IgnoreEOS: true,
		}},
	}
	if got := parse(t, full); !reflect.DeepEqual(got, want) {
		t.Errorf("Parse(full) =\n%+v\nwant\n%+v\nvoice\n%+v\nwant\n%+v", got, want, got.Voice, want.Voice)
	}
}

func TestCanonical(t *testing.T) {
	golden(t, filepath.Join("testdata", "full.yaml"), parse(t, full).Canonical())
}

// What is left out has a default, and the canonical text says which.
func TestDefaults(t *testing.T) {
	for kind, text := range map[string]string{
		"voice": "halfsecond: 1\nkind: voice\nname: least\nvoice: {stt_tail: 250ms, llm: {model: llama-3.1-8b, hardware: l40s}, tts_first_audio: 90ms}\n",
		"ide":   "halfsecond: 1\nkind: ide\nname: least\nide: {typist: {profile: slow}, llm: {model: Qwen2.5-7B, hardware: L40S, engine: ollama}}\n",
		"bench": "halfsecond: 1\nkind: bench\nname: least\nbench: {llm: {ttft: 1ms, tokens_per_second: 50}}\n",
	} {
		golden(t, filepath.Join("testdata", "least-"+kind+".yaml"), parse(t, text).Canonical())
	}
}

func TestCanonicalReadsTheSame(t *testing.T) {
	texts := map[string]string{"full": full}
	for _, name := range append(Names(), Examples()...) {
		texts[name], _ = Source(name)
	}
	for name, text := range texts {
		s := parse(t, text)
		again := parse(t, s.Canonical())
		if !reflect.DeepEqual(withoutPlaces(s), withoutPlaces(again)) {
			t.Errorf("%s: the canonical text reads as %+v, want %+v", name, again, s)
		}
		if s.Canonical() != again.Canonical() || s.Hash() != again.Hash() {
			t.Errorf("%s: the canonical text is written differently when read again", name)
		}
	}
}

// A golden hash: it changes only with the format or the catalogue's figures, and
// then recorded hashes no longer name the same text.
func TestHashGolden(t *testing.T) {
	const want = "4db39e7ae1417c4cfbe410308ec1459ca5947306800c45b2f7836fb80a02fea4"
	if got := parse(t, full).Hash(); got != want {
		t.Errorf("Hash() = %s, want %s", got, want)
	}
}

func TestHashIsOfTheExperiment(t *testing.T) {
	base := parse(t, full).Hash()
	for name, c := range map[string]struct {
		old, new string
		same     bool
	}{
		"comment":          {"# every way to write a value", "# another", true},
		"spelling":         {"2.5s", "2500ms", true},
		"quotes":           {`"share(reply < 800ms) >= 90%"`, "share(reply < 800ms) >= 90%", true},
		"default spelled":  {"  end_of_turn:", "  playout: 40ms\n  end_of_turn:", true},
		"order of keys":    {"users: 3, think: {exponential: 2s}", "think: {exponential: 2s}, users: 3", true},
		"catalogue's name": {"Pipecat VADParams defaults", "vad-pipecat-vadparams-defaults", true},
		"seed":             {"seed: 18446744073709551615", "seed: 2", true},
		"run left out":     {"run: {n: 50, seed: 18446744073709551615, target: endpoint}", "", true},
		"endpoint":         {"api.example.com", "other.example.com", true},
		"name":             {"with a colon", "with another", false},
		"stage":            {"p50: 12ms", "p50: 13ms", false},
		"default changed":  {"  end_of_turn:", "  playout: 41ms\n  end_of_turn:", false},
		"spread known":     {"{p50: 12ms}", "12ms", false},
		"component":        {"{component: stt-deepgram-nova-3-general}", "{p50: 247ms, p95: 298ms}", false},
		"budget":           {"p95(reply)", "p90(reply)", false},
		"arrivals":         {"users: 3", "users: 4", false},
	} {
		if !strings.Contains(full, c.old) {
			t.Fatalf("%s: %q is not in the text", name, c.old)
		}
		if same := parse(t, strings.Replace(full, c.old, c.new, 1)).Hash() == base; same != c.same {
			t.Errorf("%s: hash is the same = %t, want %t", name, same, c.same)
		}
	}
}

func TestReference(t *testing.T) {
	golden(t, "../../docs/scenario.md", "# Every key of a scenario file\n\n"+Reference())
}

func TestTypists(t *testing.T) {
	files := func(name string) ([]byte, error) {
		switch name {
		case "main.go":
			return []byte("package main\n"), nil
		case "blank.go":
			return []byte("\n\n"), nil
		case "large.go":
			return make([]byte, 1<<20+1), nil
		case "mine.csv":
			return []byte("t_ms,doc,offset,delete,insert,cursor\n0,a,0,0,x,\n1,a,1,0,y,\n"), nil
		case "bad.csv":
			return []byte("t_ms,doc,offset,delete,insert,cursor\n0,a,0,0,x,\n1,a,7,0,y,\n"), nil
		case "large.csv":
			return make([]byte, recording.MaxBytes+1), nil
		}
		return nil, os.ErrNotExist
	}
	const form = "halfsecond: 1\nkind: ide\nname: n\nide:\n  llm: {ttft: 1ms, tokens_per_second: 50}\n  typist: "
	expert, err := typing.ProfileNamed("expert")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		typist string
		open   func(string) ([]byte, error)
		want   string
	}{
		{"{profile: average}", nil, "average, 52 wpm, 0.03 errors, go-handler"},
		{"{profile: rapid, rethinks: 0, gaps: loglogistic, jumps: 10%, pastes: 1%, hold_first: 250ms, hold_next: 20ms}", nil,
			"rapid, 110 wpm, 0.03 errors, go-handler, loglogistic, 0 rethinks, 0.1 jumps, 0.01 pastes, held 250ms 20ms"},
		{"{profile: fast, accepts: {}}", nil, "fast, 80 wpm, 0.03 errors, go-handler, accepts 0.3 0.02 8"},
		{"{profile: fast, accepts: {right: 50%, wrong: 1%, length: 0}}", nil, "fast, 80 wpm, 0.03 errors, go-handler, accepts 0.5 0.01 0"},
		{"{profile: expert}", nil, fmt.Sprintf("expert, 0 wpm, %v errors, go-handler", expert.Slips)},
		{"{profile: slow, wpm: 60, errors: 0, text: python-report}", files, "slow, 60 wpm, 0 errors, python-report"},
		{"{profile: fast, text: main.go, max_pause: 2s}", files, "fast, 80 wpm, 0.03 errors, main.go"},
		{"{session: vscode_session1, document: 22}", nil, "vscode_session1 22"},
		{"{session: vscode_session1}", nil, "vscode_session1 -1"},
		{"{session: vscode_session1, document: all, max_pause: 1s}", nil, "vscode_session1 -1"},
		{"{session: mine.csv, document: 1}", files, "mine.csv 1"},
		{"{session: mine.csv, document: 2}", files, "f:6:41: ide.typist.document: the recording has no document 2, only 1 (a, 1 edits)"},
		{"{session: mine.csv, document: some}", files, `f:6:41: ide.typist.document: want a whole number, or all; found "some"`},
		{"{session: bad.csv}", files, "f:6:21: ide.typist.session: bad.csv:3:5: offset: position 7 is outside of the text"},
		{"{session: large.csv}", files, "f:6:21: ide.typist.session: no built-in session and no file to read: file large.csv is larger than 67108864 bytes; want one of vscode_session1"},
		{"{session: vscode_session1, accepts: {}}", nil, "f:6:38: ide.typist.accepts: unknown key; want one of session, document, max_pause"},
		{"{profile: fast, accepts: {right: 2}}", nil, "f:6:44: ide.typist.accepts.right: 2 is not possible: it must be from 0 to 1"},
		{"{profile: fast, wpm: 4}", nil, "f:6:32: ide.typist.wpm: 4 is not possible: it must be from 5 to 300, or 0 for the expert's own pace"},
		{"{profile: fast, text: go-handlr}", nil, `f:6:33: ide.typist.text: no built-in text "go-handlr"; nearest: go-handler`},
		{"{profile: fast, text: missing.go}", files, "f:6:33: ide.typist.text: no built-in text and no file to read: file does not exist; want one of go-handler, python-report"},
		{"{profile: fast, text: blank.go}", files, "f:6:33: ide.typist.text: file blank.go: the text to type has no character that can be seen"},
		{"{profile: fast, text: large.go}", files, "f:6:33: ide.typist.text: no built-in text and no file to read: file large.go is larger than 1048576 bytes; want one of go-handler, python-report"},
		{"{session: vscode_session2, document: 22}", nil, `f:6:21: ide.typist.session: no built-in session "vscode_session2"; nearest: vscode_session1`},
	} {
		s, err := Parse("f", []byte(form+c.typist), c.open)
		got := ""
		switch {
		case err != nil:
			got = err.Error()
		case s.IDE.Typist.Session.Name != "":
			got = fmt.Sprintf("%s %d", s.IDE.Typist.Session.Name, s.IDE.Typist.Document)
		default:
			p := s.IDE.Typist
			got = fmt.Sprintf("%s, %v wpm, %v errors, %s", p.Profile, p.WPM, p.Errors, p.Text.Name)
			if p.Gaps != typing.LogNormal {
				got += fmt.Sprintf(", %s, %v rethinks, %v jumps, %v pastes, held %s %s", p.Gaps, p.Rethinks, p.Jumps, p.Pastes, p.HoldFirst, p.HoldNext)
			}
			if r, ok := p.Reader(7); ok {
				got += fmt.Sprintf(", accepts %v %v %d", r.Right, r.Wrong, r.Full)
			}
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.typist, got, c.want)
		}
	}
	_, err = Parse("f", []byte(form+"{session: vscode_session1, document: 9}"), nil)
	if err == nil || !strings.HasPrefix(err.Error(), "f:6:48: ide.typist.document: the recording has no document 9, only 22 ") {
		t.Errorf("document 9: %v, want it refused", err)
	}
}

// A session file's content is part of the experiment, as a text file's is.
func TestHashFollowsSessionFiles(t *testing.T) {
	const text = "halfsecond: 1\nkind: ide\nname: n\nide: {typist: {session: s.csv}, llm: {ttft: 1ms, tokens_per_second: 50}}\n"
	hash := func(typed string) string {
		s, err := Parse("f", []byte(text), func(string) ([]byte, error) {
			return []byte("t_ms,doc,offset,delete,insert,cursor\n0,a,0,0,,\n1,a,0,0," + typed + ",\n"), nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return s.Hash()
	}
	first, again := hash("x"), hash("x")
	if first == hash("y") {
		t.Error("two contents of the same file give one hash")
	}
	if first != again {
		t.Error("one content gives two hashes")
	}
}

// A text file's content is part of the experiment, and its name is not enough.
func TestHashFollowsTextFiles(t *testing.T) {
	const text = "halfsecond: 1\nkind: ide\nname: n\nide: {typist: {profile: fast, text: main.go}, llm: {ttft: 1ms, tokens_per_second: 50}}\n"
	hash := func(content string) string {
		s, err := Parse("f", []byte(text), func(string) ([]byte, error) { return []byte(content), nil })
		if err != nil {
			t.Fatal(err)
		}
		if s.IDE.Typist.Text.Content != content {
			t.Errorf("text = %q, want %q", s.IDE.Typist.Text.Content, content)
		}
		return s.Hash()
	}
	if hash("package a") == hash("package b") {
		t.Error("two contents of the same file give one hash")
	}
}

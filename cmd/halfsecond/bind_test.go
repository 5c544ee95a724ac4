package main

import (
	"strings"
	"testing"

	"halfsecond/simulators/scenario"
)

// TestKeyInPlaceOfItsVariable: a key that was typed where the name of its variable belongs
// is not repeated.
func TestKeyInPlaceOfItsVariable(t *testing.T) {
	for name, shown := range map[string]bool{
		"OPENAI_API_KEY": true, "MYKEY": true, "my_key": true, "KEY_2": true, "HALFSECOND_NO_SUCH_KEY": true, "": true,
		"sk-proj-abcdef123456": false, "0123456789abcdef0123456789abcdef": false, "gsk_8fjK2mQ0": false, "AIzaSyD4x": false, "key with spaces": false,
		"abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz": false,
	} {
		if got := shownVariable(name); (got == name) != shown {
			t.Errorf("%q is shown as %q", name, got)
		}
	}
	const key = "sk-secretvalue1234567890"
	scenario := scenarioFile(t, chat+"endpoints: {llm: {url: http://127.0.0.1:9/v1, key_env: "+key+"}}\n")
	for _, args := range [][]string{
		{"doctor", "http://127.0.0.1:9/v1", "--key-env", key}, {"record", "http://127.0.0.1:9/v1", "--out", "x", "--key-env", key},
		{"doctor", "wss://127.0.0.1:9", "--protocol", "deepgram-listen", "--model", "m", "--key-env", key},
		{"mock", "--api-key-env", key}, {"run", scenario},
	} {
		for _, format := range []string{"table", "json"} {
			code, out, errs := halfsecond(t, append(args, "--format", format)...)
			if code != exitUsage || strings.Contains(out+errs, "secretvalue") {
				t.Errorf("%s: exit code %d, %s%s", args, code, out, errs)
			}
		}
	}
}

// TestKeyThatIsRefused: whether a key was given is told where the list of models is refused.
func TestKeyThatIsRefused(t *testing.T) {
	for _, words := range []struct{ cause, title string }{
		{"GET http://x/v1/models: HTTP 401: no; no key was given", "the server asks for a key, and none was given"},
		{"GET http://x/v1/models: HTTP 403: no; that is with the key that was given", "the server does not take the key that was given"},
		{"HTTP 401: no", "the server does not take the key"},
	} {
		if title, _, ok := trouble(testError(words.cause)); !ok || title != words.title {
			t.Errorf("%s: %q, want %q", words.cause, title, words.title)
		}
	}
}

type testError string

func (e testError) Error() string { return string(e) }

// TestMayOverlap: one request a user goes with a plugin that never has two under way.
func TestMayOverlap(t *testing.T) {
	for keys, want := range map[string]string{
		"{}":                "",
		"{cancel: none}":    "ide.plugin.cancel none leaves requests under way",
		"{cancel: discard}": "ide.plugin.cancel discard leaves requests under way",
		"{cancel: none, requests: {most_live: 1}}":                  "",
		"{cancel: none, requests: {most_live: 2}}":                  "ide.plugin.cancel none leaves requests under way",
		"{cancel: none, requests: {most_live: 1, speculate: true}}": "ide.plugin.cancel none leaves requests under way",
		"{requests: {keep_matching: true}}":                         "ide.plugin.requests leaves requests under way",
		"{requests: {keep_matching: true, most_live: 1}}":           "",
		"{requests: {speculate: true}}":                             "",
		"{requests: {speculate: true, speculation_lives: true}}":    "ide.plugin.requests leaves requests under way",
		"{requests: {editor_token: true}}":                          "",
	} {
		s, err := scenario.Parse("f", []byte("halfsecond: 1\nkind: ide\nname: n\nide:\n  typist: {profile: fast}\n  llm: {ttft: 1ms, tokens_per_second: 50}\n  plugin: "+keys+"\n"), nil)
		if err != nil {
			t.Fatal(err)
		}
		err = (&runOptions{perUser: 1}).mayOverlap(s)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", keys, err, want)
		}
		if err := (&runOptions{perUser: 8}).mayOverlap(s); err != nil {
			t.Errorf("%s, 8 a user: %v", keys, err)
		}
	}
}

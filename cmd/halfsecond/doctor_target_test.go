package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"halfsecond/pipeline/endpoint/audition"
)

// TestCheckTarget: what is no folder and no URL of a language model is told what it lacks.
func TestCheckTarget(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, rawFile)
	if err := os.WriteFile(log, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ target, protocol, want string }{
		{"nosuch", "", "nosuch is no folder, and no URL: want it to begin with http:// or https://"},
		{"localhost:8000", "", "localhost:8000 is no folder, and no URL"},
		{"host/v1?key=secret", "", "this is no folder, and no URL"},
		{"user:secret@host", "", "this is no folder, and no URL"},
		{log, "", "is a file: want a URL, or the folder that doctor --out made, such as " + dir},
		{"ws://127.0.0.1:9", "", "ws:// is for speech: name its protocol with --protocol: openai-transcriptions, "},
		{"wss://h/v1/listen?key=secret", "", "a path that ends in /listen is of speech: name its protocol with --protocol deepgram-listen"},
		{"http://h/v2/listen", "", "--protocol deepgram-flux"},
		{"http://h/v1/audio/speech/", "", "--protocol openai-speech"},
		{"http://h/v1/audio/speech", "openai-speech", ""},
		{"https://h/v1/text-to-speech/rachel/stream", "", "--protocol elevenlabs-stream"},
		{"https://h/v1/text-to-speech/my%2Fvoice/stream", "", "--protocol elevenlabs-stream"},
		{"https://h/v1/stream", "", ""},
		{"http://h/v1", "", ""},
		{"http://h/listening", "", ""},
	} {
		text := ""
		if err := checkTarget(c.target, c.protocol); err != nil {
			text = err.Error()
		}
		if c.want == "" && text != "" || !strings.Contains(text, c.want) || strings.Contains(text, "secret") {
			t.Errorf("checkTarget(%q, %q) = %q, want %q", c.target, c.protocol, text, c.want)
		}
	}
}

// TestSpeechPaths: every protocol of speech has a path, and no path hides another.
func TestSpeechPaths(t *testing.T) {
	all := ""
	for i, p := range speechPaths {
		all += p.protocols + ", "
		for _, later := range speechPaths[i+1:] {
			if strings.HasSuffix(later.end, p.end) {
				t.Errorf("%s comes before %s", p.end, later.end)
			}
		}
	}
	for _, name := range audition.Protocols() {
		if !strings.Contains(all, name+",") {
			t.Errorf("no path of %s", name)
		}
	}
}

package main

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/audition"
)

// speechPaths are how the paths of speech endpoints end, the longer first, and whose they are.
var speechPaths = []struct{ end, protocols string }{
	{"/audio/transcriptions", "openai-transcriptions"},
	{"/audio/speech", "openai-speech"},
	{"/realtime", "openai-realtime, or openai-realtime-transcription"},
	{"/v2/listen", "deepgram-flux"},
	{"/listen", "deepgram-listen"},
	{"/speak", "deepgram-speak"},
	{"/v3/ws", "assemblyai"},
	{"/stt/turns/websocket", "cartesia-turns"},
	{"/stt/websocket", "cartesia-stt"},
	{"/tts/websocket", "cartesia-socket"},
	{"/tts/sse", "cartesia-sse"},
	{"/text-to-speech/VOICE/stream-input", "elevenlabs-socket"},
	{"/text-to-speech/VOICE/stream", "elevenlabs-stream"},
}

// anyVoice is the part of a path that names a voice.
var anyVoice = regexp.MustCompile(`/text-to-speech/[^/]+/`)

// checkTarget says what is wrong with what doctor is to look at: neither a folder nor a URL,
// or a speech endpoint without its protocol.
func checkTarget(target, protocol string) error {
	if !strings.Contains(target, "://") {
		return notURL(target)
	}
	u, err := url.Parse(target)
	if err != nil || protocol != "" {
		return nil // the protocol's own check says more
	}
	path := anyVoice.ReplaceAllString(strings.TrimRight(u.EscapedPath(), "/"), "/text-to-speech/VOICE/")
	for _, p := range speechPaths {
		if strings.HasSuffix(path, p.end) {
			return fmt.Errorf("a path that ends in %s is of speech: name its protocol with --protocol %s", p.end, p.protocols)
		}
	}
	if u.Scheme == "ws" || u.Scheme == "wss" {
		return fmt.Errorf("%s:// is for speech: name its protocol with --protocol: %s", u.Scheme, strings.Join(audition.Protocols(), ", "))
	}
	return nil
}

// notURL explains what is neither a folder nor a URL. What may hold a secret is not repeated.
func notURL(target string) error {
	shown := "this"
	if !strings.ContainsAny(target, "?@#") {
		shown = pipeline.Printable(target)
	}
	if info, err := os.Stat(target); err == nil && info.Mode().IsRegular() {
		return fmt.Errorf("%s is a file: want a URL, or the folder that doctor --out made, such as %s", shown, pipeline.Printable(filepath.Dir(target)))
	}
	return fmt.Errorf("%s is no folder, and no URL: want it to begin with http:// or https://, or ws:// or wss:// of speech", shown)
}

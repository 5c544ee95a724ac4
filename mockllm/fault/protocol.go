package fault

import (
	"slices"
	"strings"
)

// Names of protocols, as a rule matches them and as errors are shaped. What is not
// known to be another is OpenAI's, which most imitate.
const (
	openAI     = "openai"
	anthropic  = "anthropic"
	ollama     = "ollama"
	llamaCPP   = "llamacpp"
	mistral    = "mistral"
	gemini     = "gemini"
	deepgram   = "deepgram"
	elevenLabs = "elevenlabs"
	cartesia   = "cartesia"
	assemblyAI = "assemblyai"
)

// Protocols returns the names of protocols that a rule can match.
func Protocols() []string {
	return []string{openAI, anthropic, ollama, llamaCPP, mistral, gemini, deepgram, elevenLabs, cartesia, assemblyAI}
}

// routes are the beginnings of paths that belong to a protocol.
var routes = []struct{ prefix, protocol string }{
	{"/v1/messages", anthropic},
	{"/api/", ollama},
	{"/completion", llamaCPP}, {"/infill", llamaCPP}, {"/slots", llamaCPP}, {"/props", llamaCPP}, {"/tokenize", llamaCPP},
	{"/v1/fim/", mistral},
	{"/v1beta/", gemini},
	{"/v1/listen", deepgram}, {"/v2/listen", deepgram}, {"/v1/speak", deepgram},
	{"/v1/text-to-speech/", elevenLabs},
	{"/tts/", cartesia}, {"/stt/", cartesia},
	{"/v3/ws", assemblyAI},
}

// ownPages are the beginnings of paths that are the server's own.
var ownPages = []string{"/health", "/metrics", adminPath}

// Protocol returns the name of the protocol that a path belongs to, "" for the server's
// own pages.
func Protocol(path string) string {
	for _, own := range ownPages {
		if path == own || strings.HasPrefix(path, own+"/") {
			return ""
		}
	}
	i := slices.IndexFunc(routes, func(r struct{ prefix, protocol string }) bool {
		rest, found := strings.CutPrefix(path, r.prefix)
		return found && (strings.HasSuffix(r.prefix, "/") || rest == "" || rest[0] == '/')
	})
	if i < 0 {
		return openAI
	}
	return routes[i].protocol
}

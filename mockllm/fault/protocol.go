package fault

import (
	"slices"
	"strings"
)

// Names of protocols, as a rule matches them and as errors are shaped. What is not
// known to be another is OpenAI's, which most imitate.
const (
	protocolOpenAI     = "openai"
	protocolAnthropic  = "anthropic"
	protocolOllama     = "ollama"
	protocolLlamaCPP   = "llamacpp"
	protocolMistral    = "mistral"
	protocolGemini     = "gemini"
	protocolDeepgram   = "deepgram"
	protocolElevenLabs = "elevenlabs"
	protocolCartesia   = "cartesia"
	protocolAssemblyAI = "assemblyai"
)

// Protocols returns the names of protocols that a rule can match.
func Protocols() []string {
	return []string{protocolOpenAI, protocolAnthropic, protocolOllama, protocolLlamaCPP, protocolMistral, protocolGemini, protocolDeepgram, protocolElevenLabs, protocolCartesia, protocolAssemblyAI}
}

// routes are the beginnings of paths that belong to a protocol.
var routes = []struct{ prefix, protocol string }{
	{"/v1/messages", protocolAnthropic},
	{"/api/", protocolOllama},
	{"/completion", protocolLlamaCPP}, {"/infill", protocolLlamaCPP}, {"/slots", protocolLlamaCPP}, {"/props", protocolLlamaCPP}, {"/tokenize", protocolLlamaCPP},
	{"/v1/fim/", protocolMistral},
	{"/v1beta/", protocolGemini},
	{"/v1/listen", protocolDeepgram}, {"/v2/listen", protocolDeepgram}, {"/v1/speak", protocolDeepgram},
	{"/v1/text-to-speech/", protocolElevenLabs},
	{"/tts/", protocolCartesia}, {"/stt/", protocolCartesia},
	{"/v3/ws", protocolAssemblyAI},
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
		return protocolOpenAI
	}
	return routes[i].protocol
}

package probe

import (
	"net/url"
	"strings"

	"halfsecond/pipeline/endpoint/dialect"
)

// pathProtocol returns the protocol whose place a URL names in full.
func pathProtocol(text string) (dialect.Protocol, bool) {
	u, err := url.Parse(text)
	if err != nil {
		return "", false
	}
	chat, err := dialect.Of(dialect.OpenAIChat)
	if err != nil {
		return "", false
	}
	_, p, ok := chat.AtPath(strings.TrimRight(u.Path, "/"))
	return p, ok
}

// cutModel makes the URL of a request to the Gemini API that of the API, since the model
// is part of the former.
func (f *finder) cutModel() {
	u, err := url.Parse(f.config.URL)
	if err != nil {
		return
	}
	name := dialect.ModelAt(strings.TrimRight(u.Path, "/"))
	if name == "" {
		return
	}
	if f.config.Model == "" {
		f.config.Model = name
	}
	u.Path, _, _ = strings.Cut(u.Path, "/models/")
	u.RawPath = ""
	f.config.URL = u.String()
}

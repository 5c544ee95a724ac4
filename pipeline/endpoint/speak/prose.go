package speak

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"

	"halfsecond/pipeline/endpoint/reply"
)

// prose is the answer to a post that is words where audio was to come.
type prose struct {
	kind  string // content type
	words []byte
}

// maxProse is how many bytes of them are read.
const maxProse = 4 << 10

// prosaic reports whether a content type is one of words.
func prosaic(kind string) bool {
	return strings.HasPrefix(kind, "text/") || strings.HasSuffix(kind, "json") || strings.HasSuffix(kind, "xml")
}

// take takes more of the words. It reports whether to go on.
func (p *prose) take(b []byte) bool {
	p.words = append(p.words, b[:min(len(b), maxProse-len(p.words))]...)
	return len(p.words) < maxProse
}

// failure says what came instead of audio.
func (p *prose) failure() *reply.Failure {
	text := strings.TrimSpace(string(p.words))
	if p.kind == "text/html" || strings.HasPrefix(text, "<") && !strings.HasPrefix(text, "<?xml") {
		return &reply.Failure{Kind: reply.BadLink, Cause: fmt.Errorf("a web page came instead of audio, content type %q", p.kind)}
	}
	return &reply.Failure{Kind: reply.BadLink, Cause: fmt.Errorf("content type %q came instead of audio: %s", p.kind, cmp.Or(reply.StatusMessage(http.StatusOK, p.words), "it is empty"))}
}

package speak

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"halfsecond/pipeline/endpoint/reply"
	"halfsecond/pipeline/endpoint/talk"
)

// InJSON begins the reason of a text whose audio comes inside JSON.
const InJSON = "an object of JSON came instead of audio, with the audio in it"

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

// wrapped finds audio in base64, a member of an object of JSON.
var wrapped = regexp.MustCompile(`"(\w+)"\s*:\s*"[A-Za-z0-9+/_-]{200}`)

// failure says what came instead of audio.
func (p *prose) failure() *reply.Failure {
	text := strings.TrimSpace(string(p.words))
	if in := wrapped.FindStringSubmatch(text); in != nil && strings.HasPrefix(text, "{") {
		return &reply.Failure{Kind: reply.BadLink, Cause: fmt.Errorf("%s: content type %q, base64 in its member %q", InJSON, p.kind, in[1])}
	}
	if p.kind == "text/html" || strings.HasPrefix(text, "<") && !strings.HasPrefix(text, "<?xml") {
		return &reply.Failure{Kind: reply.BadLink, Cause: fmt.Errorf("a web page came instead of audio, content type %q", p.kind)}
	}
	return &reply.Failure{Kind: reply.BadLink, Cause: fmt.Errorf("content type %q came instead of audio: %s", p.kind, cmp.Or(reply.StatusMessage(http.StatusOK, p.words), "it is empty"))}
}

// tail is the end of plain audio, in which a server that fails on the way may say why.
type tail struct{ bytes []byte }

// take takes more of the audio.
func (t *tail) take(b []byte) {
	b = b[max(0, len(b)-maxProse):]
	over := max(0, len(t.bytes)+len(b)-maxProse)
	t.bytes = append(t.bytes[:copy(t.bytes, t.bytes[over:])], b...)
}

// failure says what stands at the end of the audio in place of it: an error as an object of JSON,
// or a web page. It is nil where there is neither.
func (t *tail) failure() *reply.Failure {
	end := bytes.TrimRight(t.bytes, " \r\n\t")
	lower := bytes.ToLower(end)
	if bytes.HasSuffix(lower, []byte("</html>")) && bytes.Contains(lower, []byte("<html")) {
		return &reply.Failure{Kind: reply.BadLink, Cause: errors.New("a web page came in place of the rest of the audio")}
	}
	for at := 0; bytes.HasSuffix(end, []byte("}")); at++ {
		i := bytes.Index(end[at:], []byte(`{"`))
		if i < 0 {
			break
		}
		if at += i; json.Valid(end[at:]) {
			return talk.Complaint(end[at:])
		}
	}
	return nil
}

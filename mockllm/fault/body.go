package fault

import (
	"bytes"
	"encoding/json"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"time"

	"halfsecond/mockllm/token"
)

// readLimit is how long the body of a request may take when rules look into it.
const readLimit = time.Minute

// read looks into the body of a request for what its path and headers do not tell, and
// counts its tokens if they are wanted. The body is then there to be read again. One that
// is too large, broken off or of another kind tells nothing: the front that reads it next
// says what is wrong.
func (q *Query) read(w http.ResponseWriter, r *http.Request, most int64, tokens bool) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(readLimit)) // best effort, as is its end
	data, err := io.ReadAll(io.LimitReader(r.Body, most+1))
	_ = control.SetReadDeadline(time.Time{})
	rest := io.Reader(r.Body)
	if err != nil {
		rest = failing{err}
	}
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(data), rest), r.Body}
	if err == nil && int64(len(data)) <= most {
		q.understand(data, r.Header.Get("Content-Type"), tokens)
	}
}

// failing is a reader of nothing but an error.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func (q *Query) understand(data []byte, contentType string, tokens bool) {
	kind, params, _ := mime.ParseMediaType(contentType) // one that cannot be parsed is none
	if kind == "multipart/form-data" {
		if q.Model == "" {
			q.Model = formModel(data, params["boundary"])
		}
		return
	}
	var body map[string]any
	if json.Unmarshal(data, &body) != nil {
		return
	}
	for _, name := range []string{"model", "model_id"} {
		if s, ok := body[name].(string); ok && q.Model == "" {
			q.Model = s
		}
	}
	if tokens {
		q.Tokens = texts("", body) + most(body)
	}
}

// formModel returns the model that a form names.
func formModel(data []byte, boundary string) string {
	form := multipart.NewReader(bytes.NewReader(data), boundary)
	for {
		part, err := form.NextPart()
		if err != nil {
			return ""
		}
		if name := part.FormName(); name == "model" || name == "model_id" {
			value, _ := io.ReadAll(io.LimitReader(part, 200)) // what can be read of it
			return string(value)
		}
	}
}

// prompts are the keys whose texts are a prompt, in any of the protocols.
var prompts = map[string]bool{
	"content": true, "text": true, "prompt": true, "suffix": true, "input": true, "instructions": true, "system": true,
	"input_prefix": true, "input_suffix": true, "prefix": true, "transcript": true,
}

// texts returns the number of tokens of the prompts in a value that stands under a key.
func texts(key string, v any) (n int) {
	switch v := v.(type) {
	case string:
		if prompts[key] {
			n = token.Count(v)
		}
	case []any:
		for _, e := range v {
			n += texts(key, e)
		}
	case map[string]any:
		for k, e := range v {
			n += texts(k, e)
		}
	}
	return n
}

// limits are the keys that hold the most tokens of an answer, in any of the protocols.
var limits = []string{"max_tokens", "max_completion_tokens", "max_output_tokens", "maxOutputTokens", "n_predict", "num_predict"}

// most returns the most tokens that a request lets its answer have, 0 when it does not
// say.
func most(body map[string]any) int {
	places := []map[string]any{body}
	for _, name := range []string{"options", "generationConfig"} {
		if inner, ok := body[name].(map[string]any); ok {
			places = append(places, inner)
		}
	}
	n := 0.0
	for _, place := range places {
		for _, name := range limits {
			if v, ok := place[name].(float64); ok {
				n = max(n, v)
			}
		}
	}
	return int(min(n, mostTokens))
}

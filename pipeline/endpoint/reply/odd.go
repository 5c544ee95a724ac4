package reply

import (
	"bytes"
	"cmp"
	"fmt"
	"strconv"

	"halfsecond/pipeline"
)

// oddCounts are the counts that a server states in place of a number of tokens: a text, a
// fraction, less than nothing. They count as missing.
type oddCounts struct {
	negative, unreadable [countKinds]string // the first of each, in words
}

// What is counted.
const (
	ofPrompt = iota
	ofAnswer
	ofReasoning
	ofCache
	countKinds
)

// countNames are the members in which the protocols state counts, quoted as in JSON.
var countNames = []struct {
	kind int
	name []byte
}{
	{ofPrompt, []byte(`"prompt_tokens"`)}, {ofAnswer, []byte(`"completion_tokens"`)}, // OpenAI's, Mistral's
	{ofReasoning, []byte(`"reasoning_tokens"`)}, {ofCache, []byte(`"cached_tokens"`)}, {ofCache, []byte(`"prompt_cache_hit_tokens"`)},
	{ofPrompt, []byte(`"input_tokens"`)}, {ofAnswer, []byte(`"output_tokens"`)}, // Responses, Anthropic
	{ofPrompt, []byte(`"cache_creation_input_tokens"`)}, {ofReasoning, []byte(`"thinking_tokens"`)}, {ofCache, []byte(`"cache_read_input_tokens"`)},
	{ofPrompt, []byte(`"promptTokenCount"`)}, {ofAnswer, []byte(`"candidatesTokenCount"`)}, // Gemini
	{ofReasoning, []byte(`"thoughtsTokenCount"`)}, {ofCache, []byte(`"cachedContentTokenCount"`)},
	{ofPrompt, []byte(`"prompt_eval_count"`)}, {ofAnswer, []byte(`"eval_count"`)}, // Ollama
	{ofPrompt, []byte(`"tokens_evaluated"`)}, {ofAnswer, []byte(`"tokens_predicted"`)}, // llama.cpp
	{ofPrompt, []byte(`"prompt_n"`)}, {ofAnswer, []byte(`"predicted_n"`)}, {ofCache, []byte(`"cache_n"`)},
}

// hints are what one of the names has in it, so that most messages need no closer look.
var hints = [][]byte{[]byte(`okens`), []byte(`ount"`), []byte(`_n"`)}

// look takes note of the odd counts in a message, which is valid JSON: there, nothing but
// the name of a member stands in quotes before a colon. It takes them out of what
// decoders made of it, for encoding/json leaves a 0 in their places.
func (o *oddCounts) look(message []byte, counts ...*Counts) {
	for _, h := range hints {
		if bytes.Contains(message, h) {
			o.lookClosely(message, counts)
			return
		}
	}
}

func (o *oddCounts) lookClosely(message []byte, counts []*Counts) {
	for _, n := range countNames {
		_, behind, found := bytes.Cut(message, n.name)
		behind = bytes.TrimLeft(behind, " \t\r\n")
		if !found || len(behind) == 0 || behind[0] != ':' {
			continue
		}
		name := string(bytes.Trim(n.name, `"`))
		negative, unreadable := oddCount(bytes.TrimLeft(behind[1:], " \t\r\n"))
		if negative+unreadable == "" {
			continue
		}
		for _, c := range counts {
			c.forget(n.kind)
		}
		if negative != "" {
			o.negative[n.kind] = cmp.Or(o.negative[n.kind], negative+" as "+name)
		}
		if unreadable != "" {
			o.unreadable[n.kind] = cmp.Or(o.unreadable[n.kind], unreadable+" as "+name)
		}
	}
}

// mostDigits is how much of a number is told.
const mostDigits = 20

// oddCount says what the value is that a text begins with, where that is no count. The words
// of a text are not told: they may be anything.
func oddCount(text []byte) (negative, unreadable string) {
	if len(text) == 0 {
		return "", ""
	}
	switch text[0] {
	case 'n': // null: nothing is stated
		return "", ""
	case '"':
		return "", "a text"
	case '{':
		return "", "an object"
	case '[':
		return "", "a list"
	case 't', 'f':
		return "", "true or false"
	}
	number := text
	if end := bytes.IndexAny(text, ",}] \t\r\n"); end >= 0 {
		number = text[:end]
	}
	shown := string(number[:min(len(number), mostDigits)])
	if len(number) > mostDigits {
		shown += "..."
	}
	switch n, err := strconv.Atoi(string(number)); {
	case err != nil:
		return "", fmt.Sprintf("the number %s", shown)
	case n < 0:
		return shown, ""
	}
	return "", ""
}

// told returns those of the odd counts that leave something unknown.
func (o *oddCounts) told(u *Usage) (negative, unreadable []string) {
	none := Usage{Prompt: pipeline.UnknownCount, Completion: pipeline.UnknownCount, Reasoning: pipeline.UnknownCount, Cached: pipeline.UnknownCount}
	known := *cmp.Or(u, &none)
	for kind, n := range [countKinds]int{ofPrompt: known.Prompt, ofAnswer: known.Completion, ofReasoning: known.Reasoning, ofCache: known.Cached} {
		if n != pipeline.UnknownCount {
			continue
		}
		if o.negative[kind] != "" {
			negative = append(negative, o.negative[kind])
		}
		if o.unreadable[kind] != "" {
			unreadable = append(unreadable, o.unreadable[kind])
		}
	}
	return negative, unreadable
}

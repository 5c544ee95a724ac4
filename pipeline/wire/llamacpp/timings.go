package llamacpp

import (
	"strconv"
	"time"
)

// Timings says how fast a completion was.
type Timings struct {
	CacheN  int `json:"cache_n"`  // prompt tokens found in the cache
	PromptN int `json:"prompt_n"` // prompt tokens evaluated

	PromptMS         float64 `json:"prompt_ms"`
	PromptPerTokenMS float64 `json:"prompt_per_token_ms"`
	PromptPerSecond  float64 `json:"prompt_per_second"`

	PredictedN          int     `json:"predicted_n"` // tokens of the answer
	PredictedMS         float64 `json:"predicted_ms"`
	PredictedPerTokenMS float64 `json:"predicted_per_token_ms"`
	PredictedPerSecond  float64 `json:"predicted_per_second"`
}

// leastPredicted is what the generation of one token is said to take: it comes with
// the last step of the prompt.
const leastPredicted = time.Microsecond

// NewTimings returns the Timings of a prompt of so many tokens, some of them cached,
// that took so long from the start of work to the first token, and of an answer of so
// many tokens, the last of which came so long after the first. The first token is free,
// so that the mean is over the others; where there are none, it is zero.
func NewTimings(prompt, cached int, promptFor time.Duration, predicted int, predictedFor time.Duration) Timings {
	t := Timings{CacheN: cached, PromptN: prompt - cached, PredictedN: predicted}
	t.PromptMS = ms(promptFor)
	t.PromptPerTokenMS, t.PromptPerSecond = pace(t.PromptMS, t.PromptN)
	if predicted > 0 {
		t.PredictedMS = ms(max(leastPredicted, predictedFor))
		t.PredictedPerTokenMS, t.PredictedPerSecond = pace(t.PredictedMS, predicted-1)
	}
	return t
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// pace returns the time of one of n things that took so long, and their rate.
func pace(took float64, n int) (each, perSecond float64) {
	if n > 0 {
		each = took / float64(n)
	}
	if took > 0 {
		perSecond = 1e3 / took * float64(n)
	}
	return each, perSecond
}

// AppendTimings appends them as JSON.
func AppendTimings(dst []byte, t Timings) []byte {
	dst = appendInt(append(dst, '{'), `"cache_n":`, t.CacheN)
	dst = appendInt(dst, `,"prompt_n":`, t.PromptN)
	dst = appendFloat(dst, `,"prompt_ms":`, t.PromptMS)
	dst = appendFloat(dst, `,"prompt_per_token_ms":`, t.PromptPerTokenMS)
	dst = appendFloat(dst, `,"prompt_per_second":`, t.PromptPerSecond)
	dst = appendInt(dst, `,"predicted_n":`, t.PredictedN)
	dst = appendFloat(dst, `,"predicted_ms":`, t.PredictedMS)
	dst = appendFloat(dst, `,"predicted_per_token_ms":`, t.PredictedPerTokenMS)
	dst = appendFloat(dst, `,"predicted_per_second":`, t.PredictedPerSecond)
	return append(dst, '}')
}

func appendInt(dst []byte, key string, n int) []byte {
	return strconv.AppendInt(append(dst, key...), int64(n), 10)
}

func appendFloat(dst []byte, key string, f float64) []byte {
	return strconv.AppendFloat(append(dst, key...), f, 'f', -1, 64)
}

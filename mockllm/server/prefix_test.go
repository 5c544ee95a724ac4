package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"halfsecond/mockllm/engine"
	"halfsecond/mockllm/roofline"
	"halfsecond/mockllm/token"
	"halfsecond/pipeline"
	"halfsecond/pipeline/wire"
)

// perToken is a stepper that takes a millisecond for each token of a step.
type perToken struct{}

func (perToken) Step(b roofline.Batch) time.Duration { return time.Duration(b.Tokens) * ms }
func (perToken) Batch() roofline.Batch               { return roofline.Batch{} }

// caching is a model with a prefix cache of blocks of four tokens.
var caching = Model{Name: "m", Context: 1000, Shares: true, Build: func(l pipeline.Scheduler) engine.Engine {
	return engine.NewBatched(l, engine.BatchedConfig{
		Steps: perToken{}, MaxSequences: 4, TokenBudget: 1000, KVBlocks: 1000, BlockTokens: 4, PrefixCache: true,
	})
}}

// conversation returns the body of a chat request.
func conversation(answer string, messages ...wire.Message) string {
	limit := token.Count(answer)
	body, err := json.Marshal(wire.ChatRequest{
		Model: "m", Messages: messages, MaxTokens: &limit, Sampling: wire.Sampling{Mock: wire.Mock{MockAnswer: answer}},
	})
	if err != nil {
		panic(err)
	}
	return string(body)
}

func message(role, text string) wire.Message {
	return wire.Message{Role: role, Content: wire.Content{Text: text}}
}

// TestCachedTokens: a prompt hits what earlier prompts and answers have computed, in
// whole blocks, and the answer says how much.
func TestCachedTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := startWith(t, caching)
		defer r.stop()
		system, first := message("system", "a b c d e f"), message("user", "g h i j")
		said := message("assistant", "k l m n o")
		for _, c := range []struct {
			name, body     string
			cached, prompt int
		}{
			{"nothing before", conversation("k l m n o", system, first), 0, 10},
			{"the same system message", conversation("x", system, message("user", "x y")), 4, 8},
			{"the same prompt", conversation("x", system, first), 8, 10},
			// All but the last token of an answer is in the cache: 14 of 15 tokens.
			{"the answer in a later prompt", conversation("x", system, first, said, message("user", "p q r")), 12, 18},
			{"the last token is computed again", conversation("x", message("user", "a b c d")), 0, 4},
			{"another system message", conversation("x", message("system", "b b c d e f"), first), 0, 10},
		} {
			answer, err := r.post(t.Context(), "/v1/chat/completions", c.body)
			if err != nil {
				t.Fatal(err)
			}
			var got wire.ChatResponse
			if err := json.NewDecoder(answer.Body).Decode(&got); err != nil {
				t.Fatal(err)
			}
			answer.Body.Close()
			if u := got.Usage; u.PromptTokens != c.prompt || u.PromptTokensDetails == nil || u.PromptTokensDetails.CachedTokens != c.cached {
				t.Errorf("%s: usage %+v %+v, want %d of %d tokens cached", c.name, u, u.PromptTokensDetails, c.cached, c.prompt)
			}
		}
		for name, want := range map[string]string{
			`vllm:prefix_cache_queries_total{engine="0",model_name="m"}`: "60",
			`vllm:prefix_cache_hits_total{engine="0",model_name="m"}`:    "24",
			`vllm:num_preemptions_total{engine="0",model_name="m"}`:      "0",
		} {
			if got := metric(t, r, name); got != want {
				t.Errorf("%s = %q, want %s", name, got, want)
			}
		}
	})
}

// TestEmptyPrompt: a prompt without text counts as one token, in the cache too.
func TestEmptyPrompt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := startWith(t, caching)
		defer r.stop()
		for range 2 {
			answer, err := r.post(t.Context(), "/v1/completions", `{"model":"m","prompt":"","max_tokens":9,"mock_answer":"a b c d e f g h i"}`)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(answer.Body)
			if err != nil || !strings.Contains(string(body), `"prompt_tokens":1,"completion_tokens":9`) {
				t.Errorf("%s (%v), want an answer of 9 tokens to 1", body, err)
			}
			answer.Body.Close()
		}
	})
}

// TestNoCacheSaysNothing: without a prefix cache an answer does not speak of one.
func TestNoCacheSaysNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t)
		defer r.stop()
		answer, err := r.post(t.Context(), "/v1/completions", `{"model":"m","prompt":"a","mock_answer":"b"}`)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		if body, err := io.ReadAll(answer.Body); err != nil || strings.Contains(string(body), "cached_tokens") {
			t.Errorf("%s (%v), want no count of cached tokens", body, err)
		}
	})
}

// TestPriority: of two that wait, the one with the smaller number goes first.
func TestPriority(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one := caching
		one.Build = func(l pipeline.Scheduler) engine.Engine {
			return engine.NewBatched(l, engine.BatchedConfig{Steps: perToken{}, MaxSequences: 1, TokenBudget: 1000, KVBlocks: 1000})
		}
		r := startWith(t, one)
		defer r.stop()
		ended := make(chan int, 3)
		for i, priority := range []int{0, 5, -5} {
			go func() {
				body := fmt.Sprintf(`{"model":"m","prompt":"a b c d","priority":%d,"mock_answer":"e f"}`, priority)
				answer, err := r.post(t.Context(), "/v1/completions", body)
				if err != nil {
					t.Error(err)
				} else {
					answer.Body.Close()
				}
				ended <- i
			}()
			synctest.Wait()
		}
		if a, b, c := <-ended, <-ended, <-ended; a != 0 || b != 2 || c != 1 {
			t.Errorf("they end in the order %d, %d, %d, want 0, 2, 1", a, b, c)
		}
	})
}

// failing is an engine that fails every request after so many tokens, a second
// after it came.
type failing struct {
	loop  pipeline.Scheduler
	after int
}

func (f failing) Submit(r *engine.Request) {
	f.loop.After(time.Second, pipeline.RankOutput, func() {
		for n := 1; n <= f.after; n++ {
			r.Notify(n)
		}
		r.Reason = errors.New("the replica is gone")
		r.Done(pipeline.Error)
	})
}

func (failing) Cancel(*engine.Request) {}
func (failing) Stats() engine.Stats    { return engine.Stats{} }

// TestEngineFails: a failure before the first token has a status, a later one is an
// event of the stream.
func TestEngineFails(t *testing.T) {
	const words = "The engine could not finish this request: the replica is gone."
	for _, c := range []struct {
		after  int
		stream bool
		status int
	}{{0, true, 500}, {2, true, 200}, {2, false, 500}} {
		synctest.Test(t, func(t *testing.T) {
			r := startWith(t, Model{Name: "m", Context: 100, Build: func(l pipeline.Scheduler) engine.Engine { return failing{l, c.after} }})
			defer r.stop()
			answer, err := r.post(t.Context(), "/v1/completions", fmt.Sprintf(`{"model":"m","prompt":"a","stream":%t,"mock_answer":"b c d"}`, c.stream))
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			body, err := io.ReadAll(answer.Body)
			if err != nil || answer.StatusCode != c.status || !strings.Contains(string(body), words) || strings.Contains(string(body), "[DONE]") {
				t.Errorf("after %d tokens, stream %t: HTTP %d %s (%v), want HTTP %d, the reason, and no end", c.after, c.stream, answer.StatusCode, body, err, c.status)
			}
			if c.stream && c.after > 0 && !strings.HasSuffix(string(body), "}}\n\n") {
				t.Errorf("the stream ends in %q, want a whole event", body[len(body)-20:])
			}
		})
	}
}

package price

import "math"

// Tokens are tokens of prompts and of answers. Cached are those of the prompts that a
// server had in its cache.
type Tokens struct{ Prompt, Cached, Output int }

// Add returns both together. A sum that is too large stays at the largest.
func (t Tokens) Add(o Tokens) Tokens {
	return Tokens{sum(t.Prompt, o.Prompt), sum(t.Cached, o.Cached), sum(t.Output, o.Output)}
}

// sum returns a + b, or the largest number where that is less.
func sum(a, b int) int {
	if b > 0 && a > math.MaxInt-b {
		return math.MaxInt
	}
	return a + b
}

// Sub returns those without the others.
func (t Tokens) Sub(o Tokens) Tokens {
	return Tokens{t.Prompt - o.Prompt, t.Cached - o.Cached, t.Output - o.Output}
}

// All returns the tokens of prompts and answers together.
func (t Tokens) All() int { return sum(t.Prompt, t.Output) }

// Tally is what was used of a model.
type Tally struct {
	Requests int    // that were sent
	Counted  Tokens // by the server
	// Uncounted are the requests of which the server did not tell all counts, although it
	// may have worked for them, and Assumed the most that they can have used of what it did
	// not tell.
	Uncounted int
	Assumed   Tokens
}

// Add returns both together.
func (t Tally) Add(o Tally) Tally {
	return Tally{t.Requests + o.Requests, t.Counted.Add(o.Counted), t.Uncounted + o.Uncounted, t.Assumed.Add(o.Assumed)}
}

// Half returns what a request used of which the server may have told the tokens of the
// prompt, or those of the answer, without the other; most is for what it did not tell.
func Half(counted Tokens, prompt, output bool, most Tokens) Tally {
	t := Tally{Requests: 1, Counted: counted}
	if !prompt {
		t.Uncounted, t.Counted.Prompt, t.Counted.Cached, t.Assumed.Prompt = 1, 0, 0, most.Prompt
	}
	if !output {
		t.Uncounted, t.Counted.Output, t.Assumed.Output = 1, 0, most.Output
	}
	return t
}

// Tokens returns all that was used at most.
func (t Tally) Tokens() Tokens { return t.Counted.Add(t.Assumed) }

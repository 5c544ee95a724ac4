package dialect

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"halfsecond/pipeline"
)

// counting is how a server of a random answer counts, and what it sends of reasoning.
type counting struct {
	thought         string // of reasoning: "sent", "hidden", or a "summary" in front, which is as long as it likes
	beside, total   bool   // it counts reasoning beside the answer, and states totals
	running, late   bool   // it counts with each chunk, reasoning at the end alone
	stuck           bool   // it counts 1 until the end
	reasoning, text []int  // tokens of each chunk
	bytes           int    // of each token
	summary         []int  // tokens of each chunk of a summary
	afterFirst      int    // tokens that were sent after the first chunk
}

func randomCounting(r *rand.Rand) *counting {
	s := &counting{
		thought: []string{"sent", "hidden", "summary"}[r.IntN(3)], beside: r.IntN(2) > 0, total: r.IntN(2) > 0,
		running: r.IntN(3) > 0, late: r.IntN(3) == 0, stuck: r.IntN(4) == 0, bytes: 2 + r.IntN(4),
	}
	chunks := func(most int) (of []int) {
		for range 2 + r.IntN(6) {
			of = append(of, 1+r.IntN(most))
		}
		return of
	}
	s.reasoning, s.text, s.summary = chunks(60), chunks(60), chunks(60)[r.IntN(2):]
	s.total = s.total || s.beside // nothing else tells that it is beside
	sent := s.text
	if s.thought == "sent" {
		sent = append(append([]int(nil), s.reasoning...), s.text...)
	}
	s.afterFirst = sum(sent) - sent[0]
	if s.thought == "summary" {
		s.afterFirst = sum(sent)
	}
	return s
}

func sum(of []int) (n int) {
	for _, v := range of {
		n += v
	}
	return n
}

// usage returns what it states when so many tokens are out.
func (s *counting) usage(reasoning, text int, end bool) string {
	answer, shown := text, reasoning
	if s.late && !end {
		shown = 0
	}
	if !s.beside {
		answer += shown
	}
	if s.stuck && !end {
		answer, shown = 1, 0
	}
	counts := fmt.Sprintf(`"prompt_tokens":5,"completion_tokens":%d,"completion_tokens_details":{"reasoning_tokens":%d}`, answer, shown)
	if all := 5 + answer; s.total && s.beside {
		counts += fmt.Sprintf(`,"total_tokens":%d`, all+shown)
	} else if s.total {
		counts += fmt.Sprintf(`,"total_tokens":%d`, all)
	}
	return counts
}

// reads returns the events of the answer, one a read.
func (s *counting) reads() (all []string) {
	reasoning, text := 0, 0
	chunk := func(kind string, tokens int) {
		usage := ""
		if s.running {
			usage = `,"usage":{` + s.usage(reasoning, text, false) + `}`
		}
		all = append(all, event(`{"choices":[{"index":0,"delta":{"`+kind+`":"`+strings.Repeat("x", tokens*s.bytes)+`"}}]`+usage+`}`))
	}
	switch s.thought {
	case "sent":
		for _, n := range s.reasoning {
			reasoning += n
			chunk("reasoning_content", n)
		}
	case "summary":
		reasoning = sum(s.reasoning)
		for _, n := range s.summary {
			chunk("reasoning_content", n)
		}
	default:
		reasoning = sum(s.reasoning)
	}
	for _, n := range s.text {
		text += n
		chunk("content", n)
	}
	return append(all, stop+event(`{"choices":[],"usage":{`+s.usage(reasoning, text, true)+`}}`)+done)
}

// TestFollowingOfRandomAnswers: whatever a server sends of its reasoning, and however and whenever
// it counts that, all tokens are found, what followed the first output is no less than the least
// and no more than the most, and is what was counted where it is said that it was.
func TestFollowingOfRandomAnswers(t *testing.T) {
	counted := 0
	for seed := range uint64(3000) {
		s := randomCounting(rand.New(rand.NewPCG(seed, 5)))
		r := reread(t, OpenAIChat, s.reads()...)
		rec := pipeline.NewRequest(1, 0)
		r.Fill(&rec)
		f, want := rec.Following(), float64(s.afterFirst)
		if all := sum(s.reasoning) + sum(s.text); rec.OutputTokens != all || r.Usage.Reasoning != sum(s.reasoning) || rec.Impossible != "" {
			t.Errorf("seed %d, %+v: %+v, %q; want %d tokens", seed, *s, *r.Usage, rec.Impossible, all)
		}
		if want < f.Least || want > f.Most || f.Counted && f.Least != want {
			t.Errorf("seed %d, %+v: %+v of %+v followed, want %v", seed, *s, f, rec.Opening, want)
		}
		if f.Counted {
			counted++
		}
	}
	if counted < 500 {
		t.Errorf("%d were counted: no test of what is", counted)
	}
}

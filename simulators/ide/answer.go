package ide

import (
	"strings"

	"halfsecond/mockllm/token"
	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/document"
	"halfsecond/simulators/ide/prompt"
)

// shortAnswer is the length in tokens of an answer where nothing follows at the
// cursor; assumed.
const shortAnswer = 8

// answers decides what the model says. A right answer is the rest of the line as
// it will be typed; where the line ends, a line end and the next line that is not
// blank. A wrong one is as long, but starts with a sign that the typing does not
// start with. Where nothing will follow at the cursor no answer is right, and a
// wrong one has shortAnswer tokens. Each is cut at max tokens.
type answers struct {
	seed   uint64
	right  float64 // share of right answers
	max    int
	wrong  [2]wrongAnswer
	counts []int // 1 to max
}

// wrongAnswer is max tokens of nonsense.
type wrongAnswer struct {
	text string
	ends []int // bytes of its first tokens, none of them first
}

// wrongSigns begin wrong answers; nobody types a program that has both.
var wrongSigns = [2]string{"¶", "§"}

func newAnswers(seed uint64, right float64, most int) *answers {
	a := &answers{seed: seed, right: right, max: most, counts: make([]int, most)}
	for i := range a.counts {
		a.counts[i] = i + 1
	}
	words := token.Passage{{ID: token.Name(seed, "ide/nonsense"), N: most}}.Text()
	for i, sign := range wrongSigns {
		a.wrong[i] = newWrongAnswer(sign+" "+words, most)
	}
	return a
}

func newWrongAnswer(text string, tokens int) wrongAnswer {
	w := wrongAnswer{text: text, ends: []int{0}}
	for range tokens {
		last := w.ends[len(w.ends)-1]
		w.ends = append(w.ends, last+token.Next(text[last:]))
	}
	return w
}

// answer is what the model says to one request.
type answer struct {
	text   string
	tokens int
	right  bool
}

// draw returns the answer to the request of a user's key, where truth follows.
func (a *answers) draw(user, key int, truth string) answer {
	r := dist.Stream(a.seed, "ide/answer", user, key)
	right := r.Float64() < a.right
	if !document.Visible(truth) {
		return a.nonsense(min(shortAnswer, a.max), truth)
	}
	if end := document.LineEnd(truth); end >= 0 {
		truth = truth[:end]
	}
	tokens, bytes := prompt.FirstTokens(truth, a.max)
	if !right {
		return a.nonsense(tokens, truth)
	}
	return answer{text: truth[:bytes], tokens: tokens, right: true}
}

// drawOf returns the Draw of the request of a user's key.
func (a *answers) drawOf(user, key int) uint64 {
	r := dist.Stream(a.seed, "ide/model", user, key)
	return r.Uint64()
}

func (a *answers) nonsense(tokens int, truth string) answer {
	w := &a.wrong[0]
	if strings.HasPrefix(truth, wrongSigns[0]) {
		w = &a.wrong[1]
	}
	return answer{text: w.text[:w.ends[tokens]], tokens: tokens}
}

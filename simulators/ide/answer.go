package ide

import (
	"strings"

	says "halfsecond/mockllm/answer"
	"halfsecond/mockllm/token"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/document"
	"halfsecond/simulators/ide/prompt"
)

// shortAnswer is the length in tokens of an answer where nothing follows at the
// cursor; assumed.
const shortAnswer = 8

// answers decides what the model says. A right answer is the rest of the line as
// it will be typed; where the line ends, a line end and the next line that is not
// blank. A broken one begins as that and its syntax goes wrong later on, so that it may
// be shown, and taken. A wrong one is as long, but starts with a sign that the typing does
// not start with; it stands for code that is sound and not what is wanted. Where nothing
// will follow at the cursor no answer is right, and a wrong one has shortAnswer tokens.
// Each is cut at max tokens.
type answers struct {
	seed     uint64
	right    float64 // share of right answers among those that are not broken
	broken   float64 // share of broken answers among those where something follows
	language string  // of the text, for the mistakes in it
	max      int
	wrong    [2]wrongAnswer
	counts   []int // 1 to max, and beyond once somebody asked for more
	says     func(*Question) Said
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
	right  bool  // it begins as what will be typed
	broken bool  // its syntax is
	cut    bool  // at max tokens: it would have gone on
	ends   []int // bytes of the text that are there with each token; nil for its own tokens
}

// upTo returns the text that is there with token n, where so many bytes were there with an
// earlier one.
func (a *answer) upTo(bytes, earlier, n int) string {
	if a.ends != nil {
		return a.text[:a.ends[n-1]]
	}
	return a.text[:bytes+len(token.Prefix(a.text[bytes:], n-earlier))]
}

// to returns the answer to the request of a user's step, where truth follows, and the Draw
// of the request.
func (a *answers) to(user int, k *key, truth string) (answer, uint64) {
	at := asker{user, k.Index, k.Kind != pipeline.KindIDE}
	draw := at.stream(a.seed, "ide/model")
	if a.says != nil {
		return a.said(&Question{User: user, Class: k.class, Number: k.Index, Truth: truth}), draw.Uint64()
	}
	return a.draw(at, truth), draw.Uint64()
}

// asker is the step that asks: the number of a user's key, or of another step.
type asker struct {
	user, number int
	step         bool
}

// stream returns the random numbers for one purpose that are that step's alone.
func (k asker) stream(seed uint64, purpose string) dist.Rand {
	if k.step {
		purpose += "/step"
	}
	return dist.Stream(seed, purpose, k.user, k.number)
}

// upTo returns the numbers from 1 to n.
func (a *answers) upTo(n int) []int {
	for i := len(a.counts); i < n; i++ {
		a.counts = append(a.counts, i+1)
	}
	return a.counts[:n:n]
}

// draw returns an answer where truth follows.
func (a *answers) draw(at asker, truth string) answer {
	r := at.stream(a.seed, "ide/answer")
	right := r.Float64() < a.right
	if !document.Visible(truth) {
		return a.nonsense(min(shortAnswer, a.max), truth)
	}
	if end := document.LineEnd(truth); end >= 0 {
		truth = truth[:end]
	}
	tokens, bytes := prompt.FirstTokens(truth, a.max)
	if broken, ok := a.breakIt(at, truth[:bytes], tokens); ok {
		return broken
	}
	if !right {
		return a.nonsense(tokens, truth)
	}
	return answer{text: truth[:bytes], tokens: tokens, right: true, cut: bytes < len(truth)}
}

// breakIt returns the broken answer to a request, and whether that is its lot. Where max
// is too small for the mistake, the answer is shorter; a single token remains whole.
func (a *answers) breakIt(at asker, truth string, tokens int) (broken answer, ok bool) {
	if a.broken == 0 {
		return answer{}, false
	}
	dice := at.stream(a.seed, "ide/broken")
	if dice.Float64() >= a.broken {
		return answer{}, false
	}
	for ; document.Visible(truth); tokens-- {
		text := says.Break(truth, a.language, &dice)
		if n, bytes := prompt.FirstTokens(text, a.max); bytes == len(text) {
			return answer{text: text, tokens: n, right: true, broken: true}, true
		}
		_, bytes := prompt.FirstTokens(truth, tokens-1)
		truth = truth[:bytes]
	}
	return answer{}, false
}

func (a *answers) nonsense(tokens int, truth string) answer {
	w := &a.wrong[0]
	if strings.HasPrefix(truth, wrongSigns[0]) {
		w = &a.wrong[1]
	}
	return answer{text: w.text[:w.ends[tokens]], tokens: tokens}
}

package speech

import (
	"strings"
	"time"

	"halfsecond/mockllm/token"
)

// Script is what a recognizer shall hear, one text for each utterance of speech. The
// zero Script hears words of the seed, 2.5 a second for as long as speech lasts.
type Script struct {
	Texts []string
	// Ends says what comes after the last text: nothing is heard any more, rather than
	// the first text again.
	Ends bool
}

// seededWord is how long a word of no script is: 150 words a minute, the pace of
// English that is read aloud.
const seededWord = 400 * time.Millisecond

// part is a text of a script while it is heard. Words are heard in order, each as long
// as it is at the usual pace, for as long as there is speech. Times are of speech
// alone: pauses do not count.
type part struct {
	words []string
	times []time.Duration // of each word
	next  int             // first word that is in no Final
	from  time.Duration   // where in the stream's speech that word begins
	more  func() string   // the next word of a text without end, else nil
}

// part returns the text for an utterance, from 0, that begins so far into the stream's
// speech.
func (s Script) part(n int, from time.Duration, seed uint64, stream int) *part {
	if len(s.Texts) == 0 {
		return &part{from: from, more: seeded(seed, stream, n)}
	}
	if n >= len(s.Texts) && s.Ends {
		return &part{from: from}
	}
	p := &part{from: from, words: strings.Fields(s.Texts[n%len(s.Texts)])}
	for _, w := range p.words {
		p.times = append(p.times, usualTime(w))
	}
	return p
}

// usualTime returns how long a word is said: its characters and the space behind it,
// which is a part of the pause when a mark stands before it.
func usualTime(word string) time.Duration {
	characters, space := 0., 1.
	for _, c := range word {
		switch {
		case spokenCharacter(c):
			characters += weightOf(c)
		case weightOf(c) > 1:
			space = 0
		}
	}
	return time.Duration(max(1, characters+space) / usualPace * float64(time.Second))
}

// seeded returns a source of words.
func seeded(seed uint64, stream, n int) func() string {
	const batch = 256
	var words []string
	given := 0
	return func() string {
		if given%batch == 0 {
			name := token.Name(seed, "speech/words", stream, n, given)
			words = strings.Fields(token.Passage{{ID: name, N: batch + 1}}.Text())[1:] // the first is the name
		}
		given++
		return words[(given-1)%batch]
	}
}

// mostUntold is how many words of a text without end may wait for a Final, four minutes
// of speech: whoever speaks for longer without one is heard to say no more.
const mostUntold = 600

// hear makes up words of a text without end, as many as so much speech has.
func (p *part) hear(spoken time.Duration) {
	if p.more == nil {
		return
	}
	for len(p.words)-p.next < mostUntold && time.Duration(len(p.words)-p.next)*seededWord+p.from+seededWord <= spoken {
		p.words = append(p.words, p.more())
		p.times = append(p.times, seededWord)
	}
}

// heard returns how many words after the next lie before so much speech.
func (p *part) heard(spoken time.Duration) int {
	p.hear(spoken)
	n, at := 0, p.from
	for _, t := range p.times[p.next:] {
		if at += t; at > spoken {
			break
		}
		n++
	}
	return n
}

// said returns how many words after the next were begun well before so much speech had
// ended: half of them at least was heard.
func (p *part) said(spoken time.Duration) int {
	n := p.heard(spoken)
	if word := p.next + n; word < len(p.words) && p.from+p.length(p.next, word)+p.times[word]/2 <= spoken {
		n++
	}
	return n
}

// left returns how many words are in no Final once speech has ended: those of a text
// without end are then rounded to a whole number, and there is one at least.
func (p *part) left(spoken time.Duration) int {
	if p.more != nil {
		n := int((spoken - p.from + seededWord/2) / seededWord)
		if p.next == 0 {
			n = max(1, n)
		}
		p.hear(p.from + time.Duration(n)*seededWord)
	}
	return len(p.words) - p.next
}

// length returns how long words first to last, not included, are at the usual pace.
func (p *part) length(first, last int) (sum time.Duration) {
	for _, t := range p.times[first:last] {
		sum += t
	}
	return sum
}

// heardShare returns how much of the text was heard, as a share of its usual time.
func (p *part) heardShare(spoken time.Duration) float64 {
	if p.more != nil {
		return 1
	}
	all := p.length(0, len(p.times))
	if all == 0 {
		return 1
	}
	return float64(p.length(0, p.next)+spoken-p.from) / float64(all)
}

// finished reports whether the text sounds finished: whether half of it was heard.
func (p *part) finished(spoken time.Duration) bool { return p.heardShare(spoken) >= .5 }

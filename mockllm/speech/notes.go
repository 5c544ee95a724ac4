package speech

import (
	"math"
	"time"

	"halfsecond/pipeline/dist"
)

// notes are what a recognizer has understood: words of its script.
type notes struct {
	script   Script
	seed     uint64
	stream   int
	text     *part // being heard; nil between texts
	used     int   // texts of the script so far
	early    bool  // the last text was told well before it could have been said
	number   int   // words told
	span     time.Duration
	lastWord time.Duration // end of the last word told
	fresh    bool          // no UtteranceEnd has come since
}

// tailGap is how soon speech goes on that belongs to a text which was told early.
const tailGap = 500 * time.Millisecond

// wholly is the share of a text's usual time from which on it was not told early.
const wholly = .9

// begin says that an utterance begins so long after the speech before, and after so
// much speech in all.
func (n *notes) begin(pause, spoken time.Duration) {
	if n.text != nil || n.early && pause <= tailGap {
		return
	}
	n.text = n.script.part(n.used, spoken, n.seed, n.stream)
	n.used++
	n.early = false
}

// heard returns how many words were heard since the last Final, given how much speech
// there was; said counts the one that was half heard as well; left returns how many there
// are; finished tells whether the text sounds finished.
func (n *notes) heard(spoken time.Duration) int {
	if n.text == nil {
		return 0
	}
	return n.text.heard(spoken)
}

func (n *notes) said(spoken time.Duration) int {
	if n.text == nil {
		return 0
	}
	return n.text.said(spoken)
}

func (n *notes) left(spoken time.Duration) int {
	if n.text == nil {
		return 0
	}
	return n.text.left(spoken)
}

func (n *notes) finished(spoken time.Duration) bool {
	return n.text == nil || n.text.finished(spoken)
}

// unsaid returns how many words of the text are known and in no Final.
func (n *notes) unsaid() int {
	if n.text == nil {
		return 0
	}
	return len(n.text.words) - n.text.next
}

// words returns the next words and where they were said: as long as they usually are,
// or spread over the speech that is left.
func (n *notes) words(count int, spread bool, spoken time.Duration, s *spoken) []Word {
	if count == 0 {
		return nil
	}
	stretch := n.stretch(count, spread, spoken)
	words := make([]Word, count)
	end, usual := n.text.from, time.Duration(0)
	for i := range words {
		start := end
		usual += n.text.times[n.text.next+i]
		end = min(spoken, n.text.from+time.Duration(math.Round(stretch*float64(usual))))
		words[i] = Word{
			Text:  n.text.words[n.text.next+i],
			Start: s.start(start).Round(time.Millisecond), End: s.end(end).Round(time.Millisecond),
			Confidence: n.confidence(n.number + i),
		}
	}
	return words
}

// stretch returns how much longer the next words are than usual.
func (n *notes) stretch(count int, spread bool, spoken time.Duration) float64 {
	if !spread {
		return 1
	}
	usual := n.text.length(n.text.next, n.text.next+count)
	return max(0, float64(spoken-n.text.from)/float64(usual))
}

// confidence returns the confidence of a word: .9 to .99.
func (n *notes) confidence(word int) float64 {
	r := dist.Stream(n.seed, "speech/confidence", n.stream, word)
	return float64(900+r.IntN(91)) / 1000
}

// tell notes that a Final has those words, and stands for the audio up to a position.
func (n *notes) tell(words []Word, spread bool, until, spoken time.Duration) {
	n.span = until
	if len(words) == 0 {
		return
	}
	n.lastWord, n.fresh = words[len(words)-1].End, true
	n.number += len(words)
	share := n.text.heardShare(spoken)
	if spread {
		n.text.from = spoken
	} else {
		n.text.from = min(spoken, n.text.from+n.text.length(n.text.next, n.text.next+len(words)))
	}
	n.text.next += len(words)
	n.early = n.unsaid() == 0 && share < wholly
}

// end notes that an utterance has ended: a text all of whose words were told is over.
func (n *notes) end() {
	t := n.text
	if t == nil || t.more == nil && t.next < len(t.words) {
		return
	}
	n.text = nil
}

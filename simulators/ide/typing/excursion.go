package typing

import (
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/document"
)

const (
	// What a person types anew at the end of another line is leastAgain to mostAgain
	// characters, and a paste leastPasted to mostPasted lines. All four are assumed.
	leastAgain  = 3
	mostAgain   = 8
	leastPasted = 2
	mostPasted  = 8
)

// reaches is how long after a key the cursor goes elsewhere, and settles how long
// after that the next key is pressed.
//
// From the recording sessions/vscode_session1, where a move is one that comes more
// than 50 ms after a key: 200 of the first, 313 ms at the median and 2763 ms at the
// 90th percentile, and 120 of the second, 314 ms and 1004 ms; computed 2026-11-30.
var (
	reaches = between(313*time.Millisecond, 2763*time.Millisecond)
	settles = between(314*time.Millisecond, 1004*time.Millisecond)
)

// between returns the log-normal distribution with that median and 90th percentile,
// within the bounds of gaps.
func between(p50, p90 time.Duration) dist.Dist {
	const z = 1.2815515655446004 // of the 90th percentile
	ms := float64(p50) / float64(time.Millisecond)
	d, err := dist.LogNormal(math.Log(ms), math.Log(float64(p90)/float64(p50))/z).Truncate(ShortestGap, LongestPause)
	if err != nil {
		panic("typing: " + err.Error())
	}
	return d
}

// move puts the cursor elsewhere. Where a jump comes to, the next thing is to take text back:
// nothing follows there.
func (t *work) move(k *stroke) Step {
	t.cursor, t.moved = k.to, true
	return Step{Kind: Move, Gap: reaches.Draw(&t.side), Cursor: k.to, Truth: k.truth}
}

// chooseJump decides whether the person goes to another line now that one is done.
func (t *work) chooseJump() {
	t.jump = t.profile.Jumps > 0 && t.side.Float64() < t.profile.Jumps
}

// leave writes the script of a jump: to the end of a line above, back over its last
// characters, the same again, and back to where the person was. A line that has too
// little to type anew, brackets aside, is left alone.
func (t *work) leave() {
	line, end := t.lineAbove()
	n := leastAgain + t.side.IntN(mostAgain-leastAgain+1)
	line = lastRunes(line[strings.LastIndexAny(line, opening)+1:], n)
	if utf8.RuneCountInString(line) < leastAgain {
		return
	}
	t.script = append(t.script, stroke{kind: Move, to: end})
	for rest := line; rest != ""; {
		_, size := utf8.DecodeLastRuneInString(rest)
		rest = rest[:len(rest)-size]
		t.script = append(t.script, stroke{text: line[len(rest) : len(rest)+size], class: Backspace, truth: line[len(rest):]})
	}
	for at, c := range line {
		next := at + utf8.RuneLen(c)
		t.script = append(t.script, stroke{text: line[at:next], class: ClassOf(c), truth: line[next:]})
	}
	t.script = append(t.script, stroke{kind: Move, to: t.cursor, truth: t.text[t.at:t.end]})
}

// lineAbove draws a line above the one of the cursor, and returns what stands there
// and where it ends. What stands before the cursor is the text as far as it is typed.
func (t *work) lineAbove() (line string, end int) {
	above := strings.Count(t.text[:t.at], "\n") // the line of the cursor is none of them
	lines := strings.SplitN(t.text[:t.at], "\n", above+1)
	n := t.side.IntN(above)
	for i := range n {
		end += len(lines[i]) + 1
	}
	return strings.TrimLeft(lines[n], " \t"), end + len(lines[n])
}

// lastRunes returns the last n characters of a text.
func lastRunes(text string, n int) string {
	from := len(text)
	for ; n > 0 && from > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(text[:from])
		from -= size
	}
	return text[from:]
}

// choosePaste decides whether the lines ahead are pasted, and how many.
func (t *work) choosePaste() {
	t.paste = 0
	if t.profile.Pastes == 0 || t.side.Float64() >= t.profile.Pastes {
		return
	}
	n := leastPasted + t.side.IntN(mostPasted-leastPasted+1)
	lines := strings.SplitAfterN(t.text[t.at:t.end], "\n", n+1)
	if len(lines) <= n {
		return
	}
	if text := strings.Join(lines[:n], ""); document.Visible(text) {
		t.paste = t.at + len(text) - 1 // the last line is not ended
	}
}

// putIn pastes.
func (t *work) putIn() Step {
	text := t.text[t.at:t.paste]
	s := Step{Kind: Change, Gap: reaches.Draw(&t.side), Edit: document.Edit{Offset: t.cursor, Insert: text, Cursor: t.cursor + len(text)}}
	t.at, t.cursor = t.paste, t.cursor+len(text)
	t.paste, t.rethink, t.since = 0, -1, 0
	t.prev = classAt(t.text, t.at-1)
	s.Truth = t.text[t.at:t.end]
	return s
}

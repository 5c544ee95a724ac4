package ending

import (
	_ "embed"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"halfsecond/pipeline/dist"
)

// Kind is what sort of turn one is: each pauses in its own way.
type Kind string

// Kinds of turns.
const (
	Plain       Kind = "plain"
	Digits      Kind = "digits"      // a phone, card or order number in groups
	Hesitation  Kind = "hesitation"  // "um, I would like to ..."
	Affirmation Kind = "affirmation" // one word or two: "yeah"
	List        Kind = "list"
	Spelled     Kind = "spelled" // a name, letter by letter
)

var kinds = []Kind{Plain, Digits, Hesitation, Affirmation, List, Spelled}

// Kinds returns all of them.
func Kinds() []Kind { return slices.Clone(kinds) }

// Turn is what a user says before the agent is to speak, with the pauses in it.
type Turn struct {
	ID     int
	Kind   Kind
	Text   string // as the transcript has it in the end
	Ends   Ends   // how that ends
	Pauses []Silence
}

// Silence is a pause inside a turn: the agent should listen on.
type Silence struct {
	Words  int           // of the turn, before it
	Length time.Duration // from the last sound before it to the first after it
	After  string        // the transcript so far
	Ends   Ends          // how that ends
}

// Longest pause that a file may have.
const longestPause = time.Minute

// String returns the text with each pause where it is, in ms: "415 {280}555".
func (t Turn) String() string {
	var b strings.Builder
	done := 0
	for _, p := range t.Pauses {
		b.WriteString(t.Text[done:len(p.After)])
		fmt.Fprintf(&b, " {%d}", p.Length.Milliseconds())
		done = len(p.After) + 1
	}
	b.WriteString(t.Text[done:])
	return b.String()
}

//go:embed turns.csv
var builtin string

var builtinTurns = sync.OnceValue(func() []Turn {
	turns, err := ReadTurns("turns.csv", strings.NewReader(builtin))
	if err != nil {
		panic(err)
	}
	return turns
})

// Turns returns the turns that come with the program; see SOURCES.md for their pauses.
func Turns() []Turn { return slices.Clone(builtinTurns()) }

// Of returns the turns of some kinds.
func Of(turns []Turn, kinds ...Kind) []Turn {
	return slices.DeleteFunc(slices.Clone(turns), func(t Turn) bool { return !slices.Contains(kinds, t.Kind) })
}

// Pick returns the turn that a user says in a session, each as likely as the others. It
// panics when there are none.
func Pick(turns []Turn, seed uint64, session, index int) Turn {
	r := dist.Stream(seed, "voice/ending/turn", session, index)
	return turns[r.IntN(len(turns))]
}

// ReadTurns reads turns from a CSV file with the columns turn, kind and text: a number of
// its own, one of Kinds, and the transcript, in which a pause is its length in ms between
// braces, 1 to 60000: "My number is 415 {280}555 {590}0123." White space does not matter
// but for where words end. All problems are reported at once, with name and line.
func ReadTurns(name string, r io.Reader) ([]Turn, error) {
	c := csv.NewReader(r)
	c.FieldsPerRecord = 3
	header, err := c.Read()
	if err != nil || !slices.Equal(header, []string{"turn", "kind", "text"}) {
		return nil, fmt.Errorf("%s: the first line is not turn,kind,text", name)
	}
	var turns []Turn
	var errs []error
	seen := map[int]bool{}
	for {
		cells, err := c.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		line, _ := c.FieldPos(0)
		t, err := parseTurn(cells)
		if err == nil && seen[t.ID] {
			err = fmt.Errorf("turn %d is there twice", t.ID)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s:%d: %w", name, line, err))
			continue
		}
		seen[t.ID] = true
		turns = append(turns, t)
	}
	if len(turns) == 0 && len(errs) == 0 {
		errs = append(errs, fmt.Errorf("%s: no turns", name))
	}
	return turns, errors.Join(errs...)
}

func parseTurn(cells []string) (Turn, error) {
	id, err := strconv.Atoi(cells[0])
	if err != nil || id < 1 {
		return Turn{}, fmt.Errorf("turn is %q: want a whole number from 1 on", cells[0])
	}
	t := Turn{ID: id, Kind: Kind(cells[1])}
	if !slices.Contains(kinds, t.Kind) {
		return Turn{}, fmt.Errorf("kind is %q: want one of %v", cells[1], kinds)
	}
	if !utf8.ValidString(cells[2]) {
		return Turn{}, errors.New("text is no UTF-8")
	}
	if err := t.pauses(cells[2]); err != nil {
		return Turn{}, err
	}
	return t, nil
}

var marks = regexp.MustCompile(`\{([^{}]*)\}`)

// pauses takes the text apart.
func (t *Turn) pauses(text string) error {
	words := 0
	done := 0
	for _, at := range marks.FindAllStringSubmatchIndex(text, -1) {
		n, ok := t.say(text[done:at[0]])
		if !ok {
			return fmt.Errorf("text %q: want words before and after each pause, and a pause as {ms}", text)
		}
		words += n
		length, err := strconv.ParseUint(text[at[2]:at[3]], 10, 32)
		if pause := time.Duration(length) * time.Millisecond; err != nil || pause < time.Millisecond || pause > longestPause {
			return fmt.Errorf("pause is %q: want ms from 1 to %d", text[at[2]:at[3]], longestPause.Milliseconds())
		}
		t.Pauses = append(t.Pauses, Silence{Words: words, Length: time.Duration(length) * time.Millisecond, After: t.Text, Ends: EndsOf(t.Text)})
		done = at[1]
	}
	if _, ok := t.say(text[done:]); !ok {
		return fmt.Errorf("text %q: want words before and after each pause, and a pause as {ms}", text)
	}
	t.Ends = EndsOf(t.Text)
	return nil
}

// say adds words to the text and returns how many; ok is false when there are none, or a
// brace that belongs to no pause.
func (t *Turn) say(text string) (words int, ok bool) {
	said := strings.Fields(text)
	if len(said) == 0 || strings.ContainsAny(text, "{}") {
		return 0, false
	}
	if t.Text != "" {
		t.Text += " "
	}
	t.Text += strings.Join(said, " ")
	return len(said), true
}

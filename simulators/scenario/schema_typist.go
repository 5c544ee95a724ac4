package scenario

import (
	"fmt"
	"strconv"
	"time"

	"halfsecond/budgets"
	"halfsecond/simulators/ide/typing"
)

var typist = oneOf("a typist",
	choice[Typist]{"profile", generated, func(t Typist) bool { return t.Session.Name == "" }},
	choice[Typist]{"session", recorded, func(t Typist) bool { return t.Session.Name != "" }},
)

// generated fills in what the profile says when the file does not.
var generated = object(
	func(_ *reader, found map[string]entry, t *Typist) {
		p, err := typing.ProfileNamed(t.Profile)
		if err != nil {
			panic(fmt.Sprintf("scenario: %s", err))
		}
		if _, given := found["wpm"]; !given {
			t.WPM = p.WPM
		}
		if _, given := found["errors"]; !given {
			t.Errors = p.Slips
		}
		if _, given := found["rethinks"]; !given {
			t.Rethinks = p.Rethinks
		}
	},
	need("profile", func(t *Typist) *string { return &t.Profile }, enum(typing.ProfileNames()...), "how practised the typist is"),
	can("wpm", func(t *Typist) *float64 { return &t.WPM }, 0, pace, "words of five characters a minute").fallback("the profile's"),
	can("gaps", func(t *Typist) *typing.Shape { return &t.Gaps }, typing.LogNormal, names(typing.LogNormal, typing.LogLogistic), "the form of the distribution of the gaps between keys"),
	can("text", func(t *Typist) *Text { return &t.Text }, builtinText("go-handler"), typed, "a built-in text or the path of a file"),
	can("lines", func(t *Typist) *int { return &t.Lines }, 20, whole(0, 10_000), "lines typed at a time somewhere in the text, the rest of which is there; 0 types all of it into an empty document"),
	can("errors", func(t *Typist) *float64 { return &t.Errors }, 0, share, "share of letters and digits mistyped and put right").fallback("the profile's"),
	can("rethinks", func(t *Typist) *float64 { return &t.Rethinks }, 0, share, "share of lines taken back in part, with backspace held down, and typed again").fallback("the profile's"),
	can("hold_first", func(t *Typist) *time.Duration { return &t.HoldFirst }, 500*time.Millisecond, duration(0, longestDelay), "when a held backspace repeats for the first time"),
	can("hold_next", func(t *Typist) *time.Duration { return &t.HoldNext }, 33*time.Millisecond, duration(0, longestDelay), "and how often from then on"),
	can("jumps", func(t *Typist) *float64 { return &t.Jumps }, 0, share, "share of lines after which the end of one above is typed anew"),
	can("pastes", func(t *Typist) *float64 { return &t.Pastes }, 0, share, "share of lines at which 2 to 8 lines are pasted"),
	can("accepts", func(t *Typist) **Accepts { return &t.Accepts }, nil, pointer(accepts), "which suggestions the typist takes; leave it out for one who types through all of them"),
	maxPause,
)

var accepts = object(nil,
	can("right", func(a *Accepts) *float64 { return &a.Right }, usualReader.Right, share, "share of suggestions taken that are what will be typed"),
	can("wrong", func(a *Accepts) *float64 { return &a.Wrong }, usualReader.Wrong, share, "share of the others taken, each of which is taken back"),
	can("length", func(a *Accepts) *int { return &a.Length }, usualReader.Full, whole(0, 1000), "characters from which on a suggestion is taken as often as that; a shorter one is by its part of them"),
)

var usualReader = typing.Readers(0)

// Reader returns how the typist reads suggestions; false when all are typed through.
func (t *Typist) Reader(seed uint64) (r typing.Reader, ok bool) {
	if t.Accepts == nil {
		return typing.Reader{}, false
	}
	return typing.Reader{Seed: seed, Right: t.Accepts.Right, Wrong: t.Accepts.Wrong, Full: t.Accepts.Length}, true
}

var pace = scalar("a number", number,
	func(v float64) string {
		if v != 0 && (v < 5 || v > 300) {
			return "from 5 to 300, or 0 for the expert's own pace"
		}
		return ""
	}, budgets.Exact)

var maxPause = can("max_pause", func(t *Typist) *time.Duration { return &t.MaxPause }, 0, duration(0, 24*time.Hour), "longer pauses are cut to this; 0 cuts none")

var recorded = object(
	func(r *reader, found map[string]entry, t *Typist) {
		if t.Document == AllDocuments {
			return
		}
		if _, err := t.Session.Recording.Replay(t.Document); err != nil {
			r.failEntry(found, "document", "%s", err)
		}
	},
	need("session", func(t *Typist) *Session { return &t.Session }, session, "a recorded session to replay: vscode_session1, which is built in, or the path of a file"),
	can("document", func(t *Typist) *int { return &t.Document }, AllDocuments, documents, "which document of it; all: all of them in order of time, as the person went from one to the other"),
	maxPause,
)

// documents is the form of the number of a document, or all of them.
var documents = scalar("a whole number, or all",
	func(s string) (int, bool) {
		if s == "all" {
			return AllDocuments, true
		}
		v, err := strconv.Atoi(s)
		return v, err == nil && wholeNumber.MatchString(s)
	},
	func(v int) string {
		if v == AllDocuments {
			return ""
		}
		return between(0, 1_000_000_000, strconv.Itoa)(v)
	},
	func(v int) string {
		if v == AllDocuments {
			return "all"
		}
		return strconv.Itoa(v)
	})

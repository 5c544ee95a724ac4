package scenario

import (
	"fmt"
	"time"

	"halfsecond/budgets"
	"halfsecond/simulators/ide/recording"
	"halfsecond/simulators/ide/typing"
)

var typist = oneOf("a typist",
	choice[Typist]{"profile", generated, func(t Typist) bool { return t.Session == "" }},
	choice[Typist]{"session", recorded, func(t Typist) bool { return t.Session != "" }},
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
	},
	need("profile", func(t *Typist) *string { return &t.Profile }, enum(typing.ProfileNames()...), "how practised the typist is"),
	can("wpm", func(t *Typist) *float64 { return &t.WPM }, 0, pace, "words of five characters a minute").fallback("the profile's"),
	can("text", func(t *Typist) *Text { return &t.Text }, builtinText("go-handler"), typed, "a built-in text or the path of a file"),
	can("lines", func(t *Typist) *int { return &t.Lines }, 20, whole(0, 10_000), "lines typed at a time somewhere in the text, the rest of which is there; 0 types all of it into an empty document"),
	can("errors", func(t *Typist) *float64 { return &t.Errors }, 0, share, "share of letters and digits mistyped and put right").fallback("the profile's"),
	maxPause,
)

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
		if _, err := recording.BuiltIn().Replay(t.Document); err != nil {
			r.failEntry(found, "document", "%s", err)
		}
	},
	need("session", func(t *Typist) *string { return &t.Session }, enum("vscode_session1"), "a recorded session to replay"),
	need("document", func(t *Typist) *int { return &t.Document }, whole(0, 1_000_000), "which document of it"),
	maxPause,
)

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	keystrokes "halfsecond/simulators/ide/recording"
	"halfsecond/simulators/ide/typing"
	"halfsecond/simulators/ide/typing/fit"
)

// keysOptions say whose keys are written, as typed.
type keysOptions struct {
	typist        string
	wpm           float64
	gaps          string
	text          string
	lines         int
	errors        shareFlag
	rethinks      shareFlag
	jumps, pastes shareFlag
	session       string
	document      int
	n             int
	seed          uint64
	user          int
	summary       bool
	given         func(flag string) bool // whether a flag was typed
}

func newKeysCmd(p *program) *cobra.Command {
	o := &keysOptions{}
	cmd := &cobra.Command{
		Use:   "keys",
		Short: "Write what a typist types, key by key, or sum it up",
		Long: `Keys types as the typist of a scenario of kind ide does, or replays a recorded session,
without any plugin: first a summary of the gaps between keys, and how many of them are
longer than a debounce, which is how often a plugin with that debounce would ask.

With --format jsonl or csv it writes every step instead, in the formats that a scenario
reads again (ide.typist.session) and docs/typing.md describes: the instant, the edit, the
cursor, the class of the key, its burst, and the text that really follows. --summary
prints the summary beside that, on stderr. The same flags give the same bytes.

--session takes the built-in session, a file in one of those formats, or a workspace
recording of VS Code.`,
		Example: `  halfsecond keys --typist expert --n 10000
  halfsecond keys --typist average --wpm 60 --text main.go --n 500 --seed 2 --format jsonl > typed.jsonl
  halfsecond keys --session vscode_session1 --document 22
  halfsecond keys --session today.recording.w.json --format csv --summary > today.csv`,
		Annotations: offers("table", "json", "jsonl", "csv"),
		Args:        noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.given = cmd.Flags().Changed
			return runKeys(cmd.Context(), p, o)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&o.typist, "typist", "average", "`name` of who types: "+strings.Join(typing.ProfileNames(), ", "))
	f.Float64Var(&o.wpm, "wpm", 0, "words of five characters a `minute` (default: the typist's; 0: the expert's own pace)")
	f.StringVar(&o.gaps, "gaps", typing.LogNormal.String(), "`form` of the gaps: "+strings.Join(typing.ShapeNames(), " or "))
	f.StringVar(&o.text, "text", "go-handler", "built-in `text` ("+strings.Join(typing.TextNames(), ", ")+"), or a file")
	f.IntVar(&o.lines, "lines", 20, "`lines` typed at a time somewhere in the text; 0 types all of it into an empty document")
	f.Var(&o.errors, "errors", "`share`, such as 2%, of letters and digits mistyped and put right (default: the typist's)")
	f.Var(&o.rethinks, "rethinks", "`share` of lines taken back in part and typed again (default: the typist's)")
	f.Var(&o.jumps, "jumps", "`share` of lines after which the end of one above is typed anew")
	f.Var(&o.pastes, "pastes", "`share` of lines at which 2 to 8 lines are pasted")
	f.StringVar(&o.session, "session", "", "a recorded session instead: "+keystrokes.BuiltInName+", or a `file`")
	f.IntVar(&o.document, "document", 0, "`number` of one document of it (default: the whole session)")
	f.IntVar(&o.n, "n", 1000, "`keys` to type; of a session the first of them (default there: all)")
	f.Uint64Var(&o.seed, "seed", 1, "`number` that decides everything a typist draws")
	f.IntVar(&o.user, "user", 0, "`which` user of a scenario this is")
	f.BoolVar(&o.summary, "summary", false, "with jsonl or csv: the summary on stderr beside it")
	return cmd
}

// ofTypist are the flags that a recorded session does not take.
var ofTypist = []string{"typist", "wpm", "gaps", "text", "lines", "errors", "rethinks", "jumps", "pastes", "seed", "user"}

// runKeys writes the keys, or sums them up.
func runKeys(ctx context.Context, p *program, o *keysOptions) error {
	y, err := o.source()
	if err != nil {
		return usageError(err)
	}
	watched := &fit.Watch{Source: until{ctx, y}}
	if err := o.write(p, watched); ctx.Err() == nil {
		return err
	}
	return unfinished(ctx, nil)
}

// until is a source that ends when its context does.
type until struct {
	ctx context.Context
	typing.Source
}

// Next implements typing.Source.
func (u until) Next() (typing.Step, bool) {
	if u.ctx.Err() != nil {
		return typing.Step{}, false
	}
	return u.Source.Next()
}

// write writes what is typed, or sums it up.
func (o *keysOptions) write(p *program, watched *fit.Watch) error {
	switch p.Format {
	case "jsonl":
		out := bufio.NewWriter(p.out)
		if err := errors.Join(keystrokes.Write(escaped(out), watched), out.Flush()); err != nil {
			return err
		}
	case "csv":
		if err := keystrokes.WriteTable(p.out, watched); err != nil {
			return err
		}
	default:
		for _, more := watched.Next(); more; _, more = watched.Next() {
		}
		return o.sumUp(p, watched.Summary())
	}
	if o.summary {
		return writeKeysTable(p.err, watched.Summary())
	}
	return nil
}

// source returns what is typed.
func (o *keysOptions) source() (typing.Source, error) {
	if o.n < 1 {
		return nil, fmt.Errorf("--n %d: want 1 key or more", o.n)
	}
	if o.session == "" {
		if o.given("document") {
			return nil, errors.New("--document is one of a session: want --session too")
		}
		return o.generated()
	}
	for _, name := range ofTypist {
		if o.given(name) {
			return nil, fmt.Errorf("--%s has no effect on what was recorded: leave it out, or --session", name)
		}
	}
	return o.recorded()
}

// generated returns what a typist types.
func (o *keysOptions) generated() (typing.Source, error) {
	profile, err := typing.ProfileNamed(o.typist)
	if err != nil {
		return nil, fmt.Errorf("--typist: %w", err)
	}
	shape := slices.Index(typing.ShapeNames(), o.gaps)
	if shape < 0 {
		return nil, fmt.Errorf("--gaps %s: want %s", o.gaps, strings.Join(typing.ShapeNames(), " or "))
	}
	profile.Shape, profile.Lines, profile.Jumps, profile.Pastes = typing.Shape(shape), o.lines, float64(o.jumps), float64(o.pastes)
	for flag, to := range map[string]struct {
		from float64
		into *float64
	}{
		"wpm": {o.wpm, &profile.WPM}, "errors": {float64(o.errors), &profile.Slips}, "rethinks": {float64(o.rethinks), &profile.Rethinks},
	} {
		if o.given(flag) {
			*to.into = to.from
		}
	}
	if err := o.shares(); err != nil {
		return nil, err
	}
	text, err := o.content()
	if err != nil {
		return nil, err
	}
	who, err := typing.NewTypist(text, profile)
	if err != nil {
		return nil, err
	}
	return typing.First(who.Type(o.seed, o.user), o.n), nil
}

// shares reports those that are none.
func (o *keysOptions) shares() error {
	var errs []error
	for _, flag := range []struct {
		name  string
		value shareFlag
	}{{"errors", o.errors}, {"rethinks", o.rethinks}, {"jumps", o.jumps}, {"pastes", o.pastes}} {
		if !(flag.value >= 0 && flag.value <= 1) {
			errs = append(errs, fmt.Errorf("--%s %s: want a share from 0 to 1, or from 0%% to 100%%", flag.name, flag.value.String()))
		}
	}
	return errors.Join(errs...)
}

// content returns the text to type.
func (o *keysOptions) content() (string, error) {
	if slices.Contains(typing.TextNames(), o.text) {
		return typing.Text(o.text)
	}
	data, err := readFile(o.text, mostSmallFile)
	if err != nil {
		return "", fmt.Errorf("--text: no built-in text (%s) and no file to read: %w", strings.Join(typing.TextNames(), ", "), err)
	}
	return string(data), nil
}

// recorded returns what was recorded.
func (o *keysOptions) recorded() (typing.Source, error) {
	s := keystrokes.BuiltIn()
	if o.session != keystrokes.BuiltInName {
		data, err := readFile(o.session, keystrokes.MaxBytes)
		if err != nil {
			return nil, fmt.Errorf("--session: no built-in session (%s) and no file to read: %w", keystrokes.BuiltInName, err)
		}
		if s, err = keystrokes.Read(o.session, bytes.NewReader(data)); err != nil {
			return nil, err
		}
	}
	y := s.Whole()
	if o.given("document") {
		var err error
		if y, err = s.Replay(o.document); err != nil {
			return nil, fmt.Errorf("--document %d: %w", o.document, err)
		}
	}
	if o.given("n") {
		y = typing.First(y, o.n)
	}
	return y, nil
}

// sumUp prints the summary in the format that was asked for.
func (o *keysOptions) sumUp(p *program, s fit.Summary) error {
	if p.Format == "json" {
		return writeJSON(p.out, keysDocument(s))
	}
	return writeKeysTable(p.out, s)
}

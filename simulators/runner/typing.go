package runner

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
	"halfsecond/simulators/ide"
	"halfsecond/simulators/scenario"
)

// longestText bounds a file whose text is typed, in bytes.
const longestText = 1 << 20

// Files finds what a scenario refers to by name: texts to type and recorded
// sessions. Relative paths count from Dir.
type Files struct{ Dir string }

// Checks returns the judges of such names for scenario.Load.
func (f Files) Checks() scenario.Checks {
	return scenario.Checks{
		Text: func(name string) (digest string, err error) {
			text, builtin, err := f.text(name)
			if builtin || err != nil {
				return "", err
			}
			sum := sha256.Sum256([]byte(text))
			return "sha256 " + hex.EncodeToString(sum[:]), nil
		},
		Session: func(name string, document int) error {
			session, err := recorded(name)
			if err == nil {
				_, err = session.Replay(document)
			}
			return err
		},
	}
}

// text returns a built-in text, or else that of a file.
func (f Files) text(name string) (text string, builtin bool, err error) {
	if slices.Contains(ide.TextNames(), name) {
		text, err = ide.Text(name)
		return text, true, err
	}
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(f.Dir, path)
	}
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, fmt.Errorf("%q is no built-in text (%s) and no file", name, strings.Join(ide.TextNames(), ", "))
	}
	if err != nil {
		return "", false, err
	}
	defer file.Close()
	var b bytes.Buffer
	n, err := io.Copy(&b, io.LimitReader(file, longestText+1))
	if n > longestText {
		err = fmt.Errorf("%q is longer than %d bytes", name, longestText)
	}
	return b.String(), false, err
}

// recordedSession is the name of the built-in recording.
const recordedSession = "vscode_session1"

// recorded returns the recording with that name.
func recorded(name string) (*ide.Session, error) {
	if name != recordedSession {
		return nil, fmt.Errorf("unknown session %q: want %s", name, recordedSession)
	}
	return ide.RecordedSession(), nil
}

// typist returns what each user of a scenario does.
func (r *run) typist(t scenario.Typist) (func(user int) ide.Typing, error) {
	if t.Session != "" {
		session, err := recorded(t.Session)
		if err != nil {
			return nil, err
		}
		if _, err := session.Replay(t.Document); err != nil {
			return nil, err
		}
		return func(int) ide.Typing {
			typing, _ := session.Replay(t.Document) // checked above
			return typing
		}, nil
	}
	text, _, err := r.settings.Files.text(t.Text.Name)
	if err != nil {
		return nil, err
	}
	profile, err := ide.ProfileNamed(t.Profile)
	if err != nil {
		return nil, err
	}
	profile.WPM, profile.Slips = t.WPM, t.Errors
	typist, err := ide.NewTypist(text, profile)
	if err != nil {
		return nil, err
	}
	return func(user int) ide.Typing { return typist.Type(r.settings.Seed, user) }, nil
}

// typing has each user type a share of the run's keys, after a first think time.
func (l *load) typing(s *scenario.IDE) error {
	config, err := l.run.ide(s)
	if err != nil {
		return err
	}
	sim, err := ide.New(config)
	if err != nil {
		return err
	}
	p := l.run.scenario.Arrivals
	l.warmByIndex(p.Users)
	for user := range p.Users {
		think := dist.Stream(l.run.settings.Seed, "runner/think", user)
		missing := share(l.asked, p.Users, user)
		keys := missing
		done := func(t *pipeline.Trace) { missing--; l.done(t) }
		finished := func() { l.spare(missing) }
		l.run.clock.After(p.Think.Draw(&think), pipeline.RankInput, func() { sim.Start(user, keys, done, finished) })
	}
	return nil
}

// spare takes back interactions that will not come, since a recording was shorter
// than what was asked for.
func (l *load) spare(n int) {
	l.asked -= n
	l.stopIfWhole()
}

func (r *run) ide(s *scenario.IDE) (ide.Config, error) {
	typing, err := r.typist(s.Typist)
	if err != nil {
		return ide.Config{}, err
	}
	cancel, err := ide.ParseCancel(s.Plugin.Cancel)
	if err != nil {
		return ide.Config{}, err
	}
	reuse, err := ide.ParseReuse(s.Plugin.Reuse)
	if err != nil {
		return ide.Config{}, err
	}
	return ide.Config{
		Loop: r.clock, LLM: r.model, Seed: r.settings.Seed, Typing: typing, Right: s.Truth,
		Plugin: ide.Plugin{
			Debounce: s.Plugin.Debounce, Cancel: cancel, Reuse: reuse,
			PrefixTokens: s.Plugin.PrefixTokens, SuffixTokens: s.Plugin.SuffixTokens, MaxTokens: s.Plugin.MaxTokens,
		},
		NextRequest: r.nextID, Late: r.late(),
	}, nil
}

package scenario

import (
	"bytes"
	"fmt"

	"github.com/goccy/go-yaml/ast"

	"halfsecond/pipeline/strict"
	"halfsecond/simulators/ide/recording"
)

// session is the form of the recording that is replayed.
var session = form[Session]{
	want: oneLine.want,
	read: func(r *reader, n ast.Node) (Session, bool) {
		name, ok := oneLine.read(r, n)
		if !ok {
			return Session{}, false
		}
		s, err := r.session(name)
		if err != nil {
			r.Fail(n, "%s", err)
		}
		return s, err == nil
	},
	write: func(s Session) tree { return tree{text: quoted(s.Name), note: s.Digest} },
}

// session returns the built-in recording of that name, or else the file.
func (r *reader) session(name string) (Session, error) {
	if name == recording.BuiltInName {
		return Session{Name: name, Recording: recording.BuiltIn()}, nil
	}
	near := strict.Suggest(name, []string{recording.BuiltInName})
	if r.open == nil {
		return Session{}, fmt.Errorf("no built-in session %q; %s", name, near)
	}
	data, digest, err := r.loadUpTo(name, recording.MaxBytes)
	if err != nil {
		return Session{}, fmt.Errorf("no built-in session and no file to read: %w; %s", err, near)
	}
	s, err := recording.Read(name, bytes.NewReader(data))
	return Session{Name: name, Digest: digest, Recording: s}, err
}

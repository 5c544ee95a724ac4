package scenario

import (
	"fmt"
	"slices"

	"github.com/goccy/go-yaml/ast"

	"halfsecond/pipeline/strict"
	"halfsecond/simulators/ide/typing"
)

// typed is the form of the text that a generated typist types.
var typed = form[Text]{
	want: oneLine.want,
	read: func(r *reader, n ast.Node) (Text, bool) {
		name, ok := oneLine.read(r, n)
		if !ok {
			return Text{}, false
		}
		t, err := r.text(name)
		if err != nil {
			r.Fail(n, "%s", err)
		}
		return t, err == nil
	},
	write: func(t Text) tree { return tree{text: quoted(t.Name), note: t.Digest} },
}

// text returns the built-in text of that name, or else the file.
func (r *reader) text(name string) (Text, error) {
	if slices.Contains(typing.TextNames(), name) {
		return builtinText(name), nil
	}
	if r.open == nil {
		return Text{}, fmt.Errorf("no built-in text %q; %s", name, strict.Suggest(name, typing.TextNames()))
	}
	data, digest, err := r.load(name)
	if err != nil {
		return Text{}, fmt.Errorf("no built-in text and no file to read: %w; %s", err, strict.Suggest(name, typing.TextNames()))
	}
	t := Text{Name: name, Content: string(data), Digest: digest}
	if _, err := typing.NewTypist(t.Content, typing.Profile{}); err != nil {
		return Text{}, fmt.Errorf("file %s: %w", name, err)
	}
	return t, nil
}

func builtinText(name string) Text {
	content, err := typing.Text(name)
	if err != nil {
		panic(fmt.Sprintf("scenario: %s", err))
	}
	return Text{Name: name, Content: content}
}

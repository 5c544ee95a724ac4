package typing

// Focused returns the steps of a source, with the focus for the editor behind the first, which
// opens a document. It is an Accepter if the source is one.
func Focused(y Source) Source {
	f := &focused{Source: y}
	if a, ok := y.(Accepter); ok {
		return &focusedAccepter{f, a}
	}
	return f
}

type focused struct {
	Source
	steps int
}

// Next implements Source.
func (f *focused) Next() (Step, bool) {
	if f.steps++; f.steps == 2 {
		return Step{Kind: Focus}, true
	}
	return f.Source.Next()
}

type focusedAccepter struct {
	*focused
	Accepter
}

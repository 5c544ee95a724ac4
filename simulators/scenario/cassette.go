package scenario

import (
	"errors"
	"fmt"

	"github.com/goccy/go-yaml/ast"

	"halfsecond/mockllm/cassette"
	"halfsecond/pipeline/dist"
)

// Cassette is a file of recorded answers, such as 'halfsecond record' writes, in place of
// a model.
type Cassette struct {
	Name   string // of the file
	Digest string // identifies the content
	Pick   string // "draw" or "order"
	Tape   *cassette.Tape
}

const (
	pickDraw  = "draw"
	pickOrder = "order"
)

// maxCassette is the longest such file in bytes.
const maxCassette = 64 << 20

// Picker returns what gives each request its recorded answer: any of them by the call's
// draw, or one after the other in the order of their coming, round and round.
func (c *Cassette) Picker(seed uint64) func(draw uint64) *cassette.Answer {
	all := c.Tape.Answers
	if c.Pick == pickDraw {
		draws := dist.NewKeyed(seed, "scenario/cassette")
		return func(draw uint64) *cassette.Answer { return &all[draws.Of(draw).IntN(len(all))] }
	}
	next := 0
	return func(uint64) *cassette.Answer {
		a := &all[next]
		next = (next + 1) % len(all)
		return a
	}
}

// String describes the cassette in a line.
func (c *Cassette) String() string {
	how := "each request has any of them"
	if c.Pick == pickOrder {
		how = "they come in order"
	}
	text := fmt.Sprintf("cassette %s, recorded answers: %d, %s", c.Name, len(c.Tape.Answers), how)
	if c.Tape.Left > 0 {
		text += fmt.Sprintf("; left out, since they did not come to an end: %d", c.Tape.Left)
	}
	return text
}

// errCassette says why a cassette is no service.
var errCassette = errors.New("a cassette has no engine to serve: its answers come as they were recorded, whoever asks; 'halfsecond replay' serves one over sockets, for --target endpoint")

// taped is the form of a language model that is a cassette.
var taped = as(object(nil,
	need("cassette", func(c *Cassette) *Cassette { return c }, tape, "a file of recorded answers that `halfsecond record` wrote, or of a run's exchanges: they come at their recorded instants and lengths, whatever was asked and however many others ask"),
	can("pick", func(c *Cassette) *string { return &c.Pick }, pickDraw, enum(pickDraw, pickOrder), "which of them a request gets: any, or the next, round and round"),
), func(c Cassette) LLM { return LLM{Cassette: &c} }, func(l LLM) Cassette { return *l.Cassette })

// tape is the form of the name of such a file.
var tape = form[Cassette]{
	want: oneLine.want,
	read: func(r *reader, n ast.Node) (Cassette, bool) {
		name, ok := oneLine.read(r, n)
		if !ok {
			return Cassette{}, false
		}
		data, digest, err := r.loadUpTo(name, maxCassette)
		c := Cassette{Name: name, Digest: digest}
		if err == nil {
			if c.Tape, err = cassette.Read(data); err != nil {
				err = fmt.Errorf("file %s: %w", name, err)
			}
		}
		if err != nil {
			r.Fail(n, "%s", inOne(err))
		}
		return c, err == nil
	},
	write: func(c Cassette) tree { return tree{text: quoted(c.Name), note: c.Digest} },
}

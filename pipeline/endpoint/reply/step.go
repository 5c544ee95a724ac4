package reply

import (
	"slices"

	"halfsecond/pipeline"
	"halfsecond/pipeline/wire"
)

// Decoder reads the messages of one response of one protocol. What a server adds to its
// protocol, or leaves out of it, is no error.
type Decoder interface {
	// Event tells what one event of an event stream says, or one line of a stream of
	// JSON lines, which has no name. Its data are trimmed; s is empty.
	Event(e wire.Event, s *Step)
	// Whole tells what an answer says that came as one JSON text.
	Whole(text []byte, s *Step)
}

// Step is what one message of a server said.
type Step struct {
	// Pieces are what it brought of each choice, each but once; see Piece and Snapshot.
	Pieces []Piece
	// Usage is what the server has counted so far, of all choices together, and Timings
	// the same where it only times itself; nil is none at all.
	Usage, Timings *Counts
	Server         pipeline.ServerTime // what it says of its own time
	Failure        *Failure            // an error that it reports
	End            bool                // it says that the answer has ended
	Unread         bool                // it is no valid JSON; set by the reader, not by decoders
	Mangled        bool                // it is read, and no UTF-8; set as Unread is

	asked parts // for pieces, so often
}

// Piece returns what the message brought of a choice, for more to be added.
func (s *Step) Piece(choice int) *Piece { return s.piece(choice, false) }

// Snapshot returns the repetition of a choice that the message brought, as Piece does.
func (s *Step) Snapshot(choice int) *Piece { return s.piece(choice, true) }

func (s *Step) piece(choice int, snapshot bool) *Piece {
	if !s.asked.more() {
		return new(Piece)
	}
	for i := range s.Pieces {
		if p := &s.Pieces[i]; p.Choice == choice && p.Snapshot == snapshot {
			return p
		}
	}
	s.Pieces = append(s.Pieces, Piece{Choice: choice, Snapshot: snapshot})
	return &s.Pieces[len(s.Pieces)-1]
}

// Count adds what a part of the message counts to what others of it did: of each count the last
// one that is stated holds. Nil is nothing.
func (s *Step) Count(c *Counts) { s.Usage = s.Usage.with(c) }

// reset makes it empty.
func (s *Step) reset() { *s = Step{Pieces: s.Pieces[:0], Server: pipeline.NewServerTime()} }

// says reports whether a decoder made anything of the message.
func (s *Step) says() bool {
	return len(s.Pieces) > 0 || s.Usage != nil || s.Timings != nil || s.Failure != nil || s.End
}

// kinds returns which kinds of output chunks it makes.
func (s *Step) kinds() (k kinds) {
	for i := range s.Pieces {
		if p := &s.Pieces[i]; !p.Snapshot {
			k.reasoning = k.reasoning || p.Reasoning != ""
			k.others = k.others || p.Text != "" || slices.ContainsFunc(p.Tools, ToolPiece.says)
		}
	}
	return k
}

// outputs returns how many output chunks it makes.
func (s *Step) outputs() (n int) {
	for i := range s.Pieces {
		n += s.Pieces[i].outputs()
	}
	return n
}

// Piece is what a message brought of one choice. Strings are what it added; an empty one
// is nothing.
type Piece struct {
	Choice    int
	Reasoning string
	Summary   bool   // the reasoning is a summary of what the model thought, by the protocol
	Text      string // a refusal too
	Tools     []ToolPiece
	Finish    string // the server's word for why the answer ended
	// Snapshot says that it is all of the answer so far, said again. It counts only where
	// no other piece of the choice came.
	Snapshot bool
}

// ToolPiece is a piece of a tool call. Pieces with one Index belong together. Some
// servers send none: then an ID that is new begins a call, and a piece without ID goes
// on with the last.
type ToolPiece struct {
	Index     *int
	ID        string
	Name      string
	Arguments string // JSON
}

// outputs returns how many output chunks it makes.
func (p *Piece) outputs() (n int) {
	if p.Snapshot {
		return 0
	}
	for _, some := range []bool{p.Reasoning != "", p.Text != "", slices.ContainsFunc(p.Tools, ToolPiece.says)} {
		if some {
			n++
		}
	}
	return n
}

func (t ToolPiece) says() bool { return t.Name != "" || t.Arguments != "" }

func (p *Piece) empty() bool { return p.Reasoning == "" && p.Text == "" && len(p.Tools) == 0 }

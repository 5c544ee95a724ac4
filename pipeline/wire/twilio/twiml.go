package twilio

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// Verb is a step of a TwiML document: one of Stream, Say, Pause and Hangup.
type Verb interface{ verb() }

// Stream is <Connect><Stream>: the call is put through to a server, until that hangs up.
type Stream struct {
	URL        string
	Name       string
	Parameters map[string]string
}

// Say is <Say>: a voice says a text.
type Say struct{ Text string }

// Pause is <Pause>: nothing happens for a while.
type Pause struct{ Length time.Duration }

// Hangup is <Hangup>: the call ends.
type Hangup struct{}

func (Stream) verb() {}
func (Say) verb()    {}
func (Pause) verb()  {}
func (Hangup) verb() {}

// document is the XML form of TwiML: a list of elements of any name.
type document struct {
	XMLName xml.Name
	Verbs   []element `xml:",any"`
}

type element struct {
	XMLName    xml.Name
	Length     string  `xml:"length,attr"`
	Text       string  `xml:",chardata"`
	Stream     *stream `xml:"Stream"`
	Components []struct {
		XMLName xml.Name
	} `xml:",any"`
}

type stream struct {
	URL        string `xml:"url,attr"`
	Name       string `xml:"name,attr"`
	Parameters []struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	} `xml:"Parameter"`
}

// ParseTwiML reads a document. The error says what is wrong with it, or which verb is
// none of those above: all others are about people and menus, not servers.
func ParseTwiML(text string) ([]Verb, error) {
	d := xml.NewDecoder(strings.NewReader(text))
	var doc document
	if err := d.Decode(&doc); err != nil {
		return nil, fmt.Errorf("read TwiML: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("read TwiML: there is something after the document")
	}
	if doc.XMLName.Local != "Response" {
		return nil, fmt.Errorf("read TwiML: the document is a <%s>, want a <Response>", doc.XMLName.Local)
	}
	var verbs []Verb
	for _, e := range doc.Verbs {
		v, err := e.parse()
		if err != nil {
			return nil, fmt.Errorf("read TwiML: %w", err)
		}
		verbs = append(verbs, v)
	}
	return verbs, nil
}

func (e element) parse() (Verb, error) {
	switch name := e.XMLName.Local; name {
	case "Connect":
		return e.connect()
	case "Say":
		return Say{strings.TrimSpace(e.Text)}, nil
	case "Pause":
		return e.pause()
	case "Hangup":
		return Hangup{}, nil
	case "Start":
		return nil, errors.New("<Start> is not served: nothing can answer on a stream of one direction, use <Connect><Stream>")
	default:
		return nil, fmt.Errorf("<%s> is not served: want <Connect>, <Say>, <Pause> or <Hangup>", name)
	}
}

func (e element) connect() (Verb, error) {
	if e.Stream == nil {
		inside := "nothing"
		if len(e.Components) > 0 {
			inside = "<" + e.Components[0].XMLName.Local + ">"
		}
		return nil, fmt.Errorf("<Connect> has %s in it, want <Stream>", inside)
	}
	if e.Stream.URL == "" {
		return nil, errors.New("<Stream> has no url")
	}
	s := Stream{URL: e.Stream.URL, Name: e.Stream.Name, Parameters: map[string]string{}}
	for _, p := range e.Stream.Parameters {
		s.Parameters[p.Name] = p.Value
	}
	return s, nil
}

// longestPause is the longest <Pause> that is taken.
const longestPause = 24 * time.Hour

func (e element) pause() (Verb, error) {
	if e.Length == "" {
		return Pause{time.Second}, nil
	}
	n, err := strconv.Atoi(e.Length)
	if err != nil || n < 0 || time.Duration(n) > longestPause/time.Second {
		return nil, fmt.Errorf("<Pause> has the length %q, want whole seconds", e.Length)
	}
	return Pause{time.Duration(n) * time.Second}, nil
}

package others

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// maxNested is how deep lists of records may lie in each other.
const maxNested = 8

// jsonFile reads a file of JSON values: one document, a list, or one a line. Of a file of any
// size it holds one record at a time.
type jsonFile struct {
	im     *Importer
	name   string
	guard  *guard
	dec    *json.Decoder
	record int
}

// errCut is the error of a file that ends in mid-air.
var errCut = errors.New("the file ends in the middle of a record")

func (im *Importer) readJSON(name string, from io.Reader, g *guard) error {
	f := &jsonFile{im: im, name: name, guard: g, dec: json.NewDecoder(skipMark(from))}
	f.dec.UseNumber()
	err := f.all()
	if errors.Is(err, errCut) {
		im.cut = append(im.cut, fmt.Sprintf("%s ends in the middle of a record, in line %d", name, f.at().line))
		return nil
	}
	return err
}

func (f *jsonFile) all() error {
	for {
		f.guard.next()
		tok, err := f.dec.Token()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = f.value(tok, 0)
		}
		if err != nil {
			return f.explain(err)
		}
	}
}

// explain turns an error of the decoder into one that says where, and what would be right.
func (f *jsonFile) explain(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case f.guard.full:
		return f.at().errorf("a record is larger than %d MiB: want one turn, call or span a record", maxRecord>>20)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF), errors.Is(err, errCut):
		return errCut
	case errors.As(err, &kind):
		return f.at().errorf("%s is a JSON %s: want what the format has there, %s", kind.Field, kind.Value, kind.Type)
	case errors.As(err, &syntax):
		return f.at().errorf("not valid JSON: %v; want one document, or one a line", err)
	}
	return err
}

func (f *jsonFile) at() place {
	return place{file: f.name, line: f.guard.lineAt(f.dec.InputOffset()), record: f.record}
}

// value reads a value that begins with a token.
func (f *jsonFile) value(tok json.Token, depth int) error {
	switch tok {
	case json.Delim('{'):
		return f.object(depth)
	case json.Delim('['):
		return f.list(depth, f.value)
	}
	f.record++
	return f.at().errorf("a record is %.40q: want a JSON object", fmt.Sprint(tok))
}

// list reads what is in a list whose bracket was read.
func (f *jsonFile) list(depth int, each func(tok json.Token, depth int) error) error {
	if depth >= maxNested {
		return f.at().errorf("records lie %d deep in each other: want at most %d", depth+1, maxNested)
	}
	for f.dec.More() {
		f.guard.next()
		tok, err := f.dec.Token()
		if err != nil {
			return err
		}
		if err := each(tok, depth+1); err != nil {
			return err
		}
	}
	_, err := f.dec.Token()
	return err
}

// listAt reads the value of a key that has a list of objects.
func (f *jsonFile) listAt(key string, depth int, each func(depth int) error) error {
	tok, err := f.dec.Token()
	if err != nil || tok == nil {
		return err
	}
	if tok != json.Delim('[') {
		return f.at().errorf("%s is %.40q: want a list", key, fmt.Sprint(tok))
	}
	return f.list(depth, func(tok json.Token, depth int) error {
		if tok != json.Delim('{') {
			return f.at().errorf("%s has %.40q: want objects", key, fmt.Sprint(tok))
		}
		return each(depth)
	})
}

// keys reads an object whose brace was read. special reads a value itself and says so; the
// others are returned.
func (f *jsonFile) keys(special func(key string) (bool, error)) (object, error) {
	rest := object{}
	for f.dec.More() {
		tok, err := f.dec.Token()
		if err != nil {
			return nil, err
		}
		key, _ := tok.(string)
		if done, err := special(key); err != nil {
			return nil, err
		} else if done {
			continue
		}
		var raw json.RawMessage
		if err := f.dec.Decode(&raw); err != nil {
			return nil, err
		}
		rest[strings.Clone(key)] = raw
	}
	_, err := f.dec.Token()
	return rest, err
}

// object reads one record, or a document that holds many.
func (f *jsonFile) object(depth int) error {
	many := false
	rest, err := f.keys(func(key string) (bool, error) {
		switch key {
		case "resourceSpans", "batches":
			many = true
			return true, f.listAt(key, depth, f.resource)
		case "scopeSpans", "instrumentationLibrarySpans":
			many = true
			return true, f.listAt(key, depth, f.scope)
		case "results":
			many = true
			return true, f.listAt(key, depth, f.object)
		}
		return false, nil
	})
	if err != nil || many {
		return err
	}
	f.record++
	return f.im.dispatch(rest, f.at())
}

func (f *jsonFile) resource(depth int) error {
	_, err := f.keys(func(key string) (bool, error) {
		if key == "scopeSpans" || key == "instrumentationLibrarySpans" {
			return true, f.listAt(key, depth, f.scope)
		}
		return false, nil
	})
	return err
}

func (f *jsonFile) scope(depth int) error {
	_, err := f.keys(func(key string) (bool, error) {
		if key == "spans" {
			return true, f.listAt(key, depth, f.span)
		}
		return false, nil
	})
	return err
}

// span reads one span.
func (f *jsonFile) span(int) error {
	f.record++
	rest, err := f.keys(func(string) (bool, error) { return false, nil })
	if err != nil {
		return err
	}
	return f.im.spans.add(rest, f.at())
}

// dispatch finds out what a record is.
func (im *Importer) dispatch(o object, at place) error {
	kind := o.text("type")
	switch {
	case len(turnLatencies(o)) > 0:
		return im.vapiCall(o, at)
	case kind == "LatencyReport":
		return im.latencyReport(o, at)
	case kind == "Welcome" && o.has("request_id"):
		im.deepgram = o.text("request_id")
		return nil
	case strings.HasSuffix(kind, "_metrics"):
		return im.livekitMetric(o, o, at)
	case o.has("metrics") && strings.HasSuffix(objectOf(o["metrics"]).text("type"), "_metrics"):
		return im.livekitMetric(objectOf(o["metrics"]), o, at)
	case isItems(o):
		return im.chatItems(o, at)
	case isPipecat(o):
		return im.pipecatRecord(o, at)
	}
	im.leave("records " + whatIs(o))
	return nil
}

// whatIs names a record of which nothing is known.
func whatIs(o object) string {
	if kind := o.word("type", "event", "label"); kind != "" {
		return fmt.Sprintf("of type %.40q", kind)
	}
	keys := make([]string, 0, len(o))
	for k := range o {
		keys = append(keys, fmt.Sprintf("%.40q", k))
	}
	if len(keys) == 0 {
		return "without anything"
	}
	slices.Sort(keys)
	return "with " + strings.Join(keys[:min(len(keys), 4)], ", ")
}

// markSkipper leaves out a byte order mark.
type markSkipper struct {
	from io.Reader
	done bool
}

func skipMark(from io.Reader) io.Reader { return &markSkipper{from: from} }

// Read implements io.Reader.
func (m *markSkipper) Read(p []byte) (int, error) {
	n, err := m.from.Read(p)
	if m.done || n < 3 {
		return n, err
	}
	m.done = true
	if string(p[:3]) == "\ufeff" {
		copy(p, "   ")
	}
	return n, err
}

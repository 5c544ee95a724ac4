package trace

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Read reads a run. An unknown version, an unknown field, a line that is not
// what its place asks for, and a footer that counts differently are errors that
// name the line.
//
// A run that was killed is not an error: a last line without a line feed that
// cannot be read is left out, and without a footer Finished is false.
func Read(r io.Reader) (Run, error) {
	lines := bufio.NewReaderSize(r, 1<<16)
	var d decoder
	for n := 1; !d.ended; n++ {
		line, err := lines.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return Run{}, fmt.Errorf("read trace: %w", err)
		}
		last := err == io.EOF
		if last && len(line) == 0 {
			break
		}
		if err := d.line(line, n); err != nil {
			if last && n > 1 {
				break // cut while it was written
			}
			return Run{}, fmt.Errorf("read trace: line %d: %w", n, err)
		}
	}
	return d.finish(lines)
}

// decoder builds a run from its lines.
type decoder struct {
	run    Run
	headed bool
	ended  bool
}

func (d *decoder) line(line []byte, n int) error {
	switch {
	case n == 1:
		return d.header(line)
	case bytes.HasPrefix(line, []byte(`{"end":`)):
		return d.footer(line)
	default:
		return d.interaction(line)
	}
}

func (d *decoder) header(line []byte) error {
	var version struct {
		Trace *int `json:"halfsecond_trace"`
	}
	if err := json.Unmarshal(line, &version); err != nil || version.Trace == nil {
		return errors.New("this is not a trace file: its first line is no header with halfsecond_trace")
	}
	if *version.Trace != Version {
		return fmt.Errorf("this file is version %d, this program reads version %d", *version.Trace, Version)
	}
	var w wireHeader
	if err := strict(line, &w); err != nil {
		return err
	}
	d.run.Header, d.headed = w.header(), true
	return nil
}

func (d *decoder) interaction(line []byte) error {
	var w wireTrace
	if err := strict(line, &w); err != nil {
		return err
	}
	t, err := w.trace()
	if err != nil {
		return err
	}
	d.run.Traces = append(d.run.Traces, t)
	return nil
}

func (d *decoder) footer(line []byte) error {
	var w wireFooter
	if err := strict(line, &w); err != nil {
		return err
	}
	if w.N != len(d.run.Traces) {
		return fmt.Errorf("the footer counts %d interactions, the file holds %d", w.N, len(d.run.Traces))
	}
	d.run.Footer, d.ended = w.footer(), true
	return nil
}

// finish checks that nothing follows the footer, or makes up for a missing one.
func (d *decoder) finish(rest io.Reader) (Run, error) {
	if !d.headed {
		return Run{}, errors.New("read trace: the file is empty")
	}
	if !d.ended {
		d.run.Footer = Footer{
			N: len(d.run.Traces), Lateness: unknownLateness(), Cut: true, Reason: "the trace file ends without a footer: the run was cut off",
		}
		return d.run, nil
	}
	more, err := io.Copy(io.Discard, rest)
	if err != nil {
		return Run{}, fmt.Errorf("read trace: %w", err)
	}
	if more > 0 {
		return Run{}, fmt.Errorf("read trace: %d bytes follow the footer", more)
	}
	return d.run, nil
}

// strict decodes one line that is one JSON object without unknown fields.
func strict(line []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return errors.New("the line is not a whole JSON object")
		}
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("more than one JSON object on the line")
	}
	return nil
}

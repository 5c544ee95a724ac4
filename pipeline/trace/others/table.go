package others

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/agnivade/levenshtein"

	"halfsecond/pipeline"
)

// columns of a table beside those of spans.
var columns = []string{"call", "turn", "v2v_ms", "sent_ms", "outcome", "reason"}

// wholes are those of the whole turn.
var wholes = []string{"v2v_ms", "sent_ms"}

// usual are the names that others give to a column.
var usual = map[string]string{
	"vad": "vad_wait_ms", "eou": "end_of_turn_ms", "eot": "end_of_turn_ms", "endpointing": "end_of_turn_ms",
	"stt": "stt_tail_ms", "asr": "stt_tail_ms", "transcriber": "stt_tail_ms", "transcription": "stt_tail_ms",
	"llm": "llm_first_token_ms", "model": "llm_first_token_ms", "ttft": "llm_first_token_ms",
	"tts": "tts_first_audio_ms", "voice": "tts_first_audio_ms", "ttfb": "tts_first_audio_ms", "ttfa": "tts_first_audio_ms",
	"e2e": "sent_ms", "latency": "sent_ms",
}

// delimiters between the cells of a table.
const delimiters = ",;\t"

// isTable reports whether text begins with the header of a table: two columns or more, one of
// them known.
func isTable(begins []byte) bool {
	line, _, _ := bytes.Cut(begins, []byte("\n"))
	_, cells := delimiter(string(line))
	known := 0
	for _, c := range cells {
		if column(c) != "" {
			known++
		}
	}
	return known > 0 && len(cells) > 1
}

// delimiter returns the sign that divides a header into the most cells, and these.
func delimiter(line string) (comma rune, cells []string) {
	for _, d := range delimiters {
		if c := strings.Split(strings.TrimRight(line, "\r\n"), string(d)); len(c) > len(cells) {
			comma, cells = d, c
		}
	}
	return comma, cells
}

// column returns the name of a known column, "" for any other: one of columns, or a span's with
// or without _ms.
func column(cell string) string {
	name := strings.ToLower(strings.TrimSpace(strings.Trim(strings.TrimSpace(cell), `"`)))
	for _, c := range columns {
		if c == name {
			return c
		}
	}
	if name = strings.TrimSuffix(name, "_ms"); order(name) >= 0 {
		return name
	}
	return ""
}

// suggest returns the known column closest to a name: one that it is misspelt of, or that of
// which it has the usual word; "" where none is near.
func suggest(cell string) string {
	cell = strings.ToLower(cell)
	best, distance := "", 1<<30
	names := append([]string{}, columns...)
	for _, s := range stages {
		names = append(names, s+"_ms")
	}
	for _, name := range names {
		if d := levenshtein.ComputeDistance(cell, name); d < distance {
			best, distance = name, d
		}
	}
	if distance <= 2 || strings.TrimSuffix(best, "_ms") == cell {
		return best
	}
	for _, word := range strings.FieldsFunc(cell, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if name, ok := usual[word]; ok {
			return name
		}
	}
	return ""
}

// meant says what a column may have been meant to be.
func meant(cell string) string {
	if name := suggest(cell); name != "" {
		return fmt.Sprintf("did you mean %q?", name)
	}
	return "known are " + strings.Join(columns, ", ") + " and the names of stages, such as stt_tail_ms"
}

// readTable reads a table with named columns, one row a turn, lengths in ms.
func (im *Importer) readTable(name string, from *bufio.Reader, g *guard) error {
	at := place{file: name, line: 1}
	if err := im.use(table, at); err != nil {
		return err
	}
	begins, _ := from.Peek(4 << 10)
	line, _, _ := bytes.Cut(begins, []byte("\n"))
	r := csv.NewReader(skipMark(from))
	r.Comma, _ = delimiter(string(line))
	r.ReuseRecord, r.TrimLeadingSpace = true, r.Comma != '\t'
	header, err := r.Read()
	if err != nil {
		return tableError(name, err)
	}
	names, err := im.header(header, at)
	if err != nil {
		return err
	}
	longest := map[string]time.Duration{}
	for n := 1; ; n++ {
		g.next()
		row, err := r.Read()
		if err == io.EOF && n == 1 {
			return at.errorf("the table has a header and no row: want one for each turn")
		}
		if err == io.EOF {
			im.doubt(longest, at)
			return nil
		}
		if err != nil {
			return tableError(name, err)
		}
		at.line, _ = r.FieldPos(0)
		t, err := rowOf(names, row, name)
		if err != nil {
			return at.errorf("%v", err)
		}
		for _, x := range t.stages {
			longest[x.name] = max(longest[x.name], x.to-x.from)
		}
		if err := im.addOnce(t, at); err != nil {
			return err
		}
	}
}

// doubt warns of services that took less than any does, in all rows: their column may be in
// seconds.
func (im *Importer) doubt(longest map[string]time.Duration, at place) {
	for _, name := range []string{pipeline.SpanLLMFirstToken, pipeline.SpanTTSFirstAudio, pipeline.SpanModelAudio} {
		if d := longest[name]; d > 0 && d < shortest {
			im.warnings = append(im.warnings, at.errorf("the longest %s_ms up to here is %s: want ms, and not seconds", name, d).Error())
		}
	}
}

// tableError says where a table is none.
func tableError(name string, err error) error {
	var p *csv.ParseError
	if errors.As(err, &p) {
		return place{file: name, line: p.Line}.errorf("column %d: %v; want as many cells as the header has, and quotes in pairs", p.Column, p.Err)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// header returns what each column is; "" for one that is left out, with a warning.
func (im *Importer) header(cells []string, at place) ([]string, error) {
	names := make([]string, len(cells))
	seen, timed := map[string]bool{}, false
	for i, c := range cells {
		name := column(c)
		switch {
		case name == "":
			im.warnings = append(im.warnings, at.errorf("column %d, %.40q, is none that is known and is left out; %s", i+1, c, meant(c)).Error())
			continue
		case seen[name]:
			return nil, at.errorf("column %d, %.40q, is there twice: want each once", i+1, c)
		}
		seen[name], names[i] = true, name
		timed = timed || order(name) >= 0 || strings.HasSuffix(name, "_ms")
	}
	for _, name := range onlyHeard {
		if seen[name] && !seen["v2v_ms"] {
			return nil, at.errorf("column %s_ms is of the way to or from the agent, which only v2v_ms has inside: want a column v2v_ms too", name)
		}
	}
	if seen[pipeline.SpanLLMFirstToken] && slices.ContainsFunc(ofFirstToken, func(n string) bool { return seen[n] }) {
		return nil, at.errorf("column llm_first_token_ms is the whole of %s: want either", strings.Join(ofFirstToken, ", "))
	}
	if !timed {
		return nil, at.errorf("no column has a time: want v2v_ms, sent_ms, or names of spans such as llm_first_token_ms")
	}
	return names, nil
}

func rowOf(names, row []string, file string) (*turn, error) {
	t := newTurn(file, "")
	lengths := map[string]time.Duration{}
	for i, cell := range row {
		cell = strings.TrimSpace(cell)
		if names[i] == "" || cell == "" || cell == "null" {
			continue
		}
		switch names[i] {
		case "call":
			t.call = strings.Clone(cell)
		case "turn":
			t.number = strings.Clone(cell)
		case "reason":
			t.reason = strings.Clone(cell)
		case "outcome":
			o, err := pipeline.ParseOutcome(cell)
			if err != nil {
				return nil, fmt.Errorf("outcome is %.40q: want ok, error, truncated, timeout, refused, dropped or cancelled", cell)
			}
			t.outcome = o
		default:
			d, err := cellSpan(names[i], cell)
			if err != nil {
				return nil, err
			}
			lengths[names[i]] = d
		}
	}
	for _, name := range wholes {
		if d, there := lengths[name]; there {
			if err := whole(name, d); err != nil {
				return nil, err
			}
		}
	}
	t.row(lengths)
	return t, nil
}

func cellSpan(name, cell string) (time.Duration, error) {
	v, err := strconv.ParseFloat(cell, 64)
	if err != nil {
		return unknown, fmt.Errorf("%s is %.40q: want ms, such as 123.4, or nothing where it is not known", name, cell)
	}
	d, err := spanOf(v, time.Millisecond)
	if err != nil {
		return unknown, fmt.Errorf("%s is %s ms: %w", name, cell, err)
	}
	return d, nil
}

// onlyHeard are the columns of what lies before and after the agent: v2v_ms has them inside.
var onlyHeard = slices.Concat(beforeAgent, afterAgent)

// atAgent are those that end with the turn, one after the other.
var atAgent = []string{
	pipeline.SpanVADBacklog, pipeline.SpanVADWait, pipeline.SpanSTTTimer, pipeline.SpanEndOfTurn, pipeline.SpanPolicyWait, pipeline.SpanHook,
}

// row lays out the lengths of a row. Those up to the end of the turn begin with the end of
// speech; speech to text runs beside the detection of the end. Where the row has v2v_ms its
// clock begins at the mouth, else at the agent.
func (t *turn) row(lengths map[string]time.Duration) {
	get := func(names ...string) (steps []step) {
		for _, n := range names {
			if d, ok := lengths[n]; ok {
				steps = append(steps, step{n, d})
			}
		}
		return steps
	}
	sent, isSent := lengths["sent_ms"]
	heard, isHeard := lengths["v2v_ms"]
	arrived := time.Duration(0)
	reply := get(inReply...)
	switch {
	case isHeard:
		t.heard = heard
		way := get(beforeAgent...)
		for _, s := range way {
			t.add(s.name, arrived, arrived+s.takes)
			arrived += s.takes
		}
		if isSent && len(way) > 0 {
			t.sent = arrived + sent
		}
		reply = append(reply, get(afterAgent...)...)
	case isSent:
		t.sent = sent
	}
	t.layFrom(arrived, [][]step{get(pipeline.SpanSTTTail), get(atAgent...)}, reply)
}

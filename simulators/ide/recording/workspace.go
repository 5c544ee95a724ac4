package recording

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// entry is an entry of a workspace recording of VS Code.
//
// The file is {"log": [entry, ...]}, or one entry a line. Each has a kind and, but for
// meta, a time in ms since 1970; those of a document have its id. documentEncountered has
// its relativePath, setContent its content, changed an edit of [start, end, text] in
// UTF-16 code units and the version v that it leads to, selectionChanged a selection of
// [start, end]. storeContent names the text that the document has by a contentId, and
// restoreContent sets it again. A documentEvent whose data is of TextModel.setChangeReason
// says where the change to version v came from, later than the change; newer files say it
// in the change's metadata. The kinds header, applicationStart, opened, closed, focused,
// event, bookmark and meta say nothing that is needed here, and new ones may come.
// Entries are not quite in order of time: a content has that of its loading.
//
// Source: microsoft/vscode-copilot-chat (MIT), src/platform/workspaceRecorder/common/
// workspaceLog.ts and .../resolvedRecording/documentHistory.ts as kept in
// darbotlabs/darbot-copilot-vscode at 45102d5, and EditSourceTracker.test1.recording.w.json
// as in cornelalexa/vscode-copilot-chat at 6bc4923; read 2026-11-30.
type entry struct {
	Kind         string          `json:"kind"`
	Time         *float64        `json:"time"`
	ID           *int            `json:"id"`
	RelativePath string          `json:"relativePath"`
	Content      *string         `json:"content"`
	ContentID    string          `json:"contentId"`
	V            int             `json:"v"`
	Edit         []part          `json:"edit"`
	Selection    [][2]int        `json:"selection"`
	Data         json.RawMessage `json:"data"`
	Metadata     reason          `json:"metadata"`

	at int // the byte of the file where it stands
}

// reason is where a change came from.
type reason struct {
	SourceID string `json:"sourceId"`
	Source   string `json:"source"`
	V        int    `json:"v"`
}

// source returns what a change came from, when that was not the person: "cursor" is
// what VS Code calls whatever is typed.
func (r reason) source() string {
	if r.Source == "cursor" {
		return ""
	}
	return r.Source
}

// isWorkspace reports whether a file that begins with { is a workspace recording: its
// first value has a log or a kind.
func isWorkspace(data []byte) bool {
	dec := json.NewDecoder(bytes.NewReader(data))
	if _, err := dec.Token(); err != nil {
		return false
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil || name == "ev" {
			return false
		}
		if name == "log" || name == "kind" {
			return true
		}
		var skipped json.RawMessage
		if dec.Decode(&skipped) != nil {
			return false
		}
	}
	return false
}

// readWorkspace reads a workspace recording.
func readWorkspace(r *reading, data []byte) error {
	entries, err := entriesOf(data)
	if err != nil {
		return err
	}
	w := workspace{reading: r, paths: map[int]string{}, contents: map[string]string{}, reasons: reasonsOf(entries)}
	for i := range entries {
		if err := w.take(&entries[i]); err != nil {
			return locate(data, entries[i].at, err)
		}
	}
	return nil
}

// entriesOf returns the entries of a file.
func entriesOf(data []byte) (entries []entry, err error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	for {
		at := skipTo(data, int(dec.InputOffset()))
		if at == len(data) {
			return entries, nil
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, broken(data, at, err)
		}
		if more, ok, err := logOf(data, value, at); ok || err != nil {
			if entries = append(entries, more...); err != nil {
				return nil, err
			}
			continue
		}
		e := entry{at: at}
		if err := json.Unmarshal(value, &e); err != nil {
			return nil, locate(data, at+offsetOf(err), err)
		}
		entries = append(entries, e)
	}
}

// broken places what is wrong with the value that begins at a byte and is no JSON.
func broken(data []byte, at int, err error) error {
	var value json.RawMessage
	if syntax := json.Unmarshal(data[at:], &value); syntax != nil {
		err = syntax
	}
	return locate(data, at+offsetOf(err), err)
}

// skipTo returns where the next value begins, behind white space and commas.
func skipTo(data []byte, at int) int {
	for at < len(data) && bytes.IndexByte([]byte(" \t\r\n,"), data[at]) >= 0 {
		at++
	}
	return at
}

// logOf returns the entries of a value that has a log, which begins at a byte of the
// file; false when it has none.
func logOf(data, value []byte, at int) (entries []entry, ok bool, err error) {
	var file struct{ Log json.RawMessage }
	if json.Unmarshal(value, &file) != nil || file.Log == nil {
		return nil, false, nil
	}
	at += bytes.Index(value, file.Log)
	dec := json.NewDecoder(bytes.NewReader(file.Log))
	if first, _ := dec.Token(); first != json.Delim('[') {
		return nil, true, locate(data, at, errors.New("log is no list"))
	}
	for dec.More() {
		e := entry{at: at + skipTo(file.Log, int(dec.InputOffset()))}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, true, locate(data, e.at, err)
		}
		if err := json.Unmarshal(value, &e); err != nil {
			return nil, true, locate(data, e.at+offsetOf(err), err)
		}
		entries = append(entries, e)
	}
	return entries, true, nil
}

// version is a document as it was after a change.
type version struct{ document, number int }

// reasonsOf returns where the changes came from that are told later.
func reasonsOf(entries []entry) map[version]string {
	reasons := map[version]string{}
	for _, e := range entries {
		var r reason
		if e.Kind == "documentEvent" && e.ID != nil && json.Unmarshal(e.Data, &r) == nil && r.SourceID == "TextModel.setChangeReason" {
			reasons[version{*e.ID, r.V}] = r.source()
		}
	}
	return reasons
}

// workspace is a workspace recording while it is read.
type workspace struct {
	*reading
	begun    bool
	begin    float64 // the time of the first entry
	paths    map[int]string
	contents map[string]string
	reasons  map[version]string
}

// take takes an entry.
func (w *workspace) take(e *entry) error {
	if e.Time != nil && !w.begun {
		w.begun, w.begin = true, *e.Time
	}
	switch e.Kind {
	case "documentEncountered", "setContent", "storeContent", "restoreContent", "changed", "selectionChanged":
	case "":
		return errors.New(`"kind" is missing`)
	default:
		return nil
	}
	switch {
	case e.ID == nil:
		return fmt.Errorf(`%s: "id" is missing`, e.Kind)
	case e.Time == nil:
		return fmt.Errorf(`%s: "time" is missing`, e.Kind)
	}
	return w.document(e)
}

// document takes an entry of a document.
func (w *workspace) document(e *entry) error {
	d := w.byID[*e.ID]
	switch e.Kind {
	case "documentEncountered":
		w.paths[*e.ID] = e.RelativePath
		return nil
	case "setContent":
		if e.Content == nil {
			return errors.New(`setContent: "content" is missing`)
		}
		return w.content(e, *e.Content)
	case "restoreContent":
		text, ok := w.contents[e.ContentID]
		if !ok {
			return fmt.Errorf("restoreContent: nothing was stored as %q", e.ContentID)
		}
		return w.content(e, text)
	}
	if d == nil {
		return fmt.Errorf("document %d: %s comes before its content", *e.ID, e.Kind)
	}
	switch e.Kind {
	case "storeContent":
		w.contents[e.ContentID] = d.String()
		return nil
	case "changed":
		return w.changed(e, d)
	}
	return w.selected(e, d)
}

func (w *workspace) content(e *entry, text string) error {
	return w.do(&line{Ev: "content", T: w.instant(e), Doc: e.ID, Path: w.paths[*e.ID], Text: &text})
}

func (w *workspace) changed(e *entry, d *recording) error {
	kind, err := d.kindOf(e.Edit)
	if err != nil {
		return fmt.Errorf("document %d: %w", d.id, err)
	}
	src := e.Metadata.source()
	if told, ok := w.reasons[version{d.id, e.V}]; ok {
		src = told
	}
	return w.do(&line{Ev: "edit", T: w.instant(e), Doc: e.ID, K: kind, Edit: e.Edit, Src: src})
}

// selected moves the cursor. A selection that does not fit the text was told out of
// its order, and the change that it belongs to tells where the cursor is.
func (w *workspace) selected(e *entry, d *recording) error {
	if len(e.Selection) == 0 {
		return nil
	}
	if _, err := d.offset(e.Selection[0][1]); err != nil {
		return nil
	}
	return w.do(&line{Ev: "sel", T: w.instant(e), Doc: e.ID, Sel: e.Selection})
}

// instant returns when an entry was made, since the first one, and not before what
// stands before it.
func (w *workspace) instant(e *entry) *instant {
	at := time.Duration(min((*e.Time-w.begin), 1e12) * 1e6)
	i := instant(max(at, w.now))
	return &i
}

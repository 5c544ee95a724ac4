package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"sync"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/audition"
	"halfsecond/pipeline/exchange"
)

// doctorFile is the name of a diagnosis in the folder of --out.
const doctorFile = "doctor.json"

// speechKeeper keeps the raw log of an audition and what was made of it. A nil one keeps
// nothing.
type speechKeeper struct {
	dir  string
	raw  *rawLog
	hash bool

	mu  sync.Mutex // guards what follows
	err error      // the first
}

// keepSpeech makes the folder of --out, and has the audition's sessions kept there.
func keepSpeech(o *speechOptions, c *audition.Config) (*speechKeeper, error) {
	if o.out == "" {
		if o.hash {
			return nil, usageError(errors.New("--hash-texts: for what --out keeps"))
		}
		return nil, nil
	}
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return nil, usageError(fmt.Errorf("--out: %w", err))
	}
	k := &speechKeeper{dir: o.out, hash: o.hash}
	var err error
	if k.raw, err = createRaw(filepath.Join(o.out, rawFile)); err != nil {
		return nil, usageError(err)
	}
	d := &speechDiagnosis{heard: audition.Endpoint(*c)}
	d.fill()
	subject, err := json.Marshal(k.document(d))
	if err == nil {
		err = k.raw.begin(exchange.Header{Scenario: "doctor", Target: "endpoint", Hashed: o.hash, Subject: subject})
	}
	if err != nil {
		return nil, errors.Join(err, k.raw.close())
	}
	c.Reach.Keep = k.keep
	return k, nil
}

// keep keeps one session.
func (k *speechKeeper) keep(x *exchange.Exchange) {
	err := k.raw.keep(x)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.err == nil {
		k.err = err
	}
}

// document returns a diagnosis as it is kept.
func (k *speechKeeper) document(d *speechDiagnosis) *speechDocument {
	document := d.speechDocument
	if k.hash {
		document = document.hashed()
	}
	return &document
}

// close ends the log and writes the diagnosis beside it, if the log is whole; a diagnosis of
// nil is none.
func (k *speechKeeper) close(d *speechDiagnosis) error {
	if k == nil {
		return nil
	}
	closed := k.raw.close()
	k.mu.Lock()
	err := cmp.Or(k.err, closed) // the second has the first for its cause
	k.mu.Unlock()
	if err == nil && d != nil {
		err = replaceFile(filepath.Join(k.dir, doctorFile), func(w io.Writer) error { return writeJSON(w, k.document(d)) })
	}
	if err != nil {
		return &exitError{exitUnmeasured, fmt.Errorf("--out: not all of it is kept: %s", oneLine(err))}
	}
	return nil
}

// keptSpeech reports whether what doctor is to look at is a folder that it made.
func keptSpeech(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// runSpeechAgain examines a speech endpoint again, from the raw log of a folder, and compares
// what it finds with the diagnosis that lies beside it. Without one, as a program that was
// killed leaves it, what was asked is in the log's header.
func runSpeechAgain(p *program, dir string) error {
	text, missing := os.ReadFile(filepath.Join(dir, doctorFile))
	if missing != nil && !errors.Is(missing, fs.ErrNotExist) {
		return usageError(missing)
	}
	log, file, err := openRaw(dir)
	if missing != nil && (err != nil || log.Header.Subject == nil) {
		err = fmt.Errorf("%s: no %s in this folder; 'halfsecond doctor URL --protocol NAME --out' makes one", dir, doctorFile)
	}
	if err != nil {
		return usageError(err)
	}
	defer file.Close()
	known := text
	if missing != nil {
		known = log.Header.Subject
	}
	var before speechDocument
	if err := json.Unmarshal(known, &before); err != nil {
		return usageError(fmt.Errorf("%s: %w", filepath.Join(dir, either(missing != nil, rawFile, doctorFile)), err))
	}
	d := &speechDiagnosis{heard: before.endpoint()}
	if err := audition.Again(d.heard, log); err != nil {
		return usageError(fmt.Errorf("%s: %w", file.Name(), err))
	}
	d.complete()
	if err := d.show(p); err != nil {
		return err
	}
	if missing != nil {
		if !p.Quiet {
			fmt.Fprintf(p.err, "read from the bytes of %s; %s is missing, so nothing was compared\n", counted(len(d.Sessions), "session"), doctorFile)
		}
		return verdictExit(d.Verdict)
	}
	if have, want := len(d.Sessions), len(before.Sessions); have != want {
		return &exitError{exitUnmeasured, fmt.Errorf("%s: it holds %s, %s %d", either(have < want, "the log ends early, or lacks some", "the log goes on"), counted(have, "session"), doctorFile, want)}
	}
	return d.compare(p, text)
}

// compare says whether a diagnosis is the one that was made before.
func (d *speechDiagnosis) compare(p *program, before []byte) error {
	again, err := json.Marshal(&d.speechDocument)
	if err != nil {
		return err
	}
	var was, is any
	if err := errors.Join(json.Unmarshal(before, &was), json.Unmarshal(again, &is)); err != nil {
		return err
	}
	differ := differences("", was, is)
	if len(differ) > 0 {
		return &exitError{exitUnmeasured, fmt.Errorf("%s not what the bytes in %s say: %s", counted(len(differ), "value"), rawFile, differ[0])}
	}
	if !p.Quiet {
		fmt.Fprintf(p.err, "read again from the bytes of %s: every value the same\n", counted(len(d.Sessions), "session"))
	}
	return verdictExit(d.Verdict)
}

// differences returns where two documents differ, each as a line.
func differences(path string, was, is any) (all []string) {
	a, isObject := was.(map[string]any)
	b, isToo := is.(map[string]any)
	if isObject && isToo {
		for _, name := range sortedUnion(a, b) {
			all = append(all, differences(path+"."+name, a[name], b[name])...)
		}
		return all
	}
	x, isList := was.([]any)
	y, isToo := is.([]any)
	if isList && isToo && len(x) == len(y) {
		for i := range x {
			all = append(all, differences(fmt.Sprintf("%s[%d]", path, i), x[i], y[i])...)
		}
		return all
	}
	if reflect.DeepEqual(was, is) {
		return nil
	}
	return []string{fmt.Sprintf("%s is %s in %s, %s by its bytes", pipeline.Printable(path[min(1, len(path)):]), brief(was), doctorFile, brief(is))}
}

// brief returns a value of a document for a reader.
func brief(value any) string {
	switch v := value.(type) {
	case nil:
		return "missing"
	case map[string]any:
		return "an object"
	case []any:
		return "a list of " + strconv.Itoa(len(v))
	case string:
		return fmt.Sprintf("%.60q", v) // so many letters of it
	}
	return fmt.Sprint(value)
}

// sortedUnion returns the names of both objects, in order.
func sortedUnion(a, b map[string]any) []string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return slices.Sorted(maps.Keys(all))
}

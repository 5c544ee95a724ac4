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
	"strings"
	"sync"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/audition"
	"halfsecond/pipeline/endpoint/audition/heard"
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

// mostSpeechLine is the longest line of a log, and the longest document, that is read: a session of
// the most bytes that doctor takes of itself has some 16 MiB.
const mostSpeechLine = 64 << 20

// runSpeechAgain examines a speech endpoint again, from the raw log of a folder, and compares
// what it finds with the diagnosis that lies beside it, and what was asked, which is in the log's
// header, with both. Without a diagnosis, as a program that was killed leaves it, that is all.
func runSpeechAgain(p *program, o *doctorOptions) error {
	if err := o.folderAlone(); err != nil {
		return usageError(err)
	}
	text, missing := readFile(filepath.Join(o.url, doctorFile), mostSpeechLine)
	if missing != nil && !errors.Is(missing, fs.ErrNotExist) {
		return usageError(missing)
	}
	log, file, err := openSpeech(o.url, missing != nil)
	if err != nil {
		return usageError(err)
	}
	defer file.Close()
	var before, asked speechDocument
	if missing == nil {
		if err := json.Unmarshal(text, &before); err != nil {
			return usageError(fmt.Errorf("%s: %w", filepath.Join(o.url, doctorFile), err))
		}
		asked = before
	}
	// What was asked is taken from the log, so that a document which says otherwise differs.
	if log.Header.Subject != nil {
		asked = speechDocument{}
		if err := json.Unmarshal(log.Header.Subject, &asked); err != nil {
			return usageError(fmt.Errorf("%s: %w", filepath.Join(o.url, rawFile), err))
		}
	}
	d := &speechDiagnosis{heard: asked.endpoint()}
	if deref(before.Stopped) == heard.Interrupted { // what the user wants is in no byte
		d.heard.Stopped = heard.Interrupted
	}
	otherwise, err := audition.Again(d.heard, log)
	if err != nil {
		return usageError(fmt.Errorf("%s: %w", file.Name(), err))
	}
	d.complete()
	if err := d.show(p); err != nil {
		return err
	}
	differ := untrue(otherwise)
	if missing == nil {
		if have, want := len(d.Sessions), len(before.Sessions); have != want {
			return &exitError{exitUnmeasured, fmt.Errorf("%s: it holds %s, %s %d", either(have < want, "the log ends early, or lacks some", "the log goes on"), counted(have, "session"), doctorFile, want)}
		}
		if log.Header.Subject == nil {
			differ = append(differ, "subject, what was asked, is missing in the log's first line, so that it cannot be compared")
		}
		more, err := d.compare(text)
		if err != nil {
			return err
		}
		differ = append(differ, more...)
	}
	return d.agree(p, differ, missing != nil)
}

// folderAlone is the error of flags beside a folder: what was asked is in it.
func (o *doctorOptions) folderAlone() error {
	var errs []error
	for _, name := range slices.Concat(askingFlags, speechFlags, limitFlags) {
		if o.given(name) {
			errs = append(errs, fmt.Errorf("--%s: not for a folder, of which nothing is asked again; it holds what was asked", name))
		}
	}
	return errors.Join(errs...)
}

// askingFlags are those of doctor that say what is asked, beside those for speech endpoints alone
// and the limits.
var askingFlags = []string{"protocol", "model", "key-env", "prompt", "requests", "answer", "max-tokens", "cold", "ca-file"}

// openSpeech opens the raw log of a folder that doctor made; alone is that there is no document. The
// caller closes the file.
func openSpeech(dir string, alone bool) (*exchange.Reader, *os.File, error) {
	none := fmt.Errorf("%s: no %s in this folder; 'halfsecond doctor URL --protocol NAME --out' makes one", dir, doctorFile)
	path := filepath.Join(dir, rawFile)
	file, err := os.Open(path)
	if alone && errors.Is(err, fs.ErrNotExist) {
		return nil, nil, none
	}
	if err != nil {
		return nil, nil, err
	}
	log, err := exchange.NewReaderOf(file, mostSpeechLine)
	switch {
	case err != nil:
		err = fmt.Errorf("%s: %w", path, err)
	case alone && log.Header.Subject == nil:
		err = none
	}
	if err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	return log, file, nil
}

// untrue returns what the bytes have otherwise than the log's first line says, each as a line.
func untrue(otherwise []audition.Difference) (all []string) {
	for _, d := range otherwise {
		all = append(all, fmt.Sprintf("%s is %s, %s by the bytes of session %d", d.Name, brief(d.Known), brief(d.Is), d.Session))
	}
	return all
}

// compare returns where a diagnosis is not the one that was made before.
func (d *speechDiagnosis) compare(before []byte) ([]string, error) {
	again, err := json.Marshal(&d.speechDocument)
	if err != nil {
		return nil, err
	}
	var was, is any
	if err := errors.Join(json.Unmarshal(before, &was), json.Unmarshal(again, &is)); err != nil {
		return nil, err
	}
	return differences("", was, is), nil
}

// mostDiffer is how many values are named that differ.
const mostDiffer = 20

// agree says whether what was asked and found is what the bytes say; alone is that there was only
// what was asked.
func (d *speechDiagnosis) agree(p *program, differ []string, alone bool) error {
	if n := len(differ); n > 0 {
		named := strings.Join(differ[:min(n, mostDiffer)], "\n  ")
		if n > mostDiffer {
			named += fmt.Sprintf("\n  and %d more", n-mostDiffer)
		}
		return &exitError{exitUnmeasured, fmt.Errorf("%s not what the bytes in %s say:\n  %s", counted(n, "value"), rawFile, named)}
	}
	if p.Quiet {
		return verdictExit(d.Verdict)
	}
	if alone {
		fmt.Fprintf(p.err, "read from the bytes of %s; %s is missing, so nothing was compared\n", counted(len(d.Sessions), "session"), doctorFile)
	} else {
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

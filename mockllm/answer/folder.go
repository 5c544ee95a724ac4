package answer

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"unicode/utf8"
)

// The largest file that counts as a document and the most that all may have, in bytes:
// every request looks through all of them, a millisecond or two for each MiB.
const (
	mostDocument  = 1 << 20
	mostDocuments = 16 << 20
)

// ReadDocuments returns the texts of a folder and all below it; hidden ones, and files
// that are no text, aside.
func ReadDocuments(folder fs.FS) (texts Documents, err error) {
	total := 0
	err = fs.WalkDir(folder, ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case strings.HasPrefix(d.Name(), ".") && path != "." && d.IsDir():
			return fs.SkipDir
		case strings.HasPrefix(d.Name(), ".") || !d.Type().IsRegular():
			return nil
		}
		text, err := readDocument(folder, path, d)
		if text != "" {
			texts = append(texts, text)
		}
		if total += len(text); total > mostDocuments {
			return fmt.Errorf("more than %d MiB of text: name the folder of the files at hand", mostDocuments>>20)
		}
		return err
	})
	if err == nil && len(texts) == 0 {
		err = errors.New("no texts in it")
	}
	return texts, err
}

// readDocument returns the text of a file, "" when it is none or too large.
func readDocument(folder fs.FS, path string, d fs.DirEntry) (string, error) {
	info, err := d.Info()
	if err != nil || info.Size() > mostDocument {
		return "", err
	}
	data, err := fs.ReadFile(folder, path)
	if err != nil || !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		return "", err
	}
	return string(data), nil
}

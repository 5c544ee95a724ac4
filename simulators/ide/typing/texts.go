package typing

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
)

// The texts were written for this project.
//
//go:embed texts/*.txt
var texts embed.FS

// TextNames returns the names of the built-in texts, sorted.
func TextNames() []string {
	files, err := fs.Glob(texts, "texts/*.txt")
	if err != nil {
		panic("typing: " + err.Error())
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(strings.TrimPrefix(f, "texts/"), ".txt")
	}
	return files
}

// Text returns the built-in text with that name.
func Text(name string) (string, error) {
	text, err := texts.ReadFile("texts/" + name + ".txt")
	if err != nil {
		return "", fmt.Errorf("there is no built-in text %q, only %s", name, strings.Join(TextNames(), " and "))
	}
	return string(text), nil
}

package syntax

import (
	"maps"
	"path"
	"strings"
)

// languages names the languages by the extensions of their files.
var languages = map[string]string{
	"go": "go", "json": "json", "py": "python", "pyi": "python",
	"js": "javascript", "mjs": "javascript", "cjs": "javascript", "jsx": "javascript", "ts": "typescript", "tsx": "typescript",
	"rs": "rust", "java": "java", "kt": "kotlin", "c": "c", "h": "c", "cc": "cpp", "cpp": "cpp", "hpp": "cpp", "cs": "csharp",
	"rb": "ruby", "php": "php", "sh": "shell", "bash": "shell", "lua": "lua", "swift": "swift", "scala": "scala",
	"yml": "yaml", "yaml": "yaml", "toml": "toml", "sql": "sql", "html": "html", "css": "css",
}

// LanguageOf returns the language of a file by its name's extension, which is the language
// itself where it is not a known one. A name without an extension is that of a built-in
// text, which begins with its language. It is empty where neither tells anything.
func LanguageOf(file string) string {
	if extension := path.Ext(file); extension != "" {
		return Language(extension)
	}
	first, _, _ := strings.Cut(file, "-")
	for _, name := range languages {
		if first == name {
			return name
		}
	}
	return ""
}

// Language returns the name of a language that is called by its name or by an extension,
// with or without the dot: "py", ".py" and "python" are one.
func Language(name string) string {
	name = strings.ToLower(strings.TrimPrefix(name, "."))
	if known, ok := languages[name]; ok {
		return known
	}
	return name
}

// Checkers are those of several languages, by the name of the language.
type Checkers map[string]Checker

// With returns the built-in checkers, with others beside them or in their place.
func With(others Checkers) Checkers {
	all := Checkers{"go": Go{}, "json": JSON{}}
	for name, c := range maps.All(others) {
		all[Language(name)] = c
	}
	return all
}

// For returns the checker for a file, and whether there is one.
func (c Checkers) For(file string) (Checker, bool) {
	found, ok := c[LanguageOf(file)]
	return found, ok
}

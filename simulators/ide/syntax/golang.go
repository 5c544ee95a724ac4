package syntax

import (
	"errors"
	"go/parser"
	"go/scanner"
	"go/token"
	"slices"
	"strings"
)

// Go checks files of Go with go/parser. Names are not resolved, and types not checked.
//
// Open is told by where the first error is. A parser of Go stops at the first token that
// cannot go on from what came before, so an error at the end of the file means that the
// file ends too early. One at the last word means it too, where the word may yet become
// another, such as "typ" or a string that is not closed.
type Go struct{}

// Check implements Checker.
func (Go) Check(text string) Result {
	first := firstGoError(text)
	if first == nil {
		return fits()
	}
	return Result{Known: true, At: first.Pos.Offset, Open: goEndsEarly(text, first), Message: first.Msg}
}

// firstGoError returns the first error of a file, nil when there is none.
func firstGoError(text string) *scanner.Error {
	_, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	var list scanner.ErrorList
	if !errors.As(err, &list) {
		return nil
	}
	return list[0]
}

// goEndsEarly reports whether an error may be gone when the text goes on.
func goEndsEarly(text string, first *scanner.Error) bool {
	if first.Pos.Offset >= len(text) {
		return true
	}
	if first.Msg == "expected 1 expression" { // said of the start of a list when its end is wrong
		then := firstGoError(strings.TrimSuffix(text, ":") + " = ")
		return then == nil || then.Pos.Offset >= len(text)
	}
	last := lastGoToken(text)
	return first.Pos.Offset >= last.start && last.reachesEnd(text) && last.mayChange()
}

// goToken is the last token of a text.
type goToken struct {
	start int
	kind  token.Token
	text  string
	wrong bool // the scanner found it unfinished
}

// lastGoToken returns the last token of a text, comments among them.
func lastGoToken(text string) (last goToken) {
	file := token.NewFileSet().AddFile("", -1, len(text))
	wrong := -1
	var s scanner.Scanner
	s.Init(file, []byte(text), func(p token.Position, _ string) { wrong = p.Offset }, scanner.ScanComments)
	for {
		pos, kind, literal := s.Scan()
		if kind == token.EOF {
			last.wrong = wrong >= last.start
			return last
		}
		if kind != token.SEMICOLON || literal == ";" {
			last = goToken{start: file.Offset(pos), kind: kind, text: literal}
		}
	}
}

// reachesEnd reports whether text that goes on would belong to the token.
func (t goToken) reachesEnd(text string) bool {
	rest := text[t.start:]
	switch {
	case t.wrong && (t.kind == token.COMMENT || strings.HasPrefix(rest, "`")):
		return true
	case t.wrong:
		return !strings.Contains(rest, "\n")
	}
	return strings.TrimRight(rest, " \t\r\n") == rest
}

// mayChange reports whether more letters or signs would make another token of it, one
// that may stand where it does.
func (t goToken) mayChange() bool {
	switch t.kind {
	case token.LPAREN, token.RPAREN, token.LBRACK, token.RBRACK, token.LBRACE, token.RBRACE, token.COMMA, token.SEMICOLON, token.TILDE:
		return false
	case token.IDENT:
		return slices.ContainsFunc(goKeywords, func(k string) bool { return strings.HasPrefix(k, t.text) })
	case token.ILLEGAL:
		return t.wrong && t.text != "" && strings.ContainsAny(t.text[:1], `"'.`)
	}
	return t.wrong || t.kind.IsKeyword() || t.kind.IsOperator()
}

var goKeywords = func() (words []string) {
	for k := token.BREAK; k <= token.VAR; k++ {
		words = append(words, k.String())
	}
	return words
}()

package exchange

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// leastForm is how long another way to write a secret has to be: a shorter one may be
// anybody's word.
const leastForm = 6

// inHTML are the ways to escape a text for a page: Go's net/http and html/template, Python's
// markupsafe and html, and others that name the apostrophe.
var inHTML = []*strings.Replacer{
	strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;"),
	strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;", "+", "&#43;"),
	strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#x27;"),
	strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&apos;", "=", "&#x3D;", "/", "&#x2F;"),
}

// forms returns the ways in which a server may repeat a secret: as it is, escaped as in a
// URL, once or as part of another one, escaped as in JSON or in a page, and in base64, wherever in that it stands.
func forms(secret string) []string {
	inJSON, err := json.Marshal(secret)
	if err != nil {
		panic("exchange: " + err.Error()) // any string can be marshalled
	}
	escaped := string(inJSON[1 : len(inJSON)-1])
	plain := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(escaped)
	others := []string{url.QueryEscape(secret), url.PathEscape(secret), escaped, plain, strings.ReplaceAll(plain, "/", `\/`)}
	others = append(others, url.QueryEscape(url.QueryEscape(secret)))
	for _, page := range inHTML {
		others = append(others, page.Replace(secret))
	}
	for _, alphabet := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for before := range 3 {
			others = append(others, inBase64(alphabet, secret, before))
		}
	}
	all := []string{secret}
	for _, form := range others {
		if len(form) >= leastForm && !slices.Contains(all, form) {
			all = append(all, form)
		}
	}
	return all
}

// inBase64 returns those letters of the encoding of a text that depend on nothing but a
// secret in it, which begins so many bytes after a multiple of three.
func inBase64(alphabet *base64.Encoding, secret string, before int) string {
	text := alphabet.EncodeToString([]byte(strings.Repeat("\x00", before) + secret))
	from, to := (8*before+5)/6, 8*(before+len(secret))/6
	return text[min(from, to):to]
}

package exchange

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// secretWords are those in the names of parameters whose values are taken for secrets.
const secretWords = `(?:(?:api|access|auth|client|session|security|subscription|secret|private|refresh|user|app)?(?:key|token|secret)|` +
	`(?:api|access|auth|client|session|security|secret|private|refresh)[^a-z]?(?:keys|tokens|secrets)|` +
	`sig|signature|hmac|auth|authorization|bearer|pass|passphrase|password|passwd|pwd|credentials?|creds?|jwt|ticket|cookie|` +
	`t?otp|pin|sid|session[^a-z]?id|verifier|assertion|saml[^a-z]?response)`

// ofSecrets matches such a name: one of the words is a word of it, as in X-Amz-Signature, and no
// part of one, as in keyterm; or one with a capital ends it, as in clientSecret and accessKeyId,
// and not in keyTerms. Several keys or tokens are the whole of it, for a limit is in tokens too.
var ofSecrets = regexp.MustCompile(`(?i)(?:^|[^a-z])` + secretWords + `(?:[^a-z]|$)|^(?:keys|tokens|secrets)[^a-z]*$`)

// humps match where a word of a name begins with a capital, and inHumps what ends the name then.
var (
	humps   = regexp.MustCompile(`([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])`)
	inHumps = regexp.MustCompile(`(?i)(?:^|_)` + secretWords + `(?:_?(?:id|value|v?[0-9]+))?$`)
)

// namesSecret reports whether a value of that name is taken for a secret.
func namesSecret(name string) bool {
	return ofSecrets.MatchString(name) || asOneWord.MatchString(name) || inHumps.MatchString(humps.ReplaceAllString(name, "${1}${3}_${2}${4}")) || ofCode(name)
}

// What a code is of where it opens no door, and what a name is of that has to do with code.
// Any other code is taken for a secret.
var (
	plainCodes = []string{
		"airport", "area", "bar", "bcp", "city", "color", "colour", "country", "county", "currency", "dial", "dialect", "dialing", "error", "exit",
		"http",
		"iata", "icao", "include", "iso", "key", "lang", "language", "locale", "model", "postal", "product", "region", "response",
		"return", "source", "speaker", "state", "station", "status", "time", "voice", "zip",
	}
	plainOfCode = []string{
		"base", "block", "blocks", "completion", "context", "editor", "execution", "fence", "fences", "format", "interpreter", "lang", "language",
		"mode", "model", "name", "only", "page", "point", "review", "search", "set", "snippet", "style", "switch", "switched", "switching", "type", "types",
	}
)

// oneWord matches a code of something that opens a door, written as one word; others end so
// that are none, as encode and barcode.
var oneWord = regexp.MustCompile(`^(?:o?auth|authorization|access|activation|backup|confirm|confirmation|coupon|device|discount|email|gift|invitation|invite|login|m?fa|pass|phone|pin|promo|recovery|reset|security|sms|t?otp|unlock|user|verification|verify|voucher)codes?$`)

// asOneWord matches names of secrets whose words nothing sets apart, as idtoken and signingkey.
var asOneWord = regexp.MustCompile(`(?i)^(?:[a-z]*(?:password|passwd|secret)|(?:id|my|bot|device|csrf|xsrf|login|service)token|` +
	`(?:account|admin|encryption|hash|hmac|licen[cs]e|master|root|service|shared|sign|signing|ssh|webhook)key|code(?:verifier|challenge))[0-9]*$`)

// ofCode reports whether a name is of a code, or of several, and not of one that opens no door,
// such as that of a language, or of how to write code.
func ofCode(name string) bool {
	words := words(name)
	for i, w := range words {
		switch {
		case oneWord.MatchString(w):
			return true
		case w != "code" && w != "codes":
		case i > 0 && slices.Contains(plainCodes, words[i-1]):
		case i+1 < len(words) && slices.Contains(plainOfCode, words[i+1]):
		default:
			return true
		}
	}
	return false
}

// words returns the words of a name in small letters: letters up to another sign, a digit, or a
// capital behind a small one or before one.
func words(name string) (all []string) {
	letters := []rune(name)
	begun := -1
	end := func(i int) {
		if begun >= 0 {
			all = append(all, strings.ToLower(string(letters[begun:i])))
		}
		begun = -1
	}
	for i, r := range letters {
		if !unicode.IsLetter(r) {
			end(i)
			continue
		}
		before, after := begun >= 0 && unicode.IsLower(letters[i-1]), i+1 < len(letters) && unicode.IsLower(letters[i+1])
		if unicode.IsUpper(r) && (before || after) {
			end(i)
		}
		if begun < 0 {
			begun = i
		}
	}
	end(len(letters))
	return all
}

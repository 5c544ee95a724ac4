package exchange

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"html"
	"html/template"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// TestQuery: what a URL says in its query is hidden in whatever way a server repeats it, with
// as many asterisks as letters, and words of an API stay where they stand alone.
func TestQuery(t *testing.T) {
	const asked = "https://h/v1?token=tok-SECRET123&api-version=2024-10-21&encoding=linear16&key=EMPTY&n=1&q=a%2Bb%26c%3Dd"
	q := QueryOf(asked)
	for said, want := range map[string]string{
		`<a href="/v1/?token=tok-SECRET123&amp;n=1">`:          `<a href="/v1/?token=*************&amp;***">`,
		`{"url":"\/v1?token=tok-SECRET123\u0026key=EMPTY"}`:    `{"url":"\/v1?token=*************\u0026key=*****"}`,
		`?next=%2Fv1%3Ftoken%3Dtok-SECRET123%26n%3D1`:          `?next=%2Fv1%3Ftoken%3D*************%26n%3D1`,
		`?next=%252Fv1%253Ftoken%253Dtok-SECRET123`:            `?next=%252Fv1%253Ftoken%253D*************`,
		`token tok-SECRET123 is wrong, and so is tok-SECRE...`: `token ************* is wrong, and so is *********...`,
		`TOK-SECRET123`: `*************`,
		`q=a%2bb%26c%3dd, a+b&c=d, q=a+b&amp;c=d, q=a&#43;b&amp;c=d`:         `***************, a+b&c=d, *************, *****************`,
		`{"encoding":"linear16","n":1,"key":"EMPTY","version":"2024-10-21"}`: `{"encoding":"linear16","n":1,"key":"*****","version":"2024-10-21"}`,
		`encoding=linear16 in=1 n=12`:                                        `***************** in=1 n=12`,
	} {
		got := q.Mask(said)
		if got != want {
			t.Errorf("%s\n%s, want\n%s", said, got, want)
		}
	}
	for _, u := range []string{"https://h/v1", "https://h/v1?", "https://h/v1?a", ""} {
		if q := QueryOf(u); !q.Empty() {
			t.Errorf("%s: %+v, want nothing", u, q)
		}
	}
	if got := QueryOf("https://user:open-sesame@h/").Mask("of open-sesame"); got != "of ***********" {
		t.Errorf("a password: %s", got)
	}
	if got := QueryOf("https://h/?open-sesame#access_token=tok-1234").Mask("?open-sesame#access_token=tok-1234"); got != "************#access_token=********" {
		t.Errorf("without a name, and behind a hash: %s", got)
	}
}

// TestQueryOfWords: what is no secret by its name or look stays in what a server says, or it
// could not be read again: terms that are to be heard, versions, models and flags.
func TestQueryOfWords(t *testing.T) {
	for asked, said := range map[string]string{
		"wss://h/v1/listen?keyterm=appointment&keywords=breakfast&codec=opus-wide": `{"transcript":"an appointment at breakfast in opus-wide"}`,
		"https://h/chat?stream&content&author=assistant":                           `{"delta":{"content":"hi","stream":true,"role":"assistant"}}`,
		"https://h/x?api-version=2024-10-01-preview&model=gpt-4o-transcribe":       `{"model":"gpt-4o-transcribe-2025","text":"on 2024-10-15 in a-preview"}`,
		"wss://h/v1/listen?keyTerms=appointment&tokenLimit=completed&codec=opus":   `{"transcript":"an appointment is completed in opus"}`,
		"https://h/x?key=0&token=1234":                                             `{"error":"1234 of 0"}`,
		"https://h/x?session=completed&signal=response.done":                       `{"type":"response.completed"}`,
	} {
		if got := QueryOf(asked).Mask(said); got != said {
			t.Errorf("%s: %s, want %s", asked, got, said)
		}
	}
	for _, asked := range []string{
		"x?clientSecret=abcdefgh", "x?sessionToken=abcdefgh", "x?subscriptionKey=abcdefgh", "x?accessKeyId=abcdefgh", "x?APIKey2=abcdefgh", "x?userPassword=abcdefgh",
		"x?passphrase=abcdefgh", "x?bearer=abcdefgh", "x?user_token_v2=abcdefgh", "x?secretkey=abcdefgh",
		"x?sig=hunter2", "x?key=abc123", "x?password=hunter", "x?pwd=ab", "https://hunter2@h/x?a=b",
		"x?api_key=abcdefgh", "x?X-Amz-Signature=abcdefgh", "x?subscription-key=abcdefgh", "x?apikey=abcdefgh", "x?id=8a61c8f2-0b1d-4a3e-9f10-2b6f0d7c5e11", "x?n=abcdefgh12345678"} {
		_, value, _ := strings.Cut(asked, "=")
		if u, err := url.Parse(asked); err == nil && u.User != nil {
			value = u.User.Username()
		}
		if got, want := QueryOf(asked).Mask("is "+value+"."), "is "+strings.Repeat("*", len(value))+"."; got != want {
			t.Errorf("%s: %s, want %s", asked, got, want)
		}
	}
}

// TestUserInHeaders: the user and the password of a URL in a header are in none of what is kept.
func TestUserInHeaders(t *testing.T) {
	x := &Exchange{}
	x.Add(1, []byte("see https://bob1234:hunter2secret@host/p"))
	x.SetHeaders(map[string][]string{"Refresh": {"0; url=https://bob1234:hunter2secret@host/p?a=1"}, "Link": {"<https://bob1234:hunter2secret@host/a>; rel=next"}})
	x.Conceal(Query{})
	if all := fmt.Sprint(x.Headers) + string(x.Body); strings.Contains(all, "bob1234") || strings.Contains(all, "hunter2") || !strings.Contains(all, "https://host/a") {
		t.Error(all)
	}
}

// TestConceal: pages of redirects, as servers write them, say neither the query of what was
// asked nor that of the place they lead to, and neither do the headers.
func TestConceal(t *testing.T) {
	const asked, to = "/v1/chat?token=tok-SECRET123&x=%3C1%3E", "/v1/chat/?token=tok-SECRET123&x=%3C1%3E&sig=frsh-ABC98765"
	for name, page := range map[string]string{
		"Go":          redirect(to),
		"Flask":       `<p>You should be redirected automatically to the target URL: <a href="` + html.EscapeString(to) + `">` + html.EscapeString(to) + `</a>.`,
		"a template":  template.HTMLEscapeString(to),
		"JSON":        `{"detail":"moved","to":"` + strings.ReplaceAll(to, "&", `\u0026`) + `"}`,
		"as a query":  `<meta http-equiv="refresh" content="0; url=/login?next=` + url.QueryEscape(to) + `">`,
		"plain words": "Moved to " + to,
	} {
		x := &Exchange{Cause: "redirect to " + to}
		x.Add(1, []byte(page))
		x.SetHeaders(map[string][]string{
			"Location": {to}, "Refresh": {"0; url=" + to}, "Link": {"<" + to + `>; rel="next", </docs>; rel="help"`}, "X-Original-Url": {asked},
		})
		x.Messages = []Message{{From: Server, Kind: Text, Data: []byte(page)}, {From: Client, Kind: Text, Data: []byte("token=tok-SECRET123")}}
		x.Conceal(QueryOf("http://h" + asked))
		kept := string(x.Body) + x.Cause + string(x.Messages[0].Data)
		for _, h := range x.Headers {
			kept += "\n" + h[0] + ": " + h[1]
		}
		if len(x.Body) != len(page) {
			t.Errorf("%s: %d bytes, want %d", name, len(x.Body), len(page))
		}
		for _, secret := range []string{"SECRET", "frsh", "98765", "%3C1%3E"} {
			if strings.Contains(kept, secret) {
				t.Errorf("%s: %q is kept:\n%s", name, secret, kept)
			}
		}
		if !strings.Contains(kept, "/v1/chat/") || !strings.Contains(kept, `rel="next", </docs>; rel="help"`) {
			t.Errorf("%s: it is not told where it leads:\n%s", name, kept)
		}
		if string(x.Messages[1].Data) != "token=tok-SECRET123" {
			t.Errorf("%s: what we said is changed", name)
		}
	}
}

// TestConcealShort: a short secret of a URL is hidden alone where one that is given as a key is,
// be it in text in a binary message, and leaves sound as it is.
func TestConcealShort(t *testing.T) {
	x := &Exchange{Status: http.StatusUnauthorized, Cause: "Invalid API key: abc123", Headers: [][2]string{{"X-Echo", "abc123"}, {"Retry-After", "1"}}}
	x.Add(1, []byte(`{"error":{"message":"Incorrect API key provided: abc123"}}`))
	x.Messages = []Message{
		{From: Server, Kind: Binary, Data: []byte(`{"error":"bad token tok-SECRET123, abc123"}`)},
		{From: Server, Kind: Binary, Data: []byte("\xff abc123 n=1 tok-SECRET123")},
		{From: Server, Kind: Close, Data: []byte("bad EMPTY")},
	}
	x.Conceal(QueryOf("wss://h/v1?token=tok-SECRET123&key=abc123&password=EMPTY&n=1"))
	got := strings.Join([]string{x.Cause, x.Headers[0][1], x.Headers[1][1], string(x.Body)}, "\n")
	for _, m := range x.Messages {
		got += "\n" + string(m.Data)
	}
	const want = "Invalid API key: ******\n******\n1\n" + `{"error":{"message":"Incorrect API key provided: ******"}}` + "\n" +
		`{"error":"bad token *************, ******"}` + "\n\xff abc123 n=1 *************\nbad *****"
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// TestConcealShortInWords: nor is it in words that came in place of JSON.
func TestConcealShortInWords(t *testing.T) {
	x := &Exchange{Status: http.StatusUnauthorized, Headers: [][2]string{{"Content-Type", "application/json"}}}
	x.Add(1, []byte("invalid token 9f3a2b"))
	x.Conceal(QueryOf("https://h/v1?token=9f3a2b"))
	if got, want := string(x.Body), "invalid token ******"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestCodes: a code is a secret where its name says of what, or where it is long.
func TestCodes(t *testing.T) {
	for asked, want := range map[string]string{
		"x?language_code=es-419": "es-419", "x?code=utf8": "utf8", "x?countryCode=de1a": "de1a", "x?code=abcd1234": "********",
		"x?access_code=ab12": "****", "x?authCode=ab12": "****", "x?auth_code=ab12": "****",
	} {
		_, value, _ := strings.Cut(asked, "=")
		if got := QueryOf(asked).MaskText(value); got != want {
			t.Errorf("%s: %s, want %s", asked, got, want)
		}
	}
}

// redirect returns the page that package net/http writes.
func redirect(to string) string {
	w := httptest.NewRecorder()
	http.Redirect(w, httptest.NewRequest(http.MethodGet, "/", nil), to, http.StatusPermanentRedirect)
	return w.Body.String()
}

// TestConcealPacked: a packed page that says a query is in no file.
func TestConcealPacked(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(redirect("/v1/?token=tok-SECRET123"))); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	x := &Exchange{Headers: [][2]string{{"Content-Encoding", "gzip"}}}
	x.Add(1, b.Bytes())
	x.Conceal(QueryOf("http://h/v1?token=tok-SECRET123"))
	if l, body := toLine(x, false); len(body) > 0 || l.BodySum == "" {
		t.Errorf("a body of %d letters is written, SHA-256 %q", len(body), l.BodySum)
	}
}

// TestLedFarAndWide: headers that lead to more places than are worth a pass over the answer have
// the first of them hidden; one that is named again takes no room.
func TestLedFarAndWide(t *testing.T) {
	link := strings.Repeat("</same.css?v=1.0>; rel=preload, ", 1000)
	for i := range 1000 {
		link += fmt.Sprintf("<https://host/%d.css?k%04d=v>; rel=preload, ", i, i)
	}
	q := Led(map[string][]string{"Link": {link}})
	if n := len(q.secrets) + len(q.pairs); n != mostLed {
		t.Errorf("%d texts are hidden, want %d", n, mostLed)
	}
	if got, want := q.Mask("v=1.0, k0000=v, k0999=v"), "*****, *******, k0999=v"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	again := Led(map[string][]string{"Link": {strings.Repeat("</same.css?v=1.0>; rel=preload, ", 1000) + "</b.css?w=2.0>"}})
	if got, want := again.Mask("v=1.0 and w=2.0"), "***** and *****"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestWords: of a page that says why a request failed no more is looked at than is worth
// telling, up to a white space, so that no secret is cut in two.
func TestWords(t *testing.T) {
	q := QueryOf("https://h/?pin=4711")
	page := strings.Repeat("word ", mostWords/5) + "pin=4711 and more"
	got := q.Words(page)
	if want := strings.TrimRight(page[:mostWords/5*5], " "); got != want {
		t.Errorf("%d bytes that end with %q, want %d", len(got), got[len(got)-20:], len(want))
	}
	if got := q.Words("the pin=4711 is wrong"); got != "the ******** is wrong" {
		t.Errorf("a short page: %q", got)
	}
	if got := q.Words(strings.Repeat("x", 2*mostWords)); len(got) != mostWords {
		t.Errorf("%d bytes of a page without white space, want %d", len(got), mostWords)
	}
}

// TestEscapedNames: a secret is one whatever its name is escaped as, or where that cannot be read.
func TestEscapedNames(t *testing.T) {
	for _, name := range []string{"api_key", "api%5Fkey", "x%2Dapi%2Dkey", "tok%65n", "auth[token]", "auth%5Btoken%5D", "code%5B%5D", "api%5fke%79", "model%", "model%zz"} {
		q := QueryOf("https://h/v1?" + name + "=hush-hush&model=big-one")
		if got, want := q.Mask(`{"error":{"message":"wrong: hush-hush"},"model":"big-one"}`), `{"error":{"message":"wrong: *********"},"model":"big-one"}`; got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	const said = "x%5Fy=ab, x_y=ab, ab"
	if got, want := QueryOf("https://h/v1?x%5Fy=ab").Mask(said), "********, ******, ab"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestNamesOfSecrets: what opens a door by its name, and what does not.
func TestNamesOfSecrets(t *testing.T) {
	for _, name := range []string{"otp", "totp", "user_otp", "pin", "userPin", "sid", "session_id", "sessionid", "sessionId", "session-id", "oauth_verifier", "verifier", "client_assertion", "assertion",
		"SAMLResponse", "samlresponse", "api_keys", "apiKeys", "access_tokens", "tokens", "tokens[]", "keys", "token_v2", "accessToken2", "cookie", "hmac", "client_secrets"} {
		if !namesSecret(name) {
			t.Errorf("%s names no secret", name)
		}
	}
	for _, name := range []string{"max_tokens", "maxTokens", "prompt_tokens", "tokens_per_second", "sort_keys", "keyterms", "opinion", "spin", "side", "inside", "session", "sessions", "assert", "cookies_policy", "verify_ssl", "pinyin"} {
		if namesSecret(name) {
			t.Errorf("%s names a secret", name)
		}
	}
}

// TestNamesOfCodes: a code opens a door, unless it is that of a language or the like, or how
// code is to be written.
func TestNamesOfCodes(t *testing.T) {
	for _, name := range []string{"code", "oauth_code", "login_code", "otp-code", "inviteCode", "sms_code", "activationCode", "x-auth-code", "authcode", "device_code",
		"OTPCode", "SMSCode", "pinCode", "PINCode", "smscode", "otpcode", "invitecode", "logincode", "slang_code", "error_code_login_code", "access_code",
		"code_verifier", "codeVerifier", "code_challenge", "codeChallenge", "code_1", "code2", "Code2", "otp_code_1", "invite_code_v2", "inviteCodeV2", "code[]", "auth_code[]", "code_id", "code_value", "codes", "backup_codes",
		"login.code", "2facode", "emailcode", "userMCode", "twoFactorCode", "two_factor_code", "securityCode", "securitycode", "recoverycode", "verifycode", "resetcode",
		"voice_pin_code", "voice_passcode", "passcode", "region_login_code", "source_auth_code", "sourceAuthCode", "color_access_code", "code_hash"} {
		if !namesSecret(name) {
			t.Errorf("%s names no secret", name)
		}
	}
	for _, name := range []string{"language_code", "languageCode", "countryCode", "locale-code", "status_code", "errorCode", "codec", "barcodes", "encode",
		"code_switching", "codeSwitching", "code_type", "source_code", "voice_code", "voiceCode", "LanguageCode",
		"area_code", "areaCode", "user_zip_code", "colour_code", "language_code2", "language_codes", "language_code[]", "country_code_1", "code_language", "code_block", "bar_code", "decoder", "vocoder", "unicode", "encoding"} {
		if namesSecret(name) {
			t.Errorf("%s names a secret", name)
		}
	}
}

// A URL that is a value in another says its own parameters, however often they are escaped, and
// is no secret as a whole: what begins as it does stays to be read.
func TestURLInURL(t *testing.T) {
	for _, c := range []struct{ url, said, want string }{
		{"https://h/v1?next=https%3A%2F%2Fo%2Fcb%3Fapi_key%3Dhunter2%26code%3Dabcd1234", "not allowed: https://o/cb?api_key=hunter2&code=abcd1234", "not allowed: https://o/cb?api_key=*******&code=********"},
		{"https://h/v1?next=%2Fcb%3Fapi_key%3Dhunter2", "no key hunter2", "no key *******"},
		{"https://h/v1?next=https%3A%2F%2Fo%2F%3Fto%3Dhttps%253A%252F%252Fp%252F%253Fapi_key%253Dhunter2", "no key hunter2", "no key *******"},
		{"https://h/v1?api%255Fkey=hunter2", "no key hunter2", "no key *******"},
		{"https://h/v1?callback=https%3A%2F%2Fo.example%2Fcb%3Fid%3D0123456789abcdef0123", "see https://go.dev/doc, not 0123456789abcdef0123", "see https://go.dev/doc, not ********************"},
		{"https://h/v1?callback=https%3A%2F%2Fo.example%2Fcb%2F0123456789abcdef0123", "see https://go.dev/doc, not 0123456789abcdef0123", "see https://go.dev/doc, not ********************"},
	} {
		if got := QueryOf(c.url).Mask(c.said); got != c.want {
			t.Errorf("%s: %q, want %q", c.url, got, c.want)
		}
	}
}

// Names whose words nothing sets apart.
func TestNamesAsOneWord(t *testing.T) {
	for _, name := range []string{"codeverifier", "idtoken", "newpassword", "userpassword", "signingkey", "licensekey", "masterkey", "promocode", "giftcode", "unlockcode", "creds", "qr_code", "webhooksecret", "password2"} {
		if !namesSecret(name) {
			t.Errorf("%s names no secret", name)
		}
	}
	for _, name := range []string{"monkey", "hotkey", "publickey", "primarykey", "starttoken", "model_code", "dialect_code", "speaker_code", "bcp47_code", "product_code", "http_code", "include_code"} {
		if namesSecret(name) {
			t.Errorf("%s names a secret", name)
		}
	}
}

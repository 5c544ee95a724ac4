package fault

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// admin asks the admin API.
func (g *rig) admin(method, path, body string) (int, string) {
	g.t.Helper()
	r, err := http.NewRequestWithContext(g.t.Context(), method, g.url+adminPath+path, strings.NewReader(body))
	if err != nil {
		g.t.Fatal(err)
	}
	response, err := g.client.Do(r)
	if err != nil {
		g.t.Fatal(err)
	}
	defer response.Body.Close()
	got, err := io.ReadAll(response.Body)
	if err != nil {
		g.t.Fatal(err)
	}
	return response.StatusCode, string(got)
}

func TestAdmin(t *testing.T) {
	g := start(t, "")
	list := func(rules, hits string) string {
		var all any
		if err := json.Unmarshal([]byte(`{"rules":[`+rules+`],"hits":[`+hits+`]}`), &all); err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(all)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	const (
		a = `{"name":"a","match":{"path":"/v1/*","first":1},"status":{"code":503,"quota":60}}`
		b = `{"name":"end","end":{"at":3}}`
	)
	hit := func(name, matched, applied string) string {
		return `{"rule":"` + name + `","matched":` + matched + `,"applied":` + applied + `}`
	}
	say := func(message, kind string) string {
		return `{"error":{"code":null,"message":"` + message + `","param":null,"type":"` + kind + `"}}`
	}
	for i, c := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"GET", "", "", 200, list("", "")},
		{"PUT", "", "rules:\n  - {name: a, match: {path: /v1/*, first: 1}, status: 503}\n", 200, list(a, hit("a", "0", "0"))},
		{"POST", "", `{"rules":[{"end":3}]}`, 201, list(a+","+b, hit("a", "0", "0")+","+hit("end", "0", "0"))},
		{"POST", "", `{"rules":[{"name":"a","end":3}]}`, 409, say("there is a rule a already", "invalid_request_error")},
		{"POST", "", `{"rules":[{"ned":3}]}`, 400, say("body:1:12: rules[0].ned: unknown key; nearest: end", "invalid_request_error")},
		{"POST", "", `{"rules":[{"reset":"accept","match":{"every":1}}]}`, 400, say("reset resets every connection, and so those by which it would be taken away: give it times, nth, every, first or share", "invalid_request_error")},
		{"ask", "", "", 503, ""},
		{"ask", "", "", 200, ""},
		{"GET", "", "", 200, list(a+","+b, hit("a", "2", "1")+","+hit("end", "2", "2"))},
		{"DELETE", "/ned", "", 404, say(`There is no rule \"ned\"; nearest: end.`, "invalid_request_error")},
		{"DELETE", "/end", "", 204, ""},
		{"GET", "", "", 200, list(a, hit("a", "2", "1"))},
		{"PUT", "", `{"rules":[` + a + `]}`, 200, list(a, hit("a", "0", "0"))}, // what it told, it takes
		{"DELETE", "", "", 204, ""},
		{"DELETE", "/a", "", 404, say(`There is no rule \"a\"; there are none.`, "invalid_request_error")},
		{"POST", "", strings.Repeat(" ", 1<<20+1), 413, say("The rules are larger than 1048576 bytes.", "invalid_request_error")},
		{"PATCH", "", "{}", 405, say("PATCH is not possible here; what is: GET, PUT, POST, DELETE.", "invalid_request_error")},
		{"GET", "/a", "", 405, say("GET is not possible here; what is: DELETE.", "invalid_request_error")},
		{"GET", "", "", 200, list("", "")},
	} {
		if c.method == "ask" {
			if got := g.ask("/v1/x", "{}"); got.status != c.status {
				t.Errorf("step %d got %d, want %d", i, got.status, c.status)
			}
			continue
		}
		status, got := g.admin(c.method, c.path, c.body)
		if status != c.status {
			t.Errorf("step %d, %s: status %d, want %d: %s", i, c.method, status, c.status, got)
		}
		if got != "" {
			var v any
			if err := json.Unmarshal([]byte(got), &v); err != nil {
				t.Errorf("step %d: %v in %s", i, err, got)
			}
			b, _ := json.Marshal(v)
			got = string(b)
		}
		if got != c.want {
			t.Errorf("step %d, %s:\n%s\nwant\n%s", i, c.method, got, c.want)
		}
	}
}

// TestAdminIsNeverHarmed checks that rules can be taken away whatever they are.
func TestAdminIsNeverHarmed(t *testing.T) {
	g := start(t, "rules:\n  - match: {path: \"*\"}\n    reset: request\n")
	if a := g.ask("/health", ""); !reset(a.err) {
		t.Errorf("another page: %+v", a)
	}
	if status, _ := g.admin("DELETE", "", ""); status != 204 {
		t.Errorf("status %d, want 204", status)
	}
	if a := g.ask("/health", ""); a.err != nil {
		t.Errorf("without rules: %+v", a)
	}
}

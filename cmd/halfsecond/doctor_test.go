package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"halfsecond/mockllm/mock"
	"halfsecond/pipeline/endpoint/dialect"
)

// doctor runs the command and returns its exit code and what it printed.
func doctor(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	code = run(append([]string{"doctor"}, args...), &program{out: &o, err: &e})
	return code, o.String(), e.String()
}

// doctorJSON runs the command and returns its exit code and its document.
func doctorJSON(t *testing.T, args ...string) (int, diagnosis) {
	t.Helper()
	code, out, errs := doctor(t, append(args, "--format", "json")...)
	d, err := readDiagnosis(out)
	if err != nil {
		t.Fatalf("%v: exit code %d, %s%s", err, code, out, errs)
	}
	return code, d
}

func readDiagnosis(text string) (d diagnosis, err error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	err = decoder.Decode(&d)
	return d, err
}

var numbers = regexp.MustCompile(`\d[\d,]*\.\d|\d+`)

// TestDoctorTable reads the report of a mock that does well.
func TestDoctorTable(t *testing.T) {
	m := mock.Start(t, mock.Fixed(40*time.Millisecond, 10*time.Millisecond), mock.Tokens(30))
	code, out, errs := doctor(t, m.URL, "--requests", "3", "--answer", "30")
	if code != exitPassed {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
	if !strings.HasPrefix(errs, "asking "+m.URL+" at most 3 times, about ") || !strings.HasSuffix(errs, " tokens with the answers\n") {
		t.Errorf("stderr %q", errs)
	}
	shape := numbers.ReplaceAllString(out, "0")
	for _, want := range []string{
		"protocol    openai-chat (its list of models has that form)\n",
		"model       mock (the only one that it lists)\n",
		"request 0, event by event (ms from sending)\n",
		"what each clock says of request 0 (ms from sending)\n",
		"the first character that can be seen: what a user waits for\n",
		"used again by 0 of 0 later requests\n",
		"\nnothing to fix\n",
	} {
		if !strings.Contains(shape, numbers.ReplaceAllString(want, "0")) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	for _, kind := range []string{"role", "text", "finish", "usage", "end"} {
		if !regexp.MustCompile(`(?m)^[\d.,]+ +[\d.,-]+ +` + kind + ` +\d`).MatchString(out) {
			t.Errorf("no event of kind %s in\n%s", kind, out)
		}
	}
}

// TestDoctorDocument: the numbers of the document fit each other and the mock.
func TestDoctorDocument(t *testing.T) {
	m := mock.Start(t, mock.Fixed(50*time.Millisecond, 10*time.Millisecond), mock.Tokens(20))
	code, d := doctorJSON(t, m.URL+"/v1", "--model", "any", "--protocol", "openai-chat", "--answer", "20")
	if code != exitPassed || d.Verdict != verdictFine || d.URL != m.URL+"/v1" || d.Protocol != "openai-chat" || d.ProtocolBy != "told" || *d.Model != "any" || !slices.Equal(d.Models, []string{"mock"}) {
		t.Errorf("exit code %d, %+v", code, d.examined)
	}
	if len(d.Requests) != 4 || d.Stopped != nil {
		t.Fatalf("%d requests, stopped %v", len(d.Requests), d.Stopped)
	}
	for i, r := range d.Requests {
		if r.ID != int64(i+1) || r.Outcome != "ok" || *r.OutputTokens != 20 || r.Chunks != 20 || *r.TTFBMS > *r.TTFTMS || *r.TTFTMS > *r.TTFVMS || *r.TTFVMS > *r.LastMS || *r.LastMS > *r.E2EMS {
			t.Errorf("request %d: %+v", i+1, r)
		}
		// Wide: the machine may be busy.
		if *r.TTFTMS < 50 || *r.E2EMS < 50+19*10 || *r.E2EMS > 10_000 {
			t.Errorf("request %d: ttft %.1f ms, e2e %.1f ms; want from 50 and 240 on", i+1, *r.TTFTMS, *r.E2EMS)
		}
		if last := r.Events[len(r.Events)-1]; last.Kind != "end" || r.Events[0].GapMS != nil || last.GapMS == nil {
			t.Errorf("request %d: first event %+v, last %+v", i+1, r.Events[0], last)
		}
	}
	if *d.Requests[0].Connection.Reused || d.Requests[0].Connection.ConnectMS == nil || !*d.Requests[1].Connection.Reused {
		t.Errorf("connections %+v, %+v: want the second to use the first's", d.Requests[0].Connection, d.Requests[1].Connection)
	}
	if d.Estimate.Requests != 4 || d.Estimate.Tokens < 4*(200+20) || d.Estimate.Tokens > 4*(600+20) {
		t.Errorf("estimate %+v", d.Estimate)
	}
	used := 0
	for _, r := range d.Requests {
		used += *r.PromptTokens + *r.OutputTokens
	}
	if used > d.Estimate.Tokens {
		t.Errorf("%d tokens were used, %d estimated", used, d.Estimate.Tokens)
	}
}

// TestDoctorExitCodes: each code, and what is said.
func TestDoctorExitCodes(t *testing.T) {
	m := mock.Start(t, mock.Fixed(time.Millisecond, time.Millisecond), mock.Tokens(20))
	nobody := "http://" + freeAddress(t)
	dir := t.TempDir()
	writeText(t, filepath.Join(dir, "none.pem"), "no certificate")
	writeText(t, filepath.Join(dir, "empty.txt"), "")
	quick := []string{"--requests", "1", "--answer", "5", "--protocol", "openai-chat"}
	for _, c := range []struct {
		args []string
		code int
		out  string // in stdout
		err  string // in stderr
	}{
		{append([]string{m.URL}, quick...), exitPassed, "nothing to fix", ""},
		{append([]string{m.URL, "--cold"}, quick...), exitPassed, "nothing to fix", ""},
		{append([]string{m.URL + "/v2", "--model", "mock"}, quick...), exitFailed, "did you mean " + m.URL + "/v1", ""},
		{append([]string{m.URL, "--protocol", "ollama-chat"}, quick[:4]...), exitPassed, "protocol    ollama-chat (as you say)", ""},
		{[]string{nobody}, exitUnmeasured, "nothing listens at this address", ""},
		{[]string{strings.Replace(m.URL, "http://", "https://", 1)}, exitUnmeasured, "use http:// in the URL", ""},
		{nil, exitUsage, "", "an argument is missing: the URL of an endpoint"},
		{[]string{"ftp://x"}, exitUsage, "", "begin with http:// or https://"},
		{[]string{m.URL, "--protocol", "openai-cat"}, exitUsage, "", "--protocol openai-cat is not known; did you mean openai-chat?"},
		{[]string{m.URL, "--requests", "0"}, exitUsage, "", "0 requests: want 1 to 10"},
		{[]string{m.URL, "--requests", "11"}, exitUsage, "", "11 requests: want 1 to 10"},
		{[]string{m.URL, "--answer", "0"}, exitUsage, "", "answers of 0 tokens: want 1 to 1000000"},
		{[]string{m.URL, "--answer", "9223372036854775807"}, exitUsage, "", "answers of 9223372036854775807 tokens: want 1 to 1000000"},
		{[]string{m.URL, "--max-tokens", "0"}, exitUsage, "", "--max-tokens 0: want at least 1"},
		{[]string{m.URL, "--max-tokens", "1000"}, exitUsage, "", "more than the cap of 1000"},
		{[]string{m.URL, "--key-env", "HALFSECOND_NO_SUCH_KEY"}, exitUsage, "", "--key-env HALFSECOND_NO_SUCH_KEY: the environment variable is not set"},
		{[]string{m.URL, "--prompt", filepath.Join(dir, "missing")}, exitUsage, "", "--prompt: open "},
		{[]string{m.URL, "--prompt", filepath.Join(dir, "empty.txt")}, exitUsage, "", "want a text in UTF-8 of 1 to 1048576 bytes"},
		{[]string{m.URL, "--ca-file", filepath.Join(dir, "none.pem")}, exitUsage, "", "it holds no certificate in PEM"},
		{[]string{m.URL, "--format", "csv"}, exitUsage, "", `format "csv" is not available here`},
	} {
		code, out, errs := doctor(t, c.args...)
		if code != c.code || !strings.Contains(out, c.out) || !strings.Contains(errs, c.err) {
			t.Errorf("doctor %s: exit code %d, want %d\n%s%s", strings.Join(c.args, " "), code, c.code, out, errs)
		}
		if c.code == exitUsage && out != "" {
			t.Errorf("doctor %s: printed %q", strings.Join(c.args, " "), out)
		}
	}
}

// TestDoctorTLS: a certificate that nobody knows is named, and trusted when it is given.
func TestDoctorTLS(t *testing.T) {
	m := mock.Start(t, mock.TLS(), mock.Fixed(time.Millisecond, time.Millisecond))
	code, out, _ := doctor(t, m.URL, "--requests", "1", "--answer", "5")
	if code != exitUnmeasured || !strings.Contains(out, "--ca-file") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	code, d := doctorJSON(t, m.URL, "--requests", "1", "--answer", "5", "--ca-file", m.CertFile)
	if code != exitPassed || *d.Requests[0].HTTP != "2" || d.Requests[0].Connection.TLSMS == nil {
		t.Errorf("exit code %d, %+v", code, d.Requests)
	}
}

// TestDoctorHidesTheKey: whatever comes of a request, its key shows nowhere.
func TestDoctorHidesTheKey(t *testing.T) {
	const key = "sk-0123456789abcdef"
	t.Setenv("DOCTOR_TEST_KEY", key)
	m := mock.Start(t, mock.Fixed(time.Millisecond, time.Millisecond), mock.Says("the key is "+key))
	for _, fault := range []string{"", `status 401 message="wrong: ` + key + `"`, "error 2 message=" + key, "status 429"} {
		if fault == "" {
			m.Fault()
		} else {
			m.Fault(fault)
		}
		for _, format := range []string{"table", "json"} {
			_, out, errs := doctor(t, m.URL, "--key-env", "DOCTOR_TEST_KEY", "--model", "mock", "--protocol", "openai-chat", "--format", format)
			if strings.Contains(out+errs, key) || !strings.Contains(out, "openai-chat") {
				t.Errorf("fault %q, %s: the key shows, or nothing came\n%s%s", fault, format, out, errs)
			}
		}
	}
}

// TestDoctorPage: the page names every protocol, every finding and every member of the
// document.
func TestDoctorPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/doctor.md")
	if err != nil {
		t.Fatal(err)
	}
	names := dialect.Names()
	findings, err := filepath.Glob("../../budgets/finding/testdata/*.txt")
	if err != nil || len(findings) < 40 {
		t.Fatalf("%d files of findings, %v", len(findings), err)
	}
	for _, file := range findings {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^(\w+), (\w+), costs`).FindAllStringSubmatch(string(text), -1) {
			names = append(names, m[1]+" | "+m[2])
		}
	}
	document, err := json.Marshal(diagnosis{Requests: []requestDocument{{Events: []eventDocument{{}}}}, Findings: []findingDocument{{}}, examined: examined{Looks: []lookDocument{{}}, Elsewhere: []placeDocument{{}}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`"(\w+)":`).FindAllStringSubmatch(string(document), -1) {
		names = append(names, m[1])
	}
	for _, name := range names {
		if !strings.Contains(string(page), name) {
			t.Errorf("docs/doctor.md says nothing of %s", name)
		}
	}
}

package main

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"halfsecond/mockllm/mock"
	"halfsecond/pipeline/realpart"
)

// TestDoctorBehindProxies puts real proxies before the mock and has doctor name what they
// do, and the cure; and where they do nothing, nothing. Streams are long beside what a
// busy machine adds.
func TestDoctorBehindProxies(t *testing.T) {
	nginx := realpart.Need(t, "nginx", "apt-get install nginx-light")
	haproxy := realpart.Need(t, "haproxy", "apt-get install haproxy")
	m := mock.Start(t, mock.Fixed(60*time.Millisecond, 20*time.Millisecond), mock.Tokens(200))
	to := strings.TrimPrefix(m.URL, "http://")
	const (
		deaf = "proxy_ignore_headers X-Accel-Buffering; " // the mock sends it
		v11  = "proxy_http_version 1.1; "
		zip  = "gzip on; gzip_types text/event-stream; "
	)
	cases := []struct {
		name   string
		proxy  string // program
		config string
		answer int      // tokens
		want   string   // what is to be fixed
		says   []string // among others, in evidence and fix
	}{
		{"nginx plain", nginx, deaf, 100, "held_buffer", []string{"4,096 bytes", "Server: nginx/", "proxy_buffering off;", "X-Accel-Buffering: no", "proxy_http_version 1.1;"}},
		{"nginx plain, short answers", nginx, deaf, 15, "held_whole", []string{"all 15 chunks came within", "Server: nginx/", "proxy_buffering off;", "X-Accel-Buffering: no"}},
		{"nginx plain, cured by X-Accel-Buffering", nginx, "", 100, "", nil},
		{"nginx plain, cured by proxy_buffering off", nginx, deaf + "proxy_buffering off; ", 100, "", nil},
		{"nginx by HTTP/1.1", nginx, deaf + v11, 100, "", nil},
		{"nginx gzip", nginx, deaf + v11 + zip, 100, "gzip_held", []string{"Content-Encoding: gzip", "the whole answer at the end", "gzip_types", "X-Accel-Buffering: no", "proxy_buffering off;"}},
		{"nginx gzip, cured by X-Accel-Buffering", nginx, v11 + zip, 100, "", nil},
		{"nginx gzip, cured by proxy_buffering off", nginx, deaf + v11 + zip + "proxy_buffering off; ", 100, "", nil},
		{"haproxy", haproxy, "", 100, "clumps", []string{"at a time, one every 2", "option http-no-delay"}},
		{"haproxy, cured by http-no-delay", haproxy, "option http-no-delay", 100, "", nil},
	}
	type outcome struct {
		code       int
		text, errs string
	}
	outcomes := make([]outcome, len(cases))
	var group sync.WaitGroup // all at once: the waits are the proxies', not the processor's
	for i, c := range cases {
		address := freeAddress(t)
		if c.proxy == nginx {
			startNginx(t, nginx, address, to, c.config)
		} else {
			startHAProxy(t, haproxy, address, to, c.config)
		}
		group.Go(func() {
			o := &outcomes[i]
			o.code, o.text, o.errs = doctor(t, "http://"+address+"/v1", "--protocol", "openai-chat", "--answer", fmt.Sprint(c.answer), "--format", "json")
		})
	}
	group.Wait()
	for i, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			o := &outcomes[i]
			d, err := readDiagnosis(o.text)
			if err != nil {
				t.Fatalf("%v: %s", err, o.errs)
			}
			wrong, words := "", ""
			for _, f := range d.Findings {
				if f.Severity != "note" {
					wrong += f.ID
					words += f.Title + "\n" + strings.Join(f.Evidence, "\n") + "\n" + f.Fix + "\n"
				}
			}
			if wrong != c.want || o.code != min(1, len(c.want)) {
				t.Errorf("found %q, exit code %d; want %q\n%s", wrong, o.code, c.want, words)
			}
			for _, s := range c.says {
				if !strings.Contains(words, s) {
					t.Errorf("no word of %q in\n%s", s, words)
				}
			}
		})
	}
}

// freeAddress returns an address of the loopback on which nothing listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().String()
}

func startNginx(t *testing.T, program, address, to, config string) {
	t.Helper()
	dir := t.TempDir()
	var temp string
	for _, what := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		temp += fmt.Sprintf("%s_temp_path %s;\n", what, filepath.Join(dir, what))
	}
	file := filepath.Join(dir, "nginx.conf")
	writeText(t, file, fmt.Sprintf(`daemon off; master_process off; pid %s; error_log stderr;
events {}
http {
access_log off;
%s
server { listen %s; location / { proxy_pass http://%s; %s} }
}`, filepath.Join(dir, "pid"), temp, address, to, config))
	startProxy(t, address, program, "-p", dir, "-c", file, "-e", "stderr")
}

func startHAProxy(t *testing.T, program, address, to, config string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "haproxy.cfg")
	writeText(t, file, fmt.Sprintf(`defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  %s
listen mock
  bind %s
  server mock %s
`, config, address, to))
	startProxy(t, address, program, "-db", "-f", file)
}

func writeText(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// startProxy runs a proxy until the test ends, and returns when it listens.
func startProxy(t *testing.T, address, program string, args ...string) {
	t.Helper()
	var said bytes.Buffer
	p := exec.Command(program, args...)
	p.Stdout, p.Stderr = &said, &said
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = p.Wait() // it is killed
		close(ended)
	}()
	t.Cleanup(func() {
		_ = p.Process.Kill() // it may have ended
		<-ended
	})
	awaitListener(t, program, address, ended, &said)
}

// awaitListener returns when a program listens at the address. ended is closed when it
// has ended, with what it said.
func awaitListener(t *testing.T, program, address string, ended chan struct{}, said *bytes.Buffer) {
	t.Helper()
	deadline := time.After(20 * time.Second)
	for {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			return
		}
		select {
		case <-ended:
			t.Fatalf("%s has ended: %s", program, said)
		case <-deadline:
			t.Fatalf("%s does not listen", program)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

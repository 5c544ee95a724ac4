package finding

import (
	"net/http"
	"strings"
	"testing"

	"halfsecond/pipeline/endpoint/probe/seen"
)

// TestCures: a proxy's own cure is given when a header names it, and no other's.
func TestCures(t *testing.T) {
	for _, c := range []struct {
		header, value string
		held, gzip    string // words that are in the cures
	}{
		{"Server", "nginx/1.25.3", "`proxy_buffering off;`", "`gzip_types`"},
		{"Server", "openresty", "`proxy_buffering off;`", "`gzip_types`"},
		{"Via", "1.1 Apache/2.4", "`flushpackets=on`", "`SetEnv no-gzip 1`"},
		{"Server", "Caddy", "`response_buffers`", "`encode`"},
		{"Via", "1.1 Caddy", "`response_buffers`", "`encode`"},
		{"Via", "1.1 kong/3.9.1", "`response_buffering: false`", ""},
		{"X-Kong-Upstream-Latency", "7", "`response_buffering: false`", ""},
		{"Server", "envoy", "`response_body_mode: BUFFERED`", "compressor"},
		{"X-Envoy-Upstream-Service-Time", "12", "`response_body_mode: BUFFERED`", "compressor"},
		{"Cf-Ray", "8f0-FRA", "Response Buffering off", "compression rule"},
		{"X-Served-By", "cache-fra-eddf1", "`set beresp.do_stream = true;` in vcl_fetch", "`set beresp.gzip = false;`"},
		{"X-Varnish", "32770", "`set beresp.do_stream = true;` in vcl_backend_response", "`set beresp.do_gzip = false;`"},
		{"X-Amz-Apigw-Id", "a=", "`responseTransferMode: STREAM` in", ""},
		{"Apigw-Requestid", "a=", "HTTP APIs cannot stream", ""},
		{"Server", "Microsoft-Azure-Application-Gateway/v2", "response buffers off", ""},
		{"Apim-Request-Id", "1-2", "asynchronous filter", ""},
		{"X-Powered-By", "Next.js", "", "`compress: false`"},
		{"X-Powered-By", "Express", "", "`res.flush()`"},
		{"Server", "uvicorn", "", ""},
		{"Via", "1.1 google", "", ""},
		{"X-Served-By", "web-7", "", ""},
	} {
		r := &seen.Request{Headers: [][2]string{{"Content-Type", "text/event-stream"}, {c.header, c.value}}}
		for kind, got := range map[string][2]string{"held": {cureHeld(r), c.held}, "gzip": {cureZipped(r), c.gzip}} {
			switch cure, want := got[0], got[1]; {
			case want != "" && (!strings.HasPrefix(cure, "in ") || !strings.Contains(cure, want) || strings.Contains(cure, ". in ")):
				t.Errorf("%s: %s, %s: %q, want one with %q", c.header, c.value, kind, cure, want)
			case want == "" && cure != cureAny && cure != cureGzip:
				t.Errorf("%s: %s, %s: %q, want the general one", c.header, c.value, kind, cure)
			}
		}
	}
}

// TestCuresOfTwo: where two proxies show, both are told, and their headers are evidence.
func TestCuresOfTwo(t *testing.T) {
	header := map[string]string{"Server": "cloudflare", "Cf-Ray": "8f0-FRA", "Via": "1.1 Caddy"}
	_, found := examine(t, &script{header: header, body: always(begin, strings.Join(texts(good(40)), ""))}, nil)
	if got := ids(found); got != "held_whole" {
		t.Fatalf("found %q, want held_whole", got)
	}
	golden(t, "whole-two-proxies", render(found))
	_, found = examine(t, &script{header: header, body: always(good(40))}, nil)
	if len(found) != 0 {
		t.Errorf("a stream that comes evenly: %s", render(found))
	}
}

// TestClumpsOfAzure: text that a content filter holds is the filter's, not haproxy's.
func TestClumpsOfAzure(t *testing.T) {
	header := map[string]string{"Apim-Request-Id": "1-2"}
	for _, c := range []struct {
		server http.Handler
		want   string
	}{
		{&script{header: header, body: always(clumps(60, 12))}, "in Azure OpenAI: choose the asynchronous filter"},
		{&script{body: always(clumps(60, 12))}, "small writes wait for the acknowledgement"},
	} {
		_, found := examine(t, c.server, nil)
		if len(found) == 0 || found[0].ID != "clumps" || !strings.HasPrefix(found[0].Fix, c.want) {
			t.Errorf("found\n%swant clumps, and to %s", render(found), c.want)
		}
	}
}

// clumps is a stream of n tokens of which each come together, every 300 ms.
func clumps(n, each int) []any {
	stream := []any{3 * begin, role}
	for range n / each {
		stream = append(stream, strings.Repeat(delta(" word"), each), 3*begin)
	}
	return join(stream, stop, usage(200, 0, n, 0), done)
}

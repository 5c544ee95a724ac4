package finding

import (
	"strings"

	"halfsecond/pipeline/endpoint/probe/seen"
)

// What cures a proxy that holds a stream back. Tried with nginx 1.22.1 and haproxy 2.6.12
// on 2026-11-29; the settings are documented at nginx.org (ngx_http_proxy_module,
// ngx_http_gzip_module) and docs.haproxy.org (option http-no-delay), Apache's in its
// manual of mod_proxy; read 2026-11-29.
const (
	cureNginx = "in nginx: `proxy_buffering off;` for this location, or let the application answer with the header `X-Accel-Buffering: no`, which nginx obeys unless `proxy_ignore_headers` says otherwise; " +
		"`proxy_http_version 1.1;` lets chunked streams through as well, since nginx asks by HTTP/1.0 without it"
	cureApache = "in Apache httpd: `flushpackets=on` behind the URL of ProxyPass, and `SetEnv no-gzip 1` for this location"
	cureAny    = "find what stands between and have it pass text/event-stream on at once: nginx `proxy_buffering off;` or the header `X-Accel-Buffering: no` from the application; " +
		"haproxy `option http-no-delay` and no `option http-buffer-request`; a gateway of your own must flush after each event. If nothing stands between, the server does not flush, or makes the whole answer before it sends it"
	cureClumps = "small writes wait for the acknowledgement of those before (Nagle's algorithm and a delayed ACK): in haproxy `option http-no-delay` in the frontend and the backend, or in defaults; in a server or gateway of your own set TCP_NODELAY"
	cureGzip   = "in nginx leave text/event-stream out of `gzip_types`, or `gzip off;` for this location; `proxy_buffering off;`, or the header `X-Accel-Buffering: no` from the application, makes its compressor flush each event"
)

// cureClumped returns the cure for clumps: that of the proxy that answered where it is one
// that collects, else what makes small writes go out.
func cureClumped(r *seen.Request) string {
	if cure := cureHeld(r); strings.HasPrefix(cure, "in ") {
		return cure
	}
	return cureClumps
}

// cureHeld returns the cure for the proxy that answered, as far as it shows.
func cureHeld(r *seen.Request) string {
	shown := strings.ToLower(r.Header("Server") + " " + r.Header("Via"))
	cure := cureAny
	switch {
	case strings.Contains(shown, "nginx"), strings.Contains(shown, "openresty"):
		cure = cureNginx
	case strings.Contains(shown, "apache"):
		cure = cureApache
	}
	if r.Record.Transport.HTTP == "1.0" {
		cure += ". The response came by HTTP/1.0, which has no chunks: let the server behind speak HTTP/1.1"
	}
	return cure
}

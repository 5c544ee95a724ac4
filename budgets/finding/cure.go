package finding

import (
	"cmp"

	"halfsecond/pipeline/endpoint/probe/seen"
)

// What cures a stream that is held back where no header names a proxy. haproxy's setting is
// documented at docs.haproxy.org (option http-no-delay), Traefik's at doc.traefik.io
// (buffering and compress middlewares), that of Azure's API Management at
// learn.microsoft.com ("Configure API for server-sent events"); read 2026-11-30.
const (
	cureAny = "find what stands between and have it pass text/event-stream on at once: nginx `proxy_buffering off;` or the header `X-Accel-Buffering: no` from the application; " +
		"haproxy `option http-no-delay` and no `option http-buffer-request`; Traefik `disableResponseBuffer: true` in a buffering middleware; Azure API Management `buffer-response=\"false\"` in forward-request; an AWS load balancer streams, but not from a Lambda function; " +
		"a gateway of your own must flush after each event. If nothing stands between, the server does not flush, or makes the whole answer before it sends it"
	cureClumps = "small writes wait for the acknowledgement of those before (Nagle's algorithm and a delayed ACK): in haproxy `option http-no-delay` in the frontend and the backend, or in defaults; in a server or gateway of your own set TCP_NODELAY"
	cureGzip   = "let no compressor touch text/event-stream: nginx `gzip_types` without it, or the header `X-Accel-Buffering: no` from the application, which makes nginx flush each event; Traefik `excludedContentTypes` in a compress middleware; Caddy a `match` in `encode`; " +
		"in a server of your own flush the compressor after each event, or answer with `Cache-Control: no-transform`"
)

// cureHeld returns what has a stream pass at once.
func cureHeld(r *seen.Request) string {
	return cmp.Or(cures(r, func(p proxy) string { return p.held }), cureAny) + byHTTP10(r)
}

// cureClumped returns the cure for clumps: that of the proxy that answered where it is one
// that collects, else what makes small writes go out.
func cureClumped(r *seen.Request) string {
	if cure := cures(r, func(p proxy) string { return p.held }); cure != "" {
		return cure + byHTTP10(r)
	}
	return cureClumps
}

// cureZipped returns what keeps compressors away from a stream.
func cureZipped(r *seen.Request) string {
	return cmp.Or(cures(r, func(p proxy) string { return p.gzip }), cureGzip)
}

func byHTTP10(r *seen.Request) string {
	if r.Record.Transport.HTTP == "1.0" {
		return ". The response came by HTTP/1.0, which has no chunks: let the server behind speak HTTP/1.1"
	}
	return ""
}

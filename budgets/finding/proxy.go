package finding

import (
	"strings"

	"halfsecond/pipeline/endpoint/probe/seen"
)

// proxy is something that may stand between a server and its clients, and how a stream
// passes it at once.
type proxy struct {
	name string
	// shows are the headers that name it, each as in "Server: nginx": the header, in small
	// letters, and what its value holds; no value means any.
	shows [][2]string
	held  string // what has it pass a stream on as it comes; empty where nothing is known
	gzip  string // what keeps its compressor from a stream; empty where it has none
}

// proxies are those that headers name. Traefik, AWS's load balancers and Azure's API
// Management do not name themselves. Tried were nginx 1.22.1 and haproxy 2.6.12, on
// 2026-11-29; the others are told from what their makers write, read 2026-11-30:
//
//   - nginx: nginx.org, ngx_http_proxy_module and ngx_http_gzip_module
//   - Apache: its manual, mod_proxy, and mod_deflate for no-gzip
//   - Caddy: caddyserver.com/docs/caddyfile/directives, reverse_proxy and encode: a
//     response of text/event-stream, or of unknown length, is flushed at once
//   - Kong: developer.konghq.com, "Enabling streaming of responses with text/event-stream"
//   - Envoy: envoyproxy.io, external processing filter (response_body_mode), compressor
//   - Cloudflare: developers.cloudflare.com, network/response-buffering and
//     speed/optimization/content/compression
//   - Fastly: fastly.com, VCL variable beresp.do_stream; Varnish has the same
//   - AWS API Gateway: docs.aws.amazon.com/apigateway, response-transfer-mode
//   - Azure: learn.microsoft.com, "Content streaming" of Azure OpenAI, and
//     "Use server-sent events" of Application Gateway
//   - Next.js and Express: nextjs.org, next.config.js compress, and the page of the package
//     compression, which both use
var proxies = []proxy{
	{
		name: "nginx", shows: [][2]string{{"server", "nginx"}, {"server", "openresty"}, {"via", "nginx"}},
		held: "`proxy_buffering off;` for this location, or let the application answer with the header `X-Accel-Buffering: no`, which nginx obeys unless `proxy_ignore_headers` says otherwise; " +
			"`proxy_http_version 1.1;` lets chunked streams through as well, since nginx asks by HTTP/1.0 without it",
		gzip: "leave text/event-stream out of `gzip_types`, or `gzip off;` for this location; `proxy_buffering off;`, or the header `X-Accel-Buffering: no` from the application, makes its compressor flush each event",
	},
	{
		name: "Apache httpd", shows: [][2]string{{"server", "apache"}, {"via", "apache"}},
		held: "`flushpackets=on` behind the URL of ProxyPass, and `SetEnv no-gzip 1` for this location",
		gzip: "`SetEnv no-gzip 1` for this location",
	},
	{
		name: "Caddy", shows: [][2]string{{"server", "caddy"}, {"via", "caddy"}},
		held: "take `response_buffers` out of reverse_proxy, and have the application answer `Content-Type: text/event-stream`, which Caddy flushes at once; for another type `flush_interval -1`",
		gzip: "give `encode` a `match` that leaves text/event-stream out",
	},
	{
		name: "Kong", shows: [][2]string{{"server", "kong"}, {"via", "kong"}, {"x-kong-upstream-latency", ""}},
		held: "`response_buffering: false` on the route",
	},
	{
		name: "Envoy", shows: [][2]string{{"server", "envoy"}, {"x-envoy-upstream-service-time", ""}},
		held: "look for a filter that wants whole bodies, since Envoy itself passes streams on: external processing with `response_body_mode: BUFFERED`, which `STREAMED` cures, or a script that asks for the body",
		gzip: "take text/event-stream out of the compressor's `content_type`",
	},
	{
		name: "Cloudflare", shows: [][2]string{{"server", "cloudflare"}, {"cf-ray", ""}},
		held: "turn Response Buffering off (Network) and let no cache rule cover this path, since what can be cached is buffered, else it passes text/event-stream on; it hides what stands behind it, so ask the server without it to see who holds the stream",
		gzip: "a compression rule that turns it off for text/event-stream",
	},
	{
		name: "Fastly", shows: [][2]string{{"x-served-by", "cache-"}},
		held: "`set beresp.do_stream = true;` in vcl_fetch, and pass this path",
		gzip: "`set beresp.gzip = false;` in vcl_fetch",
	},
	{
		name: "Varnish", shows: [][2]string{{"x-varnish", ""}, {"via", "varnish/"}},
		held: "`set beresp.do_stream = true;` in vcl_backend_response, and pass this path",
		gzip: "`set beresp.do_gzip = false;` in vcl_backend_response",
	},
	{
		name: "AWS API Gateway", shows: [][2]string{{"x-amz-apigw-id", ""}},
		held: "`responseTransferMode: STREAM` in the proxy integration of the method (HTTP_PROXY or AWS_PROXY); without it the whole response is waited for",
	},
	{
		name: "AWS API Gateway's HTTP APIs", shows: [][2]string{{"apigw-requestid", ""}},
		held: "use a REST API with `responseTransferMode: STREAM`, since HTTP APIs cannot stream",
	},
	{
		name: "Azure Application Gateway", shows: [][2]string{{"server", "microsoft-azure-application-gateway"}},
		held: "turn its response buffers off",
	},
	{
		name: "Azure OpenAI", shows: [][2]string{{"apim-request-id", ""}, {"azureml-model-session", ""}},
		held: "choose the asynchronous filter in the content filter of the deployment: by default text is held until the filter has seen enough of it",
	},
	{
		name: "Next.js", shows: [][2]string{{"x-powered-by", "next.js"}},
		gzip: "`compress: false` in next.config.js, or answer with `Cache-Control: no-cache, no-transform`, which its compressor leaves alone",
	},
	{
		name: "Express", shows: [][2]string{{"x-powered-by", "express"}},
		gzip: "`res.flush()` after each event, or `Cache-Control: no-cache, no-transform`, which the package compression leaves alone",
	},
}

// shown returns the proxies that the headers of a response name, and these headers.
func shown(r *seen.Request) (found []proxy, headers [][2]string) {
	for _, p := range proxies {
		named := false
		for _, s := range p.shows {
			for _, h := range r.Headers {
				if strings.EqualFold(h[0], s[0]) && strings.Contains(strings.ToLower(h[1]), s[1]) {
					named, headers = true, append(headers, h)
				}
			}
		}
		if named {
			found = append(found, p)
		}
	}
	return found, headers
}

// cures returns what is to be done at each of the proxies that a response names, one kind
// of it; empty where none names itself, or none is known to do such a thing.
func cures(r *seen.Request, kind func(proxy) string) string {
	found, _ := shown(r)
	var all []string
	for _, p := range found {
		if cure := kind(p); cure != "" {
			all = append(all, "in "+p.name+": "+cure)
		}
	}
	return strings.Join(all, ". ")
}

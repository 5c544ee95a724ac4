package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"net"
	"strings"
	"time"

	"halfsecond/mockllm/engine"
	"halfsecond/mockllm/given"
	"halfsecond/mockllm/server"
	"halfsecond/pipeline"
	"halfsecond/simulators/scenario"
)

// offer is a model that the mock serves.
type offer struct {
	model   scenario.LLM
	stated  *given.Server // in place of model
	service scenario.Service
}

// served returns the model as the server takes it.
func (f offer) served() server.Model {
	s := f.service
	m := server.Model{Name: s.Name, Context: s.Context, Shares: s.Shares, Build: s.Build}
	if f.stated != nil && f.stated.Whole() {
		m.Chunk = s.Context
	}
	if e := f.model.Engine; e != nil {
		m.Family = e.Software
		if r, err := e.Replica(); err == nil { // or the service would not be there
			m.Slots, m.Weights, m.Parameters = r.Config().Slots, r.Plan.WeightBytes(), r.Plan.Deployment().Model.TotalParams()
		}
	}
	return m
}

// announce says what is served where, and how fast to expect it.
func (p *program) announce(offers []offer, addr net.Addr, o *mockOptions) error {
	var out bytes.Buffer
	url, curl := "http://"+reachable(addr), "curl -N"
	if c := o.access.certificate; c != nil {
		url, curl = "https://"+reachable(addr), "curl -N --cacert "+c.Path
	}
	for _, f := range offers {
		f.write(&out, url+"/v1")
	}
	if len(o.served.others) > 0 {
		fmt.Fprintf(&out, "variant %s; --variant takes the others: %s\n", o.served.variant, strings.Join(o.served.others, ", "))
	}
	if c := o.access.certificate; c != nil {
		fmt.Fprintf(&out, "certificate: %s (NODE_EXTRA_CA_CERTS, SSL_CERT_FILE or REQUESTS_CA_BUNDLE make clients trust it)\n", c.Path)
	}
	if name := o.access.keyEnv; name != "" {
		curl += " -H \"Authorization: Bearer $" + name + "\""
		fmt.Fprintf(&out, "clients must send the key in %s\n", name)
	}
	if o.says.untold() {
		fmt.Fprintln(&out, "answers are code only where a request dictates them by mock_answer: without --documents nothing else is known")
	}
	if text := o.access.exposed(addr); text != "" {
		fmt.Fprintln(&out, text)
	}
	fmt.Fprintf(&out, "try: %s %s/v1/chat/completions -d '{\"model\":%q,\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"Hello\"}]}'\n", curl, url, offers[0].service.Name)
	fmt.Fprintf(&out, "speech: /v1/audio/*, Deepgram, AssemblyAI, ElevenLabs, Cartesia, /v1/realtime, at the published latencies of the model that is asked for\n")
	if a := o.access.wyomingAddr; a != nil {
		fmt.Fprintf(&out, "wyoming: tcp://%s\n", a)
	}
	fmt.Fprintln(&out, "Ctrl-C ends it")
	_, err := out.WriteTo(p.out)
	return err
}

func (f offer) write(w io.Writer, url string) {
	e := f.model.Engine
	if s := f.stated; s != nil {
		fmt.Fprintf(w, "serving a stated server of %s, whatever model is asked for, at %s\n", counted(s.Slots, "slot"), url)
		if n := len(s.Answers); n > 0 {
			fmt.Fprintf(w, "%s of a script, counted from the first request\n", counted(n, "answer"))
		}
		return
	}
	if e == nil {
		fmt.Fprintf(w, "serving %s at %s\n", f.service.Name, url)
		fmt.Fprintf(w, "the first token takes %s, then %.4g tokens/s\n", f.model.TTFT.Dist, f.model.TokensPerSecond)
		return
	}
	fmt.Fprintf(w, "serving %s (%s) on %s at %s\n", e.Model, e.WeightFormat(), devices(e), url)
	fmt.Fprintf(w, "%s: %s\n", e.Software, strings.Join(f.habits(), ", "))
	if a := askAlone(f.service); a.rate > 0 {
		fmt.Fprintf(w, "alone, a prompt of %d tokens takes %s to its first token, then %.1f tokens/s; context %d tokens\n",
			a.prompt, a.first.Round(time.Millisecond), a.rate, f.service.Context)
	}
}

// devices names what a model runs on.
func devices(e *scenario.Engine) string {
	text := fmt.Sprintf("%d x %s", e.GPUs, e.Hardware)
	if e.Stages > 1 {
		text = fmt.Sprintf("%d stages of %s", e.Stages, text)
	}
	return text
}

// habits says in words how the engine works.
func (f offer) habits() (out []string) {
	e := f.model.Engine
	r, err := e.Replica()
	if err != nil {
		panic(fmt.Sprintf("a model that is served: %s", err)) // it was built from the same
	}
	c := r.Config()
	say := func(when bool, format string, args ...any) {
		if when {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	say(c.Slots == 0 && c.MaxSequences < math.MaxInt32, "%s at once", counted(c.MaxSequences, "request"))
	say(c.Slots > 0, "%s", counted(c.Slots, "slot"))
	say(c.TokenBudget < math.MaxInt32, "steps of up to %s", counted(c.TokenBudget, "token"))
	say(true, "KV cache of %s", counted(c.CacheTokens(), "token"))
	say(c.PrefixCache, "prefix cache")
	say(c.SlotCache, "each slot keeps its last prompt")
	if s := e.Speculation; s != nil {
		say(true, "%s proposes %s a step, %.0f %% right", s.Draft, counted(s.Tokens, "token"), 100*s.Acceptance)
	}
	say(f.service.Load > 0, "%s to load the model", f.service.Load.Round(time.Millisecond))
	say(e.WarmUp > 0, "%s to warm it up", e.WarmUp)
	say(e.Replicas > 1, "%s (%s)", counted(e.Replicas, "replica"), e.Router)
	say(len(e.Failures) > 0, "%s to come", counted(len(e.Failures), "failure"))
	return out
}

// alone is how a service answers when it has nothing else to do.
type alone struct {
	prompt int           // tokens
	first  time.Duration // to the first token
	rate   float64       // tokens a second after it; 0 when it gave no answer
}

// askAlone asks a service on a virtual clock. An answer before it has loaded the model.
func askAlone(s scenario.Service) alone {
	var loop pipeline.Virtual
	e := s.Build(&loop)
	a := alone{prompt: min(1000, s.Context/2)}
	output := min(101, s.Context-a.prompt)
	var sent, first time.Duration
	q := &engine.Request{Prompt: a.prompt, Output: output, NotifyAt: 1}
	q.Notify = func(int) int { first = loop.Now(); return 0 }
	q.Done = func(o pipeline.Outcome) {
		if o == pipeline.OK {
			a.first, a.rate = first-sent, float64(output-1)/(q.Last-first).Seconds()
		}
	}
	e.Submit(&engine.Request{Prompt: a.prompt, Output: 1, Done: func(pipeline.Outcome) {
		sent = loop.Now()
		e.Submit(q)
	}})
	loop.RunUntil(pipeline.LastInstant)
	return a
}

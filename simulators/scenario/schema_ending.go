package scenario

import (
	"fmt"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"halfsecond/pipeline/dist"
	"halfsecond/simulators/voice/ending"
)

// The table of the keys of an end-of-turn policy.

var policy = oneOf("an end-of-turn policy",
	choice[Ending]{"preset", preset, func(e Ending) bool { return e.Preset != "" }},
	written("fixed", "so much silence", object(nil,
		need("wait", func(p *ending.Fixed) *time.Duration { return &p.Wait }, silence, "how much"),
		countsFrom(func(p *ending.Fixed) *ending.From { return &p.From }, ending.FromVADStop),
	)),
	written("turn_model", "a model that says how likely the turn is over", object(nil,
		can("threshold", func(p *ending.TurnModel) *float64 { return &p.Threshold }, .5, share, "score from which it is over after min; below it, after max"),
		can("compute", func(p *ending.TurnModel) *dist.Dist { return &p.Compute }, dist.Constant(12*time.Millisecond), pause, "how long the model takes"),
		can("after_final", func(p *ending.TurnModel) *bool { return &p.AfterFinal }, false, boolean, "it reads the final transcript, and is asked when that is there"),
		countsFrom(func(p *ending.TurnModel) *ending.From { return &p.From }, ending.FromVADStop),
		can("min", func(p *ending.TurnModel) *time.Duration { return &p.Min }, 0, silence, "least wait"),
		can("max", func(p *ending.TurnModel) *time.Duration { return &p.Max }, 3*time.Second, silence, "silence that decides without the model"),
		can("eager", func(p *ending.TurnModel) *float64 { return &p.Eager }, 0, share, "score from which an early end is told; 0 tells none"),
		can("once", func(p *ending.TurnModel) *bool { return &p.Once }, false, boolean, "asked at the first pause of a turn only"),
	)),
	written("endpointing", "a provider that listens for silence itself", object(nil,
		need("silence", func(p *ending.Endpointing) *time.Duration { return &p.Silence }, silence, "that ends a turn of which it is sure"),
		can("threshold", func(p *ending.Endpointing) *float64 { return &p.Threshold }, 0, share, "score from which it is sure; 0 has silence decide alone"),
		can("unsure", func(p *ending.Endpointing) *time.Duration { return &p.Unsure }, 0, silence, "silence that ends one of which it is not").fallback("0s; at least silence where there is a threshold"),
		can("eager", func(p *ending.Endpointing) *time.Duration { return &p.Eager }, 0, silence, "silence after which an early end is told; 0 tells none"),
		can("report", func(p *ending.Endpointing) *dist.Dist { return &p.Report }, dist.Constant(0), pause, "from the silence to the event at the agent"),
		can("wait", func(p *ending.Endpointing) *time.Duration { return &p.Wait }, 0, silence, "that the agent adds"),
	)),
	written("confidence", "a provider whose confidence grows with the silence", object(nil,
		can("threshold", func(p *ending.Confidence) *float64 { return &p.Threshold }, .7, share, "confidence that ends the turn"),
		can("eager", func(p *ending.Confidence) *float64 { return &p.Eager }, 0, share, "confidence at which an early end is told; 0 tells none"),
		can("timeout", func(p *ending.Confidence) *time.Duration { return &p.Timeout }, 5*time.Second, silence, "silence that ends it at any confidence"),
		can("report", func(p *ending.Confidence) *dist.Dist { return &p.Report }, dist.Constant(0), pause, "from the silence to the event at the agent"),
		can("wait", func(p *ending.Confidence) *time.Duration { return &p.Wait }, 0, silence, "that the agent adds"),
	)),
	written("rules", "a wait by how the transcript ends", object(nil,
		can("neither", func(p *ending.Rules) *time.Duration { return &p.Neither }, 1500*time.Millisecond, silence, "wait where it ends with no mark and no number"),
		can("punctuation", func(p *ending.Rules) *time.Duration { return &p.Punctuation }, 100*time.Millisecond, silence, "where it ends with a mark"),
		can("number", func(p *ending.Rules) *time.Duration { return &p.Number }, 500*time.Millisecond, silence, "where it ends with a number"),
		countsFrom(func(p *ending.Rules) *ending.From { return &p.From }, ending.FromFinal),
	)),
)

var silence = duration(0, longestDelay)

// countsFrom is the field that says what a policy's waits count from.
func countsFrom[P any](at func(*P) *ending.From, fallback ending.From) field[P] {
	words := map[ending.From]string{ending.FromSpeech: "speech", ending.FromVADStop: "vad_stop", ending.FromFinal: "final"}
	values := map[string]ending.From{}
	for v, word := range words {
		values[word] = v
	}
	f := as(enum("speech", "vad_stop", "final"), func(word string) ending.From { return values[word] }, func(v ending.From) string { return words[v] })
	return can("from", at, fallback, f, "what its waits count from: the end of speech, beside the detector's silence; the detector's stop, after it; or the final transcript, after both")
}

// written returns the choice of a policy whose settings the file has.
func written[P ending.Policy](key, doc string, settings form[P]) choice[Ending] {
	type tried struct {
		policy P
		on     Ending
	}
	settings.want = "its settings"
	check := func(r *reader, found map[string]entry, x *tried) {
		if err := x.policy.Validate(); err != nil {
			r.failEntry(found, key, "%s", strings.ReplaceAll(err.Error(), "\n", "; "))
		}
	}
	f := object(check, append([]field[tried]{need(key, func(x *tried) *P { return &x.policy }, settings, doc)},
		triedOn(func(x *tried) *Ending { return &x.on }, ending.Models()[0].Slug())...)...)
	to := func(x tried) Ending { return Ending{Policy: x.policy, Scores: x.on.Scores, Kinds: x.on.Kinds} }
	from := func(e Ending) tried { return tried{e.Policy.(P), e} }
	return choice[Ending]{key, as(f, to, from), func(e Ending) bool {
		_, is := e.Policy.(P)
		return is && e.Preset == ""
	}}
}

// triedOn has the keys that say on what a policy is tried.
func triedOn[S any](at func(*S) *Ending, scores string) []field[S] {
	slugs := make([]string, len(ending.Models()))
	for i, m := range ending.Models() {
		slugs[i] = m.Slug()
	}
	kind := make([]string, len(ending.Kinds()))
	for i, k := range ending.Kinds() {
		kind[i] = string(k)
	}
	word := as(enum(kind...), func(s string) ending.Kind { return ending.Kind(s) }, func(k ending.Kind) string { return string(k) })
	return []field[S]{
		can("scores", func(s *S) *string { return &at(s).Scores }, scores, enum(slugs...), "the turn model whose scores turns get"),
		can("turns", func(s *S) *[]ending.Kind { return &at(s).Kinds }, nil, listOf(word), "the kinds of turns that users say; leave it out for all"),
	}
}

var preset = func() form[Ending] {
	names := make([]string, len(ending.Presets()))
	for i, p := range ending.Presets() {
		names[i] = p.Name
	}
	settle := func(_ *reader, found map[string]entry, e *Ending) {
		p := presetNamed(e.Preset)
		e.Policy = p.Policy
		if _, given := found["scores"]; !given {
			e.Scores = p.Scores.Slug()
		}
	}
	fields := triedOn(func(e *Ending) *Ending { return e }, "")
	fields[0] = fields[0].fallback("the preset's")
	return object(settle, append([]field[Ending]{need("preset", func(e *Ending) *string { return &e.Preset }, enum(names...), "a policy that is in use")}, fields...)...)
}()

// presetNamed returns a preset that is there.
func presetNamed(name string) ending.Preset {
	p, err := ending.Find(name)
	if err != nil {
		panic(fmt.Sprintf("scenario: %s", err))
	}
	return p
}

// simply makes end_of_turn the form that does without ending: the two do not stand
// together.
func simply(f field[Voice]) field[Voice] {
	read, write := f.read, f.write
	f.read = func(r *reader, n ast.Node, v *Voice) bool {
		if v.Ending != nil {
			r.Fail(n, "ending decides when the turn is over: leave out one of the two")
			return false
		}
		return read(r, n, v)
	}
	f.write = func(v *Voice) tree {
		if v.Ending != nil {
			return tree{}
		}
		return write(v)
	}
	return f
}

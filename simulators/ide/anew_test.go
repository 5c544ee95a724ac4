package ide

import (
	"slices"
	"testing"
	"time"

	"halfsecond/budgets/ghost"
	"halfsecond/pipeline"
	"halfsecond/simulators/ide/cache"
	"halfsecond/simulators/ide/plugin"
)

// asksAnew has the plugin shorten what is shown and ask all the same, 10 ms after each key, a
// model that says these texts after 20 ms.
func asksAnew(t *testing.T, says ...string) (*rig, *spoken) {
	r := newRig(t, 1, 0, 0)
	model := &spoken{loop: r.loop, after: 20 * ms, says: says}
	r.config.LLM = model
	r.config.Plugin.Wait.For, r.config.Plugin.Reuse = 10*ms, plugin.ShrinkAndAsk
	return r, model
}

// sights returns when something happened to what was shown of a key's own answer.
func sights(x *pipeline.Trace) (all []string) {
	for _, m := range x.Marks {
		if m.Name != pipeline.MarkFirstCharacter && m.Name != pipeline.MarkFirstLine && m.Name != pipeline.MarkLastCharacter {
			all = append(all, m.Name+" "+m.At.String())
		}
	}
	return all
}

// A key that is typed as suggested has its text at once, and is asked about all the same. An
// answer that is what is left already changes nothing, and is waste.
func TestShrinkAndAsk(t *testing.T) {
	for _, c := range []struct {
		reuse    plugin.Reuse
		sent     []int64
		last     string
		verdicts []string
	}{
		{plugin.TypedAsSuggested, []int64{10}, "4", []string{"exact", ""}},
		{plugin.ShrinkAndAsk, []int64{10, 210}, "4", []string{"exact", "exact"}},
	} {
		r, _ := asksAnew(t, "bcd", "cd")
		r.config.Plugin.Reuse = c.reuse
		traces := r.play(open("", "").will("abcd").key(0, "a").key(200*ms, "b"))
		b := traces[1]
		if got := sent(requests(traces)); !slices.Equal(got, c.sent) {
			t.Errorf("%s: sent at %v, want %v", c.reuse, got, c.sent)
		}
		if b.Fact(pipeline.FactSource) != pipeline.SourceReuse || b.Mark(pipeline.MarkFirstCharacter) != 200*ms || b.Fact(pipeline.FactOpportunity) != "no" {
			t.Errorf("%s: text from %s at %s, an opportunity: %s; want typed_as_suggested at 200ms, no", c.reuse, b.Fact(pipeline.FactSource), b.Mark(pipeline.MarkFirstCharacter), b.Fact(pipeline.FactOpportunity))
		}
		if got := sights(traces[0]); !slices.Equal(got, []string{"shown 30ms"}) || len(sights(b)) != 0 {
			t.Errorf("%s: the first is %q and the second %q, want the first shown at 30ms and for good", c.reuse, got, sights(b))
		}
		run := ghost.Of(traces, ghost.Options{})
		for i, q := range run.Requests {
			if string(ghost.Verdict(q.Trace)) != c.verdicts[i] || q.Useful != (i == 0) {
				t.Errorf("%s: request %d is %s, useful: %t; want %s, useful the first only", c.reuse, i, ghost.Verdict(q.Trace), q.Useful, c.verdicts[i])
			}
		}
	}
}

// Another answer takes the place of what is left, and is of use then.
func TestShrinkAndAskReplaces(t *testing.T) {
	r, _ := asksAnew(t, "bcd", "xyz")
	traces := r.play(open("", "").will("abx").key(0, "a").key(200*ms, "b").key(400*ms, "x"))
	if got := sights(traces[0]); !slices.Equal(got, []string{"shown 30ms", "replaced 230ms"}) {
		t.Errorf("the first is %q, want it replaced at 230ms", got)
	}
	if got := sights(traces[1]); !slices.Equal(got, []string{"shown 230ms", "replaced 430ms"}) {
		t.Errorf("the second is %q, want it shown at 230ms and replaced at 430ms", got)
	}
	for i, q := range ghost.Of(traces, ghost.Options{}).Requests {
		if !q.Useful {
			t.Errorf("request %d was of no use, want each of use", i)
		}
	}
}

// What the cache knows needs no request; another answer out of it is told of as such.
func TestShrinkAndAskOfACache(t *testing.T) {
	r, model := asksAnew(t, "bcd")
	r.config.Plugin.Cache = cache.Config{Capacity: 10, Prefix: cache.Prefix{Reach: cache.Unlimited}}
	traces := r.play(open("", "").will("abcd").key(0, "a").key(200*ms, "b").key(400*ms, "c"))
	if len(model.heard) != 1 || len(sights(traces[0])) != 1 {
		t.Errorf("%d requests, the first is %q; want one, shown for good", len(model.heard), sights(traces[0]))
	}
	for i, want := range [][]pipeline.Use{nil, {{Request: 1, How: "typed-as-suggested"}, {Request: 1, How: "cached"}}, {{Request: 1, How: "typed-as-suggested"}, {Request: 1, How: "cached"}}} {
		if !slices.Equal(traces[i].Uses, want) {
			t.Errorf("key %d uses %v, want %v", i, traces[i].Uses, want)
		}
	}
}

// What the cache has for the text may be another answer than the one that is typed into: an
// older one too takes its place, and the trace tells of both.
func TestShrinkAndAskOfAnotherAnswer(t *testing.T) {
	for _, c := range []struct {
		name string
		says []string
		ttl  time.Duration
		uses []int64
	}{
		{"a later one", []string{"bcd", "xx"}, 0, []int64{1, 2}},
		{"an older one", []string{"1", "xx", "bcd"}, 350 * ms, []int64{3, 2}}, // of "a" the first is forgotten
	} {
		r, model := asksAnew(t, c.says...)
		r.config.Plugin.Cache = cache.Config{Capacity: 10, TTL: c.ttl}
		last := r.play(open("", "").key(0, "a").key(100*ms, "b").backspace(400*ms).key(440*ms, "b"))[3]
		if len(model.heard) != len(c.says) || last.Fact(pipeline.FactSource) != pipeline.SourceReuse {
			t.Fatalf("%s: %d requests, text from %s; want %d, typed as suggested", c.name, len(model.heard), last.Fact(pipeline.FactSource), len(c.says))
		}
		if got := sights(last); !slices.Equal(got, []string{"shown 450ms"}) {
			t.Errorf("%s: the last key is %q, want what the cache has shown at 450ms", c.name, got)
		}
		var uses []int64
		for _, u := range last.Uses {
			uses = append(uses, u.Request)
		}
		if !slices.Equal(uses, c.uses) {
			t.Errorf("%s: the last key uses requests %v, want what it typed into, and what the cache had: %v", c.name, uses, c.uses)
		}
	}
}

// A request that is waited for may turn out to be of another text: then the key asks itself.
func TestShrinkAndAskJoins(t *testing.T) {
	for _, c := range []struct {
		second string
		sent   []int64
	}{{"cd", []int64{10, 210}}, {"xd", []int64{10, 210, 320}}} {
		r, model := asksAnew(t, "bcd", c.second, "d")
		model.after = 110 * ms
		r.config.Plugin.Join = true
		traces := r.play(open("", "").will("abcd").key(0, "a").key(200*ms, "b").key(300*ms, "c"))
		if got := sent(requests(traces)); !slices.Equal(got, c.sent) {
			t.Errorf("%q: sent at %v, want %v", c.second, got, c.sent)
		}
	}
}

// A request about what is shown already that is refused is sent again as any other.
func TestShrinkAndAskProbes(t *testing.T) {
	r := newRig(t, 1, 0, 0)
	r.limited(time.Second, 400*ms)
	r.config.Plugin.Reuse = plugin.ShrinkAndAsk
	traces := r.play(open("", "").will("ab = 1").key(0, "a").key(100*ms, "b"))
	if got := sent(requests(traces)); !slices.Equal(got, []int64{0, 100, 500, 900, 1300}) {
		t.Errorf("sent at %v, want the refused one every 400 ms until the second is over", got)
	}
}

package cache

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/document"
)

// known is an entry of the model: all texts written out.
type known struct {
	before, after, rest string
	Answer
	off int
	at  time.Duration
}

// model is a cache as simple as it can be: a list, the most recently used first.
type model struct {
	Config
	all []known
}

func (m *model) store(before, after string, a Answer, now time.Duration) {
	if a.Text == "" && !m.Empty || !a.Complete && !m.Partial {
		return
	}
	for _, off := range append([]int{0}, m.points(a.Text)...) {
		e := known{before + a.Text[:off], after, a.Text[off:], a, off, now}
		if m.Bytes > 0 && len(e.rest) > m.Bytes {
			continue
		}
		if i := slices.IndexFunc(m.all, func(o known) bool { return o.before == e.before && o.after == after }); i >= 0 {
			if m.all[i].Complete && !a.Complete && !m.over(m.all[i], now) {
				e = m.all[i]
			}
			m.all = slices.Delete(m.all, i, i+1)
		}
		m.all = slices.Insert(m.all, 0, e)
		for len(m.all) > m.Capacity || m.Bytes > 0 && m.bytes() > m.Bytes {
			m.all = m.all[:len(m.all)-1]
		}
	}
}

// points is what a place along an answer is, character by character.
func (m *model) points(text string) (at []int) {
	line := strings.IndexByte(text, '\n')
	if line < 0 {
		line = len(text)
	}
	for i := 1; i < len(text); i++ {
		next := line + 1 + len(text[min(line+1, len(text)):]) - len(strings.TrimLeft(text[min(line+1, len(text)):], " \t"))
		within := i < line && utf8.RuneStart(text[i]) && utf8.RuneCountInString(text[:i]) <= m.Forward.Characters
		if line == len(text) || i < line-1 || line+1 == len(text) {
			within = within && i+1 < len(text)
		}
		if within || m.Forward.NextLine && line+1 < len(text) && (i == line || i == line+1 || i == next) {
			at = append(at, i)
		}
	}
	return at
}

func (m *model) bytes() (n int) {
	for _, e := range m.all {
		n += len(e.rest)
	}
	return n
}

func (m *model) over(e known, now time.Duration) bool { return m.TTL > 0 && now-e.at >= m.TTL }

func (m *model) find(before, after string, now time.Duration) (Hit, bool) {
	best, most, found := -1, -1, Hit{}
	for k := 0; k <= min(m.Prefix.Reach, len(before)); k++ {
		typed := before[len(before)-k:]
		if m.Prefix.SameLine && strings.Contains(typed, "\n") {
			break
		}
		i := slices.IndexFunc(m.all, func(e known) bool { return e.before+typed == before && e.after == after && !m.over(e, now) })
		if i < 0 {
			continue
		}
		e := m.all[i]
		if rest, ok := strings.CutPrefix(e.rest, typed); ok && (rest != "" || e.rest == "") {
			kind := Exact
			if k > 0 {
				kind = Prefixed
			} else if e.off > 0 {
				kind = Forwards
			}
			if !m.Prefix.MostLeft {
				return m.hit(i, Hit{kind, rest, e.Complete, e.Request, now - e.at, e.off + k}), true
			}
			if len(rest) > most {
				best, most, found = i, len(rest), Hit{kind, rest, e.Complete, e.Request, now - e.at, e.off + k}
			}
		} else if m.Prefix.Longest {
			return Hit{}, false
		}
	}
	if best >= 0 {
		return m.hit(best, found), true
	}
	taken := ""
	for i, e := range m.all {
		t, ok := strings.CutPrefix(e.before, before)
		if ok && t != "" && len(t) <= m.Back && e.after == after && e.off == 0 && !m.over(e, now) && !strings.Contains(t, "\n") && (best < 0 || len(t) < len(taken)) {
			best, taken = i, t
		}
	}
	if best < 0 {
		return Hit{}, false
	}
	e := m.all[best]
	return m.hit(best, Hit{Backward, taken + e.rest, e.Complete, e.Request, now - e.at, -len(taken)}), true
}

func (m *model) hit(i int, h Hit) Hit {
	e := m.all[i]
	m.all = slices.Insert(slices.Delete(m.all, i, i+1), 0, e)
	return h
}

// random returns a text of few different characters, so that texts often agree.
func random(r *dist.Rand, most int) string {
	var b strings.Builder
	for range r.IntN(most + 1) {
		b.WriteString([]string{"a", "b", "b", " ", "\n", "\t", "é"}[r.IntN(7)])
	}
	return b.String()
}

// rules returns some rules of each kind.
func rules(r *dist.Rand) Config {
	c := Config{Capacity: 1 + r.IntN(12), Partial: r.IntN(2) == 0, Empty: r.IntN(2) == 0}
	if r.IntN(2) == 0 {
		c.Bytes = 1 + r.IntN(40)
	}
	if r.IntN(2) == 0 {
		c.TTL = time.Duration(1+r.IntN(20)) * time.Second
	}
	if r.IntN(4) > 0 {
		c.Prefix = Prefix{Reach: []int{1, 3, Unlimited}[r.IntN(3)], SameLine: r.IntN(3) == 0, Longest: r.IntN(3) == 0, MostLeft: r.IntN(3) == 0}
		c.Prefix.MostLeft = c.Prefix.MostLeft && !c.Prefix.Longest
	}
	if r.IntN(2) == 0 {
		c.Forward = Forward{Characters: r.IntN(5), NextLine: r.IntN(2) == 0}
	}
	c.Back = r.IntN(2) * r.IntN(4)
	return c
}

// A cache does what the model does, finds what continues the text, and keeps to its
// limits.
func TestCacheIsTheModel(t *testing.T) {
	kinds := map[Kind]int{}
	for seed := range uint64(300) {
		r := dist.Stream(seed, "cache")
		config := rules(&r)
		c, err := New(config)
		if err != nil {
			t.Fatal(err)
		}
		m := model{Config: config}
		var d document.Document
		var now time.Duration
		asked := map[int64]known{}
		for step := range 300 {
			now += time.Duration(r.IntN(3)) * time.Second
			switch cursor := d.Cursor(); r.IntN(5) {
			case 0:
				text := random(&r, 6)
				d.Open(text, len(text))
			case 1:
				if cursor > 0 {
					d.Apply(document.Edit{Offset: cursor - 1, Delete: 1, Cursor: cursor - 1})
				}
			default:
				s := random(&r, 2)
				d.Apply(document.Edit{Offset: cursor, Insert: s, Cursor: cursor + len(s)})
			}
			if r.IntN(2) == 0 {
				a := Answer{random(&r, 8), r.IntN(4) > 0, int64(step)}
				s := d.Snapshot()
				c.Store(Point{Before: s.Before(), After: s.After()}, a, now)
				m.store(string(s.Before()), s.After(), a, now)
				asked[a.Request] = known{before: string(s.Before()), after: s.After(), Answer: a}
			}
			before := string(d.Before())
			got, ok := c.Find(Point{Before: d.Before(), After: d.After()}, now)
			want, known := m.find(before, d.After(), now)
			if ok != known || got != want {
				t.Fatalf("seed %d, step %d, %+v: at %q found %+v, %t; want %+v, %t", seed, step, config, before, got, ok, want, known)
			}
			if c.Len() > config.Capacity || config.Bytes > 0 && c.Bytes() > config.Bytes {
				t.Fatalf("seed %d, step %d: %d entries, %d bytes; limits are %d, %d", seed, step, c.Len(), c.Bytes(), config.Capacity, config.Bytes)
			}
			if ok {
				kinds[got.Kind]++
				if from := asked[got.Request]; !continues(from, before, got) || from.after != d.After() {
					t.Fatalf("seed %d, step %d: at %q found %+v of %+v", seed, step, before, got, from)
				}
			}
		}
	}
	for _, k := range []Kind{Exact, Forwards, Prefixed, Backward} {
		if kinds[k] < 300 {
			t.Errorf("%s was found %d times: too few to tell", k, kinds[k])
		}
	}
}

// continues reports whether what was found is the answer without what was typed of it, or
// with what was taken back before it.
func continues(asked known, before string, h Hit) bool {
	if h.Typed < 0 {
		return before+h.Rest == asked.before+asked.Text && len(before)-len(asked.before) == h.Typed
	}
	return before == asked.before+asked.Text[:h.Typed] && h.Rest == asked.Text[h.Typed:]
}

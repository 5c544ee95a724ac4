package fault

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"halfsecond/pipeline/dist"
)

// Config sets up a Set.
type Config struct {
	// Seed is that of the shares of requests, beside each rule's own.
	Seed uint64
	// Now returns the time since the server started; nil counts from New. It may be
	// called from any goroutine.
	Now func() time.Duration
	// MaxBody is the largest body, in bytes, that is looked into for what rules match;
	// 0 means DefaultMaxBody.
	MaxBody int64
	// Answered, when set, is told of every request that a rule answered, or whose
	// connection it broke, before a front saw it. It may be called from any goroutine.
	Answered func(Answer)
	// Waits, when set, is told of every request that waits for a model before a front
	// sees it, and what it returns is called when it waits no longer. It may be called
	// from any goroutine.
	Waits func(Answer) (over func())
}

// DefaultMaxBody is the largest body that is looked into when none is set, in bytes.
const DefaultMaxBody = 8 << 20

// Answer is what became of a request that no front saw.
type Answer struct {
	Query          // what is known of it
	Rules   string // that applied
	Status  int    // 0 when the connection was broken
	Message string // what the client was told, or why it was told nothing
	Left    bool   // the client hung up before it was told anything
	Arrived time.Duration
	Ended   time.Duration
}

// Hits counts what became of a rule.
type Hits struct {
	Rule    string `json:"rule"`
	Matched int    `json:"matched"` // requests that fit it; connections, for one about connections
	Applied int    `json:"applied"` // those of them that it was applied to
}

// Set is the rules of a server. Its methods may be called from any goroutine.
type Set struct {
	config Config
	began  time.Time
	armed  atomic.Bool // there are rules

	mu        sync.Mutex // guards what follows
	rules     []*ruled
	models    bool // rules want to know a request's model
	tokens    bool // and its tokens
	plans     int
	loads     map[string]int // of models, by cold starts
	refusing  time.Duration  // until when connections are refused
	listeners []*listener
}

// ruled is a rule with what it has seen.
type ruled struct {
	Rule
	hits   Hits
	draws  dist.Rand
	limits *limiter
	models map[string]*warmth
}

// New returns a set without rules.
func New(c Config) *Set {
	s := &Set{config: c, began: time.Now(), loads: map[string]int{}}
	if s.config.Now == nil {
		s.config.Now = func() time.Duration { return time.Since(s.began) }
	}
	if s.config.MaxBody == 0 {
		s.config.MaxBody = DefaultMaxBody
	}
	return s
}

// Replace puts these rules in place of all others, with counts at zero; connections that
// those refuse are taken again. The error says what is wrong with them; the set is then as
// it was.
func (s *Set) Replace(rules ...Rule) error {
	rules, err := checked(rules)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rules = nil
	s.lift()
	s.add(rules)
	return nil
}

// Add adds rules behind those that are there. The error says what is wrong with them,
// such as a name that is taken; the set is then as it was.
func (s *Set) Add(rules ...Rule) error {
	rules, err := checked(rules)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range rules {
		if s.find(r.Name) >= 0 {
			return &TakenError{r.Name}
		}
	}
	s.add(rules)
	return nil
}

// TakenError is what Add returns for the name of a rule that is there.
type TakenError struct{ Name string }

func (e *TakenError) Error() string { return fmt.Sprintf("there is a rule %s already", e.Name) }

// Remove takes the rule of that name away, and with a Refuse what it refuses; it reports
// whether there was one.
func (s *Set) Remove(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.find(name)
	if i >= 0 {
		if s.rules[i].Refuse != nil {
			s.lift()
		}
		s.rules = slices.Delete(s.rules, i, i+1)
		s.survey()
	}
	return i >= 0
}

// Rules returns the rules in their order, and what became of each.
func (s *Set) Rules() ([]Rule, []Hits) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rules, hits := make([]Rule, len(s.rules)), make([]Hits, len(s.rules))
	for i, r := range s.rules {
		rules[i], hits[i] = r.Rule, r.hits
	}
	return rules, hits
}

func (s *Set) find(name string) int {
	return slices.IndexFunc(s.rules, func(r *ruled) bool { return r.Name == name })
}

// add appends rules that have been checked; the caller holds the lock.
func (s *Set) add(rules []Rule) {
	for _, rule := range rules {
		r := &ruled{Rule: rule, hits: Hits{Rule: rule.Name}, draws: s.stream(rule, "requests"), models: map[string]*warmth{}}
		if rule.Limit != nil {
			r.limits = newLimiter(*rule.Limit)
		}
		if f := rule.Refuse; f != nil && f.When == WhenLoaded {
			s.refuse(f.For)
			r.hits.Applied++
		}
		s.rules = append(s.rules, r)
	}
	s.survey()
}

// survey sees what the rules need; the caller holds the lock.
func (s *Set) survey() {
	s.armed.Store(len(s.rules) > 0)
	s.models = slices.ContainsFunc(s.rules, func(r *ruled) bool { return r.Match.Model != "" || r.Limit != nil || r.ColdStart != nil })
	s.tokens = slices.ContainsFunc(s.rules, func(r *ruled) bool { return r.Limit != nil && r.Limit.TPM > 0 })
}

// stream returns the random numbers of a rule for one purpose.
func (s *Set) stream(rule Rule, purpose string, index ...int) dist.Rand {
	return dist.Stream(s.config.Seed+rule.Match.Seed, "fault/"+purpose+"/"+rule.Name, index...)
}

// plan returns what goes wrong with a request, nil for nothing. own, if there is one,
// is a rule for this request only.
func (s *Set) plan(q *Query, own *Rule) *Plan {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := &Plan{query: q, id: s.plans}
	if own != nil {
		s.apply(p, *own)
	}
	for _, r := range s.rules {
		s.ask(p, r)
	}
	if len(p.rules) == 0 && p.quotas == nil && p.warmed == nil {
		return nil
	}
	s.plans++
	if st := p.effects.Status; st != nil && p.refusal == nil {
		p.refusal = st.refusal()
	}
	if p.refusal != nil {
		p.refusal.id = p.requestID()
	}
	p.steps = newSteps(&p.effects)
	return p
}

// ask lets a rule have its part in a plan.
func (s *Set) ask(p *Plan, r *ruled) {
	if r.aboutConnections() || !r.Match.fits(p.query) {
		return
	}
	r.hits.Matched++
	if !r.picks() || r.Times > 0 && r.hits.Applied >= r.Times {
		return
	}
	now := s.config.Now()
	if r.limits != nil {
		quota, over := r.limits.ask(p.query, now)
		p.quotas = append(p.quotas, quota)
		if over == nil {
			return
		}
		if p.refusal == nil {
			p.refusal = over
		}
	}
	if r.ColdStart != nil {
		wait, loads := r.warmth(p.query.Model).begin(r.ColdStart, now)
		p.warmed = append(p.warmed, r.warmth(p.query.Model))
		if loads {
			s.loads[p.query.Model]++
		}
		if wait == 0 {
			return
		}
		p.wait = max(p.wait, wait)
	}
	r.hits.Applied++
	s.apply(p, r.Rule)
}

// apply adds a rule's effects to a plan.
func (s *Set) apply(p *Plan, rule Rule) {
	p.rules = append(p.rules, rule.Name)
	if p.effects.Drop == nil {
		p.drops = s.stream(rule, "drop", s.plans)
	}
	if p.effects.Duplicate == nil {
		p.doubles = s.stream(rule, "duplicate", s.plans)
	}
	p.effects.merge(&rule.Effects)
}

// end is told that a request with a plan has ended.
func (s *Set) end(p *Plan) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range p.warmed {
		w.end(s.config.Now())
	}
}

// warmth returns that of a model.
func (r *ruled) warmth(model string) *warmth {
	if r.models[model] == nil {
		r.models[model] = &warmth{}
	}
	return r.models[model]
}

// Loads returns how often rules had each model loaded.
func (s *Set) Loads() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.loads)
}

// aboutConnections reports a rule that has done its work before a request is read.
func (r *ruled) aboutConnections() bool {
	return r.Reset == ResetAccept || r.Refuse != nil && r.Refuse.When == WhenLoaded
}

// picks reports whether the request in hand is one of those that a rule is meant for.
func (r *ruled) picks() bool {
	m, n := &r.Match, r.hits.Matched
	switch {
	case m.Nth > 0:
		return n == m.Nth
	case m.Every > 0:
		return n%m.Every == 0
	case m.First > 0:
		return n <= m.First
	case m.Share > 0:
		return r.draws.Float64() < m.Share
	}
	return true
}

// fits reports whether a request is one that a rule is about.
func (m *Match) fits(q *Query) bool {
	if q.Protocol == "" && m.Path == "" || m.Protocol != "" && m.Protocol != q.Protocol {
		return false
	}
	if !fits(m.Path, q.Path) || !fits(m.Model, q.Model) {
		return false
	}
	for name, pattern := range m.Header {
		if !slices.ContainsFunc(q.Header.Values(name), func(v string) bool { return pattern == "" && v == "" || pattern != "" && fits(pattern, v) }) {
			return false
		}
	}
	return true
}

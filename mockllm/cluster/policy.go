package cluster

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"halfsecond/mockllm/engine"
)

// Policy says which replica a request goes to.
type Policy uint8

const (
	// PolicyRoundRobin takes the replicas in turn.
	PolicyRoundRobin Policy = iota
	// PolicyLeastLoaded takes the replica with the fewest requests waiting and
	// running, the first of several.
	PolicyLeastLoaded
	// PolicyPrefix takes the replica that the head of the prompt belongs to,
	// unless it is overloaded; requests without a head, or whose Blocks is nil,
	// go round robin. See PrefixConfig.
	PolicyPrefix

	policies
)

var policyNames = [policies]string{"round_robin", "least_loaded", "prefix"}

// String returns the name of the policy in scenario files.
func (p Policy) String() string {
	if p < policies {
		return policyNames[p]
	}
	return fmt.Sprintf("policy(%d)", uint8(p))
}

// Policies lists the names of policies.
func Policies() []string { return slices.Clone(policyNames[:]) }

// ParsePolicy returns the policy with the given name.
func ParsePolicy(name string) (Policy, error) {
	if i := slices.Index(policyNames[:], name); i >= 0 {
		return Policy(i), nil
	}
	return 0, fmt.Errorf("no router policy %q: want one of %q", name, policyNames)
}

// PrefixConfig sets up PolicyPrefix: consistent hashing with bounded loads (V.
// Mirrokni, M. Thorup, M. Zadimoghaddam, arXiv 1608.01350), as SGLang's gateway
// does it under the name prefix_hash; source: lightseekorg/smg
// docs/concepts/routing/load-balancing.md, read 2026-11-29. A prompt's first
// Tokens tokens name the replicas in an order of their own (rendezvous hashing: D.
// Thaler and C. Ravishankar, "Using name-based mappings to increase hit rates",
// 1998). It goes to the first that is not overloaded, so that a hot prefix spills
// over to the same second replica and not to all. A replica is overloaded when
// its requests, waiting and running, exceed both Factor times the mean of the
// replicas and the mean plus Margin. When all are, it goes to the first.
type PrefixConfig struct {
	// Tokens is the length of the head; 0 means 256. A shorter prompt counts with
	// its whole blocks, so it should not exceed what related prompts share.
	Tokens int
	Factor float64 // at least 1; 0 means 1.25
	// Margin keeps small numbers from looking like an overload. 0 means none; the
	// gateway's default is DefaultMargin.
	Margin int
}

// What SGLang's gateway takes when it is told nothing; source as in PrefixConfig.
const (
	DefaultPrefixTokens = 256
	DefaultFactor       = 1.25
	DefaultMargin       = 10
)

func (c PrefixConfig) validate() error {
	var errs []error
	if c.Tokens < 0 || c.Tokens%engine.BlockTokens != 0 {
		errs = append(errs, fmt.Errorf("prefix tokens is %d, must be a multiple of %d", c.Tokens, engine.BlockTokens))
	}
	if c.Factor != 0 && !(c.Factor >= 1) {
		errs = append(errs, fmt.Errorf("prefix load factor is %g, must be at least 1", c.Factor))
	}
	if c.Margin < 0 {
		errs = append(errs, fmt.Errorf("prefix load margin is %d, must not be negative", c.Margin))
	}
	return errors.Join(errs...)
}

func (c PrefixConfig) withDefaults() PrefixConfig {
	if c.Tokens == 0 {
		c.Tokens = DefaultPrefixTokens
	}
	if c.Factor == 0 {
		c.Factor = DefaultFactor
	}
	return c
}

// choose returns the index of the replica that the job goes to, false when there
// is none.
func (k *Cluster) choose(j *job) (int, bool) {
	var candidates []int
	for i, r := range k.replicas {
		if r.healthy && !slices.Contains(j.tried, i) {
			candidates = append(candidates, i)
		}
	}
	if len(candidates) == 0 {
		return 0, false
	}
	switch k.config.Policy {
	case PolicyLeastLoaded:
		return k.leastLoaded(candidates), true
	case PolicyPrefix:
		if key, ok := k.key(j.request); ok {
			return k.affine(candidates, key), true
		}
	}
	return k.next(candidates), true
}

// next takes replicas in turn, in proportion to their weights and as evenly as can
// be: each gains its weight, the richest is chosen and pays for all. With equal
// weights that is 0, 1, 2, 0... It is nginx's smooth weighted round robin; source:
// the log of nginx src/http/ngx_http_upstream_round_robin.c, read 2026-11-29.
func (k *Cluster) next(candidates []int) int {
	best, total := candidates[0], 0.0
	for _, i := range candidates {
		w := k.weight(k.replicas[i])
		total += w
		k.replicas[i].turn += w
		if k.replicas[i].turn > k.replicas[best].turn {
			best = i
		}
	}
	k.replicas[best].turn -= total
	return best
}

// leastLoaded takes the replica with the fewest requests, this one counted, for
// its weight: the largest weight / (requests + 1), as Envoy computes it with an
// active_request_bias of 1; source: Envoy documentation, "Least Request Load
// Balancing Policy", read 2026-11-29.
func (k *Cluster) leastLoaded(candidates []int) int {
	best, least := 0, 0.0
	for n, i := range candidates {
		r := k.replicas[i]
		load := float64(r.ledger.open()+1) / k.weight(r)
		if n == 0 || load < least {
			best, least = i, load
		}
	}
	return best
}

// key returns the hash of the prompt's head, false when it has none.
func (k *Cluster) key(r *engine.Request) (uint64, bool) {
	if r.Blocks == nil {
		return 0, false
	}
	size := k.config.Prefix.Tokens
	if r.Prompt < size {
		size = engine.BlockTokens
	}
	k.buffer = r.Blocks(k.buffer[:0], size)
	whole := min(r.Prompt/size, k.config.Prefix.Tokens/size, len(k.buffer)) // the answer is not known yet
	if whole == 0 {
		return 0, false
	}
	return k.buffer[whole-1], true
}

// affine takes the first replica in the key's order that is not overloaded, the
// first of all when every one is. The bound shrinks with the weight.
func (k *Cluster) affine(candidates []int, key uint64) int {
	sum := 0
	for _, i := range candidates {
		sum += k.replicas[i].ledger.open()
	}
	mean := float64(sum) / float64(len(candidates))
	bound := max(k.config.Prefix.Factor*mean, mean+float64(k.config.Prefix.Margin))
	slices.SortFunc(candidates, func(a, b int) int { return cmp.Compare(rank(key, b), rank(key, a)) })
	for _, i := range candidates {
		r := k.replicas[i]
		if float64(r.ledger.open()) <= bound*k.weight(r) {
			return i
		}
	}
	return candidates[0]
}

// rank is the place of a replica in a key's order: the highest comes first. It is
// the mixing function of SplitMix64 (S. Vigna's public-domain splitmix64.c) over
// both.
func rank(key uint64, replica int) uint64 {
	z := key + (uint64(replica)+1)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

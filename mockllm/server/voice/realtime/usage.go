package realtime

import (
	"encoding/json"
	"math"
	"time"

	"halfsecond/mockllm/token"
	"halfsecond/pipeline/wire/realtime"
)

// mass is the tokens of a part of a prompt. Two that are equal are the same part
// of two prompts.
type mass struct {
	id                 string
	cut                int // how often it was truncated
	text, audio, image int
}

func (m mass) all() int { return m.text + m.audio + m.image }

// prompt returns the parts of a prompt, in their order.
func (o *order) prompt() []mass {
	tools, err := json.Marshal(o.session.Tools)
	if err != nil || len(o.session.Tools) == 0 {
		tools = nil
	}
	parts := []mass{
		{id: "instructions " + o.session.Instructions, text: token.Count(o.session.Instructions)},
		{id: "tools " + string(tools), text: token.Count(string(tools))},
	}
	for _, it := range o.input {
		parts = append(parts, it.mass)
	}
	return parts
}

// cacheBlock is how many tokens are cached together: what the service counts as cached
// is a multiple of it in every answer that was found.
const cacheBlock = 64

// inputUsage counts a prompt. Cached is what whole blocks have in common with the
// prompt before it in the session, its answer included.
func inputUsage(parts, before []mass) realtime.InputUsage {
	var u realtime.InputUsage
	common, same := 0, true
	for i, p := range parts {
		u.Text, u.Audio, u.Image = u.Text+p.text, u.Audio+p.audio, u.Image+p.image
		if same = same && i < len(before) && before[i] == p; same {
			common += p.all()
		}
	}
	u.Cached = common - common%cacheBlock
	left := u.Cached
	take := func(n int, of *int) {
		n = min(n, left)
		*of += n
		left -= n
	}
	for _, p := range parts {
		take(p.text, &u.CachedDetails.Text)
		take(p.audio, &u.CachedDetails.Audio)
		take(p.image, &u.CachedDetails.Image)
	}
	return u
}

// tokenLimit is how many tokens a minute may have: that of a session of 2026-09-18.
const tokenLimit = 15_000_000

// bucket is the tokens that were used of a minute's; it leaks.
type bucket struct {
	used float64
	at   time.Duration
}

// spend counts tokens and returns what is left. A request is never refused.
func (b *bucket) spend(now time.Duration, tokens int) realtime.RateLimit {
	b.used = max(0, b.used-(now-b.at).Minutes()*tokenLimit) + float64(tokens)
	b.at = now
	return realtime.RateLimit{
		Name: "tokens", Limit: tokenLimit, Remaining: max(0, tokenLimit-int(b.used)),
		ResetSeconds: math.Round(b.used*60/tokenLimit*1000) / 1000,
	}
}

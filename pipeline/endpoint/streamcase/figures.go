package streamcase

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/reply"
)

// figures returns a Reply as the expect member of a stream case writes it. The
// request was sent at instant zero.
func figures(r *reply.Reply) map[string]any {
	f := choiceFigures(r, r.Answer())
	delete(f, "index")
	choices := []any{}
	for _, c := range r.Choices {
		choices = append(choices, choiceFigures(r, c))
	}
	f["choices"] = choices
	f["outcome"] = r.Outcome.String()
	f["error"] = failureFigures(r.Failure)
	f["usage"] = usageFigures(r.Usage)
	f["ttfb_ms"] = ms(r.FirstByte)
	f["stream_end_ms"] = ms(r.End)
	f["response_ms"] = nil
	if r.Whole {
		f["response_ms"] = ms(r.End)
	}
	f["output_tokens"] = count(r.OutputTokens())
	f["token_source"] = r.TokenSource
	f["tpot_ms"] = ms(r.TPOT())
	f["tpot_decode_ms"] = ms(r.DecodeTPOT())
	f["tpot_visible_ms"] = ms(r.VisibleTPOT())
	f["retry_after_ms"] = ms(r.RetryAfter)
	f["attempts"] = 1.0
	f["flags"] = list(r.Flags())
	return f
}

func choiceFigures(r *reply.Reply, c reply.Choice) map[string]any {
	chunks, calls, gaps := []any{}, []any{}, []any{}
	for _, o := range c.Outputs {
		chunks = append(chunks, map[string]any{
			"at_ms": ms(o.At), "kind": string(o.Kind), "text": o.Text, "tokens": count(o.Tokens),
		})
	}
	for i, t := range c.ToolCalls {
		calls = append(calls, map[string]any{
			"index": float64(i), "id": orNull(t.ID), "name": t.Name, "arguments": t.Arguments,
		})
	}
	for _, gap := range c.ICL() {
		gaps = append(gaps, ms(gap))
	}
	return map[string]any{
		"index": float64(c.Index), "text": c.Text, "reasoning": c.Reasoning, "tool_calls": calls,
		"finish_reason": orNull(c.Finish), "output_chunks": chunks, "icl_ms": gaps,
		"ttft_ms": ms(c.FirstOutput()), "ttfo_ms": ms(c.FirstText()), "ttfv_ms": ms(c.FirstSeen()),
		"last_output_ms": ms(c.LastOutput()),
	}
}

func failureFigures(f *reply.Failure) any {
	if f == nil {
		return nil
	}
	code := f.Code
	if n, ok := code.(int); ok {
		code = float64(n)
	}
	return map[string]any{"kind": string(f.Kind), "message": f.Message, "code": code}
}

func usageFigures(u *reply.Usage) any {
	if u == nil {
		return nil
	}
	f := map[string]any{}
	for name, n := range map[string]int{
		"prompt_tokens": u.Prompt, "completion_tokens": u.Completion,
		"reasoning_tokens": u.Reasoning, "cached_tokens": u.Cached,
	} {
		if n != pipeline.UnknownCount {
			f[name] = float64(n)
		}
	}
	return f
}

func ms(d time.Duration) any {
	if d == pipeline.Unknown {
		return nil
	}
	return float64(d) / float64(time.Millisecond)
}

func count(n int) any {
	if n == pipeline.UnknownCount {
		return nil
	}
	return float64(n)
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func list(s []string) []any {
	l := []any{}
	for _, v := range slices.Sorted(slices.Values(s)) {
		l = append(l, v)
	}
	return l
}

// Accept moves the output chunks of r that came within the span that their case
// allows, at_ms_min to at_ms, to its end: either instant is right, and the other
// numbers of the case are computed from the end.
func Accept(r *reply.Reply, expect map[string]any) {
	chunks, _ := expect["output_chunks"].([]any)
	for i := range r.Choices {
		if r.Choices[i].Index != 0 {
			continue
		}
		for k := range r.Choices[i].Outputs {
			o := &r.Choices[i].Outputs[k]
			if k >= len(chunks) {
				return
			}
			chunk, _ := chunks[k].(map[string]any)
			from, ok := chunk["at_ms_min"].(float64)
			to, _ := chunk["at_ms"].(float64)
			if ok && Millis(from).Duration() <= o.At && o.At <= Millis(to).Duration() {
				o.At = Millis(to).Duration()
			}
		}
	}
}

// Compare returns what differs between the expect member of a case and a Reply.
// Every member of expect is compared.
func Compare(expect map[string]any, r *reply.Reply) (diffs []string) {
	Accept(r, expect)
	return compare(expect, figures(r), func(limits map[string]any) []string { return judge(limits, r) })
}

// compare returns what differs between the expect member of a case and our figures, and
// between its verdicts and those of judge.
func compare(expect, got map[string]any, judge func(limits map[string]any) []string) (diffs []string) {
	for _, key := range sortedKeys(expect) {
		want := expect[key]
		if limits, ok := want.(map[string]any); ok && key == "judge" {
			diffs = append(diffs, judge(limits)...)
			continue
		}
		have, ok := got[key]
		if !ok {
			diffs = append(diffs, key+": not known to this test")
			continue
		}
		diffs = append(diffs, diff(key, want, have)...)
	}
	return diffs
}

// diff compares one value of a case with ours. Objects may have more members than
// the case names, but for usage, which holds what the server said and no more.
func diff(path string, want, got any) []string {
	differs := []string{fmt.Sprintf("%s = %.200v, want %.200v", path, got, want)}
	switch want := want.(type) {
	case map[string]any:
		if _, ok := want["$sha256"]; ok {
			return diffDigest(path, want, got)
		}
		have, ok := got.(map[string]any)
		if !ok || path == "usage" && len(have) != len(want) {
			return differs
		}
		return diffObject(path, want, have)
	case []any:
		have, ok := got.([]any)
		if !ok || len(have) != len(want) {
			return differs
		}
		if path == "flags" {
			want = slices.SortedFunc(slices.Values(want), func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
		}
		var diffs []string
		for i := range want {
			diffs = append(diffs, diff(path+"["+strconv.Itoa(i)+"]", want[i], have[i])...)
		}
		return diffs
	case float64:
		have, ok := got.(float64)
		if !ok || math.Abs(have-want) > tolerance(path) {
			return differs
		}
		return nil
	}
	if want != got {
		return differs
	}
	return nil
}

func diffObject(path string, want, got map[string]any) (diffs []string) {
	for _, key := range sortedKeys(want) {
		if key == "at_ms_min" {
			continue // see Accept
		}
		have, ok := got[key]
		if !ok && want[key] != nil {
			diffs = append(diffs, path+"."+key+": missing")
			continue
		}
		diffs = append(diffs, diff(path+"."+key, want[key], have)...)
	}
	return diffs
}

// diffDigest compares a long string that the case gives as its size and digest.
func diffDigest(path string, want map[string]any, got any) []string {
	s, ok := got.(string)
	sum := sha256.Sum256([]byte(s))
	if !ok || float64(len(s)) != want["$utf8_bytes"] || hex.EncodeToString(sum[:]) != want["$sha256"] {
		return []string{fmt.Sprintf("%s = %d bytes with digest %x, want %v", path, len(s), sum, want)}
	}
	return nil
}

// tolerance returns how far a number may be off: the cases give paces to three
// decimals, and everything else exactly.
func tolerance(path string) float64 {
	if strings.HasPrefix(path, "tpot") {
		return 0.0005001
	}
	return 0
}

// judge compares verdicts of a Reply: they count to what a user can see or hear.
func judge(limits map[string]any, r *reply.Reply) []string {
	return verdicts(limits, []string{"ghost_text", "voice_first_text"}, r.Outcome, r.Answer().FirstSeen())
}

// verdicts compares verdicts about a span. A limit is named for what it is about, one of
// some names, and for its size, as in ghost_text_150ms.
func verdicts(limits map[string]any, about []string, o pipeline.Outcome, span time.Duration) (diffs []string) {
	for _, name := range sortedKeys(limits) {
		at := strings.LastIndex(name, "_")
		limit, err := time.ParseDuration(name[at+1:])
		if err != nil || at < 0 || !slices.Contains(about, name[:at]) {
			diffs = append(diffs, "judge."+name+": not known to this test")
			continue
		}
		if got := verdict(o, span, limit); got != limits[name] {
			diffs = append(diffs, fmt.Sprintf("judge.%s = %s, want %v", name, got, limits[name]))
		}
	}
	return diffs
}

func verdict(o pipeline.Outcome, span, limit time.Duration) string {
	switch {
	case o != pipeline.OK:
		return "fail"
	case span == pipeline.Unknown:
		return "unmeasured"
	case span < limit:
		return "pass"
	}
	return "fail"
}

func sortedKeys(m map[string]any) []string {
	keys := []string{}
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

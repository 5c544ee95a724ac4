package dialect

import (
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline"
)

// TestCountedOn: how many tokens followed the first output is exact where the running counts of
// the server prove it, in whatever message it tells of reasoning, and is bounded by bytes where
// they do not; the pace behind the first output is told in the first case alone.
func TestCountedOn(t *testing.T) {
	long, none := strings.Repeat("word ", 100), pipeline.Unknown // 500 bytes
	chunk := func(kind, text, counts string) string {
		return event(`{"choices":[{"index":0,"delta":{"` + kind + `":"` + text + `"}}],"usage":{"prompt_tokens":5,` + counts + `}}`)
	}
	text := func(counts string) string { return chunk("content", long, counts) }
	thought := func(counts string) string { return chunk("reasoning_content", long, counts) }
	end := func(counts string) string {
		return stop + event(`{"choices":[],"usage":{"prompt_tokens":5,`+counts+`}}`) + done
	}
	const of0, of50, of200 = `,"completion_tokens_details":{"reasoning_tokens":0}`, `,"completion_tokens_details":{"reasoning_tokens":50}`, `,"completion_tokens_details":{"reasoning_tokens":200}`
	gemini := func(text, counts string) string {
		return event(`{"candidates":[{"content":{"parts":[{"text":"` + text + `"}]},"index":0}],"usageMetadata":{"promptTokenCount":5,` + counts + `}}`)
	}
	const stopped = "data: {\"candidates\":[{\"finishReason\":\"STOP\",\"index\":0}]}\n\n"
	counted := func(most, n float64) pipeline.Following {
		return pipeline.Following{Most: most, Likely: n, Least: n, Counted: true}
	}
	for _, c := range []struct {
		name     string
		protocol Protocol
		reads    []string
		tokens   int
		want     pipeline.Following
		decode   time.Duration
	}{
		{"each chunk has more", OpenAIChat, []string{text(`"completion_tokens":100`), text(`"completion_tokens":200`), end(`"completion_tokens":200`)},
			200, counted(199, 100), 10 * time.Millisecond},
		{"its end is a token", OpenAIChat, []string{text(`"completion_tokens":100`), text(`"completion_tokens":200`), end(`"completion_tokens":201`)},
			201, counted(200, 101), 10 * time.Millisecond},
		{"more at the end than its end", OpenAIChat, []string{text(`"completion_tokens":100`), text(`"completion_tokens":200`), end(`"completion_tokens":202`)},
			202, pipeline.Following{Most: 201, Likely: 101, Least: 50.5}, none},
		{"less at the end", OpenAIChat, []string{text(`"completion_tokens":100`), text(`"completion_tokens":200`), end(`"completion_tokens":180`)},
			180, pipeline.Following{Most: 179, Likely: 90, Least: 45}, none},
		{"a placeholder", OpenAIChat, []string{text(`"completion_tokens":1`), text(`"completion_tokens":1`), end(`"completion_tokens":200`)},
			200, pipeline.Following{Most: 199, Likely: 100, Least: 50}, none},
		{"one that stands still once", OpenAIChat, []string{text(`"completion_tokens":50`), text(`"completion_tokens":50`), text(`"completion_tokens":150`), end(`"completion_tokens":150`)},
			150, pipeline.Following{Most: 149, Likely: 100, Least: 50}, none},
		{"one chunk of them without", OpenAIChat, []string{text(`"completion_tokens":50`), delta(`"content":"` + long + `"`), text(`"completion_tokens":150`), end(`"completion_tokens":150`)},
			150, pipeline.Following{Most: 149, Likely: 100, Least: 50}, none},
		{"chunks in place of tokens", OpenAIChat, []string{text(`"completion_tokens":1`), text(`"completion_tokens":2`), end(`"completion_tokens":200`)},
			200, pipeline.Following{Most: 199, Likely: 100, Least: 50}, none},
		{"hidden reasoning added at the end", OpenAIChat, []string{text(`"completion_tokens":100`), text(`"completion_tokens":200`), end(`"completion_tokens":250,"total_tokens":255` + of50)},
			250, counted(249, 100), 10 * time.Millisecond},
		{"the same with an end that is a token", OpenAIChat, []string{text(`"completion_tokens":100`), text(`"completion_tokens":200`), end(`"completion_tokens":251,"total_tokens":256` + of50)},
			251, counted(250, 101), 10 * time.Millisecond},
		{"less reasoning than was added", OpenAIChat, []string{text(`"completion_tokens":100`), text(`"completion_tokens":200`), end(`"completion_tokens":260,"total_tokens":265` + of50)},
			260, pipeline.Following{Most: 259, Likely: 105, Least: 52.5}, none},
		{"no more than the hidden reasoning with the first text", OpenAIChat, []string{text(`"completion_tokens":50`), text(`"completion_tokens":250`), end(`"completion_tokens":250,"total_tokens":255` + of50)},
			250, pipeline.Following{Most: 249, Likely: 100, Least: 50}, none},
		{"one more", OpenAIChat, []string{text(`"completion_tokens":51`), text(`"completion_tokens":250`), end(`"completion_tokens":250,"total_tokens":255` + of50)},
			250, counted(249, 199), time.Second / 199},
		{"hidden reasoning beside, added at the end", OpenAIChat, []string{text(`"completion_tokens":100`), text(`"completion_tokens":200`), end(`"completion_tokens":200,"total_tokens":255` + of50)},
			250, counted(249, 100), 10 * time.Millisecond},
		{"reasoning that comes, beside, told late", OpenAIChat, []string{thought(`"completion_tokens":1,"total_tokens":6`), thought(`"completion_tokens":1,"total_tokens":6`), text(`"completion_tokens":101,"total_tokens":306` + of200)},
			301, pipeline.Following{Most: 300, Likely: 301 * 2. / 3, Least: 301. / 3}, none},
		{"the same, 0 until then", OpenAIChat, []string{thought(`"completion_tokens":1,"total_tokens":6` + of0), thought(`"completion_tokens":1,"total_tokens":6` + of0), text(`"completion_tokens":101,"total_tokens":306` + of200)},
			301, pipeline.Following{Most: 300, Likely: 301 * 2. / 3, Least: 301. / 3}, none},
		{"one chunk of it", OpenAIChat, []string{thought(`"completion_tokens":1,"total_tokens":6`), text(`"completion_tokens":51,"total_tokens":56`), text(`"completion_tokens":101,"total_tokens":306` + of200)},
			301, pipeline.Following{Most: 300, Likely: 101, Least: 101}, none},
		{"reasoning that comes, beside, told with it", OpenAIChat, []string{thought(`"completion_tokens":0,"total_tokens":205` + of200), text(`"completion_tokens":50,"total_tokens":255` + of200), text(`"completion_tokens":100,"total_tokens":305` + of200)},
			300, counted(299, 100), 20 * time.Millisecond},
		{"beside, by what was more than the answer", OpenAIChat, []string{text(`"completion_tokens":2,"completion_tokens_details":{"reasoning_tokens":317}`), text(`"completion_tokens":400,"completion_tokens_details":{"reasoning_tokens":317}`), stop + done},
			717, pipeline.Following{Most: 716, Likely: 398, Least: 398, Counted: true}, time.Second / 398},
		{"beside, by the last total", OpenAIChat, []string{text(`"completion_tokens":100` + of50), text(`"completion_tokens":200,"total_tokens":255` + of50), stop + done},
			250, counted(249, 100), 10 * time.Millisecond},
		{"beside, by the first total", OpenAIChat, []string{text(`"completion_tokens":100,"total_tokens":155` + of50), text(`"completion_tokens":200` + of50), stop + done},
			250, counted(249, 100), 10 * time.Millisecond},
		{"in the answer, by the last total", OpenAIChat, []string{text(`"completion_tokens":100` + of50), text(`"completion_tokens":200,"total_tokens":205` + of50), stop + done},
			200, counted(199, 100), 10 * time.Millisecond},
		{"a summary", OpenAIChat, []string{delta(`"reasoning_content":"` + long[:100] + `"`), delta(`"content":"` + long + long + `"`), delta(`"content":"` + long + long + `"`), end(`"completion_tokens":1300,"total_tokens":1305,"completion_tokens_details":{"reasoning_tokens":900}`)},
			1300, pipeline.Following{Most: 1299, Likely: 400, Least: 400}, none},
		{"a summary in two chunks at once", OpenAIChat, []string{delta(`"reasoning_content":"So "`) + delta(`"reasoning_content":"I think"`), delta(`"content":"` + long + long + `"`), delta(`"content":"` + long + long + `"`), end(`"completion_tokens":1300,"total_tokens":1305,"completion_tokens_details":{"reasoning_tokens":900}`)},
			1300, pipeline.Following{Most: 1299, Likely: 400, Least: 400}, none},
		{"a long summary", OpenAIChat, []string{delta(`"reasoning_content":"` + long + `"`), delta(`"reasoning_content":"` + long + `"`), delta(`"content":"` + long + long + `"`), end(`"completion_tokens":700,"completion_tokens_details":{"reasoning_tokens":500}`)},
			700, pipeline.Following{Most: 699, Likely: 200, Least: 200}, none},
		{"a summary, and more counted than that", OpenAIChat, []string{delta(`"reasoning_content":"` + long[:100] + `"`), delta(`"content":"` + long + `"`), delta(`"content":"` + long + `"`), end(`"completion_tokens":1600,"completion_tokens_details":{"reasoning_tokens":900}`)},
			1600, pipeline.Following{Most: 1599, Least: 2}, none},
		{"hidden reasoning that nobody counts", OpenAIChat, []string{delta(`"content":"` + long + `"`), delta(`"content":"` + long + `"`), end(`"completion_tokens":600`)},
			600, pipeline.Following{Most: 599, Least: 1}, none},
		{"Gemini's last count without thoughts", Gemini, []string{gemini(long, `"candidatesTokenCount":100,"thoughtsTokenCount":50`), gemini(long, `"candidatesTokenCount":200`) + stopped},
			250, counted(249, 100), 10 * time.Millisecond},
		{"the same with many", Gemini, []string{gemini(long, `"candidatesTokenCount":100,"thoughtsTokenCount":900`), gemini(long, `"candidatesTokenCount":200`) + stopped},
			1100, counted(1099, 100), 10 * time.Millisecond},
		{"Gemini's thoughts before the text alone", Gemini, []string{event(`{"usageMetadata":{"promptTokenCount":5,"thoughtsTokenCount":900}}`), gemini(long, `"candidatesTokenCount":100`), gemini(long, `"candidatesTokenCount":200`) + stopped},
			1100, counted(1099, 100), 10 * time.Millisecond},
		{"Gemini's thoughts at the end", Gemini, []string{gemini(long, `"candidatesTokenCount":100`), gemini(long, `"candidatesTokenCount":200`), event(`{"usageMetadata":{"promptTokenCount":5,"candidatesTokenCount":200,"thoughtsTokenCount":900}}`) + stopped},
			1100, counted(1099, 100), 10 * time.Millisecond},
		{"Gemini's thoughts between", Gemini, []string{gemini(long, `"candidatesTokenCount":100,"thoughtsTokenCount":30`), gemini(long, `"candidatesTokenCount":200,"thoughtsTokenCount":50`) + stopped},
			250, pipeline.Following{Most: 249, Likely: 100, Least: 50}, none},
	} {
		r := reread(t, c.protocol, c.reads...)
		rec := pipeline.NewRequest(1, 0)
		r.Fill(&rec)
		if got := rec.Following(); rec.OutputTokens != c.tokens || got != c.want || r.DecodeTPOT() != c.decode || rec.Impossible != "" {
			t.Errorf("%s: %d tokens, of which %+v followed, %s each, %q; want %d, %+v, %s", c.name, rec.OutputTokens, got, r.DecodeTPOT(), rec.Impossible, c.tokens, c.want, c.decode)
		}
	}
}

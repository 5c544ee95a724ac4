package dialect

import (
	"fmt"
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
	of := func(n int) string {
		return fmt.Sprintf(`,"completion_tokens_details":{"reasoning_tokens":%d}`, n)
	}
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
			250, pipeline.Following{Most: 249, Likely: 100, Least: 50}, none},
		{"the same with an end that is a token", OpenAIChat, []string{text(`"completion_tokens":100`), text(`"completion_tokens":200`), end(`"completion_tokens":251,"total_tokens":256` + of50)},
			251, pipeline.Following{Most: 250, Likely: 100.5, Least: 50.25}, none},
		{"less reasoning than was added", OpenAIChat, []string{text(`"completion_tokens":100`), text(`"completion_tokens":200`), end(`"completion_tokens":260,"total_tokens":265` + of50)},
			260, pipeline.Following{Most: 259, Likely: 105, Least: 52.5}, none},
		{"no more than the hidden reasoning with the first text", OpenAIChat, []string{text(`"completion_tokens":50`), text(`"completion_tokens":250`), end(`"completion_tokens":250,"total_tokens":255` + of50)},
			250, pipeline.Following{Most: 249, Likely: 100, Least: 50}, none},
		{"one more", OpenAIChat, []string{text(`"completion_tokens":51`), text(`"completion_tokens":250`), end(`"completion_tokens":250,"total_tokens":255` + of50)},
			250, pipeline.Following{Most: 249, Likely: 100, Least: 50}, none},
		{"hidden reasoning beside, added at the end", OpenAIChat, []string{text(`"completion_tokens":100`), text(`"completion_tokens":200`), end(`"completion_tokens":200,"total_tokens":255` + of50)},
			250, pipeline.Following{Most: 249, Likely: 100, Least: 50}, none},
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
		{"a count of reasoning that is a chunk early", OpenAIChat, []string{thought(`"completion_tokens":99` + of(100)), text(`"completion_tokens":200` + of(100)), end(`"completion_tokens":200` + of(100))},
			200, pipeline.Following{Most: 199, Likely: 100, Least: 50}, none},
		{"the same, with a total", OpenAIChat, []string{thought(`"completion_tokens":99` + of(100)), text(`"completion_tokens":200` + of(100)), end(`"completion_tokens":200,"total_tokens":205` + of(100))},
			200, pipeline.Following{Most: 199, Likely: 100, Least: 50}, none},
		{"a placeholder that reasoning is more than", OpenAIChat, []string{thought(`"completion_tokens":1` + of(100)), text(`"completion_tokens":1` + of(100)), end(`"completion_tokens":200` + of(100))},
			200, pipeline.Following{Most: 199, Likely: 100, Least: 50}, none},
		{"text alone behind it", OpenAIChat, []string{text(`"completion_tokens":1` + of(100)), text(`"completion_tokens":2` + of(100)), end(`"completion_tokens":200` + of(100))},
			200, pipeline.Following{Most: 199, Likely: 50, Least: 25}, none},
		{"beside, by the chunks", OpenAIChat, []string{thought(`"completion_tokens":0` + of(100)), text(`"completion_tokens":100` + of(100)), text(`"completion_tokens":200` + of(100)), end(`"completion_tokens":200` + of(100))},
			300, counted(299, 200), 10 * time.Millisecond},
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
			1100, pipeline.Following{Most: 1099, Likely: 100, Least: 50}, none},
		{"hidden reasoning told with the first text", OpenAIChat, []string{text(`"completion_tokens":150` + of50), text(`"completion_tokens":250` + of50), end(`"completion_tokens":250` + of50)},
			250, counted(249, 100), 10 * time.Millisecond},
		{"reasoning counted as it comes, each token far longer of the text", OpenAIChat, []string{thought(`"completion_tokens":500` + of(500)), thought(`"completion_tokens":1000` + of(1000)), text(`"completion_tokens":1100` + of(1000)), text(`"completion_tokens":1200` + of(1000)), end(`"completion_tokens":1200` + of(1000))},
			1200, counted(1199, 700), 3 * time.Second / 700},
		{"the same, once not", OpenAIChat, []string{thought(`"completion_tokens":500` + of(500)), thought(`"completion_tokens":1000` + of(500)), text(`"completion_tokens":1100` + of(1000)), text(`"completion_tokens":1200` + of(1000)), end(`"completion_tokens":1200` + of(1000))},
			1200, pipeline.Following{Most: 1199, Likely: 200, Least: 200}, none},
		{"a summary that is counted, and hidden reasoning at the end", OpenAIChat, []string{thought(`"completion_tokens":10` + of(10)), thought(`"completion_tokens":20` + of(20)), text(`"completion_tokens":120` + of(20)), text(`"completion_tokens":220` + of(20)), end(`"completion_tokens":1120` + of(900))},
			1120, pipeline.Following{Most: 1119, Likely: 220, Least: 210}, none},
		{"the same, told of at the end", OpenAIChat, []string{thought(`"completion_tokens":10`), thought(`"completion_tokens":20`), text(`"completion_tokens":120`), text(`"completion_tokens":220`), end(`"completion_tokens":1120` + of(900))},
			1120, pipeline.Following{Most: 1119, Likely: 220, Least: 210}, none},
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

// TestSummaryOfReasoning: reasoning that comes in several chunks may be a summary of what was
// thought before, be it as long as it likes: no more than the text behind it is then sure to have
// followed. Where the protocol calls it a summary, none of it did.
func TestSummaryOfReasoning(t *testing.T) {
	repeat := func(n int, s string) (all []string) {
		for range n {
			all = append(all, s)
		}
		return all
	}
	join := func(parts ...[]string) (all []string) {
		for _, p := range parts {
			all = append(all, p...)
		}
		return all
	}
	x := func(n int) string { return strings.Repeat("x", n) }
	response := func(kind string, n int) string {
		return event(`{"type":"response.` + kind + `.delta","delta":"` + x(n) + `"}`)
	}
	responses := []string{event(`{"type":"response.completed","response":{"status":"completed","usage":{"input_tokens":5,"output_tokens":1300,"output_tokens_details":{"reasoning_tokens":900},"total_tokens":1305}}}`)}
	gemini := func(thought string, n int) string {
		return event(`{"candidates":[{"content":{"parts":[{"text":"` + x(n) + `","thought":` + thought + `}]},"index":0}],"usageMetadata":{"promptTokenCount":5}}`)
	}
	stopped := []string{event(`{"candidates":[{"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":5,"candidatesTokenCount":450,"thoughtsTokenCount":1000}}`)}
	thought, text := func(n int) string { return delta(`"reasoning_content":"` + x(n) + `"`) }, func(n int) string { return delta(`"content":"` + x(n) + `"`) }
	end := func(answer, reasoning int) []string {
		counts := fmt.Sprintf(`"prompt_tokens":5,"completion_tokens":%d`, answer)
		if reasoning >= 0 {
			counts += fmt.Sprintf(`,"completion_tokens_details":{"reasoning_tokens":%d}`, reasoning)
		}
		return []string{stop + event(`{"choices":[],"usage":{`+counts+`}}`) + done}
	}
	byBytes := func(all, of, first float64) (likely float64) { return all * (of - first) / of }
	for _, c := range []struct {
		name     string
		protocol Protocol
		reads    []string
		unsent   int
		want     pipeline.Following
	}{
		{"a short one", OpenAIResponses, join(repeat(10, response("reasoning_summary_text", 170)), repeat(10, response("output_text", 200)), responses), 900, pipeline.Following{Most: 1299, Likely: 400, Least: 400}},
		{"one half as dense as the text", OpenAIResponses, join(repeat(10, response("reasoning_summary_text", 230)), repeat(10, response("output_text", 200)), responses), 900, pipeline.Following{Most: 1299, Likely: 400, Least: 400}},
		{"one as long as what was thought", OpenAIResponses, join(repeat(10, response("reasoning_summary_text", 450)), repeat(10, response("output_text", 200)), responses), 900, pipeline.Following{Most: 1299, Likely: 400, Least: 400}},
		{"no summary by its name", OpenAIResponses, join(repeat(10, response("reasoning_text", 230)), repeat(10, response("output_text", 200)), responses), 0, pipeline.Following{Most: 1299, Likely: byBytes(1300, 4300, 230), Least: 400}},
		{"both", OpenAIResponses, join(repeat(5, response("reasoning_text", 230)), repeat(5, response("reasoning_summary_text", 230)), repeat(10, response("output_text", 200)), responses), 0, pipeline.Following{Most: 1299, Likely: byBytes(1300, 4300, 230), Least: 400}},
		{"Gemini's thoughts", Gemini, join(repeat(5, gemini("true", 500)), repeat(2, gemini("false", 800)), []string{gemini("false", 400)}, stopped), 1000, pipeline.Following{Most: 1449, Likely: 450, Least: 450}},
		{"small chunks", OpenAIChat, join(repeat(460, thought(5)), repeat(400, text(5)), end(1300, 900)), 0, pipeline.Following{Most: 1299, Likely: byBytes(1300, 4300, 5), Least: 400}},
		{"as many chunks as tokens in all", OpenAIChat, join(repeat(460, thought(5)), repeat(840, text(2)), end(1300, 900)), 0, pipeline.Following{Most: 1299, Likely: 1299, Least: 400}},
		{"a token a chunk", OpenAIChat, join(repeat(90, thought(5)), repeat(40, text(5)), end(131, 91)), 0, pipeline.Following{Most: 130, Likely: 130, Least: 130}},
		{"all that was counted", OpenAIChat, join(repeat(10, thought(50)), end(90, 90)), 0, pipeline.Following{Most: 89, Likely: 81, Least: 1}},
		{"text beside the first of it", OpenAIChat, join([]string{thought(50) + text(20)}, repeat(9, thought(50)), repeat(3, text(20)), end(120, 100)), 0, pipeline.Following{Most: 119, Likely: byBytes(120, 580, 70), Least: 3}},
		{"reasoning that nobody counts", OpenAIChat, join(repeat(10, thought(230)), repeat(10, text(200)), end(1300, -1)), 0, pipeline.Following{Most: 1299, Likely: byBytes(1300, 4300, 230), Least: 10}},
		{"the same, a token a chunk", OpenAIChat, join(repeat(10, thought(5)), repeat(10, text(5)), end(21, -1)), 0, pipeline.Following{Most: 20, Likely: 20, Least: 20}},
	} {
		r := reread(t, c.protocol, c.reads...)
		rec := pipeline.NewRequest(1, 0)
		r.Fill(&rec)
		if got := rec.Following(); got != c.want || rec.Opening.Unsent != c.unsent || rec.Impossible != "" {
			t.Errorf("%s: %+v of %+v, %q; want %+v, %d unsent", c.name, got, rec.Opening, rec.Impossible, c.want, c.unsent)
		}
	}
}

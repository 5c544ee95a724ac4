package gemini_test

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"halfsecond/mockllm/server/text/serve"
	"halfsecond/mockllm/server/text/stand"
	"halfsecond/mockllm/token"
	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/wire/gemini"
)

// pieces reads a streamed answer and tells of each piece what matters: when it came, its
// parts, its counts and its reason.
func pieces(r *stand.Stand, path, body string) []string {
	r.T.Helper()
	var got []string
	for _, line := range r.Lines(path, body) {
		at, text, _ := strings.Cut(line, " ")
		var p struct {
			gemini.GenerateResponse
			Error *gemini.Error
		}
		if err := json.Unmarshal([]byte(text), &p); err != nil {
			r.T.Fatalf("%s: %v", text, err)
		}
		if p.Error != nil {
			got = append(got, fmt.Sprintf("%s error %d %s", at, p.Error.Code, p.Error.Status))
			continue
		}
		got = append(got, at+" "+tell(p.GenerateResponse))
	}
	return got
}

func tell(p gemini.GenerateResponse) string {
	c, u := p.Candidates[0], p.UsageMetadata
	var parts []string
	for _, part := range c.Content.Parts {
		switch {
		case part.FunctionCall != nil:
			parts = append(parts, part.FunctionCall.Name+string(part.FunctionCall.Args))
		case part.Thought:
			parts = append(parts, "thought "+*part.Text)
		default:
			parts = append(parts, fmt.Sprintf("%q", *part.Text))
		}
	}
	return strings.TrimSpace(fmt.Sprintf("%s %d+%d+%d=%d %s", strings.Join(parts, ", "), u.PromptTokenCount, u.ThoughtsTokenCount, u.CandidatesTokenCount, u.TotalTokenCount, c.FinishReason))
}

const (
	geminiStream = "/v1beta/models/m:streamGenerateContent?alt=sse&key=k"
	geminiSay    = `"contents":[{"role":"user","parts":[{"text":"a b"}]}]`
)

func TestGeminiStream(t *testing.T) {
	pairs := stand.Fixed("m", 1000)
	pairs.Chunk = 2
	stand.Run(t, serve.Config{Models: []serve.Model{pairs}}, func(r *stand.Stand) {
		r.Same("pieces of two", pieces(r, geminiStream, `{`+geminiSay+`,"mock_answer":"one two three four"}`), []string{
			`110 "one two" 2+0+2=4`,
			`130 " three four" 2+0+4=6 STOP`,
		})
		r.Same("an odd end", pieces(r, geminiStream, `{`+geminiSay+`,"generationConfig":{"maxOutputTokens":3},"mockAnswer":"one two three four"}`), []string{
			`110 "one two" 2+0+2=4`,
			`120 " three" 2+0+3=5 MAX_TOKENS`,
		})
		r.Same("a stop sequence", pieces(r, geminiStream, `{`+geminiSay+`,"generation_config":{"stop_sequences":["two"]},"mockAnswer":"one two three"}`), []string{
			`110 "one " 2+0+2=4 STOP`,
		})
	})
	stand.Run(t, serve.Config{Models: []serve.Model{stand.Fixed("m", 1000)}}, func(r *stand.Stand) {
		words := strings.Repeat(" x", 200)
		got := pieces(r, geminiStream, `{`+geminiSay+`,"mockAnswer":"`+words+`"}`)
		r.Same("as large as the service has them", got, []string{
			fmt.Sprintf(`890 %q 2+0+80=82`, strings.Repeat(" x", 80)), fmt.Sprintf(`1690 %q 2+0+160=162`, strings.Repeat(" x", 80)), fmt.Sprintf(`2090 %q 2+0+200=202 STOP`, strings.Repeat(" x", 40)),
		})
		if got := r.Lines(geminiStream, `{`+geminiSay+`,"mockAnswer":"x"}`); len(got) != 1 || !strings.HasPrefix(got[0], `100 {"candidates":[{"content":{"role":"model","parts":[{"text":"x"}]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":2,"candidatesTokenCount":1,"totalTokenCount":3,"promptTokensDetails":[{"modality":"TEXT","tokenCount":2}]},"modelVersion":"m","responseId":"`) {
			t.Errorf("an event is %q", got)
		}
	})
}

// TestGeminiArray: without alt=sse the answer is one JSON array that comes in pieces.
func TestGeminiArray(t *testing.T) {
	pairs := stand.Fixed("m", 1000)
	pairs.Chunk = 2
	stand.Run(t, serve.Config{Models: []serve.Model{pairs}}, func(r *stand.Stand) {
		from := time.Now()
		a := r.Do("/v1beta/models/m:streamGenerateContent", `{`+geminiSay+`,"mockAnswer":"one two three"}`)
		defer a.Body.Close()
		if got := a.Header.Get("Content-Type"); got != "application/json; charset=UTF-8" {
			t.Errorf("content type is %q", got)
		}
		first := make([]byte, 4096)
		n, err := a.Body.Read(first)
		if took := time.Since(from); err != nil || took != 110*time.Millisecond || !strings.HasPrefix(string(first[:n]), "[{\n") {
			t.Errorf("after %s: %q, error %v", took, first[:n], err)
		}
		rest, err := io.ReadAll(a.Body)
		var all []gemini.GenerateResponse
		if e := json.Unmarshal(append(first[:n], rest...), &all); err != nil || e != nil || len(all) != 2 || time.Since(from) != 120*time.Millisecond {
			t.Fatalf("after %s: %d elements, errors %v and %v", time.Since(from), len(all), err, e)
		}
		r.Same("elements", []string{tell(all[0]), tell(all[1])}, []string{`"one two" 2+0+2=4`, `" three" 2+0+3=5 STOP`})
	})
}

func TestGeminiThoughtsAndCalls(t *testing.T) {
	two, err := dist.CountFromQuantiles(2, 2)
	if err != nil {
		t.Fatal(err)
	}
	tools := `"tools":[{"functionDeclarations":[{"name":"get","parameters":{"type":"OBJECT","properties":{"a":{"type":"INTEGER"}},"required":["a"]}}]}]`
	stand.Run(t, serve.Config{Models: []serve.Model{stand.Fixed("m", 1000)}, ThinkingTokens: two}, func(r *stand.Stand) {
		think := func(config, more string) string {
			return `{` + geminiSay + `,"generationConfig":{"thinkingConfig":{` + config + `}},"mockAnswer":"x"` + more + `}`
		}
		r.Same("shown", pieces(r, geminiStream, think(`"includeThoughts":true`, `,"mockThinking":"hm so"`)), []string{`120 thought hm so, "x" 2+2+1=5 STOP`})
		r.Same("hidden", pieces(r, geminiStream, think(`"thinkingBudget":-1`, "")), []string{`120 "x" 2+2+1=5 STOP`})
		r.Same("limited", pieces(r, geminiStream, think(`"thinkingBudget":1`, "")), []string{`110 "x" 2+1+1=4 STOP`})
		r.Same("none", pieces(r, geminiStream, think(`"thinkingBudget":0`, "")), []string{`100 "x" 2+0+1=3 STOP`})
		r.Same("not asked for", pieces(r, geminiStream, `{`+geminiSay+`,"mockAnswer":"x"}`), []string{`100 "x" 2+0+1=3 STOP`})
		r.Same("all of it thoughts", pieces(r, geminiStream, `{`+geminiSay+`,"generationConfig":{"maxOutputTokens":1,"thinkingConfig":{"thinkingBudget":-1}}}`), []string{`100 "" 2+1+0=3 MAX_TOKENS`})

		call := func(mode, more string) string {
			return `{` + geminiSay + `,` + tools + `,"toolConfig":{"functionCallingConfig":{` + mode + `}}` + more + `}`
		}
		prompt := 2 + token.Count(`get  {"properties":{"a":{"type":"integer"}},"required":["a"],"type":"object"}`)
		r.Same("a call", pieces(r, geminiStream, call(`"mode":"ANY","allowedFunctionNames":["get"]`, `,"mockAnswer":"{\"a\":1}"`)), []string{
			fmt.Sprintf(`160 get{"a":1} %d+0+7=%d STOP`, prompt, prompt+7),
		})
		r.Same("a call that is cut", pieces(r, geminiStream, call(`"mode":"ANY"`, `,"generationConfig":{"maxOutputTokens":2},"mockAnswer":"{\"a\":1}"`)), []string{
			fmt.Sprintf(`110 "" %d+0+2=%d MAX_TOKENS`, prompt, prompt+2),
		})
		r.Same("no call", pieces(r, geminiStream, call(`"mode":"NONE"`, `,"mockAnswer":"x"`)), []string{fmt.Sprintf(`100 "x" %d+0+1=%d STOP`, prompt, prompt+1)})
		var g gemini.GenerateResponse
		r.Decode("/v1beta/models/m:generateContent", call(`"mode":"ANY"`, ""), &g)
		var args struct{ A *int }
		if p := g.Candidates[0].Content.Parts; len(p) != 1 || json.Unmarshal(p[0].FunctionCall.Args, &args) != nil || args.A == nil {
			t.Errorf("a call of the mock's own is %+v", g)
		}
		g = gemini.GenerateResponse{}
		r.Decode("/v1beta/models/m:generateContent", `{"contents":[{"parts":[{"text":"a"}]},{"role":"model","parts":[{"functionCall":{"name":"get","args":{"a":1}}}]},{"role":"user","parts":[{"functionResponse":{"name":"get","response":{"b":2}}}]}],"mockAnswer":"done"}`, &g)
		if got, want := tell(g), `"done" 15+0+1=16 STOP`; got != want {
			t.Errorf("after a call\n got %s\nwant %s", got, want)
		}
	})
}

func TestGeminiWhole(t *testing.T) {
	stand.Run(t, serve.Config{Models: []serve.Model{stand.Fixed("x/m", 1000)}}, func(r *stand.Stand) {
		from := time.Now()
		var g gemini.GenerateResponse
		r.Decode("/v1beta/models/x/m:generateContent", `{`+geminiSay+`,"systemInstruction":{"parts":[{"text":"c"}]},"mockAnswer":"one two","generationConfig":{"seed":3,"temperature":0,"candidateCount":1}}`, &g)
		if got, want := tell(g), `"one two" 3+0+2=5 STOP`; got != want || time.Since(from) != 110*time.Millisecond || g.ModelVersion != "x/m" || g.ResponseID == "" {
			t.Errorf("after %s %s, want %s", time.Since(from), got, want)
		}
		for _, config := range []string{`"responseMimeType":"application/json"`, `"responseMimeType":"application/json","responseSchema":{"type":"OBJECT","properties":{"type":{"type":"STRING"}}}`, `"responseMimeType":"application/json","responseJsonSchema":{"type":"object"}`} {
			var g gemini.GenerateResponse
			r.Decode("/v1beta/models/x/m:generateContent", `{`+geminiSay+`,"generationConfig":{`+config+`}}`, &g)
			if text := *g.Candidates[0].Content.Parts[0].Text; !json.Valid([]byte(text)) || text[0] != '{' {
				t.Errorf("%s gives %q", config, text)
			}
		}
		for body, want := range map[string]string{
			`{` + geminiSay + `}`: `0 200 {"totalTokens":2,"promptTokensDetails":[{"modality":"TEXT","tokenCount":2}]}`,
			`{"generateContentRequest":{` + geminiSay + `,"system_instruction":{"parts":[{"text":"c"}]}}}`: `0 200 {"totalTokens":3,"promptTokensDetails":[{"modality":"TEXT","tokenCount":3}]}`,
		} {
			if got := r.Answer("/v1beta/models/x/m:countTokens", body); got != want {
				t.Errorf("count\n got %s\nwant %s", got, want)
			}
		}
		model := `{"name":"models/x/m","version":"001","displayName":"x/m","inputTokenLimit":999,"outputTokenLimit":999,"supportedGenerationMethods":["generateContent","streamGenerateContent","countTokens"]}`
		for path, want := range map[string]string{"": `{"models":[` + model + `]}`, "/x/m": model} {
			if got := r.Answer("/v1beta/models"+path, ""); got != "0 200 "+want {
				t.Errorf("models%s\n got %s\nwant 0 200 %s", path, got, want)
			}
		}
	})
}

func TestGeminiRefusals(t *testing.T) {
	full := stand.Full("full")
	bad := stand.Losing("losing")
	stand.Run(t, serve.Config{Models: []serve.Model{stand.Fixed("m", 10), full, bad}}, func(r *stand.Stand) {
		invalid := func(message string) string {
			return `400 {"error":{"code":400,"message":"` + message + `","status":"INVALID_ARGUMENT"}}`
		}
		for _, c := range []struct{ call, body, want string }{
			{"n:generateContent", `{` + geminiSay + `}`, `404 {"error":{"code":404,"message":"models/n is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods.","status":"NOT_FOUND"}}`},
			{"m:embedContent", `{}`, `404 {"error":{"code":404,"message":"models/m is not found for API version v1beta, or is not supported for embedContent.`},
			{"m", `{}`, `404 {"error":{"code":404,"message":"models/m is not found for API version v1beta, or is not supported for .`},
			{"m:generateContent", `{}`, invalid(`* GenerateContentRequest.contents: contents is not specified\n`)},
			{"m:generateContent", `{"contents":[{"parts":[]}]}`, invalid(`* GenerateContentRequest.contents[0].parts: contents.parts must not be empty.\n`)},
			{"m:generateContent", `{"contents":[{"role":"system","parts":[{"text":"a"}]}]}`, invalid(`Please use a valid role: user, model. contents[0] has \"system\".`)},
			{"m:generateContent", `{"contents":5}`, invalid(`Invalid type for 'contents': expected an array, but got number instead.`)},
			{"m:generateContent", `{"contents":[{"parts":[{"text":"a b c d e f g h i j"}]}]}`, invalid(`The input token count (10) exceeds the maximum number of tokens allowed (9).`)},
			{"m:generateContent", `{` + geminiSay + `,"generationConfig":{"maxOutputTokens":0}}`, invalid(`Invalid 'maxOutputTokens': integer below minimum value. Expected a value \u003e= 1, but got 0 instead.`)},
			{"m:generateContent", `{` + geminiSay + `,"generationConfig":{"candidateCount":2}}`, invalid(`Multiple candidates is not enabled for this model: candidateCount is 2.`)},
			{"m:generateContent", `{` + geminiSay + `,"generationConfig":{"stopSequences":["1","2","3","4","5","6"]}}`, invalid(`The number of stop sequences (6) exceeds the maximum of 5.`)},
			{"m:generateContent", `{` + geminiSay + `,"generationConfig":{"responseMimeType":"text/html"}}`, invalid(`Invalid responseMimeType \"text/html\": want text/plain or application/json.`)},
			{"m:generateContent", `{` + geminiSay + `,"toolConfig":{"functionCallingConfig":{"mode":"MAY"}}}`, invalid(`Invalid value at 'tool_config.function_calling_config.mode': \"MAY\" is not one of AUTO, ANY, NONE, VALIDATED`)},
			{"m:countTokens", `{}`, invalid(`* GenerateContentRequest.contents: contents is not specified\n`)},
			{"m:streamGenerateContent?alt=sse", `{}`, invalid(`* GenerateContentRequest.contents: contents is not specified\n`)},
			{"m:streamGenerateContent", `{}`, `400 [{"error":{"code":400,"message":"* GenerateContentRequest.contents: contents is not specified\n","status":"INVALID_ARGUMENT"}}]`},
			{"full:generateContent", `{` + geminiSay + `}`, `503 {"error":{"code":503,"message":"The model is overloaded. Please try again later.","status":"UNAVAILABLE"}}`},
			{"full:streamGenerateContent?alt=sse", `{` + geminiSay + `}`, `503 {"error":{"code":503,"message":"The model is overloaded. Please try again later.","status":"UNAVAILABLE"}}`},
		} {
			if got := r.Answer("/v1beta/models/"+c.call, c.body); !strings.HasPrefix(got, "0 "+c.want) {
				t.Errorf("%s %s\n got %s\nwant 0 %s", c.call, c.body, got, c.want)
			}
		}
		for path, want := range map[string]string{
			"/v1beta/models/n": `0 404 {"error":{"code":404,"message":"Model is not found: models/n for api version v1beta","status":"NOT_FOUND"}}`,
			"/v1beta/files":    `0 404 {"error":{"code":404,"message":"There is no GET /v1beta/files.","status":"NOT_FOUND"}}`,
		} {
			if got := r.Answer(path, ""); got != want {
				t.Errorf("%s\n got %s\nwant %s", path, got, want)
			}
		}
		r.Same("a limit beyond the context", pieces(r, geminiStream, `{`+geminiSay+`,"generationConfig":{"maxOutputTokens":8192},"mockAnswer":"x"}`), []string{`100 "x" 2+0+1=3 STOP`})
		r.Same("a stream that fails", pieces(r, "/v1beta/models/losing:streamGenerateContent?alt=sse", `{`+geminiSay+`,"mockAnswer":"x y"}`), []string{`100 "x" 2+0+1=3`, "100 error 500 INTERNAL"})
	})
}

// TestGeminiModels: the models in the service's shape under its own path, and nowhere else.
func TestGeminiModels(t *testing.T) {
	stand.Run(t, serve.Config{Models: []serve.Model{stand.Fixed("m", 10)}}, func(r *stand.Stand) {
		const model = `{"name":"models/m","version":"001","displayName":"m","inputTokenLimit":9,"outputTokenLimit":9,"supportedGenerationMethods":["generateContent","streamGenerateContent","countTokens"]}`
		for path, want := range map[string]string{
			"/v1beta/models":       `200 {"models":[` + model + `]}`,
			"/v1beta/models?key=k": `200 {"models":[` + model + `]}`,
			"/v1beta/models/m":     `200 ` + model,
			"/v1beta/models/n":     `404 {"error":{"code":404,"message":"Model is not found: models/n for api version v1beta","status":"NOT_FOUND"}}`,
			"/v1beta/tunedModels":  `404 {"error":{"code":404,"message":"There is no GET /v1beta/tunedModels.","status":"NOT_FOUND"}}`,
		} {
			if status, got, _ := r.Whole("GET", path, "", "x-goog-api-key", "k"); fmt.Sprint(status, " ", got) != want {
				t.Errorf("%s\n got %d %s\nwant %s", path, status, got, want)
			}
		}
		if _, got, _ := r.Whole("GET", "/v1/models", "", "x-goog-api-key", "k"); !strings.HasPrefix(got, `{"object":"list"`) {
			t.Errorf("/v1/models is %s, want the OpenAI API's", got)
		}
	})
}

package cassette

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/exchange"
)

const ms = time.Millisecond

// recorded returns an exchange that was sent at one second, with these messages.
func recorded(messages ...string) *exchange.Exchange {
	x := &exchange.Exchange{
		Request: 1, Protocol: "openai-chat", Model: "m", Method: "POST", Path: "/v1/chat/completions", Due: time.Second, Sent: time.Second, Answered: time.Second + 50*ms,
		Status: 200, HTTP: "1.1", Headers: [][2]string{{"Content-Type", "text/event-stream"}}, How: exchange.Open,
	}
	for i, m := range messages {
		x.End = time.Second + time.Duration(i+1)*100*ms
		x.Add(x.End, []byte("data: "+m+"\n\n"))
	}
	return x
}

func delta(text string) string {
	return fmt.Sprintf(`{"choices":[{"index":0,"delta":{"content":%q},"finish_reason":null}]}`, text)
}

const (
	usage = `{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":4}}}`
	stop  = `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
	done  = "[DONE]"
)

func file(t *testing.T, h exchange.Header, all ...*exchange.Exchange) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := exchange.NewWriter(&b, h)
	for _, x := range all {
		if err == nil {
			err = w.Write(x)
		}
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func read(t *testing.T, all ...*exchange.Exchange) *Tape {
	t.Helper()
	c, err := Read(file(t, exchange.Header{}, all...))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// call is a call and what it was told.
func call(loop *pipeline.Virtual, counts ...int) (*pipeline.Call, *[]string) {
	var told []string
	c := &pipeline.Call{PromptTokens: 99, OutputTokens: 50, MaxTokens: 50, Counts: counts, Record: pipeline.NewRequest(7, 0)}
	c.Notify = func(p pipeline.Progress) {
		told = append(told, fmt.Sprintf("%d at %s, modelled %t", p.Tokens, loop.Now(), p.Modelled))
	}
	c.Done = func() { told = append(told, fmt.Sprintf("%s at %s", c.Record.Outcome, loop.Now())) }
	return c, &told
}

// TestStage: an answer comes at its recorded instants with its recorded counts, whatever
// was asked for.
func TestStage(t *testing.T) {
	tape := read(t, recorded(delta("a"), delta("b"), delta("c"), stop, usage, done))
	var loop pipeline.Virtual
	s := NewStage(&loop, func(uint64) *Answer { return &tape.Answers[0] })
	c, told := call(&loop, 1, 2, 4, 5, 6)
	loop.At(2*time.Second, pipeline.RankTimer, func() { s.Start(c) })
	if err := loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	// Five tokens in three chunks are 1, 2 and 2.
	if want := []string{
		"1 at 2.1s, modelled true", "2 at 2.2s, modelled true", "4 at 2.3s, modelled true", "5 at 2.3s, modelled true", "ok at 2.6s",
	}; !slices.Equal(*told, want) {
		t.Errorf("told %q, want %q", *told, want)
	}
	want := pipeline.NewRequest(7, 0)
	want.Sent, want.FirstByte, want.FirstOutput = 2*time.Second, 2100*ms, 2100*ms
	want.FirstText, want.FirstSeen, want.LastOutput, want.End = 2100*ms, 2100*ms, 2300*ms, 2600*ms
	want.Finish, want.PromptTokens, want.CachedTokens, want.OutputTokens = "stop", 9, 4, 5
	want.TokenSource, want.Chunks, want.Simulated = "usage", 3, true
	want.Gaps, want.LongestGap = pipeline.Gaps{{For: 99_876_864, N: 2}}, 100*ms
	want.Opening = pipeline.Opening{Chunks: 1}
	if !reflect.DeepEqual(c.Record, want) {
		t.Errorf("record\n%+v, want\n%+v", c.Record, want)
	}
}

// TestFailures: what was refused is refused again, and what broke off breaks off.
func TestFailures(t *testing.T) {
	refused := recorded(`{"error":{"message":"slow down"}}`)
	refused.Status, refused.Headers[0][1] = 429, "application/json"
	refused.Body = []byte(`{"error":{"message":"slow down"}}`)
	refused.Reads = []exchange.Read{{At: refused.End, Bytes: len(refused.Body)}}
	refused.How = exchange.EOF
	broken := recorded(delta("a"))
	broken.How, broken.Cause, broken.End = exchange.Reset, "unexpected EOF", time.Second+300*ms
	tape := read(t, refused, broken)
	for i, want := range [][]string{
		{"refused at 100ms", "HTTP 429: slow down"},
		{"1 at 100ms, modelled true", "truncated at 300ms", "the answer broke off: unexpected EOF"},
	} {
		var loop pipeline.Virtual
		c, told := call(&loop, 1)
		NewStage(&loop, func(uint64) *Answer { return &tape.Answers[i] }).Start(c)
		if err := loop.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := append(*told, c.Record.Reason); !slices.Equal(got, want) {
			t.Errorf("answer %d: %q, want %q", i, got, want)
		}
	}
}

// TestCancel: an answer that is given up ends at once, with what had come.
func TestCancel(t *testing.T) {
	tape := read(t, recorded(delta("a"), delta("b"), delta("c"), usage, done))
	var loop pipeline.Virtual
	s := NewStage(&loop, func(uint64) *Answer { return &tape.Answers[0] })
	c, told := call(&loop, 1, 5)
	s.Start(c)
	loop.At(250*ms, pipeline.RankInput, func() { s.Cancel(c); s.Cancel(c) })
	loop.At(time.Second, pipeline.RankInput, func() { s.Cancel(c) })
	if err := loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := []string{"1 at 100ms, modelled true", "cancelled at 250ms"}; !slices.Equal(*told, want) {
		t.Errorf("told %q, want %q", *told, want)
	}
	r := c.Record
	if r.FirstOutput != 100*ms || r.LastOutput != 200*ms || r.End != 250*ms || r.OutputTokens != pipeline.UnknownCount {
		t.Errorf("record %+v", r)
	}
	// From inside a Notify nothing more is told.
	var again pipeline.Virtual
	d, told := call(&again, 1, 2, 5)
	s = NewStage(&again, func(uint64) *Answer { return &tape.Answers[0] })
	d.Notify = func(p pipeline.Progress) { *told = append(*told, fmt.Sprint(p.Tokens)); s.Cancel(d) }
	s.Start(d)
	if err := again.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := []string{"1", "cancelled at 100ms"}; !slices.Equal(*told, want) {
		t.Errorf("told %q, want %q", *told, want)
	}
}

func TestSteps(t *testing.T) {
	think := `{"choices":[{"index":0,"delta":{"reasoning_content":"hm"}}]}`
	thought := `{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":10,"completion_tokens_details":{"reasoning_tokens":4}}}`
	whole := recorded(`{"choices":[{"index":0,"message":{"content":"a b"},"finish_reason":"stop"}],"usage":{"completion_tokens":2}}`)
	whole.Headers[0][1], whole.How = "application/json", exchange.EOF
	whole.Body = whole.Body[len("data: ") : len(whole.Body)-2]
	whole.Reads[0].Bytes = len(whole.Body)
	for name, c := range map[string]struct {
		x    *exchange.Exchange
		want []Step
	}{
		"one a chunk when nobody counted": {recorded(delta("a"), delta("b"), stop, done), []Step{{100 * ms, 1}, {200 * ms, 2}}},
		"spread":                          {recorded(delta("a"), delta("b"), usage, done), []Step{{100 * ms, 2}, {200 * ms, 5}}},
		"reasoning is no text":            {recorded(think, think, delta("a"), delta("b"), thought, done), []Step{{300 * ms, 3}, {400 * ms, 6}}},
		"reasoning that nobody counted":   {recorded(think, delta("a"), usage, done), []Step{{200 * ms, 2}}},
		"fewer tokens than chunks":        {recorded(delta("a"), delta("b"), delta("c"), strings.Replace(usage, "5", "2", 1), done), []Step{{100 * ms, 1}, {200 * ms, 1}, {300 * ms, 2}}},
		"as the server counted":           {recorded(counted("a", 3), counted("b", 4), done), []Step{{100 * ms, 3}, {200 * ms, 4}}},
		"a whole answer comes at its end": {whole, []Step{{100 * ms, 2}}},
		"nothing but usage":               {recorded(stop, usage, done), nil},
	} {
		got := read(t, c.x).Answers[0].Steps
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// counted is a delta with a running count.
func counted(text string, tokens int) string {
	return strings.TrimSuffix(delta(text), "}") + fmt.Sprintf(`,"usage":{"prompt_tokens":9,"completion_tokens":%d}}`, tokens)
}

func TestSpread(t *testing.T) {
	for _, c := range []struct {
		chunks, tokens int
		want           []int
	}{
		{0, 5, []int{}}, {3, 0, []int{1, 1, 1}}, {3, -1, []int{1, 1, 1}}, {3, 1, []int{1, 0, 0}}, {4, 2, []int{1, 0, 0, 1}},
		{4, 3, []int{1, 1, 0, 1}}, {2, 5, []int{2, 3}}, {1, 1 << 40, []int{mostTokens}},
	} {
		if got := spread(c.chunks, c.tokens); !slices.Equal(got, c.want) {
			t.Errorf("spread(%d, %d) = %v, want %v", c.chunks, c.tokens, got, c.want)
		}
	}
}

func TestRead(t *testing.T) {
	lost, gone := recorded(), recorded(delta("a"))
	lost.Status, lost.How, lost.Cause = 0, exchange.None, "no route"
	gone.Stop = exchange.Cancelled
	if got := read(t, lost, recorded(delta("a"), done), gone); len(got.Answers) != 1 || got.Left != 2 || got.Cut || got.Answers[0].Model != "m" {
		t.Errorf("read %+v", got)
	}
	whole := file(t, exchange.Header{}, recorded(delta("a"), done))
	if got, err := Read(whole[:len(whole)-8]); err != nil || len(got.Answers) != 1 || !got.Cut {
		t.Errorf("of a file that was cut: %+v, error %v", got, err)
	}
	morse := recorded(done)
	morse.Protocol = "morse"
	for want, data := range map[string][]byte{
		"there is no exchange in it": file(t, exchange.Header{}),
		"none of its exchanges can be given again; of the last: the client gave it up before the end": file(t, exchange.Header{}, gone),
		`exchange 1: protocol "morse" is not known`:                                                   file(t, exchange.Header{}, morse),
		"exchanges: want a gzip file":                                                                 []byte("text"),
	} {
		if _, err := Read(data); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// TestHashed: an answer without its words comes at the same instants.
func TestHashed(t *testing.T) {
	x := recorded(delta("sesame"), delta(" "), delta("open"), stop, usage, done)
	plain, err := Read(file(t, exchange.Header{}, x))
	if err != nil {
		t.Fatal(err)
	}
	hashed, err := Read(file(t, exchange.Header{Hashed: true}, x))
	if err != nil || !reflect.DeepEqual(plain, hashed) {
		t.Errorf("%+v, error %v; want %+v", hashed, err, plain)
	}
}

// TestBurst: an answer whose chunks all came in one read tells no pace when it is given again
// either.
func TestBurst(t *testing.T) {
	x := recorded()
	x.End = time.Second + 100*ms
	x.Add(x.End, []byte("data: "+strings.Join([]string{delta("a"), delta("b"), delta("c"), stop, usage, done}, "\n\ndata: ")+"\n\n"))
	tape := read(t, x)
	var loop pipeline.Virtual
	c, _ := call(&loop)
	NewStage(&loop, func(uint64) *Answer { return &tape.Answers[0] }).Start(c)
	if err := loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r := &c.Record; !r.Transport.Burst || r.Chunks != 3 || r.FirstOutput != r.LastOutput || r.Outcome != pipeline.OK {
		t.Errorf("record %+v, want a burst of 3 chunks", r)
	}
}

// TestBundled: what tells how far the pace of an answer may be from the model's is told of it
// again, and of one that was given up nothing.
func TestBundled(t *testing.T) {
	used := strings.Replace(usage, `"completion_tokens":5`, `"completion_tokens":100`, 1)
	words := recorded(delta(strings.Repeat("word ", 80)), delta(strings.Repeat("word ", 20)), stop, used, done)
	several := strings.Replace(delta("no"), `"index":0`, `"index":1`, 1)
	choices := recorded(delta("a"), delta("b"), several, used, done)
	held := recorded(strings.Repeat(delta("a")+"\n\ndata: ", 8)+delta("b"), delta("c"), used, done)
	for _, c := range []struct {
		name   string
		x      *exchange.Exchange
		cancel time.Duration
		want   pipeline.Request
	}{
		{"80 of 100 words", words, time.Second, pipeline.Request{Opening: pipeline.Opening{Chunks: 1, Bytes: 400, Of: 500}}},
		{"given up", words, 250 * ms, pipeline.Request{}},
		{"two choices", choices, time.Second, pipeline.Request{Choices: 2}},
		{"held", held, time.Second, pipeline.Request{Together: 9, Opening: pipeline.Opening{Chunks: 9}}},
	} {
		var loop pipeline.Virtual
		tape := read(t, c.x)
		s := NewStage(&loop, func(uint64) *Answer { return &tape.Answers[0] })
		call, _ := call(&loop)
		s.Start(call)
		loop.At(c.cancel, pipeline.RankInput, func() { s.Cancel(call) })
		if err := loop.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		got := pipeline.Request{Opening: call.Record.Opening, Together: call.Record.Together, Choices: call.Record.Choices}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: opening %+v, %d together, %d choices; want %+v, %d, %d", c.name, got.Opening, got.Together, got.Choices, c.want.Opening, c.want.Together, c.want.Choices)
		}
	}
}

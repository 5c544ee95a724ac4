package fit

import (
	"testing"
)

func TestContext(t *testing.T) {
	for _, test := range []struct{ prompt, generated, want int }{
		{512, 128, 576}, {0, 128, 64}, {512, 0, 513}, {512, 1, 513}, {512, 3, 513}, {512, 5, 514},
		{Unstated, Unstated, 1}, {Unstated, 100, 50}, {100, Unstated, 101},
	} {
		if got := (Row{Prompt: test.prompt, Generated: test.generated}).context(); got != test.want {
			t.Errorf("context of %d and %d = %d, want %d", test.prompt, test.generated, got, test.want)
		}
	}
}

func TestReplicas(t *testing.T) {
	for _, test := range []struct {
		row                 Row
		replicas, sequences int
	}{
		{Row{GPUs: 1, Batch: 8}, 1, 8},
		{Row{GPUs: 4, Batch: 8, Parallelism: "tp"}, 1, 8},
		{Row{GPUs: 4, Batch: 8, Parallelism: "dp"}, 4, 2},
		{Row{GPUs: 4, Batch: 9, Parallelism: "dp"}, 4, 3},
		{Row{GPUs: 4, Batch: 1, Parallelism: "dp"}, 4, 1},
		{Row{GPUs: 4, Batch: Unstated, Parallelism: "dp"}, 4, Unstated},
	} {
		if r, s := test.row.replicas(), test.row.sequences(); r != test.replicas || s != test.sequences {
			t.Errorf("%+v: %d replicas of %d sequences, want %d of %d", test.row, r, s, test.replicas, test.sequences)
		}
	}
}

// What a metric depends on has to be stated.
func TestLacks(t *testing.T) {
	whole := Row{GPUs: 1, Prompt: 100, Generated: 10, Batch: 2}
	but := func(m Metric, change func(*Row)) Row {
		r := whole
		r.Metric = m
		change(&r)
		return r
	}
	nothing := func(*Row) {}
	noPrompt := func(r *Row) { r.Prompt = Unstated }
	noAnswer := func(r *Row) { r.Generated = Unstated }
	noBatch := func(r *Row) { r.Batch = Unstated }
	for _, test := range []struct {
		name string
		row  Row
		want string
	}{
		{"prefill", but(PrefillRate, nothing), ""},
		{"prefill of no prompt", but(PrefillRate, noPrompt), "prompt_tokens is not stated: prefill_tok_s depends on it"},
		{"prefill of 0 tokens", but(PrefillRate, func(r *Row) { r.Prompt = 0 }), "prompt_tokens is not stated: prefill_tok_s depends on it"},
		{"prefill of no batch", but(PrefillRate, noBatch), "batch is empty: only aggregate_tok_s can do without"},
		{"prefill without an answer", but(PrefillRate, noAnswer), ""},
		{"first token of no prompt", but(TTFT, noPrompt), "prompt_tokens is not stated: ttft_ms depends on it"},
		{"decode without counts", but(DecodeRate, func(r *Row) { noPrompt(r); noAnswer(r) }), ""},
		{"time per token without counts", but(TPOT, func(r *Row) { noPrompt(r); noAnswer(r) }), ""},
		{"the same of a closed loop", but(TPOT, func(r *Row) { r.Note = "closed-loop concurrency"; noPrompt(r) }), "prompt_tokens is not stated: tpot_ms depends on it"},
		{"a closed loop without answers", but(TPOT, func(r *Row) { r.Note = "closed-loop concurrency"; noAnswer(r) }), "gen_tokens_or_context is not stated: tpot_ms depends on it"},
		{"a closed loop of one", but(TPOT, func(r *Row) { r.Note = "closed-loop"; r.Batch = 1; noPrompt(r) }), ""},
		{"a whole run", but(AggregateRate, noBatch), ""},
		{"a whole run without answers", but(AggregateRate, noAnswer), "gen_tokens_or_context is not stated: aggregate_tok_s depends on it"},
		{"what nobody predicts", but("e2e_ms", nothing), `metric "e2e_ms" is none of [prefill_tok_s decode_tok_s ttft_ms tpot_ms aggregate_tok_s]`},
	} {
		got := ""
		if err := test.row.lacks(); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func TestUnits(t *testing.T) {
	for _, m := range Metrics() {
		want := "tok/s"
		if m == "ttft_ms" || m == "tpot_ms" {
			want = "ms"
		}
		if got := m.Unit(); got != want {
			t.Errorf("unit of %s is %s, want %s", m, got, want)
		}
	}
}

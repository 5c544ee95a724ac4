package fit

import (
	"encoding/csv"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestReadRow(t *testing.T) {
	const file = "id,source,engine,model,params_b,weight_format,bits_per_weight,gpu,n_gpu,prompt_tokens,gen_tokens_or_context,batch,metric,value,unit,note,parallelism\n" +
		"a-1,here,vLLM-0.10,Llama-3.1-8B,8.03,awq,4.25,RTX-4090,2,512,128,4,tpot_ms,12.5,ms,closed-loop,tp\n" +
		",,llama.cpp-,Qwen3-4B,,Q4_K_M,,Apple-M1-8c,,,,,aggregate_tok_s,21,,,\n"
	rows, err := ReadRows("rows.csv", strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	want := []Row{{
		Line: 2, ID: "a-1", Source: "here", Engine: "vLLM-0.10", Model: "Llama-3.1-8B", GPU: "RTX-4090", WeightFormat: "awq", Bits: 4.25,
		GPUs: 2, Parallelism: "tp", Prompt: 512, Generated: 128, Batch: 4, Metric: TPOT, Value: 12.5, Note: "closed-loop",
	}, {
		Line: 3, ID: "line 3", Engine: "llama.cpp", Model: "Qwen3-4B", GPU: "Apple-M1-8c", WeightFormat: "Q4_K_M",
		GPUs: 1, Prompt: Unstated, Generated: Unstated, Batch: Unstated, Metric: AggregateRate, Value: 21,
	}}
	if !slices.Equal(rows, want) {
		t.Errorf("%+v\nwant %+v", rows, want)
	}
}

// A byte order mark may come before a quote.
func TestReadRowsOfQuotes(t *testing.T) {
	rows, err := ReadRows("rows.csv", strings.NewReader("\ufeff\"gpu\",\"metric\",\"value\",\"engine\",\"model\",\"weight_format\"\nL4,energy_j,40,vllm,Qwen3-4B,bf16\n"))
	if err != nil || len(rows) != 1 || rows[0].GPU != "L4" {
		t.Errorf("%+v, %v", rows, err)
	}
}

// Columns may come in any order, with a byte order mark and spaces, and most may be
// missing.
func TestReadRowsOfFewColumns(t *testing.T) {
	const file = "\ufeffgpu, metric,value,engine,model,weight_format,batch\r\nL4,decode_tok_s, 40 ,vllm,Qwen3-4B,bf16,1\r\n"
	rows, err := ReadRows("rows.csv", strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	want := []Row{{
		Line: 2, ID: "line 2", Engine: "vllm", Model: "Qwen3-4B", GPU: "L4", WeightFormat: "bf16", GPUs: 1,
		Prompt: Unstated, Generated: Unstated, Batch: 1, Metric: DecodeRate, Value: 40,
	}}
	if !slices.Equal(rows, want) {
		t.Errorf("%+v\nwant %+v", rows, want)
	}
}

func TestReadRowsRefuses(t *testing.T) {
	const header = "engine,model,weight_format,gpu,n_gpu,batch,prompt_tokens,bits_per_weight,metric,value,unit,parallelism\n"
	for _, test := range []struct{ name, file, want string }{
		{"nothing", "", "rows.csv: no header: want a first line with " + strings.Join(Columns(), ",")},
		{"an open quote", "\"engine,model\n", "rows.csv: parse error on line 1, column 15: extraneous or missing \" in quoted-field"},
		{"a header only", header, "rows.csv: no measurements below the header"},
		{"columns nobody knows", "gpus,model,cost\n", "rows.csv:1: missing columns: engine, weight_format, gpu, metric, value\n" +
			"rows.csv:1: unknown columns: \"gpus\", \"cost\"; want some of " + strings.Join(Columns(), ", ")},
		{"semicolons", "engine;model\nvllm;Qwen3-4B\n", "rows.csv:1: the columns are not divided by commas"},
		{"tabs", "engine\tmodel\nvllm\tQwen3-4B\n", "rows.csv:1: the columns are not divided by commas"},
		{"UTF-16", "\xff\xfee\x00n\x00", "rows.csv: not text in UTF-8: want CSV in that"},
		{"a picture", "\x89PNG\r\n\x1a\n\x00\x00", "rows.csv: not text in UTF-8: want CSV in that"},
		{"lines that end as on old Macs", "engine,model\rvllm,Qwen3-4B\r", "rows.csv: lines end in carriage returns alone: want line feeds"},
		{"a column twice", "engine,model,weight_format,gpu,metric,value,model\n", "rows.csv:1: twice there: \"model\""},
		{"too few cells", header + "vllm,Qwen3-4B\n", "rows.csv:2: 2 cells under 12 columns"},
		{"empty cells", header + ",,,,,,,,,,,\n", "rows.csv:2: engine is empty\nrows.csv:2: model is empty\nrows.csv:2: gpu is empty\n" +
			"rows.csv:2: weight_format is empty\nrows.csv:2: metric is empty\nrows.csv:2: value is empty"},
		{"cells that are no numbers", header + "vllm,m,bf16,g,two,many,some,4bit,tpot_ms,fast,ms,tp\n",
			"rows.csv:2: bits_per_weight \"4bit\": want a number above 0 and up to 64\n" +
				"rows.csv:2: n_gpu \"two\": want a whole number from 1 to 100000000\n" +
				"rows.csv:2: prompt_tokens \"some\": want a whole number from 0 to 100000000\n" +
				"rows.csv:2: batch \"many\": want a whole number from 1 to 100000000\n" +
				"rows.csv:2: value \"fast\": want a number above 0 and up to 1e+12"},
		{"numbers out of range", header + "vllm,m,bf16,g,0,0,-1,65,tpot_ms,0,ms,tp\n",
			"rows.csv:2: bits_per_weight \"65\": want a number above 0 and up to 64\n" +
				"rows.csv:2: n_gpu \"0\": want a whole number from 1 to 100000000\n" +
				"rows.csv:2: prompt_tokens \"-1\": want a whole number from 0 to 100000000\n" +
				"rows.csv:2: batch \"0\": want a whole number from 1 to 100000000\n" +
				"rows.csv:2: value \"0\": want a number above 0 and up to 1e+12"},
		{"not a number", header + "vllm,m,bf16,g,1,1,1,,tpot_ms,NaN,ms,tp\n", "rows.csv:2: value \"NaN\": want a number above 0 and up to 1e+12"},
		{"infinity", header + "vllm,m,bf16,g,1,1,1,,tpot_ms,+Inf,ms,tp\n", "rows.csv:2: value \"+Inf\": want a number above 0 and up to 1e+12"},
		{"another unit", header + "vllm,m,bf16,g,1,1,1,,tpot_ms,1,s,tp\nvllm,m,bf16,g,1,1,1,,decode_tok_s,1,ms,tp\n",
			"rows.csv:2: unit \"s\": tpot_ms is in ms\nrows.csv:3: unit \"ms\": decode_tok_s is in tok/s"},
		{"another way to share", header + "vllm,m,bf16,g,2,1,1,,tpot_ms,1,ms,pp\n", "rows.csv:2: parallelism \"pp\": want one of none, tp, layer, dp"},
		{"an open quote", header + "\"vllm,m,bf16,g,2,1,1,,tpot_ms,1,ms,tp\n", "rows.csv: parse error on line 2, column 39: extraneous or missing \" in quoted-field"},
	} {
		rows, err := ReadRows("rows.csv", strings.NewReader(test.file))
		if err == nil || err.Error() != test.want || rows != nil {
			t.Errorf("%s: %d rows, %v\nwant %s", test.name, len(rows), err, test.want)
		}
	}
}

// A metric that nobody predicts is not the reader's business, nor is its unit.
func TestReadRowsOfOtherMetrics(t *testing.T) {
	rows, err := ReadRows("rows.csv", strings.NewReader("engine,model,weight_format,gpu,metric,value,unit\nx,y,z,w,energy_j,3,J\nx,y,z,w,decode_tok_s,3,tokens/s\n"))
	if err != nil || len(rows) != 2 || rows[0].Metric != "energy_j" {
		t.Errorf("%+v, %v", rows, err)
	}
}

// write returns rows as a file.
func write(rows []Row) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	stated := func(v int) string {
		if v == Unstated {
			return ""
		}
		return strconv.Itoa(v)
	}
	_ = w.Write(Columns())
	for _, r := range rows {
		bits := ""
		if r.Bits > 0 {
			bits = strconv.FormatFloat(r.Bits, 'g', -1, 64)
		}
		_ = w.Write([]string{
			r.ID, r.Source, r.Engine, r.Model, "", r.WeightFormat, bits, r.GPU, strconv.Itoa(r.GPUs), stated(r.Prompt), stated(r.Generated), stated(r.Batch),
			string(r.Metric), strconv.FormatFloat(r.Value, 'g', -1, 64), "", r.Note, r.Parallelism,
		})
	}
	w.Flush()
	return b.String()
}

// Rows that are written are read again as they were.
func TestRowsRoundTrip(t *testing.T) {
	want := Published()
	got, err := ReadRows("again.csv", strings.NewReader(write(want)))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) {
		t.Error("the published rows change when they are written and read again")
	}
}

// Whatever a file holds, reading it gives rows that are whole, or an error.
func FuzzReadRows(f *testing.F) {
	f.Add(write(Published()[:3]))
	f.Add("engine,model,weight_format,gpu,metric,value\nvllm,m,bf16,g,tpot_ms,1\n")
	f.Add("\ufeffengine;model\n\"")
	f.Add("engine,model,weight_format,gpu,metric,value,batch,n_gpu\nvllm,m,bf16,g,ttft_ms,1e400,-0,0x1\n\n,,,,,,,\n")
	f.Fuzz(func(t *testing.T, file string) {
		rows, err := ReadRows("f", strings.NewReader(file))
		if (err == nil) != (len(rows) > 0) {
			t.Fatalf("%d rows and %v", len(rows), err)
		}
		for _, r := range rows {
			if r.Line < 2 || r.ID == "" || r.Engine == "" || r.Model == "" || r.GPU == "" || r.WeightFormat == "" || r.Metric == "" ||
				!(r.Value >= leastValue && r.Value <= mostValue) || r.GPUs < 1 || r.Batch == 0 || min(r.Prompt, r.Generated, r.Batch) < Unstated {
				t.Fatalf("not a row: %+v", r)
			}
		}
		if err == nil {
			again, err := ReadRows("f", strings.NewReader(write(rows)))
			if err != nil || len(again) != len(rows) {
				t.Fatalf("written and read again: %d of %d rows, %v", len(again), len(rows), err)
			}
		}
	})
}

// Of a file in which every line is wrong, the first errors are enough.
func TestReadRowsLimitsErrors(t *testing.T) {
	text := "engine,model,weight_format,gpu,metric,value\n" + strings.Repeat("vllm,Qwen3-4B,bf16,L4,tpot_ms,0\n", 12)
	_, err := ReadRows("f.csv", strings.NewReader(text))
	if err == nil {
		t.Fatal("no error")
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 11 || !strings.HasPrefix(lines[9], "f.csv:11: value ") || lines[10] != "f.csv: and 2 errors more" {
		t.Errorf("%d lines, the last %q", len(lines), lines[len(lines)-1])
	}
	_, err = ReadRows("f.csv", strings.NewReader(text+"\"open\n"))
	lines = strings.Split(err.Error(), "\n")
	if len(lines) != 12 || lines[10] != "f.csv: and 2 errors more" || !strings.HasPrefix(lines[11], "f.csv: parse error on line 14") {
		t.Errorf("and a quote that is open: %d lines, the last %q", len(lines), lines[len(lines)-1])
	}
}

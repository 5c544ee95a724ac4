package catalog

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

const userFile = `# what we run
[hardware]
name,memory_GB,mem_bandwidth_GB_s,dense_fp16_bf16_TFLOPS
Our-Card, 48, 900, 250
Bare,,100,

[models]
name,layers,hidden,heads,ffn_dim,vocab,max_context,note
Our-7B,32,4096,32,11008,32000,8192,"ours, tuned"

[engines]
name,max_sequences,on_full
our-vllm,64,swap
`

func read(t *testing.T, text string) *Catalog {
	t.Helper()
	c, err := Read("our.txt", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestReadUserRows(t *testing.T) {
	c := read(t, userFile)
	h, err := c.Hardware("our card")
	if want := (Hardware{Name: "Our-Card", Memory: 48 << 30, Bandwidth: 900e9, FP16: 250e12, Source: "our.txt", Own: true}); err != nil || h != want {
		t.Errorf("got  %+v, %v\nwant %+v", h, err, want)
	}
	m, err := c.Model("Our-7B")
	want := Model{
		Name: "Our-7B", Layers: 32, Hidden: 4096, Heads: 32, KVHeads: 32, HeadDim: 128, FFN: 11008, Gated: true, Vocab: 32000,
		Weights: "fp16", MaxContext: 8192, Source: "our.txt", Own: true, Note: "ours, tuned", Published: 6_738_149_376, PublishedActive: 6_607_077_376,
	}
	if err != nil || m != want {
		t.Errorf("got  %+v, %v\nwant %+v", m, err, want)
	}
	e, err := c.Engine("our-vllm")
	wantEngine, _ := FindEngine("vllm")
	wantEngine.Name, wantEngine.Aliases, wantEngine.MaxSequences, wantEngine.OnFull = "our-vllm", nil, 64, OnFullSwap
	wantEngine.Source, wantEngine.Note, wantEngine.Own = "our.txt", "", true
	wantEngine.RunsOn, wantEngine.PortedTo = nil, nil
	if err != nil || !reflect.DeepEqual(e, wantEngine) {
		t.Errorf("got  %+v, %v\nwant %+v", e, err, wantEngine)
	}
}

func TestReadKeepsTheBuiltInRows(t *testing.T) {
	c := read(t, userFile)
	if h, err := c.Hardware("H100-SXM"); err != nil || h.Memory != 80<<30 {
		t.Errorf("H100-SXM: %+v, %v", h, err)
	}
	if _, err := Builtin().Hardware("Our-Card"); err == nil {
		t.Error("a user's row is in the built-in catalogue")
	}
	if _, err := c.Hardware("Our-Crad"); err == nil || !strings.Contains(err.Error(), "nearest: Our-Card") {
		t.Errorf("error = %v, want Our-Card to be suggested", err)
	}
}

// The lists hold the user's rows after the built-in ones.
func TestListsOfAUsersCatalog(t *testing.T) {
	c := read(t, userFile)
	devices, models, engines := c.Devices(), c.Models(), c.Engines()
	if n := len(AllHardware()); len(devices) != n+2 || devices[0] != AllHardware()[0] || devices[n].Name != "Our-Card" || devices[n+1].Name != "Bare" {
		t.Errorf("%d devices, of which the last is %s", len(devices), devices[len(devices)-1].Name)
	}
	if n := len(AllModels()); len(models) != n+1 || models[n].Name != "Our-7B" {
		t.Errorf("%d models, of which the last is %s", len(models), models[len(models)-1].Name)
	}
	if n := len(AllEngines()); len(engines) != n+1 || engines[n].Name != "our-vllm" {
		t.Errorf("%d engines, of which the last is %s", len(engines), engines[len(engines)-1].Name)
	}
}

// A user's table may have every column of the built-in one.
func TestReadAllColumns(t *testing.T) {
	c := read(t, "[engines]\n"+strings.Join(engineColumns, ",")+"\n"+
		"mine,my-own|ours,AMD|cpu,apple,8,512,40,A,16,1024,1,0,1,0,,0,refuse,,256,0,local,1,3,layer,1.5,3,.4,20,1.5,60,measured,none\n"+
		"slotted,,,,,,,,,,,,,,8,1,,2,256,0,local,1,3,layer,1.5,3,.4,20,1.5,60,measured,none\n")
	want := Engine{
		Name: "mine", Aliases: []string{"my-own", "ours"}, RunsOn: []string{"AMD", "cpu"}, PortedTo: []string{"apple"}, MaxSequences: 8, TokenBudget: 512, LargeMemory: 40 << 30, LargeExcept: "A",
		LargeMaxSequences: 16, LargeTokenBudget: 1024, Chunked: true, PlansAhead: true, OnFull: OnFullRefuse, MicroBatch: 256,
		Kernels: "local", AllLogits: true, FirstTokenSteps: 3, Split: SplitLayer, RequestFixed: 1500 * time.Microsecond, TokenizeToken: 3 * time.Microsecond,
		DraftPass: 400 * time.Microsecond, StartTime: 20 * time.Second, LoadRate: 1.5e9, IdleUnload: time.Minute, Source: "measured", Note: "none", Own: true,
	}
	if got, err := c.Engine("ours"); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v, %v\nwant %+v", got, err, want)
	}
	want.Name, want.Aliases, want.MaxSequences, want.TokenBudget, want.LargeMemory, want.LargeExcept = "slotted", nil, 0, 0, 0, ""
	want.LargeMaxSequences, want.LargeTokenBudget, want.PlansAhead, want.OnFull = 0, 0, false, ""
	want.Slots, want.SlotCache, want.PrefixBlock, want.RunsOn, want.PortedTo = 2, true, 8, nil, nil
	if got, err := c.Engine("slotted"); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v, %v\nwant %+v", got, err, want)
	}
}

func TestReadRefuses(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"an unknown section", "[cards]\n", "our.txt:1: unknown section [cards]: want [hardware], [models], [engines]"},
		{"a section twice", "[models]\n[models]\n", "our.txt:2: section [models] is there twice"},
		{"rows before a section", "\nname\n", `our.txt:2: want a section such as [hardware] before "name"`},
		{"an unknown column", "[engines]\nname,speed\n", `our.txt:2: unknown column "speed": want some of name, aliases,`},
		{"a column twice", "[engines]\nname,name\n", "our.txt:2: column name is there twice"},
		{"too few cells", "[hardware]\nname,mem_bandwidth_GB_s\nA\n", "our.txt:3: 1 cells under 2 columns"},
		{"no CSV", "[hardware]\nname,mem_bandwidth_GB_s\nA\"B,1\n", "our.txt:3: not a line of CSV: bare \" in non-quoted-field"},
		{"a built-in name", "[hardware]\nname,mem_bandwidth_GB_s\nh100 sxm,1\n",
			`our.txt:3: there is hardware named "h100 sxm" already: give yours another name`},
		{"a built-in alias", "[engines]\nname,aliases\nmine,TensorRT-LLM\n",
			`our.txt:3: there is an engine named "TensorRT-LLM" already: give yours another name`},
		{"its own name twice", "[hardware]\nname,mem_bandwidth_GB_s\nA,1\nA,1\n",
			`our.txt:4: there is hardware named "A" already: give yours another name`},
		{"cells of all kinds", "[hardware]\nname,mem_bandwidth_GB_s,family\n,x,tesla\n\n[models]\nname,layers,hidden,heads,ffn_dim,vocab,max_context,kv_heads,shared_experts\nm,2,8,4,8,8,8,3,1\n",
			`our.txt:3: name "": must not be empty
our.txt:3: family "tesla": want one of hopper, ampere, ada, blackwell, pre-ampere, geforce, cdna, rdna, gaudi, tpu, groq, apple, cpu
our.txt:3: mem_bandwidth_GB_s "x": want a number above 0 and at most 100000000, in the unit that the column's name says
our.txt:7: shared_experts "1": needs n_experts
our.txt:7: kv_heads "3": must divide heads`},
		{"rates in other units", "[hardware]\nname,mem_bandwidth_GB_s,dense_fp16_bf16_TFLOPS\nmine,900e9,250e12\n",
			`our.txt:3: mem_bandwidth_GB_s "900e9": want a number above 0 and at most 100000000, in the unit that the column's name says
our.txt:3: dense_fp16_bf16_TFLOPS "250e12": want a number above 0 and at most 100000000, in the unit that the column's name says`},
		{"a count of no model", "[models]\nname,layers,hidden,heads,ffn_dim,vocab,max_context\nm,1000000000,8,4,8,8,8\n",
			`our.txt:3: layers "1000000000": want a whole number above 0 and at most 100000000`},
		{"a shape that no model has", "[models]\nname,layers,hidden,heads,ffn_dim,vocab,max_context\nm,100000000,100000000,4,100000000,8,8\n",
			`our.txt:3: the shape has some 1e+24 parameters: check layers, hidden, heads, head_dim, ffn_dim, vocab, ranks and the experts`},
		{"a latent shape that no model has", "[models]\nname,layers,hidden,heads,ffn_dim,vocab,max_context,head_dim,kv_lora_rank,q_lora_rank,rope_dim\nm,1000,1,100000,1,8,8,1,1,100000000,100000000\n",
			`our.txt:3: the shape has some 1e+24 parameters: check layers, hidden, heads, head_dim, ffn_dim, vocab, ranks and the experts`},
		{"windows", "[models]\nname,layers,hidden,heads,ffn_dim,vocab,max_context,window_tokens,window_share\nall,32,8,4,8,8,8,4,1/1\nnearly,32,8,4,8,8,8,4,99/100\nbut one,32,8,4,8,8,8,4,31/32\n",
			`our.txt:3: window_share "1/1": want a fraction below 1, such as 5/6
our.txt:3: window_share "1/1": must be there exactly when window_tokens is
our.txt:4: window_share "99/100": leaves none of 32 layers that see everything, want at most 31/32`},
		{"parameters that the shape does not have",
			"[models]\nname,total_params_b,layers,hidden,heads,ffn_dim,vocab,max_context\n" +
				"Ours,7.7,32,4096,32,11008,32000,4096\nTheirs,7.8,32,4096,32,11008,32000,4096\nLess,5.7,32,4096,32,11008,32000,4096\n",
			`our.txt:4: total_params_b "7.8": the shape has 6.74 billion parameters: check layers, hidden, ffn_dim, vocab, mlp and the experts, or leave this empty
our.txt:5: total_params_b "5.7": the shape has 6.74 billion parameters`},
		{"weights of an unknown format", "[models]\nname,layers,hidden,heads,ffn_dim,vocab,max_context,weights\nm,2,8,4,8,8,8,fp7\n",
			`our.txt:3: weights "fp7": want one of fp16, fp8, int4, nvfp4, mxfp4`},
		{"habits of a paged cache with slots", "[engines]\nname,slots,token_budget,prefix_cache,prefix_block_tokens,on_full\nmine,2,512,1,16,swap\n",
			`our.txt:3: token_budget "512": means nothing with slots, which have a fixed part of the cache each and compute a micro-batch a step
our.txt:3: prefix_cache "1": means nothing with slots, which have a fixed part of the cache each and compute a micro-batch a step
our.txt:3: on_full "swap": means nothing with slots, which have a fixed part of the cache each and compute a micro-batch a step`},
		{"a cache without blocks", "[engines]\nname,prefix_block_tokens\nmine,\n",
			`our.txt:3: prefix_block_tokens "": must be there when prefix_cache is 1`},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Read("our.txt", []byte(test.text))
			if err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("error:\n%v\nwant:\n%v", err, test.want)
			}
		})
	}
}

// Whatever is in the file, Read gives a catalogue or an error, and rows that it
// takes are found under their names.
func FuzzRead(f *testing.F) {
	f.Add(userFile)
	f.Add("[engines]\nname,slots,slot_cache\na,1,1\n")
	f.Add("[models]\nname,layers\n\"a\",1e9\n")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := Read("f", []byte(text))
		if (c == nil) == (err == nil) {
			t.Fatalf("Read gave %v, %v", c, err)
		}
		if err != nil {
			return
		}
		for _, m := range c.models.rows {
			if got, err := c.Model(m.Name); err != nil || got.Name != m.Name {
				t.Errorf("Model(%q) = %q, %v", m.Name, got.Name, err)
			}
		}
	})
}

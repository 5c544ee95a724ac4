// Package fit sets predictions of the mock LLM beside measurements of real hardware,
// and finds the constants of the equation in them.
//
// Read row.go first: a measurement, in the columns that row_reader.go reads. deploy.go
// turns a row into a deployment: which family its engine is of, how its weights are
// multiplied. predict.go holds the closed form of each metric on top of package
// roofline. validate.go puts both sides together, and errors.go sums up how far they
// are apart. search.go finds the constants that fit rows best, and table.go writes
// them as the table that package roofline has built in. replay.go sends the requests
// of a recorded run through the engine, and calibrate.go fits the constants of one
// engine on one machine. accuracy.go has, as a table, how far off the prediction of every
// published row is, and what that says of a prediction like them.
//
// # The file of measurements
//
// A file is CSV with a header. Its columns, in any order, of which those with a star
// must be there:
//
//	engine*         software and version: vLLM-0.11, llama.cpp-cuda-2026
//	model*, gpu*    names of the catalogue
//	weight_format*  bf16, fp8, awq, Q4_K_M; bits_per_weight when a file has another average
//	n_gpu           1 when it is empty; parallelism says how they share: tp, layer, dp or none
//	prompt_tokens, gen_tokens_or_context  of one sequence: its prompt, and what is generated after it
//	batch           sequences at once, or clients of a closed loop
//	metric*         prefill_tok_s, decode_tok_s, ttft_ms, tpot_ms or aggregate_tok_s
//	value*, unit    tok/s or ms
//	id, source, note, params_b
//
// # What is fitted, and what is not
//
// The constants of the equation have names, such as "mbu.llama.cpp.q" or
// "layer.serving", and all deployments alike share them: software told apart by its
// kernels, weights by how they are multiplied, hardware by its family where that
// differs. None is for a row, a model or a device. Each has a prior, a value known from
// elsewhere and how far off it may be, with its source in package roofline; the search
// weighs the rows against it, so that a constant which few rows tell stays near.
//
// Validate predicts by the built-in table. Refit fits the rows first: what the equation
// can follow. Cross leaves out all rows of a GPU or a model, fits the rest and predicts
// those: what to expect of hardware or a model that nobody fitted. There a constant that
// only the left-out rows tell falls back to its prior, and the row is marked as pooled.
// What Cross cannot undo is that the names were chosen, and the equation written, by
// people who had seen all of the built-in rows.
//
// A constant is fitted to three digits, so that what is judged is what a table keeps:
// Refit of the built-in rows is Validate of them.
//
// # Whose measurements they are
//
// A calibration is told which engine ran on which machine, and cannot check it: almost
// any times can be fitted by some constants. So it says when one is hard to believe of
// that machine (Estimate.Doubt): a share within 2 % of its limit, which is the figure of
// the datasheet, or a value further off the built-in one than its prior expects, a share
// by more than e^.5 = 1.65 times and a cost by more than e = 2.72 times. Machines that
// are about as fast as each other are not told apart by this.
//
// Only measurements of decoding speak of the bandwidth and of fixed costs: short prompts
// depend on them too, but they would take the blame for whatever else is wrong with
// prompts.
//
// # What a prediction assumes
//
// A row says what it has to: software, model, device, batch, tokens. What it leaves out
// is not guessed, with these exceptions, all by column: several devices without a word
// on how share the model as the engine does by default; weights of an unknown format
// but known bits are stored in them and multiplied in 16; an empty batch of an
// aggregate rate is as many as the cache holds; a decode rate without token counts is
// one at a short context. All other rows are skipped, with the reason: an unknown
// engine, GPU, model or metric (the reason names the nearest), a device whose figures
// are not published, a batch or token count that the metric depends on.
//
// Three marks in a note count: "closed-loop" is a server under a fixed number of
// clients, "fp8 KV" a cache of one byte a value, and "kernel GEMV" the family of that
// kernel of the engine where the catalogue has one.
package fit

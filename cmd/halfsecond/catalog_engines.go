package main

import (
	"fmt"
	"strings"
	"time"

	"halfsecond/mockllm/catalog"
)

var engineList = catalogList[catalog.Engine]{
	name: "engines", about: "Families of serving software and their habits",
	all: (*catalog.Catalog).Engines, find: (*catalog.Catalog).Engine,
	columns:  engineColumns,
	document: func(e catalog.Engine) any { return newEngineJSON(e) },
}

var engineColumns = []column[catalog.Engine]{
	{"name", true, func(e catalog.Engine) string { return e.Name }},
	{"aliases", false, func(e catalog.Engine) string { return strings.Join(e.Aliases, ", ") }},
	{"runs on", false, runsOn},
	{"sequences", true, func(e catalog.Engine) string { return count(e.MaxSequences) }},
	{"budget", true, func(e catalog.Engine) string { return count(e.TokenBudget) }},
	{"on large devices", false, largeLimits},
	{"slots", true, func(e catalog.Engine) string { return count(e.Slots) }},
	{"prompts", true, prompts},
	{"cache", true, func(e catalog.Engine) string {
		if e.PrefixCache {
			return fmt.Sprintf("prefixes, blocks of %d", e.PrefixBlock)
		}
		return either(e.SlotCache, "a slot's last", "none")
	}},
	{"planned ahead", false, func(e catalog.Engine) string { return either(e.PlansAhead, "yes", "no") }},
	{"when full", true, func(e catalog.Engine) string { return either(e.Slots > 0, "a fixed part a slot", e.OnFull) }},
	{"split", true, func(e catalog.Engine) string { return e.Split }},
	{"micro-batch", false, func(e catalog.Engine) string { return count(e.MicroBatch) }},
	{"flash attention", false, func(e catalog.Engine) string { return either(e.FlashAttention, "yes", "no") }},
	{"kernels", true, func(e catalog.Engine) string { return e.Kernels }},
	{"output head", false, func(e catalog.Engine) string {
		return either(e.AllLogits, "for every token of a prompt", "for the last token of a prompt")
	}},
	{"first token", false, func(e catalog.Engine) string {
		if e.FirstTokenSteps == 0 {
			return ""
		}
		return fmt.Sprintf("handed out %d decode steps late", e.FirstTokenSteps)
	}},
	{"a request", false, func(e catalog.Engine) string { return span(e.RequestFixed) }},
	{"tokenizing", false, func(e catalog.Engine) string {
		if e.TokenizeToken == 0 {
			return ""
		}
		return span(e.TokenizeToken) + " a token"
	}},
	{"a drafting head", false, func(e catalog.Engine) string {
		if e.DraftPass == 0 {
			return ""
		}
		return span(e.DraftPass) + " a pass beside its computing"
	}},
	{"starting", false, func(e catalog.Engine) string {
		if e.StartTime == 0 {
			return ""
		}
		return fmt.Sprintf("%s and the weights at %s", span(e.StartTime), figure(e.LoadRate, 1e9, "GB/s"))
	}},
	{"idle unload", false, func(e catalog.Engine) string { return span(e.IdleUnload) }},
	{"status", true, func(e catalog.Engine) string { return rowStatus(e.Unverified, e.Own) }},
	{"source", true, func(e catalog.Engine) string { return e.Source }},
	{"read on", false, func(e catalog.Engine) string { return readOn(e.Own) }},
	{"note", false, func(e catalog.Engine) string { return e.Note }},
}

// runsOn names the hardware that software is made for, and that it was ported to.
func runsOn(e catalog.Engine) string {
	words := strings.Join(e.RunsOn, ", ")
	if len(e.PortedTo) > 0 {
		words += "; by a port on " + strings.Join(e.PortedTo, ", ")
	}
	return words
}

// prompts says how an engine takes in prompts.
func prompts(e catalog.Engine) string {
	switch {
	case e.Chunked && e.MicroBatch > 0:
		return fmt.Sprintf("in chunks of %d", e.MicroBatch)
	case e.Chunked:
		return "in chunks" + either(e.PrefillFirst, ", first", "")
	default:
		return "whole" + either(e.PrefillFirst, ", first", "")
	}
}

// largeLimits says what an engine's limits are on devices with much memory.
func largeLimits(e catalog.Engine) string {
	if e.LargeMemory == 0 {
		return ""
	}
	limits := []string{}
	if e.LargeMaxSequences > 0 {
		limits = append(limits, fmt.Sprintf("%d sequences", e.LargeMaxSequences))
	}
	if e.LargeTokenBudget > 0 {
		limits = append(limits, fmt.Sprintf("a budget of %d", e.LargeTokenBudget))
	}
	except := ""
	if e.LargeExcept != "" {
		except = ", other than " + e.LargeExcept
	}
	return fmt.Sprintf("%s from %s on%s", strings.Join(limits, " and "), figure(float64(e.LargeMemory), 1<<30, "GB"), except)
}

// span prints a duration, or "" when it is 0 for none.
func span(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return d.String()
}

// engineJSON is an engine family as a JSON document; what it does not have is null.
type engineJSON struct {
	Name               string   `json:"name"`
	Aliases            []string `json:"aliases"`
	RunsOn             []string `json:"runs_on"` // vendors and families of hardware; none for all
	PortedTo           []string `json:"ported_to"`
	MaxSequences       *int     `json:"max_sequences"`
	TokenBudget        *int     `json:"token_budget"`
	LargeMemoryGB      *float64 `json:"large_memory_gb"` // of 2^30 bytes
	LargeExcept        *string  `json:"large_except"`
	LargeMaxSequences  *int     `json:"large_max_sequences"`
	LargeTokenBudget   *int     `json:"large_token_budget"`
	Chunked            bool     `json:"chunked_prefill"`
	PrefillFirst       bool     `json:"prefill_first"`
	PlansAhead         bool     `json:"plans_ahead"`
	PrefixCache        bool     `json:"prefix_cache"`
	PrefixBlock        *int     `json:"prefix_block_tokens"`
	SlotCache          bool     `json:"slot_cache"`
	OnFull             *string  `json:"on_full"` // null with slots, each of which has a fixed part of the cache
	Slots              *int     `json:"slots"`
	MicroBatch         *int     `json:"micro_batch_tokens"`
	FlashAttention     bool     `json:"flash_attention"`
	Kernels            string   `json:"kernels"`
	AllLogits          bool     `json:"all_logits"`
	FirstTokenSteps    int      `json:"first_token_steps"`
	Split              string   `json:"split"`
	RequestFixedMS     float64  `json:"request_fixed_ms"`
	TokenizeMSPerToken float64  `json:"tokenize_ms_per_token"`
	DraftPassMS        float64  `json:"draft_pass_ms"`
	StartMS            *float64 `json:"start_ms"`
	LoadGBPerS         *float64 `json:"load_gb_s"` // of 1e9 bytes
	IdleUnloadMS       *float64 `json:"idle_unload_ms"`
	Unverified         bool     `json:"unverified"`
	Source             string   `json:"source"`
	ReadOn             *string  `json:"read_on"` // null for a row of the user\'s own
	Own                bool     `json:"own"`
	Note               string   `json:"note"`
}

func newEngineJSON(e catalog.Engine) engineJSON {
	return engineJSON{
		Name: e.Name, Aliases: append([]string{}, e.Aliases...), RunsOn: append([]string{}, e.RunsOn...), PortedTo: append([]string{}, e.PortedTo...),
		MaxSequences: known(e.MaxSequences, 0), TokenBudget: known(e.TokenBudget, 0),
		LargeMemoryGB: known(float64(e.LargeMemory)/(1<<30), 0), LargeExcept: known(e.LargeExcept, ""),
		LargeMaxSequences: known(e.LargeMaxSequences, 0), LargeTokenBudget: known(e.LargeTokenBudget, 0),
		Chunked: e.Chunked, PrefillFirst: e.PrefillFirst, PlansAhead: e.PlansAhead,
		PrefixCache: e.PrefixCache, PrefixBlock: known(e.PrefixBlock, 0), SlotCache: e.SlotCache, OnFull: known(e.OnFull, ""),
		Slots: known(e.Slots, 0), MicroBatch: known(e.MicroBatch, 0), FlashAttention: e.FlashAttention,
		Kernels: e.Kernels, AllLogits: e.AllLogits, FirstTokenSteps: e.FirstTokenSteps, Split: e.Split,
		RequestFixedMS: milliseconds(e.RequestFixed), TokenizeMSPerToken: milliseconds(e.TokenizeToken),
		DraftPassMS: milliseconds(e.DraftPass), StartMS: known(milliseconds(e.StartTime), 0), LoadGBPerS: known(e.LoadRate/1e9, 0),
		IdleUnloadMS: known(milliseconds(e.IdleUnload), 0),
		Unverified:   e.Unverified, Source: e.Source, ReadOn: known(readOn(e.Own), ""), Own: e.Own, Note: e.Note,
	}
}

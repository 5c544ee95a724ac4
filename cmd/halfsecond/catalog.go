package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"halfsecond/mockllm/catalog"
	"halfsecond/pipeline"
)

func newCatalogCmd(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "catalog",
		Short: "Hardware, models and hosted components, with the source of each figure",
		Long: `Catalog lists the figures that predictions and scenarios start from, each with its
source. "unverified" marks rows that were written from memory and still have to be
found in a source. Any figure may be out of date: they were read on ` + catalog.ReadOn + `.

Case and punctuation of a name do not matter.`,
		Example: `  halfsecond catalog hardware
  halfsecond catalog models Llama-3.1-8B
  halfsecond catalog components stt-deepgram-nova-3-general --format json`,
	}
	asGroup(cmd)
	cmd.AddCommand(
		newCatalogListCmd(p, catalogList[catalog.Hardware]{
			name: "hardware", about: "Accelerators and processors: memory, bandwidth, compute, interconnect",
			all: catalog.AllHardware, find: catalog.FindHardware, columns: hardwareColumns,
			document: func(h catalog.Hardware) any { return newHardwareJSON(h) },
		}),
		newCatalogListCmd(p, catalogList[catalog.Model]{
			name: "models", about: "Language models and their shapes",
			all: catalog.AllModels, find: catalog.FindModel, columns: modelColumns,
			document: func(m catalog.Model) any { return newModelJSON(m) },
		}),
		newCatalogListCmd(p, catalogList[catalog.Component]{
			name: "components", about: "Published latencies of the parts of a voice turn",
			all: catalog.AllComponents, find: catalog.FindComponent, columns: componentColumns,
			document: func(c catalog.Component) any { return newComponentJSON(c) },
		}),
	)
	return cmd
}

// catalogList is one table of the catalogue.
type catalogList[T any] struct {
	name, about string
	all         func() []T
	find        func(name string) (T, error)
	columns     []column[T]
	document    func(T) any // the row as a JSON document
}

// column is one figure of a row. Columns that are not in the list are shown for a
// single row only.
type column[T any] struct {
	name string
	list bool
	cell func(T) string
}

func newCatalogListCmd[T any](p *program, list catalogList[T]) *cobra.Command {
	return &cobra.Command{
		Use:   list.name + " [NAME]",
		Short: list.about,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fmt.Errorf("want one name, got %d: quote a name with spaces", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return runCatalog(cmd.Context(), p, list, args) },
	}
}

// runCatalog prints the whole table, or the row that is named.
func runCatalog[T any](_ context.Context, p *program, list catalogList[T], args []string) error {
	if len(args) == 0 {
		return list.printAll(p)
	}
	row, err := list.find(args[0])
	if err != nil {
		return usageError(err)
	}
	if p.Format == "json" {
		return writeJSON(p.out, list.document(row))
	}
	t := tabwriter.NewWriter(p.out, 0, 0, 3, ' ', 0)
	for _, c := range list.columns {
		if cell := c.cell(row); cell != "" {
			fmt.Fprintf(t, "%s\t%s\n", c.name, cell)
		}
	}
	return t.Flush()
}

func (l catalogList[T]) printAll(p *program) error {
	if p.Format == "json" {
		documents := []any{}
		for _, row := range l.all() {
			documents = append(documents, l.document(row))
		}
		return writeJSON(p.out, documents)
	}
	var table bytes.Buffer
	t := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	l.writeLine(t, func(c column[T]) string { return strings.ToUpper(c.name) })
	for _, row := range l.all() {
		l.writeLine(t, func(c column[T]) string { return c.cell(row) })
	}
	if err := t.Flush(); err != nil {
		return err
	}
	return writeCut(p.out, table.String(), p.width)
}

func (l catalogList[T]) writeLine(w io.Writer, cell func(column[T]) string) {
	var cells []string
	for _, c := range l.columns {
		if c.list {
			cells = append(cells, cell(c))
		}
	}
	fmt.Fprintln(w, strings.Join(cells, "\t"))
}

// writeCut writes text with every line cut to width columns, unless that is 0.
func writeCut(w io.Writer, text string, width int) error {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \n")
		if width > 1 && utf8.RuneCountInString(line) > width {
			line = string([]rune(line)[:width-1]) + "…"
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}

// figure prints a number in a unit, or "" when it is 0 for unknown.
func figure(v, unit float64, name string) string {
	if v == 0 {
		return ""
	}
	return fmt.Sprintf("%.4g %s", v/unit, name)
}

// status is the column that marks what rests on memory.
func status(unverified bool) string {
	if unverified {
		return "unverified"
	}
	return "read"
}

var hardwareColumns = []column[catalog.Hardware]{
	{"name", true, func(h catalog.Hardware) string { return h.Name }},
	{"vendor", false, func(h catalog.Hardware) string { return h.Vendor }},
	{"family", false, func(h catalog.Hardware) string { return h.Family }},
	{"memory", true, func(h catalog.Hardware) string { return figure(float64(h.Memory), 1<<30, "GB") }},
	{"bandwidth", true, func(h catalog.Hardware) string { return figure(h.Bandwidth, 1e9, "GB/s") }},
	{"fp16", true, func(h catalog.Hardware) string { return figure(h.FP16, 1e12, "TFLOPS") }},
	{"fp32", false, func(h catalog.Hardware) string { return figure(h.FP32, 1e12, "TFLOPS") }},
	{"int8", true, func(h catalog.Hardware) string { return figure(h.INT8, 1e12, "TOPS") }},
	{"fp8", true, func(h catalog.Hardware) string { return figure(h.FP8, 1e12, "TFLOPS") }},
	{"interconnect", true, func(h catalog.Hardware) string {
		return strings.TrimSpace(h.Interconnect + " " + figure(h.Link, 1e9, "GB/s"))
	}},
	{"power", false, func(h catalog.Hardware) string { return figure(h.TDP, 1, "W") }},
	{"status", true, func(h catalog.Hardware) string { return status(h.Unverified) }},
	{"source", true, func(h catalog.Hardware) string { return h.Source }},
	{"read on", false, func(catalog.Hardware) string { return catalog.ReadOn }},
}

var modelColumns = []column[catalog.Model]{
	{"name", true, func(m catalog.Model) string { return m.Name }},
	{"params", true, func(m catalog.Model) string { return figure(float64(m.Published), 1e9, "B") }},
	{"active", true, func(m catalog.Model) string { return figure(float64(m.PublishedActive), 1e9, "B") }},
	{"layers", true, func(m catalog.Model) string { return count(m.Layers) }},
	{"hidden", true, func(m catalog.Model) string { return count(m.Hidden) }},
	{"heads", true, func(m catalog.Model) string { return count(m.Heads) }},
	{"kv heads", true, func(m catalog.Model) string { return count(m.KVHeads) }},
	{"head dim", false, func(m catalog.Model) string { return count(m.HeadDim) }},
	{"ffn", false, func(m catalog.Model) string { return count(m.FFN) }},
	{"mlp", false, func(m catalog.Model) string { return map[bool]string{true: "gated", false: "plain"}[m.Gated] }},
	{"vocabulary", false, func(m catalog.Model) string { return count(m.Vocab) }},
	{"embeddings", false, func(m catalog.Model) string { return map[bool]string{true: "tied", false: "apart"}[m.Tied] }},
	{"experts", true, func(m catalog.Model) string {
		if m.Experts == 0 {
			return ""
		}
		return fmt.Sprintf("%d of %d", m.ActiveExperts, m.Experts)
	}},
	{"window", false, func(m catalog.Model) string {
		if m.Window == 0 {
			return ""
		}
		return fmt.Sprintf("%d tokens in %.0f %% of the layers", m.Window, 100*m.WindowShare)
	}},
	{"mla values", false, func(m catalog.Model) string { return count(m.MLAValues()) }},
	{"context", true, func(m catalog.Model) string { return count(m.MaxContext) }},
	{"status", true, func(m catalog.Model) string { return status(m.Unverified) }},
	{"source", true, func(m catalog.Model) string { return m.Source }},
	{"read on", false, func(catalog.Model) string { return catalog.ReadOn }},
	{"note", true, func(m catalog.Model) string { return m.Note }},
}

// count prints a number, or "" when it is 0 for none.
func count(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

var componentColumns = []column[catalog.Component]{
	{"slug", true, func(c catalog.Component) string { return c.Slug }},
	{"kind", false, func(c catalog.Component) string { return c.Kind }},
	{"name", false, func(c catalog.Component) string { return c.Name }},
	{"p50", true, func(c catalog.Component) string { return latency(c.P50) }},
	{"p95", true, func(c catalog.Component) string { return latency(c.P95) }},
	{"p50 is", true, func(c catalog.Component) string { return string(c.Statistic) }},
	{"confidence", true, func(c catalog.Component) string {
		return map[bool]string{true: "low"}[c.LowConfidence()]
	}},
	{"covers", false, func(c catalog.Component) string {
		return map[bool]string{true: "a whole voice turn, not one stage"}[c.WholeTurn()]
	}},
	{"condition", false, func(c catalog.Component) string { return c.Condition }},
	{"year", true, func(c catalog.Component) string { return count(c.Year) }},
	{"source", true, func(c catalog.Component) string { return c.Source }},
	{"read on", false, func(catalog.Component) string { return catalog.ReadOn }},
}

// latency prints a duration in ms, or "-" when it is unknown.
func latency(d time.Duration) string {
	if d == pipeline.Unknown {
		return "-"
	}
	return fmt.Sprintf("%g ms", milliseconds(d))
}

// hardwareJSON is a device as a JSON document; what is unknown is null.
type hardwareJSON struct {
	Name            string   `json:"name"`
	Vendor          string   `json:"vendor"`
	Family          string   `json:"family"`
	MemoryGB        *float64 `json:"memory_gb"` // of 2^30 bytes
	BandwidthGBs    float64  `json:"bandwidth_gb_s"`
	FP16TFLOPS      *float64 `json:"fp16_tflops"`
	FP32TFLOPS      *float64 `json:"fp32_tflops"`
	INT8TOPS        *float64 `json:"int8_tops"`
	FP8TFLOPS       *float64 `json:"fp8_tflops"`
	Interconnect    string   `json:"interconnect"`
	InterconnectGBs *float64 `json:"interconnect_gb_s_per_direction"`
	PowerW          *float64 `json:"tdp_w"`
	Unverified      bool     `json:"unverified"`
	Source          string   `json:"source"`
	ReadOn          string   `json:"read_on"`
}

func newHardwareJSON(h catalog.Hardware) hardwareJSON {
	return hardwareJSON{
		Name: h.Name, Vendor: h.Vendor, Family: h.Family,
		MemoryGB: known(float64(h.Memory)/(1<<30), 0), BandwidthGBs: h.Bandwidth / 1e9,
		FP16TFLOPS: known(h.FP16/1e12, 0), FP32TFLOPS: known(h.FP32/1e12, 0),
		INT8TOPS: known(h.INT8/1e12, 0), FP8TFLOPS: known(h.FP8/1e12, 0),
		Interconnect: h.Interconnect, InterconnectGBs: known(h.Link/1e9, 0), PowerW: known(h.TDP, 0),
		Unverified: h.Unverified, Source: h.Source, ReadOn: catalog.ReadOn,
	}
}

// modelJSON is a model as a JSON document; what it does not have is null.
type modelJSON struct {
	Name          string   `json:"name"`
	Params        int64    `json:"params"`
	ActiveParams  int64    `json:"active_params"`
	Layers        int      `json:"layers"`
	Hidden        int      `json:"hidden"`
	Heads         int      `json:"heads"`
	KVHeads       int      `json:"kv_heads"`
	HeadDim       int      `json:"head_dim"`
	FFN           int      `json:"ffn"`
	Gated         bool     `json:"gated_mlp"`
	Vocab         int      `json:"vocabulary"`
	Tied          bool     `json:"tied_embeddings"`
	Experts       *int     `json:"experts"`
	ActiveExperts *int     `json:"active_experts"`
	MLAValues     *int     `json:"mla_values"`
	WindowTokens  *int     `json:"window_tokens"`
	WindowShare   *float64 `json:"window_share"`
	MaxContext    int      `json:"max_context_tokens"`
	Unverified    bool     `json:"unverified"`
	Source        string   `json:"source"`
	ReadOn        string   `json:"read_on"`
	Note          string   `json:"note"`
}

func newModelJSON(m catalog.Model) modelJSON {
	return modelJSON{
		Name: m.Name, Params: m.Published, ActiveParams: m.PublishedActive,
		Layers: m.Layers, Hidden: m.Hidden, Heads: m.Heads, KVHeads: m.KVHeads, HeadDim: m.HeadDim, FFN: m.FFN,
		Gated: m.Gated, Vocab: m.Vocab, Tied: m.Tied,
		Experts: known(m.Experts, 0), ActiveExperts: known(m.ActiveExperts, 0), MLAValues: known(m.MLAValues(), 0),
		WindowTokens: known(m.Window, 0), WindowShare: known(m.WindowShare, 0), MaxContext: m.MaxContext,
		Unverified: m.Unverified, Source: m.Source, ReadOn: catalog.ReadOn, Note: m.Note,
	}
}

// componentJSON is a component as a JSON document; what is unknown is null.
type componentJSON struct {
	Slug          string   `json:"slug"`
	Kind          string   `json:"kind"`
	Name          string   `json:"name"`
	P50MS         *float64 `json:"p50_ms"`
	P95MS         *float64 `json:"p95_ms"`
	Statistic     *string  `json:"statistic"`
	Usable        bool     `json:"usable"`
	SpreadKnown   bool     `json:"spread_known"`
	WholeTurn     bool     `json:"whole_turn"`
	LowConfidence bool     `json:"low_confidence"`
	Condition     string   `json:"condition"`
	Source        string   `json:"source"`
	Year          int      `json:"year"`
	ReadOn        string   `json:"read_on"`
}

func newComponentJSON(c catalog.Component) componentJSON {
	return componentJSON{
		Slug: c.Slug, Kind: c.Kind, Name: c.Name,
		P50MS:     known(milliseconds(c.P50), milliseconds(pipeline.Unknown)),
		P95MS:     known(milliseconds(c.P95), milliseconds(pipeline.Unknown)),
		Statistic: known(string(c.Statistic), ""),
		Usable:    c.Usable(), SpreadKnown: c.SpreadKnown(), WholeTurn: c.WholeTurn(), LowConfidence: c.LowConfidence(),
		Condition: c.Condition, Source: c.Source, Year: c.Year, ReadOn: catalog.ReadOn,
	}
}

package roofline

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"halfsecond/mockllm/catalog"
)

// Values are constants by name, as they were fitted to measurements. A name that is
// not there has its prior. Layers and sequences are in microseconds, all others are
// shares or factors.
type Values map[string]float64

//go:embed fitted.csv
var fittedCSV string

// FittedColumns is the header of the table that Fitted reads.
var FittedColumns = []string{"name", "value", "prior", "rows"}

// fittedConstant is a row of the table: a value, and how many measurements depend on
// it.
type fittedConstant struct {
	value float64
	rows  int
}

var fittedTable = sync.OnceValue(func() map[string]fittedConstant {
	table, err := readFitted(fittedCSV)
	if err != nil {
		panic("roofline: fitted.csv: " + err.Error())
	}
	return table
})

func readFitted(text string) (map[string]fittedConstant, error) {
	lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(lines) == 0 || !slices.Equal(lines[0], FittedColumns) {
		return nil, fmt.Errorf("the header is not %s", strings.Join(FittedColumns, ","))
	}
	table := map[string]fittedConstant{}
	for _, cells := range lines[1:] {
		value, err1 := strconv.ParseFloat(cells[1], 64)
		rows, err2 := strconv.Atoi(cells[3])
		if _, twice := table[cells[0]]; twice || err1 != nil || err2 != nil || !(value > 0) || rows < 1 {
			return nil, fmt.Errorf("%s: want one row with a value above 0 and a number of rows", cells[0])
		}
		table[cells[0]] = fittedConstant{value, rows}
	}
	return table, nil
}

// builtIn is Fitted, to be read only.
var builtIn = sync.OnceValue(Fitted)

// Fitted returns the built-in constants, which package fit found.
func Fitted() Values {
	values := Values{}
	for name, c := range fittedTable() {
		values[name] = c.value
	}
	return values
}

// value returns a constant, or its prior.
func (v Values) value(name string) float64 {
	if x, ok := v[name]; ok {
		return x
	}
	return PriorOf(name).Value
}

// of returns the product of some constants.
func (v Values) of(names []string) float64 {
	product := 1.
	for _, name := range names {
		product *= v.value(name)
	}
	return product
}

// Limits of what a table may say: no code is better than the hardware.
const (
	mostMFU = .9
	mostMBU = .95
)

// Constants returns those of a deployment by the values.
func (v Values) Constants(d Deployment) Constants {
	d = d.filled()
	n, c := d.names(), d.untabled()
	v.table(&c, n)
	c.Note = v.note(d.Hardware, n)
	return c
}

// table sets the constants that are made of values.
func (v Values) table(c *Constants, n names) {
	c.MFU, c.MBU = min(mostMFU, v.of(n.mfu)), min(mostMBU, v.of(n.mbu))
	c.AttentionMBU = c.MBU
	c.LayerFixed = microseconds(v.of(n.layer) * n.perCore)
	if len(n.sequence) > 0 {
		c.SequenceFixed = microseconds(v.of(n.sequence))
	}
	if len(n.activations) > 0 {
		c.Activations = v.of(n.activations)
	}
}

// untabled returns the constants of a deployment that no table of values changes; the
// others are 0, or what they are where no value is named for them.
func (d Deployment) untabled() Constants {
	c := Constants{
		AttentionMFU: attentionMFU, KVDequant: kvDequant, Exposed: exposed, ExpertMBU: expertMBU,
		Activations: activationReads, Overlapped: d.overlapped(),
		MemoryUse: memoryUse, WorkingMemory: workingMemory(d.Hardware), NonTorch: nonTorch(d.Devices()),
	}
	c.AllReduceLatency, c.BusShare = allReduce(d)
	if d.serves() {
		c.StepFixed, c.SequenceFixed, c.ExpertFixed = stepFixed, sequenceFixed, expertFixed
	} else {
		c.MemoryUse, c.WorkingMemory, c.NonTorch = localMemoryUse, localWorkingMemory, nonTorch(1)
	}
	if d.kernels() == "metal" {
		c.MemoryUse, c.WorkingMemory, c.NonTorch = appleMemoryUse, appleWorkingMemory, 0
	}
	return c
}

func microseconds(us float64) time.Duration {
	return time.Duration(math.Round(us * float64(time.Microsecond)))
}

// note returns the caveat of a deployment's constants: a family of hardware that no
// measurement was read of, or constants that have no value of their own.
func (v Values) note(h catalog.Hardware, n names) string {
	switch h.Family {
	case "tpu", "groq", "":
		return "efficiencies of this kind of hardware are assumed: no measurement of an engine on it was read"
	}
	var assumed []string
	for _, name := range n.all() {
		if _, ok := v[name]; !ok {
			assumed = append(assumed, name)
		}
	}
	if len(assumed) > 0 {
		return "some constants are assumed, for no measurement that depends on them was read: " + strings.Join(assumed, ", ")
	}
	return ""
}

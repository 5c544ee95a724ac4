package fit

import (
	"fmt"
	"testing"
	"time"

	"halfsecond/mockllm/catalog"
)

func TestRowsDraft(t *testing.T) {
	groups := map[string][]Row{}
	for _, r := range Published() {
		e, _ := engineOf(catalog.Builtin(), r.Engine, r.Note)
		w, _ := formatOf(r.WeightFormat, r.Bits)
		k := e.Name + "|" + r.GPU + "|" + w.String()
		groups[k] = append(groups[k], r)
	}
	for k, g := range groups {
		if len(g) < 5 {
			continue
		}
		t0 := time.Now()
		c, _, err := CalibrateRows(t.Context(), catalog.Builtin(), g)
		fmt.Println(k, len(g), err, time.Since(t0), "before", meanAbs(c.Before), "after", meanAbs(c.After), c.Subject.Models)
		for _, e := range c.Estimates {
			fmt.Printf("   %s before %.4g told %v value %.4g [%.4g %.4g]\n", e.Name, e.Before, e.Told, e.Value, e.Low, e.High)
		}
	}
}

func meanAbs(e []float64) (m float64) {
	for _, x := range e {
		m += max(x, -x)
	}
	return m / float64(len(e))
}

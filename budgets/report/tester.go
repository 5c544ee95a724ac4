package report

import (
	"fmt"
	"strings"
	"time"

	"halfsecond/budgets"
	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

// Lateness is how late the tester's own loop ran, in ms.
type Lateness struct {
	N   int      `json:"n"`
	P50 *float64 `json:"p50"`
	P99 *float64 `json:"p99"`
	Max *float64 `json:"max"`
}

func lateness(l trace.Lateness) *Lateness {
	if l.Max == pipeline.Unknown {
		return nil
	}
	return &Lateness{N: l.N, P50: inMS(l.P50), P99: inMS(l.P99), Max: inMS(l.Max)}
}

// words says the lateness in a sentence.
func (l *Lateness) words() string {
	return fmt.Sprintf("the tester itself ran late by %s (n %s).", l.figures(), count(l.N))
}

func (l *Lateness) figures() string {
	return fmt.Sprintf("%s at p50, %s at p99, %s at most", orDash(l.P50), orDash(l.P99), orDash(l.Max))
}

// Tester is how far the tester itself can be trusted.
type Tester struct {
	Allowed  *float64  `json:"allowed_ms"`
	SelfTest *SelfTest `json:"self_test"`
	Effort   *Effort   `json:"effort"`
	Advice   *string   `json:"advice"`
}

// SelfTest is what the tester made of streams of known timing before the run.
type SelfTest struct {
	Streams int       `json:"streams"`
	Read    *Lateness `json:"read_late"`
	TTFT    *Lateness `json:"ttft_error"`
	Gap     *Lateness `json:"icl_error"`
	Failed  *string   `json:"failed"`
}

// Effort is what the run took of the machine, and what else the machine did.
type Effort struct {
	For       *float64 `json:"for_ms"`
	Cores     int      `json:"cores"`
	CoresUsed *float64 `json:"cores_used"`
	GCCycles  int      `json:"gc_cycles"`
	GCShare   *float64 `json:"gc_share"`
	GCPause   *float64 `json:"longest_gc_pause_ms"`
	ReadyP99  *float64 `json:"ready_p99_ms"`
	Busy      *float64 `json:"machine_busy"`
	Stolen    *float64 `json:"machine_stolen"`
	Waited    *float64 `json:"machine_waited"`
	Held      *float64 `json:"held_ms"`

	others *float64 // share of the machine that others used
}

// tester returns what is known of the tester of a run, nil when nothing is.
func tester(run trace.Run) *Tester {
	t := &Tester{SelfTest: selfTest(run.Header.SelfTest), Effort: effort(run.Footer.Effort)}
	if t.SelfTest == nil && t.Effort == nil {
		return nil
	}
	return t
}

// judged adds what the budgets of a run ask of its tester.
func (t *Tester) judged(a *budgets.Analysis) *Tester {
	if t == nil {
		return nil
	}
	if d, ok := a.Allowed(); ok {
		t.Allowed = inMS(d)
	}
	t.Advice = text(t.advice(a))
	return t
}

func selfTest(t trace.SelfTest) *SelfTest {
	if t == (trace.SelfTest{}) {
		return nil
	}
	return &SelfTest{Streams: t.Streams, Read: lateness(t.Read), TTFT: lateness(t.TTFT), Gap: lateness(t.Gap), Failed: text(t.Failed)}
}

func effort(e trace.Effort) *Effort {
	if e == (trace.Effort{}) {
		return nil
	}
	return &Effort{
		For: inMS(e.For), Cores: e.Cores, CoresUsed: shareOf(e.CPU, e.For),
		GCCycles: e.GCCycles, GCShare: shareOf(e.GCCPU, e.CPU), GCPause: inMS(e.GCPause), ReadyP99: inMS(e.ReadyP99),
		Busy: shareOf(e.Busy, e.Machine), Stolen: shareOf(e.Stolen, e.Machine), Waited: shareOf(e.Waited, e.For), Held: inMS(e.Held),
		others: shareOf(pipeline.Since(e.CPU, e.Busy), e.Machine),
	}
}

// inMS returns a time in ms, nil when it is not known.
func inMS(d time.Duration) *float64 {
	return number(budgets.Duration, float64(d), d != pipeline.Unknown)
}

// shareOf returns a part of a whole, nil when either is not known or there is no whole.
func shareOf(part, whole time.Duration) *float64 {
	return number(budgets.Share, float64(part)/float64(whole), part != pipeline.Unknown && whole > 0)
}

// notes say what is known of the tester, a line each.
func (t *Tester) notes(target string) (lines []string) {
	if t == nil {
		return nil
	}
	if t.SelfTest != nil && (t.SelfTest.Failed == nil || t.Advice == nil || *t.Advice != t.SelfTest.words()) {
		lines = append(lines, t.SelfTest.words())
	}
	if t.Effort != nil {
		lines = append(lines, t.Effort.words(target))
		if words := t.Effort.machine(); words != "" {
			lines = append(lines, words)
		}
	}
	return lines
}

func (t *SelfTest) words() string {
	if t.Failed != nil {
		return "Self test: it could not be made, so how late this tester reads is not known: " + strings.TrimRight(*t.Failed, ".") + "."
	}
	return fmt.Sprintf("Self test: before the run %s of known timing were read late by %s (n %s). Their ttft came out too long by %s at most, gaps between chunks wrong by %s at p99.",
		counted(t.Streams, "stream"), t.Read.figures(), count(t.Read.N), orDash(t.TTFT.Max), orDash(t.Gap.P99))
}

// words say what the process took.
func (e *Effort) words(target string) string {
	who := "the process"
	if target == "mock" {
		who = "the process, the mock in it,"
	}
	used := ""
	if e.CoresUsed != nil {
		used = fmt.Sprintf(" used %s of %s and", budgets.Number(*e.CoresUsed, 2), counted(e.Cores, "core"))
	}
	line := fmt.Sprintf("Effort: over %s %s%s collected %s", orDash(e.For), who, used, e.garbage())
	if e.ReadyP99 != nil {
		line += "; what was ready to run waited for a core for " + orDash(e.ReadyP99) + " at p99"
	}
	return line + "."
}

func (e *Effort) garbage() string {
	if e.GCCycles == 0 {
		return "no garbage"
	}
	words := fmt.Sprintf("garbage %s, stopped for that for %s at most", counted(e.GCCycles, "time"), orDash(e.GCPause))
	if e.GCShare != nil {
		words += " and spent " + budgets.Share.Format(*e.GCShare) + " of its processor time on it"
	}
	return words
}

// machine says what the operating system counted; "" when it says nothing.
func (e *Effort) machine() string {
	var parts []string
	say := func(v *float64, format string) {
		if v != nil {
			parts = append(parts, fmt.Sprintf(format, budgets.Share.Format(*v)))
		}
	}
	say(e.Busy, "its cores were %s busy")
	if e.Stolen != nil && *e.Stolen > 0 {
		say(e.Stolen, "its host took %s of them")
	}
	say(e.Waited, "something waited for a core %s of the time")
	if e.Held != nil && *e.Held > 0 {
		parts = append(parts, "the limit of its container kept the process from running for "+orDash(e.Held))
	}
	if len(parts) == 0 {
		return ""
	}
	return "Machine: " + strings.Join(parts, ", ") + "."
}

package fit

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"halfsecond/mockllm/roofline"
)

// Profile is the constants of an engine on a machine that Calibrate found, with what
// they rest on. It is kept as a text of lines "key: value"; a line that begins with #
// is a comment.
type Profile struct {
	Name string // of the profile
	Subject
	// Values are the constants that the measurements told, by name: mfu, the one that is
	// really used, and mbu as shares, step_us, layer_us and sequence_us in microseconds.
	// All others stay built in.
	Values map[string]float64

	Data         string  // name of the file of measurements
	Hash         string  // its SHA-256, in hexadecimal
	Measured     string  // the day of the measurements, "2026-04-12"; "" when it is unknown
	Measurements int     // times and rates that were fitted
	MeanError    float64 // mean absolute error that is left, as a share
	Prefill      Left    // of those that time a prompt being read in
	Decode       Left    // of those that time an answer being written
}

// Left is how far off predictions of some measurements stayed: their mean absolute error
// as a share. N is 0 where there are none, or where an older profile does not say.
type Left struct {
	N         int
	MeanError float64
}

// Left returns what is left of the errors of a phase.
func (p Profile) Left(phase Phase) Left {
	if phase == Prefill {
		return p.Prefill
	}
	return p.Decode
}

// Unlike says what of a deployment was not measured: its model, its weights or its number
// of GPUs.
func (p Profile) Unlike(d roofline.Deployment) (out []string) {
	lacks := func(what string, measured bool) {
		if !measured {
			out = append(out, what)
		}
	}
	lacks(d.Model.Name, slices.Contains(p.Models, d.Model.Name))
	lacks(d.Weights.String()+" weights", slices.Contains(p.Weights, d.Weights.String()))
	lacks(counted(max(1, d.GPUs), "GPU"), slices.Contains(p.GPUs, max(1, d.GPUs)))
	return out
}

// ErrorOf returns the mean absolute error of the profile's constants in a phase, as a
// share. ok is false where nothing like the deployment was measured.
func (p Profile) ErrorOf(phase Phase, d roofline.Deployment) (mean float64, ok bool) {
	l := p.Left(phase)
	return l.MeanError, l.N > 0 && len(p.Unlike(d)) == 0
}

// leftOf returns what is left of the errors of a phase.
func leftOf(errs []float64, phases []Phase, phase Phase) Left {
	var l Left
	for i, e := range errs {
		if phases[i] == phase {
			l.N, l.MeanError = l.N+1, l.MeanError+math.Abs(e)
		}
	}
	l.MeanError /= float64(max(1, l.N))
	return l
}

// profileVersion is the version of the format.
const profileVersion = "1"

// profileField is a line of a profile.
type profileField struct {
	key      string
	required bool
	get      func(*Profile) string
	set      func(p *Profile, value string) error
}

var profileFields = slices.Concat([]profileField{
	{"halfsecond_profile", true, func(*Profile) string { return profileVersion }, func(_ *Profile, v string) error {
		if v != profileVersion {
			return fmt.Errorf("version %s: this program reads version %s", v, profileVersion)
		}
		return nil
	}},
	textField("name", true, func(p *Profile) *string { return &p.Name }),
	textField("engine", true, func(p *Profile) *string { return &p.Engine }),
	textField("hardware", true, func(p *Profile) *string { return &p.Hardware }),
	{"gpus", true, func(p *Profile) string { return join(p.GPUs, strconv.Itoa) }, func(p *Profile, v string) (err error) {
		p.GPUs, err = split(v, parseGPUs)
		return err
	}},
	listField("weights", func(p *Profile) *[]string { return &p.Weights }),
	listField("models", func(p *Profile) *[]string { return &p.Models }),
}, valueFields(), []profileField{
	textField("data", true, func(p *Profile) *string { return &p.Data }),
	{"data_sha256", true, func(p *Profile) string { return p.Hash }, func(p *Profile, v string) error {
		if len(v) != 64 || strings.Trim(v, "0123456789abcdef") != "" {
			return errors.New("want 64 hexadecimal digits")
		}
		p.Hash = v
		return nil
	}},
	{"measured", false, func(p *Profile) string { return p.Measured }, func(p *Profile, v string) error {
		p.Measured = v
		return CheckDay(v)
	}},
	countField("measurements", true, func(p *Profile) *int { return &p.Measurements }),
	errorField("mean_error", true, func(p *Profile) (float64, bool) { return p.MeanError, true }, func(p *Profile) *float64 { return &p.MeanError }),
	countField("prefill_measurements", false, func(p *Profile) *int { return &p.Prefill.N }),
	errorField("prefill_error", false, func(p *Profile) (float64, bool) { return p.Prefill.MeanError, p.Prefill != (Left{}) }, func(p *Profile) *float64 { return &p.Prefill.MeanError }),
	countField("decode_measurements", false, func(p *Profile) *int { return &p.Decode.N }),
	errorField("decode_error", false, func(p *Profile) (float64, bool) { return p.Decode.MeanError, p.Decode != (Left{}) }, func(p *Profile) *float64 { return &p.Decode.MeanError }),
})

// countField is a number of measurements, which is left out when it is 0.
func countField(key string, required bool, of func(*Profile) *int) profileField {
	return profileField{key, required, func(p *Profile) string {
		if *of(p) == 0 {
			return ""
		}
		return strconv.Itoa(*of(p))
	}, func(p *Profile, v string) (err error) {
		if *of(p), err = strconv.Atoi(v); err != nil || *of(p) < 1 {
			return errors.New("want a whole number from 1 on")
		}
		return nil
	}}
}

// errorField is a mean error, which is left out when there is nothing that it is of.
func errorField(key string, required bool, get func(*Profile) (float64, bool), of func(*Profile) *float64) profileField {
	return profileField{key, required, func(p *Profile) string {
		v, ok := get(p)
		if !ok {
			return ""
		}
		return strconv.FormatFloat(v, 'g', digits, 64)
	}, func(p *Profile, v string) (err error) {
		if *of(p), err = strconv.ParseFloat(v, 64); err != nil || !(*of(p) >= 0 && *of(p) < 1e6) {
			return errors.New("want a share from 0 on")
		}
		return nil
	}}
}

func textField(key string, required bool, of func(*Profile) *string) profileField {
	return profileField{key, required, func(p *Profile) string { return *of(p) }, func(p *Profile, v string) error {
		*of(p) = v
		return nil
	}}
}

func listField(key string, of func(*Profile) *[]string) profileField {
	return profileField{key, true, func(p *Profile) string { return join(*of(p), func(s string) string { return s }) }, func(p *Profile, v string) (err error) {
		*of(p), err = split(v, func(s string) (string, error) { return s, nil })
		return err
	}}
}

// valueFields returns a line for each constant.
func valueFields() (fields []profileField) {
	for _, k := range knobs {
		fields = append(fields, profileField{k.name, false, func(p *Profile) string {
			v, ok := p.Values[k.name]
			if !ok {
				return ""
			}
			return strconv.FormatFloat(v, 'g', -1, 64)
		}, func(p *Profile, s string) error {
			v, err := strconv.ParseFloat(s, 64)
			if err != nil || !(v >= k.least && v <= k.most) {
				return fmt.Errorf("%s: want %g to %g: no engine is beyond, so check the unit, and what was measured", k.about, k.least, k.most)
			}
			p.Values[k.name] = v
			return nil
		}})
	}
	return fields
}

func join[T any](values []T, text func(T) string) string {
	var out []string
	for _, v := range values {
		out = append(out, text(v))
	}
	return strings.Join(out, ", ")
}

func split[T any](list string, parse func(string) (T, error)) (out []T, err error) {
	for part := range strings.SplitSeq(list, ",") {
		v, err := parse(strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

func parseGPUs(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%q: want numbers of GPUs from 1 on, with commas between", s)
	}
	return n, nil
}

// CheckDay reports what is not a day such as 2026-04-12.
func CheckDay(s string) error {
	if _, err := time.Parse(time.DateOnly, s); err != nil {
		return fmt.Errorf("%q: want a day such as 2026-04-12", s)
	}
	return nil
}

// ReadProfile reads the text of a profile strictly; name is for the errors, which
// report everything that is wrong, each with its line.
func ReadProfile(name string, data []byte) (Profile, error) {
	p := Profile{Values: map[string]float64{}}
	var errs []error
	seen := map[string]bool{}
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if err := p.readLine(line, seen); err != nil {
			errs = append(errs, fmt.Errorf("%s:%d: %w", name, n, err))
		}
	}
	for _, f := range profileFields {
		if f.required && !seen[f.key] {
			errs = append(errs, fmt.Errorf("%s: %s is missing", name, f.key))
		}
	}
	if len(errs) == 0 && len(p.Values) == 0 {
		errs = append(errs, fmt.Errorf("%s: no constants: want some of %s", name, strings.Join(knobNames(), ", ")))
	}
	return p, errors.Join(errs...)
}

func knobNames() (names []string) {
	for _, k := range knobs {
		names = append(names, k.name)
	}
	return names
}

// readLine reads one line that is neither empty nor a comment.
func (p *Profile) readLine(line string, seen map[string]bool) error {
	key, value, ok := strings.Cut(line, ":")
	key, value = strings.TrimSpace(key), strings.TrimSpace(value)
	i := slices.IndexFunc(profileFields, func(f profileField) bool { return f.key == key })
	switch {
	case !ok:
		return fmt.Errorf("%q: want a key, a colon and a value", line)
	case i < 0:
		return fmt.Errorf("unknown key %q: want one of %s", key, join(profileFields, func(f profileField) string { return f.key }))
	case seen[key]:
		return fmt.Errorf("%s is there twice", key)
	case value == "":
		return fmt.Errorf("%s is empty", key)
	}
	seen[key] = true
	if err := profileFields[i].set(p, value); err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	return nil
}

// Text returns the profile as ReadProfile reads it.
func (p Profile) Text() string {
	var b strings.Builder
	b.WriteString("# Constants of an engine on a machine, found by 'halfsecond calibrate'. All that is\n# not here stays built in.\n")
	for _, f := range profileFields {
		if v := f.get(&p); v != "" {
			fmt.Fprintf(&b, "%s: %s\n", f.key, v)
		}
	}
	return b.String()
}

// Profile returns what a calibration found. The rest of the profile is the caller's to
// fill in.
func (c Calibration) Profile() Profile {
	p := Profile{Subject: c.Subject, Values: map[string]float64{}, Measurements: len(c.After)}
	for _, e := range c.Estimates {
		if e.Told {
			p.Values[e.Name] = e.Value
		}
	}
	for _, e := range c.After {
		p.MeanError += math.Abs(e) / float64(len(c.After))
	}
	p.Prefill, p.Decode = leftOf(c.After, c.Phases, Prefill), leftOf(c.After, c.Phases, Decode)
	return p
}

// Suits reports why the constants do not hold for a deployment: another engine,
// another machine, or weights that are multiplied in another way.
func (p Profile) Suits(d roofline.Deployment) error {
	var errs []error
	differ := func(what, theirs, ours string) {
		errs = append(errs, fmt.Errorf("profile %s is of the %s %s, not of %s", p.Name, what, theirs, ours))
	}
	if engine := engineName(d); engine != p.Engine {
		differ("engine", p.Engine, engine)
	}
	if d.Hardware.Name != p.Hardware {
		differ("machine", p.Hardware, d.Hardware.Name)
	}
	if len(errs) == 0 && !p.multipliesLike(d) {
		differ("weights", strings.Join(p.Weights, ", "), d.Weights.String())
	}
	return errors.Join(errs...)
}

func engineName(d roofline.Deployment) string {
	if d.Engine.Name == "" {
		return "vllm"
	}
	return d.Engine.Name
}

// multipliesLike reports whether the deployment's weights depend on the same
// constants as the profile's.
func (p Profile) multipliesLike(d roofline.Deployment) bool {
	if slices.Contains(p.Weights, d.Weights.String()) {
		return true
	}
	like := d
	var err error
	if like.Weights, err = roofline.ParseFormat(p.Weights[0]); err != nil {
		return false
	}
	return slices.Equal(roofline.Uses(like), roofline.Uses(d))
}

// Constants returns those of a deployment, which the profile suits: the ones that
// were fitted, and for all else the built-in ones. Their note says where they are
// from.
func (p Profile) Constants(d roofline.Deployment) roofline.Constants {
	d.Constants = roofline.Constants{}
	c := roofline.Defaults(d)
	for _, k := range knobs {
		if v, ok := p.Values[k.name]; ok {
			k.set(&c, v)
		}
	}
	if v, ok := p.Values["mfu"]; ok {
		c.MFU = mfuFor(d, v)
	}
	c.Note = p.note(d)
	return c
}

func (p Profile) note(d roofline.Deployment) string {
	text := fmt.Sprintf("%s calibrated by profile %s, from %s", strings.Join(p.told(), ", "), p.Name, counted(p.Measurements, "measurement"))
	if !slices.Contains(p.Models, d.Model.Name) {
		text += fmt.Sprintf(" of %s", strings.Join(p.Models, ", "))
	}
	if n := max(1, d.GPUs); !slices.Contains(p.GPUs, n) {
		text += fmt.Sprintf(" (GPUs: %s)", join(p.GPUs, strconv.Itoa))
	}
	return text
}

// told returns the names of the constants that are known, in their order.
func (p Profile) told() (names []string) {
	for _, k := range knobs {
		if _, ok := p.Values[k.name]; ok {
			names = append(names, k.name)
		}
	}
	return names
}

package main

import (
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// shareFlag is a flag with a part of a whole, written as 0.05 or 5%.
type shareFlag float64

var _ pflag.Value = new(shareFlag)

// Set implements pflag.Value.
func (s *shareFlag) Set(text string) error {
	digits, percent := strings.CutSuffix(text, "%")
	if percent {
		digits += "e-2"
	}
	v, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		return errors.New("want a share such as 0.05 or 5%")
	}
	*s = shareFlag(v)
	return nil
}

// String implements pflag.Value.
func (s *shareFlag) String() string { return strconv.FormatFloat(float64(*s), 'g', -1, 64) }

// Type implements pflag.Value.
func (s *shareFlag) Type() string { return "share" }

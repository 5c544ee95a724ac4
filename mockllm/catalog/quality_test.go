package catalog

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestCodeQuality(t *testing.T) {
	for _, c := range []struct {
		name, benchmark string
		share           float64
		setting         string
	}{
		{"CodeLlama-7B", "HumanEval pass@1", .378, "base; EvalPlus leaderboard"},
		{"starcoder2 3b", "HumanEval+ pass@1", .274, "base; EvalPlus leaderboard"},
		{"Qwen2.5-Coder-7B", "HumanEval pass@1", .616, "base; Table 5"},
		{"Codestral-22B", "HumanEval-FIM average", .83, `DeepSeek table "HumanEval FIM"`},
		{"Qwen2.5-Coder-32B", "CrossCodeEval exact match", .571, "base; Table 8"},
	} {
		q, err := FindCodeQuality(c.name)
		if err != nil {
			t.Error(err)
			continue
		}
		if s, ok := q.Score(c.benchmark); !ok || s.Share != c.share || s.Setting != c.setting || s.Source == "" {
			t.Errorf("%s in %s: %+v, want %v of %q", c.name, c.benchmark, s, c.share, c.setting)
		}
	}
	scores := 0
	for _, q := range AllCodeQuality() {
		scores += len(q.Scores)
	}
	if n := len(AllCodeQuality()); n != 71 || scores != 207 {
		t.Errorf("%d scores of %d models, want 207 of 71", scores, n)
	}
	q, err := FindCodeQuality("DeepSeek-Coder-1.3B")
	if s, ok := q.Score("HumanEval-FIM average"); ok || err != nil {
		t.Errorf("a score that nobody published: %+v, %v", s, err)
	}
}

func TestCodeQualityOfNone(t *testing.T) {
	_, err := FindCodeQuality("Codestral-22")
	var none *NotFoundError
	if !errors.As(err, &none) || !slices.Contains(none.Nearest, "Codestral-22B") {
		t.Errorf("got %v, want the nearest name", err)
	}
}

func TestBadCodeQuality(t *testing.T) {
	for row, want := range map[string]string{
		"m,b,100,s,u,d,high":  "",
		"m,b,101,s,u,d,high":  `code_quality.csv:2: percent "101": want at most 100`,
		"m,b,1,s,u,d,perhaps": `code_quality.csv:2: confidence "perhaps": want one of high, medium`,
		"m,,1,s,u,d,high":     `code_quality.csv:2: benchmark "": must not be empty`,
	} {
		_, err := codeScoreTable.read("code_quality.csv", strings.Join(codeQualityColumns, ",")+"\n"+row+"\n")
		if got := errorText(err); got != want {
			t.Errorf("%s: %q, want %q", row, got, want)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

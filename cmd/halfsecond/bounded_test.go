package main

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReadFile: one byte above the most is refused, and says what the most is.
func TestReadFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	for n, want := range map[int]string{1 << 20: "", 1<<20 + 1: name + " is longer than 1 MiB, the most that is read of such a file"} {
		if err := os.WriteFile(name, make([]byte, n), 0o644); err != nil {
			t.Fatal(err)
		}
		data, err := readFile(name, 1<<20)
		if got := ""; err != nil {
			got = err.Error()
			if got != want {
				t.Errorf("%d bytes: %s, want %s", n, got, want)
			}
		} else if want != got || len(data) != n {
			t.Errorf("%d of %d bytes, want %q", len(data), n, want)
		}
	}
}

// TestInLines: a line that never ends is given up; long ones that do are not.
func TestInLines(t *testing.T) {
	line := strings.Repeat("x", 1<<20-1) + "\n"
	in := bufio.NewReader(&inLines{from: strings.NewReader(strings.Repeat(line, 5)), most: 1 << 20})
	if n, err := io.Copy(io.Discard, in); err != nil || n != 5<<20 {
		t.Errorf("%d bytes, %v; want 5 MiB", n, err)
	}
	const want = "a line is longer than 1 MiB, the most that is read of one"
	if _, err := io.Copy(io.Discard, &inLines{from: zeros{}, most: 1 << 20}); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// TestEndlessFiles: no command reads on and on. The machine's file of zeros stands for what
// never ends.
func TestEndlessFiles(t *testing.T) {
	const zero, url = "/dev/zero", "http://127.0.0.1:9/v1"
	if _, err := os.Stat(zero); err != nil {
		t.Skip("there is no such file here")
	}
	for _, args := range [][]string{
		{"doctor", url, "--prompt", zero}, {"doctor", url, "--ca-file", zero},
		{"doctor", url, "--protocol", "openai-transcriptions", "--model", "m", "--wav", zero},
		{"record", url, "--out", filepath.Join(t.TempDir(), "x.gz"), "--prompts", zero}, {"record", url, "--out", filepath.Join(t.TempDir(), "x.gz"), "--ca-file", zero},
		{"validate", zero}, {"validate", "--e2e", zero}, {"calibrate", zero}, {"catalog", "models", "--catalog", zero}, {"predict", "--catalog", zero},
		{"mock", "--server", zero}, {"mock", "--transcript", zero}, {"mock", "--fault", zero}, {"mock", "--answers", zero},
		{"report", zero}, {"run", zero}, {"run", "load", "--endpoint", "llm=" + url, "--ca-file", zero},
	} {
		if code, _, errs := halfsecond(t, args...); code != exitUsage || !strings.Contains(errs, "longer than") && !strings.Contains(errs, "larger than") {
			t.Errorf("%s: exit code %d, %s", args, code, errs)
		}
	}
}

// TestLongPrompt: a prompt on a line of its own may be long, and one that is too long is
// named by its line.
func TestLongPrompt(t *testing.T) {
	name := filepath.Join(t.TempDir(), "p")
	long := strings.Repeat("word ", mostPrompt/5)
	if err := os.WriteFile(name, []byte("short\r\n\n"+long+"\nlast"), 0o644); err != nil {
		t.Fatal(err)
	}
	if all, err := readPrompts(name); err != nil || len(all) != 3 || all[1] != strings.TrimSpace(long) || all[2] != "last" {
		t.Errorf("%d prompts, %v; want 3", len(all), err)
	}
	if err := os.WriteFile(name, []byte("short\n"+strings.Repeat("x", mostPrompt+1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := readPrompts(name); err == nil || err.Error() != "--prompts "+name+":2: a prompt of 1048577 bytes: want at most 1048576" {
		t.Errorf("error %v", err)
	}
}

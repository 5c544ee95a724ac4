package main

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"
)

func says(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

func wantText(t *testing.T, name, want string) {
	t.Helper()
	if got, err := os.ReadFile(name); err != nil || string(got) != want {
		t.Errorf("%s holds %q, %v; want %q", name, got, err, want)
	}
}

// TestReplaceFile: a file takes the place of a regular one, through a link too, and of
// nothing else; where writing fails the old one stays and no other is left.
func TestReplaceFile(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := replaceFile(at("new"), says("a")); err != nil {
		t.Fatal(err)
	}
	wantText(t, at("new"), "a")
	for link, to := range map[string]string{"link": "new", "loop": "loop", "dangling": "nothing"} {
		if err := os.Symlink(to, at(link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := replaceFile(at("link"), says("b")); err != nil {
		t.Fatal(err)
	}
	wantText(t, at("new"), "b")
	socket, err := net.Listen("unix", at("socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	if err := os.Mkdir(at("folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"socket", "folder", "loop", "dangling"} {
		before, _ := os.Lstat(at(name))
		if err := replaceFile(at(name), says("c")); err == nil {
			t.Errorf("%s was replaced", name)
		}
		if after, err := os.Lstat(at(name)); err != nil || !os.SameFile(before, after) {
			t.Errorf("%s is another now: %v", name, err)
		}
	}
	broken := errors.New("no space")
	if err := replaceFile(at("new"), func(io.Writer) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("got %v, want %v", err, broken)
	}
	wantText(t, at("new"), "b")
	// What could be replaced is said before anything is written, and leaves all as it is; the
	// name is that of the file and not of one beside it.
	if err := mayReplace(at("new")); err != nil {
		t.Error(err)
	}
	if err := mayReplace(at("other")); err != nil {
		t.Error(err)
	}
	if err := mayReplace(at("folder")); err == nil {
		t.Error("a folder may be replaced")
	}
	if err, want := mayReplace(at("no/such")), at("no/such")+": no such file or directory"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if after, err := os.ReadDir(dir); err != nil || len(after) != len(entries) {
		t.Errorf("there are %d files, %v; want %d", len(after), err, len(entries))
	}
}

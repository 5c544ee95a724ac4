package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// replaceFile makes a file of what write writes, in place of the one that is there. That
// one stays where writing fails. What is there and no regular file, such as a device, is
// never replaced; of a symbolic link it is the file that it names.
func replaceFile(name string, write func(io.Writer) error) error {
	name, err := replaceable(name)
	if err != nil {
		return err
	}
	f, err := beside(name)
	if err != nil {
		return err
	}
	err = errors.Join(write(f), f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// beside makes a file with another name beside one. What goes wrong is said of that one.
func beside(name string) (*os.File, error) {
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"-*")
	var at *fs.PathError
	if errors.As(err, &at) {
		return nil, fmt.Errorf("%s: %w", name, at.Err)
	}
	return f, err
}

// mayReplace reports why a file could not be made or replaced, before there is anything to
// write; nil where it could. It leaves all as it is.
func mayReplace(name string) error {
	name, err := replaceable(name)
	if err != nil {
		return err
	}
	f, err := beside(name)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// replaceable returns the name of the file itself that a name is of, links followed. It
// fails where something is there that is no file.
func replaceable(name string) (string, error) {
	if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
		return name, nil
	}
	file, err := filepath.EvalSymlinks(name)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return "", err
	case info.IsDir():
		return "", fmt.Errorf("%s is a folder: want the name of a file", name)
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s is there and no regular file: want the name of one, or one that is free", name)
	}
	return file, nil
}

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/assert"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"idemgen": main})
}

// TestScripts runs testdata/script: one file for each point of a verb.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error { // for what reads Go packages: no network, and nothing of this repository
			env.Setenv("GOCACHE", goEnv(t, "GOCACHE"))
			env.Setenv("GOPATH", env.Getenv("WORK")+"/.gopath")
			env.Setenv("GOPROXY", "off")
			env.Setenv("GOFLAGS", "-mod=mod")
			env.Setenv("GOWORK", "off")
			env.Setenv("GOTOOLCHAIN", "local")
			return nil
		},
		Condition: func(cond string) (bool, error) {
			return cond == "root" && os.Geteuid() == 0, nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "old": old, "isold": isOld, "crlf": crlf, "bom": bom, "samedir": sameDir, "nofile": noFile, "replace": replace,
		},
	})
}

var longAgo = time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)

// exits CODE COMMAND…: testscript itself tells 0 from the others only.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARG…]")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit code %d, want %s\n%s%s", code, args[0], ts.ReadFile("stdout"), ts.ReadFile("stderr"))
	}
}

// old FILE…: sets the modification time to a day long ago.
func old(ts *testscript.TestScript, _ bool, args []string) {
	for _, name := range args {
		ts.Check(os.Chtimes(ts.MkAbs(name), longAgo, longAgo))
	}
}

// isold FILE…: nobody has written the files since.
func isOld(ts *testscript.TestScript, neg bool, args []string) {
	for _, name := range args {
		info, err := os.Stat(ts.MkAbs(name))
		ts.Check(err)
		if info.ModTime().Equal(longAgo) == neg {
			ts.Fatalf("%s: modified %s", name, info.ModTime())
		}
	}
}

// crlf FILE…: as a checkout on Windows makes them.
func crlf(ts *testscript.TestScript, _ bool, args []string) {
	for _, name := range args {
		text := ts.ReadFile(name)
		ts.Check(os.WriteFile(ts.MkAbs(name), bytes.ReplaceAll([]byte(text), []byte("\n"), []byte("\r\n")), 0o644))
	}
}

// bom FILE…: puts a byte order mark in front, as some editors do.
func bom(ts *testscript.TestScript, _ bool, args []string) {
	for _, name := range args {
		ts.Check(os.WriteFile(ts.MkAbs(name), []byte("\xEF\xBB\xBF"+ts.ReadFile(name)), 0o644))
	}
}

// replace FILE OLD NEW: edits a file in every place, of which there must be one.
func replace(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: replace FILE OLD NEW")
	}
	text := ts.ReadFile(args[0])
	if !strings.Contains(text, args[1]) {
		ts.Fatalf("%s does not contain %s", args[0], args[1])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.ReplaceAll(text, args[1], args[2])), 0o644))
}

// samedir A B: both folders hold the same files with the same bytes.
func sameDir(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: samedir A B")
	}
	a, b := os.DirFS(ts.MkAbs(args[0])), os.DirFS(ts.MkAbs(args[1]))
	left, err := readAll(a)
	ts.Check(err)
	right, err := readAll(b)
	ts.Check(err)
	if len(left) == 0 || !assert.ObjectsAreEqual(left, right) {
		ts.Fatalf("%s and %s differ:\n%v\n%v", args[0], args[1], left, right)
	}
}

// nofile FOLDER: not a single file, dot files included, was left there.
func noFile(ts *testscript.TestScript, neg bool, args []string) {
	files, err := readAll(os.DirFS(ts.MkAbs(args[0])))
	ts.Check(err)
	if (len(files) == 0) == neg {
		ts.Fatalf("%s: %d files", args[0], len(files))
	}
}

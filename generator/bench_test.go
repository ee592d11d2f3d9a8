//go:build unix

package generator

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// generateEnv makes the test binary a program that generates one document: its memory is then that of a single run.
const generateEnv = "IDEMGEN_BENCH_GENERATE"

func TestMain(m *testing.M) {
	if args := os.Getenv(generateEnv); args != "" {
		os.Exit(generateOnce(strings.Split(args, "\n")))
	}
	os.Exit(m.Run())
}

// generateOnce takes a document, an overlay and a folder.
func generateOnce(args []string) int {
	plan, findings, err := Prepare(args[:1], Options{
		Overlays: args[1:2], SkipUnsupported: true,
		Out: filepath.Join(args[2], "out"), Package: "out", Lock: filepath.Join(args[2], "lock.yaml"),
	})
	if err == nil && findings.HasErrors() {
		err = fmt.Errorf("%s", findings.All()[0])
	}
	if err == nil {
		_, err = plan.Write()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// The limits for a document of 3.2 MB with every write annotated.
const (
	secondsLimit  = 3.0
	megabyteLimit = 500.0
)

// BenchmarkGenerate prints seconds and the peak of resident memory of single runs over a large document as it was published: 154 forms
// and one multipart body. It fails over the limits.
func BenchmarkGenerate(b *testing.B) {
	document := filepath.Join(specs, "stripe-2020.json")
	if _, err := os.Stat(document); errors.Is(err, fs.ErrNotExist) {
		b.Skipf("the large document is not here: %v", err)
	}
	overlay, annotated := everyWrite(b, document)

	var seconds, megabytes float64
	for b.Loop() {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), generateEnv+"="+strings.Join([]string{document, overlay, b.TempDir()}, "\n"))
		start := time.Now()
		out, err := cmd.CombinedOutput()
		seconds = max(seconds, time.Since(start).Seconds())
		require.NoError(b, err, "%s", out)
		megabytes = max(megabytes, peak(cmd.ProcessState))
	}
	b.ReportMetric(0, "ns/op") // the seconds say it
	b.ReportMetric(float64(annotated), "operations")
	b.ReportMetric(seconds, "seconds")
	b.ReportMetric(megabytes, "MB-peak")
	if seconds > secondsLimit || megabytes > megabyteLimit {
		b.Errorf("%.1f s and %.0f MB; the limits are %.0f s and %.0f MB", seconds, megabytes, secondsLimit, megabyteLimit)
	}
}

// peak is the largest resident memory of an ended process in megabytes.
func peak(state *os.ProcessState) float64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	unit := 1024.0 // Linux counts kilobytes
	if runtime.GOOS == "darwin" {
		unit = 1
	}
	return float64(usage.Maxrss) * unit / 1e6
}

package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/idemgen/idemgen/runtime/storetest/pgtest"
)

func main() {
	seconds := flag.Float64("seconds", 40, "how long to measure, all in all")
	records := flag.Int("records", 1_000_000, "how many records a full table has")
	only := flag.String("only", "", "measure the figures whose name holds this")
	flag.Parse()
	passed, err := run(os.Stdout, time.Duration(*seconds*float64(time.Second)), *records, *only)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(2)
	case !passed:
		os.Exit(1)
	}
}

// run measures in about d, and prints the table. passed: no ratio is past its limit.
func run(out io.Writer, d time.Duration, records int, only string) (passed bool, err error) {
	// A cancellable context, as every request has one: watching it is part of the cost on both sides.
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	server, err := pgtest.Start(ctx, pgtest.Options{Durable: true, Loopback: true})
	if err != nil {
		return false, err
	}
	defer func() {
		if errStop := server.Stop(); err == nil {
			err = errStop
		}
	}()
	b := &bench{url: server.URL()}
	defer b.close()
	figures, err := b.figures(ctx, records)
	if err != nil {
		return false, err
	}
	figures = slices.DeleteFunc(figures, func(f figure) bool { return !strings.Contains(f.name, only) })
	if len(figures) == 0 {
		return false, fmt.Errorf("no figure's name holds %q", only)
	}
	return printTable(ctx, out, figures, d/time.Duration(len(figures)))
}

package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/idemgen/idemgen/runtime/storetest/pgtest"
)

func main() {
	seconds := flag.Float64("seconds", 10, "how long to measure, all in all")
	flag.Parse()
	passed, err := run(os.Stdout, time.Duration(*seconds*float64(time.Second)))
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(2)
	case !passed:
		os.Exit(1)
	}
}

// run measures everything in about d and prints the table. passed: no ratio is past its limit.
func run(out io.Writer, d time.Duration) (passed bool, err error) {
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
	all, closeAll, err := comparisons(ctx, server.URL())
	if err != nil {
		return false, err
	}
	defer closeAll()

	passed = true
	fmt.Fprintf(out, "| %-37s | clients | ratio | goal | fail | verdict       |\n", "p50, fsync on")
	fmt.Fprintf(out, "| %s | ------: | ----: | ---: | ---: | ------------- |\n", strings.Repeat("-", 37))
	for _, c := range all {
		r, err := c.measure(ctx, d/time.Duration(len(all)))
		if err != nil {
			return false, err
		}
		passed = passed && r.ratio <= r.fail
		fmt.Fprintf(out, "| %-37s | %7d | %5.2f | %4.2f | %4.2f | %-13s |\n", r.name, r.clients, r.ratio, r.goal, r.fail, r.verdict())
	}
	return passed, nil
}

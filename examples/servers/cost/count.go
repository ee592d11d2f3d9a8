package main

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
)

const body = `{"accountId":"acc_0001","amount":"10.50","currency":"EUR","note":"for the books"}`

// keys are how a variant chooses the key of its next request.
type keys func() string

var serial atomic.Int64

// fresh is a key that nobody has used.
func fresh() string { return fmt.Sprintf("key-%012d", serial.Add(1)) }

// same is one that was used before.
func same() string { return "key-of-a-replay" }

// rounds are how many requests are counted: more would not change the mean.
const rounds = 2000

// use is what a request takes of the heap, in the mean.
type use struct{ allocations, bytes int64 }

// counted serves requests in this goroutine and counts. Making them does not count.
func counted(h http.Handler, next keys) use {
	const warm = 100
	requests := make([]*http.Request, warm+rounds)
	for i := range requests {
		r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, "/payments", strings.NewReader(body))
		if err != nil {
			panic(err) // the arguments are constants
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer good")
		r.Header.Set("Idempotency-Key", next())
		requests[i] = r
	}
	w := &nobody{header: http.Header{}}
	serve := func(all []*http.Request) {
		for _, r := range all {
			clear(w.header)
			h.ServeHTTP(w, r)
			if w.status != http.StatusCreated {
				panic(fmt.Sprint("a request was answered with ", w.status))
			}
		}
	}
	serve(requests[:warm])
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	serve(requests[warm:])
	runtime.ReadMemStats(&after)
	return use{int64(after.Mallocs-before.Mallocs) / rounds, int64(after.TotalAlloc-before.TotalAlloc) / rounds}
}

// nobody is a client that takes what comes.
type nobody struct {
	header http.Header
	status int
}

func (n *nobody) Header() http.Header         { return n.header }
func (n *nobody) WriteHeader(status int)      { n.status = status }
func (n *nobody) Write(p []byte) (int, error) { return len(p), nil }

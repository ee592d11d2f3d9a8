package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"text/tabwriter"

	"github.com/idemgen/idemgen/runtime/canon"
	"github.com/idemgen/idemgen/runtime/proof/fingerprint"
)

// runPath prints what part of a whole request's CPU time the fingerprint is: client and server in this process, over loopback, a
// handler that reads the body and answers, with the fingerprint on and off in turn.
func runPath(rows []row, rounds int) {
	server := httptest.NewServer(http.HandlerFunc(answer))
	defer server.Close()
	w := tabwriter.NewWriter(os.Stdout, 2, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\nwhole request\tbytes\tfingerprint's share\t")
	for _, r := range rows {
		costs := alternate(rounds, []func(){
			func() { request(server, "/off", r.body) },
			func() { request(server, "/on", r.body) },
		})
		share := median(costs, func(c []float64) float64 { return 1 - c[0]/c[1] })
		fmt.Fprintf(w, "%s\t%d\t%.0f %%\t\n", r.name, len(r.body), 100*max(share, 0))
	}
	w.Flush()
}

func answer(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err == nil && r.URL.Path == "/on" {
		s := canon.Acquire()
		_, err = fingerprint.Payment(s, &canon.Request{Body: body, ContentType: "application/json", Header: r.Header})
		s.Release()
	}
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	w.WriteHeader(http.StatusCreated)
}

func request(server *httptest.Server, path string, body []byte) {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, server.URL+path, bytes.NewReader(body))
	if err != nil {
		panic(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := server.Client().Do(req)
	if err != nil {
		panic(err)
	}
	_, _ = io.Copy(io.Discard, resp.Body) // so that the connection is used again
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusCreated {
		panic(resp.Status)
	}
}

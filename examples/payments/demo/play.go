package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// patience is how long the worker may need: the lease of the killed attempt has to run out first.
const patience = time.Minute

var errUnexpected = errors.New("a step was not as expected")

// play shows one capture that is cut off, a line for each step.
func (w *world) play(ctx context.Context, out io.Writer) error {
	if err := w.start(ctx); err != nil {
		return err
	}
	failed := false
	step := func(what string, ok bool, seen any) {
		mark := "ok  "
		if !ok {
			mark, failed = "FAIL", true
		}
		fmt.Fprintf(out, "%s %-62s %v\n", mark, what, seen)
	}
	created := w.send(ctx, http.MethodPost, "/payments", "create-1", `{"amount": "12.50", "currency": "EUR"}`)
	step("a payment is created", created.status == http.StatusCreated, created)
	capture := "/payments/" + created.member("id") + "/capture"

	w.provider.DropAnswers(true)
	lost := make(chan answer, 1)
	go func() { lost <- w.send(ctx, http.MethodPost, capture, "capture-1", "") }()
	select {
	case <-w.provider.Dropped():
	case <-ctx.Done():
		return ctx.Err()
	}
	w.kill()
	a := <-lost
	made, _ := w.provider.Charges()
	step("the provider took the money, and the program is killed", a.err != nil && made == 1, fmt.Sprint(a, "; charges: ", made))

	w.provider.DropAnswers(false)
	if err := w.start(ctx); err != nil {
		return err
	}
	retry := w.send(ctx, http.MethodPost, capture, "capture-1", "")
	step("the program is back; a retry while the lease lasts is told to wait", retry.status == http.StatusConflict, retry)

	status := w.awaitCaptured(ctx, created.member("id"))
	step("the worker finds out what the provider did, and completes", status == "captured", status)
	retry = w.send(ctx, http.MethodPost, capture, "capture-1", "")
	step("the retry gets the answer", retry.status == http.StatusOK && retry.replayed, retry)
	made, asked := w.provider.Charges()
	step("there is one charge, and it was asked for once", made == 1 && asked == 1, fmt.Sprint("charges: ", made, ", asked for: ", asked))
	if failed {
		return errUnexpected
	}
	return nil
}

// awaitCaptured waits until somebody, and nobody has asked, brings the payment to its end.
func (w *world) awaitCaptured(ctx context.Context, id string) (status string) {
	for end := time.Now().Add(patience); time.Now().Before(end) && ctx.Err() == nil; time.Sleep(100 * time.Millisecond) {
		if status = w.send(ctx, http.MethodGet, "/payments/"+id, "", "").member("status"); status == "captured" {
			break
		}
	}
	return status
}

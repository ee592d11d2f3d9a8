package idem

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"time"
)

// session is one request of an annotated operation on its way through a framework.
type session[Tx any] struct {
	engine   *Engine[Tx]
	plan     *plan
	path     []string
	w        http.ResponseWriter
	r        *http.Request // as it entered
	recorder *recorder
	capture  *capture
	ctx      context.Context // detached from the client; what settling runs under, since a framework recycles its own
	cancel   context.CancelFunc

	mu       sync.Mutex
	stage    stage
	over     bool          // the chain has returned: nothing that comes later is an outcome
	misused  bool          // Begin came a second time
	idle     chan struct{} // closed when Begin and business code are certainly over
	work     work
	endErr   error
	answer   *Answer     // when Begin decided
	standing http.Header // the headers on the recorder when Begin was entered
}

// stage is how far a session has come.
type stage uint8

const (
	stageOutside   stage = iota // Begin was not reached
	stageBeginning              // Begin asks the store
	stageRefused                // Authorize refused: the framework renders it
	stageDecided                // Begin has the answer
	stageRunning                // business code runs
	stageEnded                  // End has come
	stageHandled                // a generated handler answers by itself
	stageSent                   // the response is committed and on its way
)

func newSession[Tx any](e *Engine[Tx], p *plan, path []string, w http.ResponseWriter, r *http.Request) *session[Tx] {
	s := &session[Tx]{
		engine: e, plan: p, path: path, w: w, r: r,
		capture: newCapture(r.Body, e.options.MaxBody), idle: make(chan struct{}),
	}
	s.recorder = newRecorder(w.Header(), e.options.MaxResponse, s.overflow)
	s.ctx, s.cancel = context.WithTimeout(context.WithoutCancel(r.Context()), e.options.Deadline+p.op.Wait)
	return s
}

// handled says that a handler made by Handle serves the request: it settles by itself, and what it answers passes.
func (s *session[Tx]) handled() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stage == stageOutside {
		s.stage = stageHandled
	}
}

// inner is the request that the framework gets. The one that entered stays as it was, headers included, for the fingerprint.
func (s *session[Tx]) inner() *http.Request {
	r := s.r.WithContext(context.WithValue(s.ctx, sessionKey{}, s))
	r.Header = s.r.Header.Clone()
	for _, name := range []string{"Accept-Encoding", "Range", "If-Range"} {
		r.Header.Del(name)
	}
	r.Body = s.capture
	return r
}

// beginIn is Begin for a session's engine, whatever the execution mode.
func beginIn[Tx any, W work](s *session[Tx], sessionCtx, callCtx context.Context, op *Operation, w way[Tx, W]) (W, error) {
	var none W
	if err := s.startBegin(); err != nil {
		return none, err
	}
	ctx := bothContexts{s.ctx, callCtx, sessionCtx}
	a := s.engine.newAttempt(s.plan.op)
	var begun W
	var answer *Answer
	returned := false
	defer func() {
		if !returned { // the resolver, Authorize or the store panicked: nothing is claimed
			_ = s.refuse(&Answer{Err: ErrNotReturned}) // the panic goes on
		}
	}()
	if op != s.plan.op {
		answer = a.notBound(ctx, "another operation's binding serves its path")
	} else {
		begun, answer = enter(ctx, a, w, s.incoming())
	}
	returned = true
	if answer != nil {
		return none, s.refuse(answer)
	}
	if err := s.run(begun); err != nil {
		return none, err
	}
	return begun, nil
}

func (s *session[Tx]) startBegin() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.over:
		return ErrSettled
	case s.stage == stageDecided:
		return ErrDecided // a framework that tries again gets the same answer
	case s.stage != stageOutside:
		s.misused = true
		return ErrDecided
	}
	s.stage = stageBeginning
	s.standing = s.recorder.Header().Clone()
	delete(s.standing, contentEncoding) // an inner layer's is about bytes that are not sent
	if outer := s.w.Header()[contentEncoding]; len(outer) > 0 {
		s.standing[contentEncoding] = slices.Clone(outer)
	}
	return nil
}

// incoming is the request as it entered; what the framework did not read of its body is read now.
func (s *session[Tx]) incoming() incoming {
	raw, err := s.capture.rest()
	if err == nil {
		raw, err = decodeBody(raw, s.r.Header, s.engine.options.MaxBody)
	}
	return incoming{request: newRequest(raw, s.r.Header, s.r.URL.RawQuery, s.path), unread: err, gone: s.r.Context().Done()}
}

// run lets business code begin, unless the chain has returned meanwhile.
func (s *session[Tx]) run(w work) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		defer close(s.idle)
		s.stage, s.endErr = stageEnded, ErrNotReturned
		w.finish(s.ctx, Outcome{Err: ErrNotReturned})
		return ErrSettled
	}
	w.bind(binding{end: s.end, lost: s.cancel})
	s.work, s.stage = w, stageRunning
	return nil
}

// refuse records that Begin has an answer without business code, and gives what the framework is told.
func (s *session[Tx]) refuse(answer *Answer) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer close(s.idle)
	if answer.Err != nil {
		s.stage, s.endErr = stageRefused, answer.Err
		return answer.Err
	}
	s.stage, s.answer = stageDecided, answer
	return ErrDecided
}

// end is Execution.End. Without a nil error there is no outcome, and the roll back does not wait for a renderer.
func (s *session[Tx]) end(err error) {
	s.mu.Lock()
	if s.stage != stageRunning {
		s.mu.Unlock()
		return
	}
	if s.over && err == nil {
		err = ErrNotReturned // too late: the framework has answered without it
	}
	s.stage, s.endErr = stageEnded, err
	s.mu.Unlock()
	defer close(s.idle)
	if err == nil {
		return
	}
	if answer := s.work.finish(s.ctx, Outcome{Err: err}); answer.Err == nil {
		s.answer = &answer // read after idle is closed
	}
}

// close ends recording: what comes later is no outcome.
func (s *session[Tx]) close() stage {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	return s.stage
}

// interrupt cancels business code, whichever of its contexts it watches.
func (s *session[Tx]) interrupt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cancel()
	if s.work != nil {
		s.work.interrupt()
	}
}

// awaitIdle waits for business code that still runs, within a bound.
func (s *session[Tx]) awaitIdle() bool {
	s.interrupt()
	timer := time.NewTimer(s.engine.patience)
	defer timer.Stop()
	select {
	case <-s.idle:
		return true
	case <-timer.C:
		return false
	}
}

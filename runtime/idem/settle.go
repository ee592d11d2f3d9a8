package idem

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
)

// serve runs the framework and settles. Nothing is recovered: after a panic or Goexit the deferred call rolls back, and the
// unwinding goes on with its own stack.
func (s *session[Tx]) serve(next http.Handler) {
	defer s.cancel()
	returned := false
	defer func() {
		if !returned {
			s.abort()
		}
	}()
	next.ServeHTTP(s.recorder, s.inner())
	returned = true
	s.finish()
}

// abort rolls back after a panic or Goexit of the chain.
func (s *session[Tx]) abort() {
	switch s.close() {
	case stageBeginning, stageRunning:
		s.awaitIdle() // if it does not come, End rolls back when it does
	case stageEnded:
		<-s.idle
		s.rollBack(ErrNotReturned) // in vain, where the response was large and is committed
	case stageOutside, stageRefused, stageDecided, stageHandled, stageSent:
	}
}

// rollBack releases an execution whose business code returned normally, since nothing came of its response.
func (s *session[Tx]) rollBack(cause error) {
	if s.endErr == nil {
		s.work.finish(s.ctx, Outcome{Err: cause})
	}
}

// finish settles after the chain has returned, and sends.
func (s *session[Tx]) finish() {
	stage := s.close()
	recorded := s.recorder.close()
	if s.sent() {
		return
	}
	switch stage {
	case stageOutside:
		s.sendUnbegun(recorded)
	case stageHandled:
		s.pass(recorded)
	case stageRefused:
		s.sendFailed(recorded, succeeds(recorded.Status))
	case stageDecided:
		s.send(s.standing, s.answer)
	case stageBeginning, stageRunning:
		if !s.awaitIdle() {
			s.reportNoEnd()
			panic(http.ErrAbortHandler) // closes the connection without an answer and without a log entry
		}
		s.sendFailed(recorded, recorded.Status < 400)
	case stageEnded:
		<-s.idle // a roll back in another goroutine is done before the client hears of it
		s.sendEnded(recorded)
	case stageSent: // returned above
	}
}

// errNoEnd is what a binding without its deferred End looks like, and business code that ignores its context.
var errNoEnd = errors.New("idem: the framework has returned and End has not come: defer ex.End(&err) before business code, which must end when its context does")

func (s *session[Tx]) reportNoEnd() {
	s.mu.Lock()
	w := s.work
	s.mu.Unlock()
	if w != nil {
		w.observe(s.ctx, Event{Kind: EventNotSettled, Err: errNoEnd})
	}
}

// succeeds tells a client that the operation was carried out. Nothing written is 200.
func succeeds(status int) bool { return status < 300 }

// sendUnbegun passes what the layers before Begin answered. A success means that there is no Begin: the operation ran without
// its protection.
func (s *session[Tx]) sendUnbegun(recorded Response) {
	if !succeeds(recorded.Status) {
		s.pass(recorded)
		return
	}
	s.sendNotBound(fmt.Sprintf("the server answered %d without Begin", max(recorded.Status, http.StatusOK)))
}

func (s *session[Tx]) sendNotBound(reason string) {
	s.send(s.w.Header(), s.engine.newAttempt(s.plan.op).notBound(s.ctx, reason))
}

// sendEnded settles after End has come.
func (s *session[Tx]) sendEnded(recorded Response) {
	switch {
	case s.misused:
		s.rollBack(ErrNotBound)
		s.sendNotBound("Begin was called twice in one request")
	case s.answer != nil: // try again: the renderer could not know
		s.send(s.standing, s.answer)
	case s.endErr != nil:
		s.sendFailed(recorded, succeeds(recorded.Status))
	default:
		if recorded.Status == 0 {
			recorded.Status = http.StatusOK // nothing was written, which net/http sends as this
		}
		answer := s.work.finish(s.ctx, Outcome{Response: s.own(recorded)})
		if answer.Problem != nil || answer.Err != nil || answer.Replayed {
			s.send(s.standing, &answer)
			return
		}
		recorded.Status = answer.Response.Status
		s.pass(recorded)
	}
}

// own is what was recorded without the coding of an outer layer, which some announce before they know what they will encode. The
// recorded bytes do not have it.
func (s *session[Tx]) own(recorded Response) Response {
	if outer := s.w.Header()[contentEncoding]; len(outer) > 0 && slices.Equal(outer, recorded.Header[contentEncoding]) {
		recorded.Header = recorded.Header.Clone()
		delete(recorded.Header, contentEncoding)
	}
	return recorded
}

// sendFailed passes what a framework rendered for something that has no outcome, or renders it in its place where that would
// tell the client of a success that was rolled back.
func (s *session[Tx]) sendFailed(recorded Response, misleading bool) {
	if !misleading {
		s.pass(recorded)
		return
	}
	cause := s.endErr
	if cause == nil { // Begin decided after the chain had returned
		cause = ErrNotReturned
	}
	s.send(s.standing, &Answer{Err: cause})
}

// pass sends a response whose headers are all there are.
func (s *session[Tx]) pass(response Response) {
	clear(s.w.Header())
	sendResponse(s.w, s.r, &response)
}

// send sends an answer over the headers that stood when it was made.
func (s *session[Tx]) send(standing http.Header, answer *Answer) {
	if h := s.w.Header(); standing != nil {
		kept := standing.Clone()
		clear(h)
		maps.Copy(h, kept)
	}
	s.engine.answerer.send(s.w, s.r, answer)
}

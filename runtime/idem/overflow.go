package idem

import (
	"io"
	"net/http"
)

// overflow decides what becomes of a response that has grown larger than what a record keeps, while it is still being written. The
// outcome is certain once business code has returned, and its body will not be stored: so it is committed now, and what has been and
// will be written goes to the client instead of into memory. Nil: that cannot be yet, and recording goes on.
func (s *session[Tx]) overflow(recorded Response) io.Writer {
	switch s.overflowing() {
	case stageDecided:
		return io.Discard // Begin has the answer
	case stageHandled:
		return s.stream(recorded)
	case stageOutside, stageBeginning, stageRefused, stageRunning, stageSent:
		return nil
	case stageEnded:
	}
	answer := s.work.finish(s.ctx, Outcome{Response: s.own(recorded)})
	s.mu.Lock()
	defer s.mu.Unlock()
	if answer.Problem != nil || answer.Err != nil || answer.Replayed {
		s.stage, s.answer = stageDecided, &answer
		return io.Discard
	}
	s.stage = stageSent
	return s.stream(recorded)
}

// overflowing gives the stage where something can be decided in it, and stageOutside in all others.
func (s *session[Tx]) overflowing() stage {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.over:
	case s.stage == stageHandled:
		s.stage = stageSent
		return stageHandled
	case s.stage == stageDecided, s.stage == stageEnded && s.endErr == nil && !s.misused:
		return s.stage
	}
	return stageOutside
}

// stream sends what was recorded, and gives where the rest goes.
func (s *session[Tx]) stream(recorded Response) io.Writer {
	clear(s.w.Header())
	putHeaders(s.w.Header(), &recorded)
	s.w.WriteHeader(recorded.Status)
	if s.r.Method == http.MethodHead {
		return io.Discard
	}
	_, _ = s.w.Write(recorded.Body) // a client that is gone needs no answer
	return s.w
}

// sent reports whether the response has gone out already. The recorder is closed: no piece is being written any more.
func (s *session[Tx]) sent() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stage == stageSent
}

package idem

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
)

// recorder keeps what a framework writes until it is known whether that is an outcome, or until it is more than a record would. It has no Unwrap method:
// http.ResponseController would reach the real writer through it. It begins with the headers that stand
// on the real writer, so that inner layers see and change what outer ones set.
type recorder struct {
	header http.Header

	mu     sync.Mutex
	status int         // 0: nothing was written
	sent   http.Header // the headers as they stood when the status was written, as net/http does it
	body   bytes.Buffer
	closed bool

	limit    int64                    // of body
	overflow func(Response) io.Writer // asked beyond it; see session.overflow
	through  io.Writer                // where the rest goes when it has decided
}

func newRecorder(standing http.Header, limit int64, overflow func(Response) io.Writer) *recorder {
	return &recorder{header: standing.Clone(), limit: limit, overflow: overflow}
}

// Header gives the headers that are sent with the next WriteHeader.
func (r *recorder) Header() http.Header { return r.header }

// WriteHeader takes the first final status. Informational responses are left out and superfluous calls are ignored. 101 is final, as it
// is to net/http; no outcome has it.
func (r *recorder) WriteHeader(status int) {
	if status < 100 || status > 999 {
		panic(fmt.Sprintf("invalid WriteHeader code %v", status)) // as net/http does
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.writeHeader(status)
}

func (r *recorder) writeHeader(status int) {
	if r.closed || r.status != 0 || status < 200 && status != http.StatusSwitchingProtocols {
		return
	}
	r.status = status
	r.sent = r.header.Clone()
}

// Write takes a piece of the body; without a status before it that is 200.
func (r *recorder) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return 0, http.ErrHandlerTimeout
	}
	r.writeHeader(http.StatusOK)
	if !bodyAllowed(r.status) {
		return 0, http.ErrBodyNotAllowed
	}
	if r.through != nil {
		return r.through.Write(p)
	}
	n, err := r.body.Write(p)
	if int64(r.body.Len()) > r.limit {
		if r.through = r.overflow(Response{Status: r.status, Header: r.sent, Body: r.body.Bytes()}); r.through != nil {
			r.body = bytes.Buffer{}
		}
	}
	return n, err
}

// Flush does nothing: no byte leaves before the outcome is committed, and of a response that is under way the server decides.
func (r *recorder) Flush() {}

// Hijack fails: a connection that is taken over has no outcome.
func (r *recorder) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return nil, nil, fmt.Errorf("idem: an idempotent operation cannot take over the connection: %w", http.ErrNotSupported)
}

// CloseNotify never tells that the client has gone: the handler ends without it. gin asks every writer for this method, which net/http has
// given up for the request's context.
func (r *recorder) CloseNotify() <-chan bool { return nil }

// close ends recording and gives what was recorded; a status of 0 when nothing was written. Later writes fail.
func (r *recorder) close() Response {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	if r.status == 0 {
		return Response{Header: r.header.Clone()}
	}
	return Response{Status: r.status, Header: r.sent, Body: r.body.Bytes()}
}

var (
	_ http.Flusher  = (*recorder)(nil)
	_ http.Hijacker = (*recorder)(nil)
)

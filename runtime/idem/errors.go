package idem

import "errors"

var (
	// ErrSettled is what every use of an execution, of a held claim or of its transaction gives once the claim was completed
	// or released.
	ErrSettled = errors.New("idem: the execution is settled")
	// ErrDecided says that Begin has an answer without business code: a replay or a problem. Bindings return it to their
	// framework; the middleware sends the answer in place of whatever the framework writes then.
	ErrDecided = errors.New("idem: the request was answered without its handler")
	// ErrNotBound says that an operation is served outside of Engine.Middleware, or as another operation than the one that its
	// path belongs to.
	ErrNotBound = errors.New("idem: the operation is not bound")
)

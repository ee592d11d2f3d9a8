package idem

import "errors"

// NothingDone says that the attempt has had no effect anywhere, in no other system either: the next request with the key runs at once,
// whatever the operation's takeover policy is, and however many attempts there have been. It holds only as long as no phase is
// recorded, in this attempt or an earlier one. err is what the program renders; nil is allowed.
func NothingDone(err error) error {
	if err == nil {
		err = errNothingDone
	}
	return &nothingDoneError{err}
}

var errNothingDone = errors.New("idem: nothing was done")

type nothingDoneError struct{ cause error }

func (e *nothingDoneError) Error() string { return e.cause.Error() }

func (e *nothingDoneError) Unwrap() error { return e.cause }

func saysNothingDone(err error) bool {
	var said *nothingDoneError
	return errors.As(err, &said)
}

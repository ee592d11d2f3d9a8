package idem

import "errors"

// ErrSettled is what every use of an execution, of a held claim or of its transaction gives once the claim was completed or released.
var ErrSettled = errors.New("idem: the execution is settled")

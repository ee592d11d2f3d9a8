package generator

import "github.com/idemgen/idemgen/generator/contract"

// ValidReason reports whether a reason for an accepted change can stand in a lock: a line of text.
func ValidReason(text string) bool { return contract.ValidReason(text) }

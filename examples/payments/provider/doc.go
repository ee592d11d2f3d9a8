// Package provider is a payment provider: the other system that takes the money. It does what good ones do, so it can be asked again: a
// charge has the key of whoever wants it, the same key is one charge, and a charge can be looked up by its key. And it does what all of them
// do now and then: it takes the money and its answer does not arrive.
package provider

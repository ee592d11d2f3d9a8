// Package ogen serves the document of ../payments by a server that ogen generated. What changes is this folder alone: the contract, the lock, the queries
// and the provider are the other example's.
package ogen

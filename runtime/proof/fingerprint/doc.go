// Package fingerprint holds what proves the runtime's canonical form: a contract written by hand in the style of generated code,
// bodies for it, oracles (two independent RFC 8785 libraries), metamorphic tests, and the benchmark in bench.
//
// # Usage
//
//	go test ./runtime/proof/fingerprint
//	go run ./runtime/proof/fingerprint/bench
//
// # Guarantees
//
// The published RFC 8785 vectors are read from shared/vectors/jcs beside the workspace. Where that folder is absent the tests that need
// it are skipped and say so; all others run everywhere.
//
// # Not included
//
// Rules of single normalisers and places of refusals: tables in package canon test those.
package fingerprint

// Command bench measures the protocols of pgstore against their floor, the bare transaction, and prints ratios beside the goals.
//
// # Usage
//
//	go run ./runtime/proof/postgres/bench [-seconds 40] [-records 1000000] [-only NAME]
//
// It starts a private PostgreSQL with fsync on, on the loopback interface. The exit code is 1 when a ratio is past its limit,
// and 2 when something could not be measured.
//
// # Guarantees
//
// What is compared alternates, operation by operation in every client for times, in short slices for throughput and for storms, so
// that whatever else the machine does meets both alike. A ratio is the quotient of two medians, rates or 99th percentiles of one
// run; absolute figures would say more about the machine than about the protocol. CPU is that of the session's process and of this
// one; it is the steadiest figure on a machine that does other things too, and is measured on Linux alone.
//
// # Not included
//
// Fingerprints and HTTP, which other commands measure, except in the storm.
package main

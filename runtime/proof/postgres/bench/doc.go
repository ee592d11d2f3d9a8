// Command bench measures the transactional protocol of pgstore against its floor, the bare transaction, and prints ratios beside
// the goals.
//
// # Usage
//
//	go run ./runtime/proof/postgres/bench [-seconds 10]
//
// It starts a private PostgreSQL with fsync on, on the loopback interface. The exit code is 1 when a ratio is past its limit,
// and 2 when nothing could be measured.
//
// # Guarantees
//
// Variants alternate operation by operation in every client, so that whatever else the machine does meets all of them alike. A
// ratio is the quotient of two medians of one run; absolute times would say more about the machine than about the protocol.
//
// # Not included
//
// Throughput and CPU; leased execution.
package main

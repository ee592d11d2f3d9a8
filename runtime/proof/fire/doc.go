// Package fire runs server and client processes against a database, kills, freezes and disconnects all of them for a while, and
// then asks whether every key had one effect and one answer.
//
// # Usage
//
//	go test ./runtime/proof/fire              # some 20 seconds for each scenario
//	make fire                                 # ten minutes in all
//
// # What happens
//
// Clients in processes of their own send orders under keys that all of them use at about the same time, to several server
// processes, and hang up on some of them. Every request is written to a journal before it is sent, and every answer after it was
// read. Meanwhile a dealer plays a deck of cards: backends are terminated or killed, the database's main process is killed and
// comes back, servers and clients are killed, servers are frozen for moments and for longer than a transaction or a lease may
// stand still. Expired records are swept all the time.
//
// Handlers choose their ending by chance, so that a second run would answer otherwise than the first: success, a failure whose
// writes stay or go, an error, an excepted status, a panic.
//
// # What must hold
//
//   - A key has at most one effect in the life of its record, and the lives of two records of a key do not overlap.
//   - A success that a client saw has exactly one effect; a failure that it saw, exactly those that it should.
//   - All answers to a key are one, and the journal is linearizable (see the package history).
//   - All that holds for a business key too, whichever keys its requests had, or none.
//   - When all is quiet every key can be settled: nothing is stuck after the lease.
//   - Leased: each phase happened once for a record, and the provider charged once for a key.
//
// The controls run in the same harness and must fail: a store that reads, then writes; a store without the fence.
//
// # Not included
//
// Losing the disk; failing over to a standby.
//
// The invariant that is otherwise invisible: the journal is one file to which all processes append whole lines, so the order of its
// lines is an order in real time that needs no clock.
package fire

// Package simulation runs the real engine on the store in memory in a simulated world: several processes, clients that come again,
// calls to the store that take long, lose their answers or are carried out late, and processes that crash. Time is simulated too,
// so an hour of leases, recoveries and delays takes a moment.
//
// # Usage
//
//	go test ./runtime/proof/simulation                              # a few hundred worlds
//	go test ./runtime/proof/simulation -args -worlds 10000
//
// # Guarantees
//
// A world is made from a number. What happens in it follows from that number and from the order in which Go runs goroutines that
// could all run: the same number gives nearly, but not always, the same world.
//
// In every world a key has one effect of each step, one answer, one charge, and so has a business key under whatever keys it came;
// what clients saw is linearizable; and when the trouble is over every key can be settled. The controls, wrong on purpose, must
// break that.
//
// # Not included
//
// SQL, connections and PostgreSQL's locks: see the package fire.
//
// The invariant that is otherwise invisible: a process that has crashed never does anything again. Its calls end with an error and
// have no effect, what it had open is rolled back when the store notices, and nobody hears its answers.
package simulation

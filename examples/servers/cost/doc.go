// Cost prints what idemgen adds to a whole request, for each kind of server: the server as it is generated, and the same server bound, with
// records in memory. Allocations and bytes are counted in front of the server, CPU time over connections of a real one.
//
// Usage: go run ./examples/servers/cost [-seconds N]
package main

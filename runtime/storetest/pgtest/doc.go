// Package pgtest gives tests a real PostgreSQL: a private temporary cluster, one schema for each test, a wire that counts round
// trips, delays answers and loses connections on demand, and a PgBouncer in between.
//
// # Usage
//
//	func TestMain(m *testing.M) { pgtest.Main(m) }
//
//	func TestTransfer(t *testing.T) {
//		pool := pgtest.Schema(t) // *pgxpool.Pool; its search_path is a new, empty schema
//		…
//	}
//
// The cluster is started by the first test that asks for it, from the server binaries of the machine (pg_config, the usual
// folders of the distributions, PATH), and listens on a socket in its own folder only. As root the server runs as the user
// postgres, else nobody, because PostgreSQL refuses to run as root. IDEMGEN_TEST_POSTGRES, a connection URL, points to a server
// that is already there instead; its user must be allowed to create schemas.
//
// # Guarantees
//
// Without server binaries and without IDEMGEN_TEST_POSTGRES a test fails with a sentence that says what to install. It never
// skips: a store that was not tried has not passed.
//
// No server process and no folder is left behind, however the test process ends, SIGKILL included.
//
// # Not included
//
// Durability: fsync is off, unless Options.Durable asks for it. Several databases or versions side by side.
//
// The invariant that is otherwise invisible: the server's parent is a shell that waits on a pipe which only the test process
// holds open. The kernel closes the pipe when that process is gone, and then the shell stops the server and deletes the folder.
package pgtest

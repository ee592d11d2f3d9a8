// Package httptext reads an HTTP request that somebody wrote down: as it goes over the wire, as a .http file of an editor, or as a curl
// command line.
//
// # Usage
//
//	request, err := httptext.Parse(text, os.ReadFile)
//
// # Guarantees
//
// Nothing is sent, and no command is run. A curl command may name files for its body: read decides whether they may be opened. Headers that
// only tell the transport what to do (Host, Content-Length, Accept-Encoding, authentication) are kept as they stand; what a request means
// is not this package's to say. An option or a line that is not understood is an error, never left out silently.
//
// # Not included
//
// Variables and scripts of .http files; shell expansions beyond quoting; trailers and chunked bodies.
//
// The invariant that is otherwise invisible: the body comes out byte by byte as it was written, without the line break that ends a file.
package httptext

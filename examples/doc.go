// Package examples holds programs that use idemgen, and the test that keeps the README true. It is never tagged.
package examples

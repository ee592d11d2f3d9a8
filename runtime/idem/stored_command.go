package idem

import (
	"encoding/binary"
	"errors"
	"net/http"

	"github.com/idemgen/idemgen/runtime/canon"
)

// commandFormat is the first byte of a stored command. A format that it names is never read otherwise; another one gets another
// number.
const commandFormat = 1

var errCommandFormat = errors.New("idem: the stored command is damaged or of a newer format")

// storeCommand gives what a record keeps of a request for a recovery: what can become the operation's command, and nothing more. Other
// headers may hold credentials.
func storeCommand(op *Operation, r *canon.Request) []byte {
	b := []byte{commandFormat}
	b = binary.AppendUvarint(b, uint64(len(r.Path)))
	for _, value := range r.Path {
		b = appendSized(b, value)
	}
	b = appendSized(b, r.Query)
	b = appendSized(b, r.ContentType)
	kept := http.Header{}
	for _, name := range op.CommandHeaders {
		if lines, ok := r.Header[name]; ok {
			kept[name] = lines
		}
	}
	b = appendHeader(b, kept)
	return append(b, r.Body...)
}

// readCommand undoes storeCommand.
func readCommand(stored []byte) (*canon.Request, error) {
	if len(stored) == 0 || stored[0] != commandFormat {
		return nil, errCommandFormat
	}
	in := sizedReader{rest: stored[1:]}
	var r canon.Request
	for n := in.number(); n > 0 && !in.bad; n-- {
		r.Path = append(r.Path, in.text())
	}
	r.Query = in.text()
	r.ContentType = in.text()
	header := in.header()
	if in.bad {
		return nil, errCommandFormat
	}
	if r.ContentType != "" {
		header["Content-Type"] = []string{r.ContentType}
	}
	r.Header, r.Body = header, in.rest
	return &r, nil
}

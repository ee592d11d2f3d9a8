package idem

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// ValidatedValue gives the JSON value of the whole body, as encoding/json decodes it into any with numbers as json.Number. Servers made
// by oapi-codegen 2.8 and later ask their request's body for it and bind from it: their handlers see the member names that the
// fingerprint sees, exactly as they were written, where encoding/json would take AMOUNT for amount.
//
// A body that is too large, no JSON, or more than one value gives something that cannot be bound. Such servers then read the bytes,
// which are all there still, and Begin answers.
func (c *capture) ValidatedValue() any {
	raw, err := c.rest()
	if err != nil {
		return unbindable
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		return unbindable
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return unbindable
	}
	return value
}

// unbindable is a value that no destination takes: it cannot even be made JSON of.
var unbindable any = func() {}

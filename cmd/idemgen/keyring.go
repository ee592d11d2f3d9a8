package main

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/runtime/idem"
)

// keyRing reads the keys that were given, nil for none. Errors never hold what a file holds.
func (f *requestFlags) keyRing() (*idem.KeyRing, error) {
	if len(f.keys) == 0 {
		return nil, nil
	}
	keys := map[uint32][]byte{}
	var last uint32
	for text, file := range f.keys {
		id, err := strconv.ParseUint(text, 10, 32)
		if err != nil || id == 0 {
			return nil, usagef("--fingerprint-key %s: the id is a number from 1 to 4294967295", text)
		}
		encoded, err := readSome(file)
		if err != nil {
			return nil, fmt.Errorf("--fingerprint-key %s: %w", text, err)
		}
		last = uint32(id)
		if keys[last], err = base64.StdEncoding.DecodeString(strings.TrimSpace(string(encoded))); err != nil {
			return nil, fmt.Errorf("--fingerprint-key %s: the file holds no base64 text", text)
		}
	}
	return idem.NewKeyRing(last, keys) // which one is the current one says nothing here
}

// readSome reads a small file; what is larger holds no key.
func readSome(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f, 64<<10))
	return text, errors.Join(err, f.Close())
}

package generator

import (
	"bytes"
	"encoding/json"

	"github.com/idemgen/idemgen/generator/contract"
	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/runtime/canon"
)

// differences names the fields that two requests differ in, as the answer to a mismatch does: by the scanner's field digests. Values are
// those of the explained texts.
func differences(v *contract.Version, requests []*canon.Request, explained []ExplainedRequest, showSensitive bool) []FieldDifference {
	a, b := fieldDigests(v, requests[0]), fieldDigests(v, requests[1])
	var out []FieldDifference
	for i, f := range v.Fields {
		if at := i * digestSize; bytes.Equal(a[at:at+digestSize], b[at:at+digestSize]) {
			continue
		}
		d := FieldDifference{Field: f.Path, Rule: f.Rule}
		first, known := valueAt(explained[0].Canonical, f.Path)
		second, also := valueAt(explained[1].Canonical, f.Path)
		if known && also && (!f.Sensitive || showSensitive) {
			d.Values = []string{first, second}
		}
		out = append(out, d)
	}
	return out
}

// digestSize is the size of one field digest in bytes.
const digestSize = 4

func fieldDigests(v *contract.Version, r *canon.Request) []byte {
	s := canon.Acquire()
	defer s.Release()
	s.TrackFields(len(v.Fields))
	s.Start(r)
	v.Scan(s)
	return s.AppendFieldDigests(nil)
}

// absent stands for a value that is not there.
const absent = "absent"

// valueAt finds the value of a field in a canonical text; false where the field is not one value: below an array, a map or a union.
func valueAt(canonical, path string) (string, bool) {
	p, err := openapi.ParseFieldPath(path)
	if err != nil {
		return "", false
	}
	text := json.RawMessage(canonical)
	steps := []string{p.In.String()}
	for i, s := range p.Segments {
		switch {
		case s.Kind == openapi.SegName:
			steps = append(steps, s.Name)
		case s.Kind == openapi.SegElement && i == len(p.Segments)-1: // the array's own line
		default:
			return "", false
		}
	}
	for _, name := range steps {
		var members map[string]json.RawMessage
		if json.Unmarshal(text, &members) != nil {
			return absent, true // what stands above is null, or no object
		}
		var ok bool
		if text, ok = members[name]; !ok {
			return absent, true
		}
	}
	return string(text), true
}

package generator

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/idemgen/idemgen/generator/contract"
	"github.com/idemgen/idemgen/openapi/diag"
	"github.com/idemgen/idemgen/runtime/vector"
)

// VectorFile is the JSON form of vectors, for programs in other languages. Its members are only ever added to.
type VectorFile struct {
	Scheme    string            `json:"scheme"`
	Contracts []ContractVectors `json:"contracts"`
}

// ContractVectors are those of one contract's current version.
type ContractVectors struct {
	Name      string       `json:"name"`
	Operation string       `json:"operation"` // POST /accounts/{accountId}/payments
	Version   int          `json:"version"`
	ID        string       `json:"id"`
	Vectors   []VectorJSON `json:"vectors"`
}

// VectorJSON is one vector. A refused one has neither canonical text nor digest.
type VectorJSON struct {
	Name      string      `json:"name"`
	Like      string      `json:"like,omitempty"`
	Unlike    string      `json:"unlike,omitempty"`
	Refused   bool        `json:"refused,omitempty"`
	Request   RequestJSON `json:"request"`
	Canonical string      `json:"canonical,omitempty"`
	SHA256    string      `json:"sha256,omitempty"`
}

// RequestJSON is a whole request: the raw query, decoded path values by their template variables, header lines by their lower-case names.
type RequestJSON struct {
	ContentType string `json:"contentType,omitempty"`
	Body        string `json:"body,omitempty"`
	// View is the JSON text that the server's view makes of the body, for an operation that has one; then no body is given.
	View   string            `json:"view,omitempty"`
	Path   map[string]string `json:"path,omitempty"`
	Query  string            `json:"query,omitempty"`
	Header map[string]string `json:"header,omitempty"`
}

// Vectors gives the test vectors of a document's contracts as JSON, each with its whole request. The text is nil when the list has errors.
func Vectors(document string, opts Options) ([]byte, diag.List, error) {
	u, err := compile(document, opts)
	if err != nil || u.api == nil || u.findings.HasErrors() {
		return nil, u.findings, err
	}
	file := VectorFile{Scheme: contract.Scheme, Contracts: []ContractVectors{}}
	for _, c := range u.api.Contracts {
		if !c.Compare {
			continue
		}
		vectors, err := vectorsJSON(c)
		if err != nil {
			return nil, u.findings, fmt.Errorf("generator: export %s: %w", slash(document), err)
		}
		file.Contracts = append(file.Contracts, ContractVectors{
			Name: c.Name, Operation: c.Method + " " + c.Path, Version: c.Version.Number, ID: string(c.Version.ID), Vectors: vectors,
		})
	}
	var text bytes.Buffer
	out := json.NewEncoder(&text)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	if err := out.Encode(file); err != nil {
		return nil, u.findings, fmt.Errorf("generator: export %s: %w", slash(document), err)
	}
	return text.Bytes(), u.findings, nil
}

func vectorsJSON(c *contract.Contract) ([]VectorJSON, error) {
	expanded, err := c.Expand()
	if err != nil {
		return nil, err
	}
	out := make([]VectorJSON, len(expanded))
	for i, v := range expanded {
		out[i] = VectorJSON{Name: v.Name, Like: v.Like, Unlike: v.Unlike, Refused: v.Refused != "", Request: requestJSON(&v.Whole)}
		if v.Result.Err == nil {
			out[i].Canonical, out[i].SHA256 = v.Result.Canonical, hex.EncodeToString(v.Result.Digest[:])
		}
	}
	return out, nil
}

func requestJSON(r *vector.Request) RequestJSON {
	return RequestJSON{ContentType: r.ContentType(), Body: r.Body, View: r.View, Path: valuesJSON(r.Path), Query: r.Query, Header: valuesJSON(r.Header)}
}

func valuesJSON(values []vector.Value) map[string]string {
	out := map[string]string{}
	for _, v := range values {
		out[v.Name] = v.Text
	}
	return out
}

package diag

import _ "embed"

//go:embed findings.schema.json
var findingsSchema string

// FindingsSchema gives the JSON Schema (draft 2020-12) of what [JSONPrinter] writes.
func FindingsSchema() []byte { return []byte(findingsSchema) }

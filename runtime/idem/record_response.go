package idem

import (
	"fmt"
	"math"
	"net/http"
)

// Record gives what write writes, as the response that a handler returns. Servers whose responses render themselves to a ResponseWriter
// need it where nobody is connected: in a recovery. An error of write's is returned, whatever was written before.
//
//	return idem.Record(api.CapturePayment200JSONResponse(payment).VisitCapturePaymentResponse)
func Record(write func(http.ResponseWriter) error) (Response, error) {
	r := newRecorder(http.Header{}, math.MaxInt64, nil)
	if err := write(r); err != nil {
		return Response{}, fmt.Errorf("idem: record a response: %w", err)
	}
	response := r.close()
	if response.Status == 0 {
		response.Status = http.StatusOK
	}
	return response, nil
}

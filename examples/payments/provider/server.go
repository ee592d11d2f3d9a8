package provider

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
)

// Charge is money that was taken.
type Charge struct {
	ID       string `json:"id"`
	Amount   string `json:"amount"`
	Currency string `json:"currency"`
}

// Server is the provider's API: POST /charges with a header Idempotency-Key, and GET /charges/{key}.
type Server struct {
	mux http.ServeMux

	mu      sync.Mutex
	charges map[string]Charge // by key
	asked   int
	drop    bool
	reset   chan struct{} // closed to break the connections whose answers were dropped
	dropped chan struct{} // gets a value for each answer that was dropped
}

// NewServer gives a provider that has charged nobody.
func NewServer() *Server {
	s := &Server{charges: map[string]Charge{}, reset: make(chan struct{}), dropped: make(chan struct{}, 100)}
	s.mux.HandleFunc("POST /charges", s.charge)
	s.mux.HandleFunc("GET /charges/{key}", s.find)
	return s
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// DropAnswers says whether the answers to charges are lost from now on. The caller waits then, until it gives up or Reset is called.
func (s *Server) DropAnswers(drop bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop = drop
}

// Reset breaks the connections of those who wait for an answer that was dropped.
func (s *Server) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.reset)
	s.reset = make(chan struct{})
}

// Dropped gets a value when a charge was made whose answer is lost.
func (s *Server) Dropped() <-chan struct{} { return s.dropped }

// Charges counts the charges, and how often somebody has asked for one.
func (s *Server) Charges() (made, asked int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.charges), s.asked
}

func (s *Server) charge(w http.ResponseWriter, r *http.Request) {
	key := r.Header.Get("Idempotency-Key")
	var c Charge
	if err := json.NewDecoder(r.Body).Decode(&c); err != nil || key == "" {
		http.Error(w, "a key, an amount and a currency", http.StatusBadRequest)
		return
	}
	c, reset := s.take(key, c)
	if reset != nil {
		s.dropped <- struct{}{}
		select {
		case <-r.Context().Done():
		case <-reset:
		}
		panic(http.ErrAbortHandler) // closes the connection without an answer
	}
	answer(w, http.StatusCreated, c)
}

// take makes a charge, once for a key. reset is not nil when nobody is to hear of it.
func (s *Server) take(key string, c Charge) (made Charge, reset <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	if _, ok := s.charges[key]; !ok {
		c.ID = fmt.Sprintf("ch_%d", len(s.charges)+1)
		s.charges[key] = c
	}
	if s.drop {
		reset = s.reset
	}
	return s.charges[key], reset
}

func (s *Server) find(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	c, ok := s.charges[r.PathValue("key")]
	s.mu.Unlock()
	if !ok {
		http.NotFound(w, r)
		return
	}
	answer(w, http.StatusOK, c)
}

func answer(w http.ResponseWriter, status int, c Charge) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(c) // a caller that has gone hears nothing
}

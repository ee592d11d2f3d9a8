package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"syscall"
	"time"
)

// variant is a server and how its requests choose their keys.
type variant struct {
	handler http.Handler
	next    keys
}

// burst is how many requests run between two readings of the clock of CPU time.
const burst = 50

// cpuTimes gives the CPU time that this process takes for a request of each variant, in any unit. The client is a connection that writes and
// reads bytes, so that nearly all of it is the server's. The variants alternate.
func cpuTimes(d time.Duration, variants ...variant) ([]float64, error) {
	clients := make([]*client, len(variants))
	for i, v := range variants {
		server := httptest.NewServer(v.handler)
		defer server.Close()
		conn, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", server.Listener.Addr().String())
		if err != nil {
			return nil, err
		}
		defer conn.Close()
		clients[i] = &client{conn: conn, next: v.next}
	}
	used := make([]float64, len(variants))
	for end, round := time.Now().Add(d), 0; time.Now().Before(end) || round < 3; round++ {
		for i, c := range clients {
			before, err := cpuTime()
			if err != nil {
				return nil, err
			}
			for range burst {
				if err := c.pay(); err != nil {
					return nil, err
				}
			}
			after, err := cpuTime()
			if err != nil {
				return nil, err
			}
			if round > 0 { // the first one warms up
				used[i] += float64(after - before)
			}
		}
	}
	return used, nil
}

func cpuTime() (time.Duration, error) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, fmt.Errorf("read the CPU time: %w", err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), nil
}

// client is a connection over which one request follows the other.
type client struct {
	conn   net.Conn
	next   keys
	buffer []byte
}

const requestText = "POST /payments HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer good\r\nContent-Type: application/json\r\n"

var headEnd, lengthName = []byte("\r\n\r\n"), []byte("Content-Length: ")

func (c *client) pay() error {
	c.buffer = fmt.Appendf(c.buffer[:0], "%sIdempotency-Key: %s\r\nContent-Length: %d\r\n\r\n%s", requestText, c.next(), len(body), body)
	if _, err := c.conn.Write(c.buffer); err != nil {
		return err
	}
	c.buffer = c.buffer[:0]
	for {
		c.buffer = append(c.buffer, make([]byte, 2048)...)[:len(c.buffer)]
		n, err := c.conn.Read(c.buffer[len(c.buffer):cap(c.buffer)])
		if err != nil {
			return err
		}
		c.buffer = c.buffer[:len(c.buffer)+n]
		if whole, err := c.whole(); whole || err != nil {
			return err
		}
	}
}

// whole reports whether the buffer holds all of a response, which must be a 201.
func (c *client) whole() (bool, error) {
	end := bytes.Index(c.buffer, headEnd)
	if end < 0 {
		return false, nil
	}
	head := c.buffer[:end+2]
	if !bytes.HasPrefix(head, []byte("HTTP/1.1 201 ")) {
		return false, fmt.Errorf("a request was answered with %s", c.buffer)
	}
	_, after, ok := bytes.Cut(head, lengthName)
	if !ok {
		return false, fmt.Errorf("a response has no length: %s", head)
	}
	digits, _, _ := bytes.Cut(after, []byte("\r\n"))
	length, err := strconv.Atoi(string(digits))
	return err == nil && len(c.buffer) >= end+len(headEnd)+length, err
}

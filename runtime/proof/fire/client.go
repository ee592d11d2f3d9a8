package fire

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/proof/history"
	"github.com/idemgen/idemgen/runtime/proof/shop"
)

const (
	clientsInProcess = 12
	// keyEvery is how often a new key comes into use, and keyWindow how many are used at a time.
	keyEvery  = 40 * time.Millisecond
	keyWindow = 6
	// briefKeys are used again and again: their records expire in between.
	briefKeys = 8
	// hangUps is the share of a hundred calls whose client goes away before long, within shortly.
	hangUps = 15
	shortly = 12 * time.Millisecond
	// longest is how long a client waits.
	longest = 3 * time.Second
)

// ask is a client process: it goes on until it is killed.
func ask(s settings) error {
	j, err := openJournal(s.Journal)
	if err != nil {
		return err
	}
	var all sync.WaitGroup
	errs := make([]error, clientsInProcess)
	for i := range errs {
		all.Go(func() { errs[i] = newCustomer(s, fmt.Sprintf("%s-%d-%d", s.Name, os.Getpid(), i), j).shop() })
	}
	all.Wait()
	return errors.Join(errs...)
}

// customer is one client.
type customer struct {
	settings
	name    string
	journal journal
	http    *http.Client
	calls   int
}

func newCustomer(s settings, name string, j journal) *customer {
	return &customer{settings: s, name: name, journal: j, http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 2}}}
}

func (c *customer) shop() error {
	for {
		patience := longest
		if rand.IntN(100) < hangUps {
			patience = time.Duration(rand.Int64N(int64(shortly)))
		}
		if _, err := c.send(context.Background(), c.choose(), patience); err != nil {
			return err
		}
		time.Sleep(time.Duration(rand.Int64N(int64(20 * time.Millisecond))))
	}
}

// choose picks a key that others are using too, and now and then another command than theirs; or a business key that others are using,
// with one of a few keys or with none.
func (c *customer) choose() shop.Order {
	op := c.Scenario.operations()[rand.IntN(len(c.Scenario.operations()))]
	o := shop.Order{Path: op.Path, Command: shop.Command{Amount: "10"}}
	if isBrief(op) {
		o.Key = fmt.Sprintf("brief-%d", rand.IntN(briefKeys))
		return o
	}
	now := int(time.Since(c.Start)/keyEvery) + rand.IntN(keyWindow)
	if op.Unique != nil {
		o.Amount = idem.Number(fmt.Sprint(now + 1))
		if own := rand.IntN(3); own > 0 {
			o.Key = fmt.Sprintf("own-%d-%d", now, own)
		}
		return o
	}
	o.Key = fmt.Sprintf("key-%d", now)
	if rand.IntN(12) == 0 {
		o.Amount = "11"
	}
	return o
}

// send sends an order to some server, and writes into the journal what it did and what came of it.
func (c *customer) send(ctx context.Context, o shop.Order, patience time.Duration) (history.Answer, error) {
	c.calls++
	o.Call = fmt.Sprintf("%s-%d", c.name, c.calls)
	if err := c.journal.write(entry{Begin: &o}); err != nil {
		return history.Answer{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	server := c.Servers[rand.IntN(len(c.Servers))]
	a, err := shop.Client{URL: "http://" + server, HTTP: c.http}.Send(ctx, o)
	answer := history.AnswerOf(a, err)
	switch {
	case notConnected(err):
		answer.Kind = history.Nothing
	case answer.Kind == history.Nothing && c.Scenario.Leased:
		answer.Kind = history.Lost // an attempt that lost its lease leaves its claim to the next one
	}
	return answer, c.journal.write(entry{End: &ending{Call: o.Call, Answer: answer, Status: a.Status}})
}

// notConnected: no server has heard of the request.
func notConnected(err error) bool {
	var failed *net.OpError
	return errors.As(err, &failed) && failed.Op == "dial"
}

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	payment   = `{"accountId":"acc_1","amount":"10.00","currency":"EUR"}`
	respelled = "{\n  \"currency\": \"EUR\",\n  \"amount\": \"10\",\n  \"accountId\": \"acc_1\"\n}"
	changed   = `{"accountId":"acc_1","amount":"99.00","currency":"EUR"}`
)

// scenario is one run of the demonstration: fresh keys, and how many effects each tenant had before,
// since a database may hold those of earlier runs.
type scenario struct {
	ctx    context.Context
	client *client
	key    string
	before map[string]int
	first  answer
}

// step is one line of the demonstration.
type step struct {
	name, expected string
	seen           func() string
}

// play runs the scenario and gives the number of steps that were not as expected.
func play(ctx context.Context, c *client, out io.Writer) int {
	s := &scenario{ctx: ctx, client: c, key: fmt.Sprintf("demo-%d", time.Now().UnixNano()), before: map[string]int{}}
	for _, tenant := range []string{"alice", "bob"} {
		s.before[tenant] = s.effects(tenant)
	}
	failed := 0
	for _, st := range s.steps() {
		mark, seen := "ok  ", st.seen()
		if seen != st.expected {
			mark = "FAIL"
			failed++
		}
		fmt.Fprintf(out, "%s %-46s expected: %s\n%52sseen: %s\n", mark, st.name, st.expected, "", seen)
	}
	return failed
}

func (s *scenario) steps() []step {
	return []step{
		{"first request", "201", s.firstRequest},
		{"retry: members reordered, 10.00 written as 10", "201 replayed, same bytes", s.retry},
		{"same key, another amount", "422 IDEMPOTENCY_KEY_REUSED_WITH_DIFFERENT_REQUEST [body.amount]", s.changedAmount},
		{"two at once with one new key", "201 and 409 IDEMPOTENCY_IN_FLIGHT", s.pair},
		{"no key", "400 IDEMPOTENCY_KEY_MISSING", s.noKey},
		{"another tenant, same key", "201, another payment", s.otherTenant},
		{"a token that is not on the list", "401", s.unknownToken},
		{"payments made for alice and bob", "2 and 1", s.count},
	}
}

func (s *scenario) firstRequest() string {
	s.first = s.client.pay(s.ctx, "alice", s.key, payment)
	return describe(s.first)
}

func (s *scenario) retry() string {
	again := s.client.pay(s.ctx, "alice", s.key, respelled)
	if again.body == s.first.body {
		return describe(again) + ", same bytes"
	}
	return describe(again) + ", other bytes"
}

func (s *scenario) changedAmount() string {
	return describe(s.client.pay(s.ctx, "alice", s.key, changed))
}

func (s *scenario) pair() string {
	var wg sync.WaitGroup
	seen := make([]string, 2)
	for i := range seen {
		wg.Go(func() { seen[i] = describe(s.client.pay(s.ctx, "alice", s.key+"-pair", payment)) })
	}
	wg.Wait()
	slices.Sort(seen)
	return strings.Join(seen, " and ")
}

func (s *scenario) noKey() string { return describe(s.client.pay(s.ctx, "alice", "", payment)) }

func (s *scenario) otherTenant() string {
	other := s.client.pay(s.ctx, "bob", s.key, payment)
	if other.body == s.first.body {
		return describe(other) + ", the same payment"
	}
	return describe(other) + ", another payment"
}

func (s *scenario) unknownToken() string {
	return describe(s.client.pay(s.ctx, "mallory", s.key, payment))
}

func (s *scenario) count() string {
	made := func(tenant string) string { return strconv.Itoa(s.effects(tenant) - s.before[tenant]) }
	return made("alice") + " and " + made("bob")
}

// effects counts what was done for a tenant; -1 when the list cannot be read.
func (s *scenario) effects(tenant string) int {
	var list []json.RawMessage
	a := s.client.effects(s.ctx, tenant)
	if a.err != nil || json.Unmarshal([]byte(a.body), &list) != nil {
		return -1
	}
	return len(list)
}

// describe puts an answer into words: status, the problem's code and fields, and whether it was a replay.
func describe(a answer) string {
	if a.err != nil {
		return a.err.Error()
	}
	words := []string{strconv.Itoa(a.status)}
	if a.replayed {
		words = append(words, "replayed")
	}
	var problem struct {
		Code   string   `json:"code"`
		Fields []string `json:"fields"`
	}
	if json.Unmarshal([]byte(a.body), &problem) == nil && problem.Code != "" {
		words = append(words, problem.Code)
	}
	if len(problem.Fields) > 0 {
		words = append(words, "["+strings.Join(problem.Fields, " ")+"]")
	}
	return strings.Join(words, " ")
}

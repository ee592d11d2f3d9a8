package generator

import (
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/idemgen/idemgen/generator/contract"
	"github.com/idemgen/idemgen/openapi/diag"
)

// Retirement says that the last program which wrote a version has stopped: `createPayment@1=2026-12-20`, or `1=2026-12-20` for every contract
// whose current version is higher.
type Retirement = contract.Retirement

var retirementForm = regexp.MustCompile(`^(?:(.+)@)?([1-9][0-9]{0,8})=([0-9]{4}-[0-9]{2}-[0-9]{2})$`)

// ParseRetirement reads one as it stands on a command line.
func ParseRetirement(text string) (Retirement, error) {
	m := retirementForm.FindStringSubmatch(text)
	if m == nil {
		return Retirement{}, fmt.Errorf("%q: give 1=2026-12-20, or createPayment@1=2026-12-20", text)
	}
	since, err := time.Parse(time.DateOnly, m[3])
	if err != nil {
		return Retirement{}, fmt.Errorf("%q: there is no such day", text)
	}
	number, _ := strconv.Atoi(m[2]) // its form was checked
	return Retirement{Contract: m[1], Number: number, Since: since}, nil
}

// Pruning says which older versions may go.
type Pruning struct {
	// Retired are versions whose last writer has stopped. Now is the time that their last record must have expired by.
	Retired []Retirement
	Now     time.Time
	// Live, if it is not nil, counts the live records of each contract id, by the newest version that each of them knows: versions without
	// any go.
	Live map[string]int64
}

// Prune takes older versions out of the documents' locks, and plans what is generated then. pruned names them, document by document:
// createPayment@1.
func Prune(documents []string, what Pruning, opts Options) (plan *Plan, pruned map[string][]string, findings diag.List, err error) {
	pruned = map[string][]string{}
	opts.prune = func(document string, lock *contract.Lock) error {
		var all []string
		for _, r := range what.Retired {
			names, err := lock.Prune(r, what.Now)
			if err != nil {
				return fmt.Errorf("generator: prune %s: %w", slash(document), err)
			}
			all = append(all, names...)
		}
		if what.Live != nil {
			all = append(all, lock.PruneUnused(what.Live)...)
		}
		pruned[document] = all
		return nil
	}
	plan, findings, err = Prepare(documents, opts)
	return plan, pruned, findings, err
}

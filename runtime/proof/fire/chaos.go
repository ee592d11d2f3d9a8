//go:build unix

package fire

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/runtime/storetest/pgtest"
)

// card is one thing that happens to the processes.
type card string

const (
	terminate     card = "all backends terminated"
	killBackend   card = "backend killed"
	crashDatabase card = "database crashed"
	killServer    card = "server killed"
	killClient    card = "client killed"
	freezeShortly card = "server frozen shortly"
	freezeLong    card = "server frozen past the lease"
)

// deck is what is dealt before it is shuffled again, so that a short run meets everything too.
func (s Scenario) deck() []card {
	all := []card{
		terminate, terminate, killBackend, crashDatabase,
		killServer, killServer, killServer, killServer, killClient, freezeShortly, freezeLong,
	}
	if s.Leased {
		all = append(all, freezeLong, freezeLong, freezeLong, freezeLong, freezeLong)
	}
	if s.Store == Unfenced { // it shows when somebody comes back
		all = []card{freezeLong, freezeLong, freezeLong, killServer}
	}
	if s.Forgetful { // it forgets what it has not written when it crashes
		all = []card{terminate, crashDatabase, crashDatabase}
	}
	rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// dealer deals cards until its context is done.
type dealer struct {
	scenario Scenario
	database *pgtest.Server
	admin    *pgxpool.Pool
	servers  []*process
	clients  []*process
	dealt    map[card]int
	// disturbed counts what disturb did.
	disturbed int
}

func (d *dealer) run(ctx context.Context) error {
	var deck []card
	for {
		if len(deck) == 0 {
			deck = d.scenario.deck()
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(150*time.Millisecond + time.Duration(rand.Int64N(int64(600*time.Millisecond)))):
		}
		done, err := d.play(ctx, deck[0])
		if err != nil {
			return fmt.Errorf("fire: %s: %w", deck[0], err)
		}
		if done {
			d.dealt[deck[0]]++
		}
		deck = deck[1:]
	}
}

// play says whether the card had an effect. The database may be coming back just now: then there is nothing to disturb.
func (d *dealer) play(ctx context.Context, c card) (done bool, err error) {
	switch c {
	case terminate:
		return d.terminate(ctx, everybody, anyState), nil
	case killBackend: // upon which the server ends all of them and recovers
		return d.onBackends(ctx, 1, anyState, func(pid int) error {
			process, err := os.FindProcess(pid)
			if err != nil {
				return err
			}
			return process.Kill()
		}), nil
	case crashDatabase:
		return true, d.database.Crash()
	case killServer:
		oneOf(d.servers).kill()
	case killClient:
		oneOf(d.clients).kill()
	case freezeShortly:
		return oneOf(d.servers).freeze(100*time.Millisecond + time.Duration(rand.Int64N(int64(500*time.Millisecond)))), nil
	case freezeLong:
		return oneOf(d.servers).freeze(d.scenario.longFreeze()), nil
	}
	return true, nil
}

// longFreeze is longer than a process may stand still without losing what it holds.
func (s Scenario) longFreeze() time.Duration {
	if s.Leased {
		return lease + lease/4 + time.Duration(rand.Int64N(int64(lease)))
	}
	return transactionLease + 500*time.Millisecond
}

func oneOf(all []*process) *process { return all[rand.IntN(len(all))] }

// disturb terminates one session after the other of those that are at work. Many are just committing: then nobody can say at once
// what was committed. What a frozen process holds is left to it.
func (d *dealer) disturb(ctx context.Context) {
	for ctx.Err() == nil {
		time.Sleep(time.Duration(rand.Int64N(int64(60 * time.Millisecond))))
		if d.terminate(ctx, 1, "active") {
			d.disturbed++
		}
	}
}

func (d *dealer) terminate(ctx context.Context, n int, state string) (done bool) {
	return d.onBackends(ctx, n, state, func(pid int) error {
		_, err := d.admin.Exec(ctx, "select pg_terminate_backend($1)", pid)
		return err
	})
}

const (
	everybody = 1000
	anyState  = "%"
)

// onBackends does something to some of the servers' database sessions that are in a state.
func (d *dealer) onBackends(ctx context.Context, n int, state string, do func(pid int) error) (done bool) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	rows, err := d.admin.Query(ctx, `select pid from pg_stat_activity where application_name = $1 and state like $2
		order by random() limit $3`, applicationName, state, n)
	if err != nil {
		return false
	}
	pids, _ := pgx.CollectRows(rows, pgx.RowTo[int]) // those that could be read
	for _, pid := range pids {
		done = do(pid) == nil || done
	}
	return done
}

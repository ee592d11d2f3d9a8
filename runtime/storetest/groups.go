package storetest

// clocks says which clock the store of a case has.
type clocks bool

const (
	ownClock  clocks = false
	testClock clocks = true // it stands until the case turns it
)

// group are cases that need the same of a store.
type group[Tx any] struct {
	needs []Ability
	clock clocks
	cases []testCase[Tx]
}

func groups[Tx any]() []group[Tx] {
	return []group[Tx]{
		{nil, ownClock, claimCases[Tx]()},
		{nil, ownClock, replayCases[Tx]()},
		{nil, ownClock, settleCases[Tx]()},
		{nil, ownClock, expiryCases[Tx]()},
		{nil, testClock, instantCases[Tx]()},
		{nil, ownClock, raceCases[Tx]()},
		{[]Ability{Leasing}, testClock, leaseCases[Tx]()},
		{[]Ability{Leasing}, testClock, leaseSettleCases[Tx]()},
		{[]Ability{Leasing}, testClock, phaseCases[Tx]()},
		{[]Ability{Leasing}, testClock, dueCases[Tx]()},
		{[]Ability{Leasing, Sweeping}, ownClock, leaseTimeCases[Tx]()},
		{[]Ability{Sweeping}, testClock, sweepCases[Tx]()},
		{[]Ability{Sweeping}, ownClock, sweepRaceCases[Tx]()},
		{[]Ability{Sweeping, Leasing}, testClock, sweepLeaseCases[Tx]()},
		{[]Ability{Sweeping, Leasing}, ownClock, sweepLeaseRaceCases[Tx]()},
		{[]Ability{Erasing}, testClock, eraseCases[Tx]()},
		{[]Ability{Erasing, Leasing}, testClock, eraseLeaseCases[Tx]()},
		{[]Ability{Resolving, Leasing}, testClock, resolveCases[Tx]()},
		{[]Ability{BusinessKeys}, testClock, businessCases[Tx]()},
		{[]Ability{BusinessKeys}, ownClock, businessRaceCases[Tx]()},
		{[]Ability{BusinessKeys, Leasing}, testClock, businessLeaseCases[Tx]()},
		{[]Ability{BusinessKeys, Sweeping}, testClock, businessSweepCases[Tx]()},
		{[]Ability{BusinessKeys, Erasing}, testClock, businessEraseCases[Tx]()},
		{[]Ability{BusinessKeys, Resolving, Leasing}, testClock, businessResolveCases[Tx]()},
		{[]Ability{SecondScopes, BusinessKeys}, testClock, scopesCases[Tx]()},
		{[]Ability{SecondScopes, BusinessKeys}, ownClock, scopesRaceCases[Tx]()},
		{[]Ability{SecondScopes, Leasing}, testClock, scopesLeaseCases[Tx]()},
		{[]Ability{SecondScopes, Sweeping}, testClock, scopesSweepCases[Tx]()},
		{[]Ability{SecondScopes, Erasing}, testClock, scopesEraseCases[Tx]()},
		{[]Ability{SecondScopes, Resolving, Leasing}, testClock, scopesResolveCases[Tx]()},
		{[]Ability{Tombstones}, testClock, tombstoneCases[Tx]()},
		{[]Ability{Tombstones, Leasing}, testClock, tombstoneLeaseCases[Tx]()},
	}
}

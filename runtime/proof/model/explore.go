package model

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Step is one thing that can happen next.
type Step[S comparable] struct {
	// Name says it in words, for traces.
	Name string
	Next S
}

// System is what is explored.
type System[S comparable] struct {
	Initial S
	// Steps gives everything that can happen in a state.
	Steps func(S) []Step[S]
	// Canonical gives one state for all that differ in names alone: one of them is explored. nil: every state is different.
	Canonical func(S) S
	// Check says what is wrong with a state; nil: nothing.
	Check func(S) error
	// CheckEnd says what is wrong with a state in which nothing can happen any more.
	CheckEnd func(S) error
}

// Result is what an exploration has seen.
type Result struct {
	States, Steps, Ends int
}

// Violation is a state that must not be, with the shortest way to it.
type Violation struct {
	Err   error
	Trace []string
}

// String tells the way.
func (v *Violation) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v, after", v.Err)
	for i, step := range v.Trace {
		fmt.Fprintf(&b, "\n  %2d. %s", i+1, step)
	}
	return b.String()
}

// node is a state with the step that led to it first.
type node struct {
	parent int32
	step   string
}

// Explore goes through every state that can be reached, nearest first, and gives the first violation. It also is one when a state
// leads to no end, whatever happens.
func (sys System[S]) Explore() (Result, *Violation) {
	if sys.Canonical == nil {
		sys.Canonical = func(s S) S { return s }
	}
	x := exploration[S]{states: []S{sys.Initial}, nodes: []node{{parent: -1}}, numbers: map[S]int32{sys.Canonical(sys.Initial): 0}}
	for at := 0; at < len(x.states); at++ {
		if err := x.visit(sys, at); err != nil {
			return x.result(), &Violation{err, x.trace(at)}
		}
	}
	if at := x.stuck(); at >= 0 {
		return x.result(), &Violation{errStuck, x.trace(at)}
	}
	return x.result(), nil
}

var errStuck = errors.New("stuck: whatever happens now, it leads to no end")

// exploration is what has been seen so far. A state's number is its place in states and nodes.
type exploration[S comparable] struct {
	states  []S
	nodes   []node
	numbers map[S]int32
	edges   []edge
	ends    []int32
}

// edge is a step between two states.
type edge struct{ from, to int32 }

// visit looks at a state and notes what it leads to.
func (x *exploration[S]) visit(sys System[S], at int) error {
	s := x.states[at]
	if err := sys.Check(s); err != nil {
		return err
	}
	end := true
	for _, step := range sys.Steps(s) {
		if step.Next == s {
			continue // nothing happens
		}
		end = false
		canonical := sys.Canonical(step.Next)
		to, known := x.numbers[canonical]
		if !known {
			to = int32(len(x.states))
			x.numbers[canonical] = to
			x.states = append(x.states, step.Next)
			x.nodes = append(x.nodes, node{int32(at), step.Name})
		}
		x.edges = append(x.edges, edge{int32(at), to})
	}
	if !end {
		return nil
	}
	x.ends = append(x.ends, int32(at))
	return sys.CheckEnd(s)
}

// stuck gives a state from which no end can be reached; -1: there is none.
func (x *exploration[S]) stuck() int {
	before := make([][]int32, len(x.states))
	for _, e := range x.edges {
		before[e.to] = append(before[e.to], e.from)
	}
	leads := make([]bool, len(x.states))
	for work := x.ends; len(work) > 0; {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		if !leads[at] {
			leads[at] = true
			work = append(work, before[at]...)
		}
	}
	return slices.Index(leads, false)
}

func (x *exploration[S]) result() Result {
	return Result{States: len(x.states), Steps: len(x.edges), Ends: len(x.ends)}
}

// trace gives the steps that lead to a state.
func (x *exploration[S]) trace(at int) (names []string) {
	for ; x.nodes[at].parent >= 0; at = int(x.nodes[at].parent) {
		names = append(names, x.nodes[at].step)
	}
	slices.Reverse(names)
	return names
}

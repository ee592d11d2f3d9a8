package contract

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSides(t *testing.T) {
	for name, c := range map[string]struct {
		text, ours, theirs string
		ok                 bool
	}{
		"merge": {"a\n<<<<<<< HEAD\nb\n=======\nc\nd\n>>>>>>> other\ne\n", "a\nb\ne\n", "a\nc\nd\ne\n", true},
		"diff3": {"<<<<<<< HEAD\nb\n||||||| base\nx\n=======\n>>>>>>> other\n<<<<<<<\n=======\nz\n>>>>>>>\n", "b\n", "z\n", true},
		"none":  {"a\n", "a\n", "a\n", false},
		"cut":   {"<<<<<<< HEAD\nb\n=======\nc\n", "b\n", "c\n", false},
		"CRLF":  {"<<<<<<< HEAD\r\nb\r\n=======\r\nc\r\n>>>>>>> o\r\n", "b\r\n", "c\r\n", true},
	} {
		ours, theirs, ok := Sides([]byte(c.text))
		assert.Equal(t, c.ours, string(ours), name)
		assert.Equal(t, c.theirs, string(theirs), name)
		assert.Equal(t, c.ok, ok, name)
	}
}

func TestMergedLocks(t *testing.T) {
	lock := func(current int, versions map[int]string, retired ...string) *Lock {
		c := &LockedContract{Operation: "POST /p", Current: current, Retired: retired, Versions: map[int]*LockedVersion{}}
		for number, id := range versions {
			c.Versions[number] = &LockedVersion{ID: id}
		}
		return &Lock{Contracts: map[string]*LockedContract{"pay": c}}
	}
	ids := func(l *Lock) map[int]string {
		out := map[int]string{}
		for number, v := range l.Contracts["pay"].Versions {
			out[number] = v.ID
		}
		return out
	}
	base, ours, theirs := lock(1, map[int]string{1: "a"}), lock(2, map[int]string{1: "a", 2: "b"}), lock(2, map[int]string{1: "a", 2: "c"}, "3 f")

	unknown := MergeLocks(ours, theirs, nil)
	assert.Equal(t, map[int]string{1: "a", 2: "b", 4: "c"}, ids(unknown), "nobody knows what ran: both stay, and no number is used again")
	assert.Equal(t, 4, unknown.Contracts["pay"].Current)
	assert.Equal(t, []string{"3 f"}, unknown.Contracts["pay"].Retired)

	assert.Equal(t, map[int]string{1: "a"}, ids(MergeLocks(ours, theirs, base)), "neither is released: the document gives version 2 anew")
	merged := MergeLocks(ours, theirs, theirs)
	assert.Equal(t, map[int]string{1: "a", 2: "c"}, ids(merged), "theirs is")
	assert.Equal(t, map[int]string{1: "a", 2: "b"}, ids(MergeLocks(ours, theirs, ours)), "ours is")
	assert.Empty(t, ids(MergeLocks(ours, theirs, &Lock{})))
	assert.Equal(t, map[int]string{2: "b", 1: "a"}, ids(ours), "the sides are as they were")
}

package gogen

import (
	"time"

	"github.com/dave/jennifer/jen"
)

func idem(name string) *jen.Statement  { return jen.Qual(idemPath, name) }
func canon(name string) *jen.Statement { return jen.Qual(canonPath, name) }

// member is one element of a struct literal.
func member(name string, value jen.Code) jen.Code { return jen.Id(name).Op(":").Add(value) }

// lines is a literal's braces with one element a line.
func lines(elements ...jen.Code) *jen.Statement {
	if len(elements) == 0 {
		return jen.Values()
	}
	return jen.Custom(jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}, elements...)
}

// stringList is a []string on one line.
func stringList(values []string) *jen.Statement {
	items := make([]jen.Code, len(values))
	for i, v := range values {
		items[i] = jen.Lit(v)
	}
	return jen.Index().String().Values(items...)
}

// intList is a []int on one line.
func intList(values []int) *jen.Statement {
	items := make([]jen.Code, len(values))
	for i, v := range values {
		items[i] = jen.Lit(v)
	}
	return jen.Index().Int().Values(items...)
}

// duration spells d in the largest unit that divides it: 24 * time.Hour.
func duration(d time.Duration) *jen.Statement {
	units := []struct {
		size time.Duration
		name string
	}{
		{time.Hour, "Hour"}, {time.Minute, "Minute"}, {time.Second, "Second"}, {time.Millisecond, "Millisecond"},
	}
	for _, u := range units {
		if d != 0 && d%u.size == 0 {
			return jen.Lit(int(d/u.size)).Op("*").Qual("time", u.name)
		}
	}
	return jen.Lit(int(d)).Op("*").Qual("time", "Nanosecond")
}

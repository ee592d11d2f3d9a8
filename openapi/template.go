package openapi

import (
	"fmt"
	"slices"
	"strings"
)

// templateNames gives the names of the variables of a path template in order.
func templateNames(path string) (names []string, err error) {
	rest := path
	if !strings.HasPrefix(path, "/") {
		return nil, fmt.Errorf("it does not begin with /")
	}
	for {
		open := strings.IndexAny(rest, "{}")
		if open < 0 {
			return names, nil
		}
		if rest[open] == '}' {
			return nil, fmt.Errorf("a } closes nothing")
		}
		rest = rest[open+1:]
		end := strings.IndexAny(rest, "{}")
		switch {
		case end < 0 || rest[end] == '{':
			return nil, fmt.Errorf("a { is not closed")
		case strings.Contains(rest[:end], "/"):
			return nil, fmt.Errorf("the variable {%s} holds a /", rest[:end])
		case end == 0:
			return nil, fmt.Errorf("a variable has no name")
		case slices.Contains(names, rest[:end]):
			return nil, fmt.Errorf("the variable {%s} stands in it twice", rest[:end])
		}
		names = append(names, rest[:end])
		rest = rest[end+1:]
		if strings.HasPrefix(rest, "{") {
			return nil, fmt.Errorf("nothing stands between {%s} and the next variable", names[len(names)-1])
		}
	}
}

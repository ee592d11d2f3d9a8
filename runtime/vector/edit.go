package vector

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// edit puts a JSON text where steps lead to in another one, or takes the member away that stands there when text is nil.
func edit(body string, steps []step, text *string) (string, error) {
	if len(steps) == 0 {
		return *text, nil
	}
	list, err := children(body)
	if err != nil {
		return "", err
	}
	i := indexOf(list, steps[0])
	last := len(steps) == 1
	switch {
	case i >= 0 && (!last || text != nil):
		c := list[i]
		inside, err := edit(body[c.start:c.end], steps[1:], text)
		return body[:c.start] + inside + body[c.end:], err
	case i >= 0:
		return cut(body, list, i), nil
	case !last || text == nil || steps[0].element || !strings.HasPrefix(strings.TrimLeft(body, " \t\r\n"), "{"):
		return "", errMissing
	}
	return add(body, len(list), steps[0].name, *text), nil
}

// child is a member of a JSON object, or an element of an array.
type child struct {
	name       string
	from       int // where the child before it ends, or the bracket
	start, end int // its value
	element    bool
}

// children finds what stands directly in an object or array.
func children(body string) ([]child, error) {
	if !json.Valid([]byte(body)) {
		return nil, errors.New("the body is no JSON text")
	}
	dec := json.NewDecoder(strings.NewReader(body))
	bracket, err := dec.Token()
	if err != nil {
		return nil, fmt.Errorf("read body: %w", err)
	}
	if bracket != json.Delim('{') && bracket != json.Delim('[') {
		return nil, errors.New("what is above it is neither object nor array")
	}
	var out []child
	for dec.More() {
		c := child{from: int(dec.InputOffset()), element: bracket == json.Delim('[')}
		if !c.element {
			name, err := dec.Token()
			if err != nil {
				return nil, fmt.Errorf("read body: %w", err)
			}
			c.name, _ = name.(string)
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, fmt.Errorf("read body: %w", err)
		}
		c.end = int(dec.InputOffset())
		c.start = c.end - len(value)
		out = append(out, c)
	}
	return out, nil
}

// indexOf finds the child that a step leads to: the member of a name, or the first element.
func indexOf(list []child, s step) int {
	for i, c := range list {
		if c.element == s.element && c.name == s.name {
			return i
		}
	}
	return -1
}

// cut takes a child away, with the comma that stood before or behind it.
func cut(body string, list []child, i int) string {
	from, end := list[i].from, list[i].end
	if i == 0 && len(list) > 1 {
		end = list[1].from + strings.IndexByte(body[list[1].from:], ',') + 1
	}
	return body[:from] + body[end:]
}

// add appends a member to an object of n members.
func add(body string, n int, name, text string) string {
	end := strings.LastIndexByte(body, '}')
	comma := ","
	if n == 0 {
		comma = ""
	}
	return body[:end] + comma + quote(name) + ":" + text + body[end:]
}

// quote writes a JSON string. Names that need more than strconv knows of JSON are written with escapes that both know.
func quote(name string) string {
	text, err := json.Marshal(name)
	if err != nil {
		return strconv.Quote(name) // a string always has a JSON text
	}
	return string(text)
}

// step is one step of a path: a member's name, or an array's first element.
type step struct {
	name    string
	element bool
}

// parsePath reads body.lines[].sku, query.limit, header["x.y"].
func parsePath(path string) (root string, steps []step, err error) {
	end := strings.IndexAny(path, ".[")
	if end < 0 {
		end = len(path)
	}
	root = path[:end]
	switch root {
	case "body", "path", "query", "header":
	default:
		return "", nil, fmt.Errorf("%q is no path", path)
	}
	for rest := path[end:]; rest != ""; {
		var s step
		if s, rest, err = nextStep(rest); err != nil {
			return "", nil, fmt.Errorf("%q is no path: %w", path, err)
		}
		steps = append(steps, s)
	}
	return root, steps, nil
}

func nextStep(text string) (s step, rest string, err error) {
	switch {
	case strings.HasPrefix(text, "[]"):
		return step{element: true}, text[2:], nil
	case strings.HasPrefix(text, `["`):
		end := 2
		for end < len(text) && text[end] != '"' {
			if text[end] == '\\' {
				end++
			}
			end++
		}
		if end >= len(text) || !strings.HasPrefix(text[end:], `"]`) {
			return step{}, "", errors.New("a quoted name is not closed")
		}
		err = json.Unmarshal([]byte(text[1:end+1]), &s.name)
		return s, text[end+2:], err
	case strings.HasPrefix(text, "."):
		end := strings.IndexAny(text[1:], ".[")
		if end < 0 {
			end = len(text) - 1
		}
		if end == 0 {
			return step{}, "", errors.New("a name is missing")
		}
		return step{name: text[1 : end+1]}, text[end+1:], nil
	}
	return step{}, "", errors.New("a dot or a bracket is missing")
}

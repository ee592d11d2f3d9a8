package contract

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/openapi"
)

// placeStep is the last step of a place's text: a step of a field path, or the labels of a branch.
type placeStep struct {
	kind   openapi.SegmentKind
	name   string
	labels []string
}

// splitPlace cuts the last step off a place's text.
func splitPlace(text string) (above string, step placeStep, err error) {
	last := 0 // where the last step begins
	for at := 0; at < len(text); {
		switch text[at] {
		case '.':
			last, at = at, at+1
		case '[':
			last = at
			if strings.HasPrefix(text[at:], `["`) {
				at = quotedEnd(text, at+1)
			}
			at++
		case '{':
			last = at
			at, _ = branchEnd(text, at)
		default:
			at++
		}
	}
	if last == 0 {
		return "", placeStep{}, fmt.Errorf("%q is no part of a body", text)
	}
	above = text[:last]
	if text[last] == '{' {
		step.labels, err = labelsIn(text[last:])
		return above, step, err
	}
	path, err := openapi.ParseFieldPath(openapi.InBody.String() + text[last:])
	if err != nil || len(path.Segments) != 1 {
		return "", placeStep{}, fmt.Errorf("%q cannot be read", text)
	}
	return above, placeStep{kind: path.Segments[0].Kind, name: path.Segments[0].Name}, nil
}

// labelsIn reads what branchText writes.
func labelsIn(text string) ([]string, error) {
	p := ruleParser{rest: strings.TrimSuffix(strings.TrimPrefix(text, "{"), "}")}
	var labels []string
	for {
		label, err := labelOf(p.takeUntil(","))
		if err != nil {
			return nil, err
		}
		labels = append(labels, label)
		if !p.take(",") {
			return labels, nil
		}
	}
}

// labelOf reads what labelText writes.
func labelOf(text string) (string, error) {
	if !strings.HasPrefix(text, `"`) {
		return text, nil
	}
	path, err := openapi.ParseFieldPath(openapi.InBody.String() + "[" + text + "]")
	if err != nil || len(path.Segments) != 1 {
		return "", fmt.Errorf("label %s cannot be read", strconv.Quote(text))
	}
	return path.Segments[0].Name, nil
}

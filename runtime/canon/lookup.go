package canon

// Found says what stands at a path of a JSON body.
type Found uint8

const (
	NotFound Found = iota // absent: also when something on the way is missing, null or no object
	FoundNull
	FoundText  // a string, unescaped
	FoundToken // a number, true or false: the token as it was sent
	FoundOther // an object or array
)

// Lookup finds the value at a path of member names in a JSON body, for keys and scope values that stand in it.
// A body that is not JSON, or that has a duplicate name on the way, is a *Refusal.
func Lookup(body []byte, path []string) (string, Found, error) { return "", NotFound, nil }

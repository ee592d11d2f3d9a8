package idem

import (
	"encoding/json"
	"reflect"
	"strconv"

	"github.com/idemgen/idemgen/runtime/canon"
)

// A form knows nothing but text. assign puts what a form or multipart body stands for into a command: objects, lists and texts, and
// what stood in JSON parts. Every fault is a *canon.Refusal with its place and no value.
func assign(target reflect.Value, node any, place string) error {
	switch t := target.Addr().Interface().(type) {
	case textAssigner:
		return t.assignText(node, place)
	case *json.RawMessage:
		return assignJSON(target, node, place)
	}
	if target.Kind() == reflect.Pointer {
		target.Set(reflect.New(target.Type().Elem()))
		return assign(target.Elem(), node, place)
	}
	switch n := node.(type) {
	case string:
		return assignText(target, n, place)
	case []any:
		return assignList(target, n, place)
	case map[string]any:
		return assignObject(target, n, place)
	}
	return assignJSON(target, node, place)
}

// textAssigner is implemented by Nullable, whose type parameter reflection cannot see.
type textAssigner interface {
	assignText(node any, place string) error
}

func (n *Nullable[T]) assignText(node any, place string) error {
	*n = Nullable[T]{Present: true, Null: node == nil}
	if n.Null {
		return nil
	}
	return assign(reflect.ValueOf(&n.Value).Elem(), node, place)
}

// assignJSON is for what has JSON types of its own.
func assignJSON(target reflect.Value, node any, place string) error {
	text, err := json.Marshal(node)
	if err == nil {
		err = json.Unmarshal(text, target.Addr().Interface())
	}
	if err != nil {
		return unreadable(target, place)
	}
	return nil
}

func unreadable(target reflect.Value, place string) error {
	return &canon.Refusal{Place: place, Offset: -1, Reason: "it cannot be read as " + typeName(target.Type())}
}

// assignText reads one text as a parameter is read. A list that came once is a list of one.
func assignText(target reflect.Value, text, place string) error {
	switch t := target.Addr().Interface().(type) {
	case *string, *int64, *int32, *bool, *Instant, *Number, *[]byte:
		if setParam(t, text) != "" {
			return unreadable(target, place)
		}
		return nil
	}
	if target.Kind() == reflect.Slice {
		return assignList(target, []any{text}, place)
	}
	return unreadable(target, place)
}

func assignList(target reflect.Value, list []any, place string) error {
	if target.Kind() != reflect.Slice || target.Type() == reflect.TypeFor[[]byte]() {
		return unreadable(target, place)
	}
	out := reflect.MakeSlice(target.Type(), len(list), len(list))
	for i, node := range list {
		if err := assign(out.Index(i), node, place+"/"+strconv.Itoa(i)); err != nil {
			return err
		}
	}
	target.Set(out)
	return nil
}

func assignObject(target reflect.Value, object map[string]any, place string) error {
	switch target.Kind() {
	case reflect.Struct:
		return assignStruct(target, object, place)
	case reflect.Map:
		out := reflect.MakeMapWithSize(target.Type(), len(object))
		for name, node := range object {
			value := reflect.New(target.Type().Elem()).Elem()
			if err := assign(value, node, place+"/"+name); err != nil {
				return err
			}
			out.SetMapIndex(reflect.ValueOf(name), value)
		}
		target.Set(out)
		return nil
	case reflect.Slice: // a[0]=x&a[1]=y
		list := make([]any, len(object))
		for i := range list {
			node, ok := object[strconv.Itoa(i)]
			if !ok {
				return unreadable(target, place)
			}
			list[i] = node
		}
		return assignList(target, list, place)
	default:
		return unreadable(target, place)
	}
}

// assignStruct goes by the names in the fields' tags. Members without a field are unknown ones, which the fingerprint has judged.
func assignStruct(target reflect.Value, object map[string]any, place string) error {
	if _, own := target.Addr().Interface().(json.Unmarshaler); own {
		return assignJSON(target, object, place)
	}
	for i := range target.NumField() {
		name := memberName(target.Type().Field(i))
		node, sent := object[name]
		if !sent || name == "" {
			continue
		}
		if err := assign(target.Field(i), node, place+"/"+name); err != nil {
			return err
		}
	}
	return nil
}

// memberName is the JSON name of a generated struct's field; empty when it has none.
func memberName(f reflect.StructField) string {
	tag := f.Tag.Get("json")
	if tag == "-" {
		return ""
	}
	for i := range len(tag) {
		if tag[i] == ',' {
			return tag[:i]
		}
	}
	return tag
}

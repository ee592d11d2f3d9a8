package server

import (
	"fmt"
	"go/types"
)

// speller turns types of the compiler into types of signatures.
type speller struct {
	imports map[string]string
}

// spell gives the type. An error says what another package cannot write.
func (s *speller) spell(t types.Type) (Type, error) {
	switch t := t.(type) {
	case *types.Basic:
		return Type{Kind: Named, Name: t.Name()}, nil
	case *types.Alias:
		return s.alias(t)
	case *types.Named:
		return s.named(t.Obj(), t.TypeArgs())
	case *types.Pointer:
		return s.around(Pointer, t.Elem())
	case *types.Slice:
		return s.around(Slice, t.Elem())
	case *types.Array:
		out, err := s.around(Array, t.Elem())
		out.Len = t.Len()
		return out, err
	case *types.Map:
		key, err := s.spell(t.Key())
		if err != nil {
			return Type{}, err
		}
		out, err := s.around(Map, t.Elem())
		out.Key = &key
		return out, err
	case *types.Interface:
		if t.Empty() {
			return Type{Kind: Any}, nil
		}
	}
	return Type{}, fmt.Errorf("the type %s has no name", t)
}

// alias spells an alias by its name, or, where another package cannot write that, as what it stands for.
func (s *speller) alias(t *types.Alias) (Type, error) {
	out, err := s.named(t.Obj(), t.TypeArgs())
	if err != nil {
		return s.spell(types.Unalias(t))
	}
	unmentioned := &speller{imports: map[string]string{}}
	if aliased, err := unmentioned.spell(types.Unalias(t)); err == nil {
		out.Aliased = &aliased
	}
	return out, nil
}

func (s *speller) around(kind TypeKind, elem types.Type) (Type, error) {
	e, err := s.spell(elem)
	return Type{Kind: kind, Elem: &e}, err
}

func (s *speller) named(obj *types.TypeName, args *types.TypeList) (Type, error) {
	out := Type{Kind: Named, Name: obj.Name()}
	if pkg := obj.Pkg(); pkg != nil {
		if !obj.Exported() {
			return Type{}, fmt.Errorf("the type %s is not exported by %s", obj.Name(), pkg.Path())
		}
		out.Path = pkg.Path()
		s.imports[pkg.Path()] = pkg.Name()
	}
	for a := range args.Types() {
		arg, err := s.spell(a)
		if err != nil {
			return Type{}, err
		}
		out.Args = append(out.Args, arg)
	}
	return out, nil
}

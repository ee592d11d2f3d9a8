package openapi

import "go.yaml.in/yaml/v4"

// nameSet finds names that repeat in one object. Most objects are small, so it becomes a map only when it pays.
type nameSet struct {
	few  []*yaml.Node
	many map[string]*yaml.Node
}

// add takes the name of key in, or gives the key that had it before.
func (s *nameSet) add(key *yaml.Node) (first *yaml.Node) {
	const small = 16
	if s.many != nil {
		if first := s.many[key.Value]; first != nil {
			return first
		}
		s.many[key.Value] = key
		return nil
	}
	for _, k := range s.few {
		if k.Value == key.Value {
			return k
		}
	}
	s.few = append(s.few, key)
	if len(s.few) > small {
		s.many = make(map[string]*yaml.Node, 2*small)
		for _, k := range s.few {
			s.many[k.Value] = k
		}
	}
	return nil
}

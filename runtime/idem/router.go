package idem

import (
	"net/http"
	"strings"
)

// router finds the annotated operation of a request among all paths of an API. It is never changed after start.
type router struct {
	base   string
	routes map[routeShape][]route
}

// routeShape is what two routes must share to match one path.
type routeShape struct {
	method   string
	segments int
}

// route leads to an annotated operation, or past idemgen when plan is nil.
type route struct {
	template template
	plan     *plan
}

func newRouter(base string) *router {
	return &router{base: strings.TrimRight(base, "/"), routes: map[routeShape][]route{}}
}

func (r *router) add(method string, t template, p *plan) {
	shape := routeShape{method, len(t.segments)}
	r.routes[shape] = append(r.routes[shape], route{t, p})
}

// match gives the operation and the decoded path values; a nil plan when the request is not an annotated one. HEAD is
// answered by GET where the API declares nothing else, as routers do it.
func (r *router) match(method, escapedPath string) (*plan, []string) {
	path, ok := strings.CutPrefix(escapedPath, r.base)
	if !ok || !strings.HasPrefix(path, "/") {
		return nil, nil
	}
	segments := split(path)
	found, values := r.best(routeShape{method, len(segments)}, segments)
	if found == nil && method == http.MethodHead {
		found, values = r.best(routeShape{http.MethodGet, len(segments)}, segments)
	}
	if found == nil {
		return nil, nil
	}
	return found.plan, values
}

func (r *router) best(shape routeShape, segments []string) (*route, []string) {
	var best *route
	var bestValues []string
	for i := range r.routes[shape] {
		candidate := &r.routes[shape][i]
		values, ok := candidate.template.match(segments)
		if ok && (best == nil || candidate.template.moreLiteral(&best.template)) {
			best, bestValues = candidate, values
		}
	}
	return best, bestValues
}

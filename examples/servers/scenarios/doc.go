// Package scenarios has one table of what has to happen to requests, and tries it on every kind of server, on PostgreSQL: the bindings to servers
// of oapi-codegen and ogen, and generated handlers on plain routers.
package scenarios

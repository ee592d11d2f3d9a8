package servers_test

import (
	"net/http"

	"github.com/idemgen/idemgen/examples/servers/business"
	chiserver "github.com/idemgen/idemgen/examples/servers/chi"
	echoserver "github.com/idemgen/idemgen/examples/servers/echo"
	echo5server "github.com/idemgen/idemgen/examples/servers/echo5"
	"github.com/idemgen/idemgen/examples/servers/echoplain"
	ginserver "github.com/idemgen/idemgen/examples/servers/gin"
	"github.com/idemgen/idemgen/examples/servers/ginplain"
	"github.com/idemgen/idemgen/examples/servers/nonstrict"
	ogenserver "github.com/idemgen/idemgen/examples/servers/ogen"
	"github.com/idemgen/idemgen/examples/servers/std"
	"github.com/idemgen/idemgen/runtime/idem"
)

// kind is one kind of server around the API.
type kind[Tx any] struct {
	name    string
	handler func(*idem.Engine[Tx], *business.API[Tx]) (http.Handler, error)
}

// kinds are all that idemgen binds to.
func kinds[Tx any]() []kind[Tx] {
	return []kind[Tx]{
		{"std", std.Handler[Tx]},
		{"chi", chiserver.Handler[Tx]},
		{"gin", ginserver.Handler[Tx]},
		{"echo", echoserver.Handler[Tx]},
		{"echo5", echo5server.Handler[Tx]},
		{"ogen", ogenserver.Handler[Tx]},
		{"nonstrict", nonstrict.Handler[Tx]},
		{"ginplain", ginplain.Handler[Tx]},
		{"echoplain", echoplain.Handler[Tx]},
	}
}

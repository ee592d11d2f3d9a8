// Payments is an API of a team that has all that teams have: a server that oapi-codegen generated from openapi.yaml (api), queries as sqlc
// writes them (store), PostgreSQL, and a provider that takes the money (provider). idemgen generated the contract (openapiidem) and the
// binding to the team's server (openapiidem/bind); nothing else knows of keys.
//
//	createPayment   transactional: payment and answer commit together
//	capturePayment  leased: the provider is called between transactions; an attempt that is cut off is brought to its end, by the next
//	                request or by the worker, and the provider is asked for what it has done before it is asked to do it
//	receiveEvent    the provider's events, each once: their id is the key
//
// `make demo-payments` kills this program between the provider's charge and the completion.
package main

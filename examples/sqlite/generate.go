package main

//go:generate go run github.com/idemgen/idemgen/cmd/idemgen generate openapi.yaml

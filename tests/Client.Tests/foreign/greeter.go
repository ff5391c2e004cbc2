// hello.v1.Greeter by grpc-go: greeter ADDRESS[,ADDRESS] [reflection]. As greeter.js: prints the port of the first address
// (0 on a Unix socket) when it listens on all, ends with its standard input, and greets those who send the metadata "key: secret".
// .ci/install-foreign compiles it.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"strings"

	hello "greeter/hello"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/reflection"
	"google.golang.org/grpc/status"
)

type greeter struct {
	hello.UnimplementedGreeterServer
}

func (*greeter) SayHello(ctx context.Context, request *hello.HelloRequest) (*hello.HelloReply, error) {
	sent, _ := metadata.FromIncomingContext(ctx)
	if key := sent.Get("key"); len(key) == 0 || key[0] != "secret" {
		return nil, status.Error(codes.Unauthenticated, "no key")
	}
	return &hello.HelloReply{Text: "Hello " + request.Name}, nil
}

func main() {
	var listeners []net.Listener
	for _, address := range strings.Split(os.Args[1], ",") {
		network := "tcp"
		if path := strings.TrimPrefix(address, "unix:"); path != address {
			network, address = "unix", path
		}
		listener, err := net.Listen(network, address)
		if err != nil {
			log.Fatal(err)
		}
		listeners = append(listeners, listener)
	}
	server := grpc.NewServer()
	hello.RegisterGreeterServer(server, &greeter{})
	if len(os.Args) > 2 {
		reflection.Register(server)
	}
	go func() {
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	port := 0
	if tcp, ok := listeners[0].Addr().(*net.TCPAddr); ok {
		port = tcp.Port
	}
	fmt.Println(port)
	for _, listener := range listeners[1:] {
		go server.Serve(listener)
	}
	log.Fatal(server.Serve(listeners[0]))
}

// hello.v1.Greeter by grpc-go: greeter ADDRESS [reflection]. As greeter.js: prints the port (0 on a Unix socket) when it listens, ends
// with its standard input, and greets those who send the metadata "key: secret". .ci/install-foreign compiles it.
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
	network, address := "tcp", os.Args[1]
	if path := strings.TrimPrefix(address, "unix:"); path != address {
		network, address = "unix", path
	}
	listener, err := net.Listen(network, address)
	if err != nil {
		log.Fatal(err)
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
	if tcp, ok := listener.Addr().(*net.TCPAddr); ok {
		port = tcp.Port
	}
	fmt.Println(port)
	log.Fatal(server.Serve(listener))
}

// hello.v1.Greeter by gRPC C++: greeter ADDRESS [reflection]. As greeter.js: prints the port (0 on a Unix socket) when it listens,
// ends with its standard input, and greets those who send the metadata "key: secret". .ci/install-foreign compiles it.
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/grpcpp.h>

#include <iostream>
#include <string>

#include "greeter.grpc.pb.h"

class Greeter final : public hello::v1::Greeter::Service {
  grpc::Status SayHello(grpc::ServerContext* context, const hello::v1::HelloRequest* request, hello::v1::HelloReply* reply) override {
    const auto& metadata = context->client_metadata();
    const auto key = metadata.find("key");
    if (key == metadata.end() || key->second != "secret") return {grpc::StatusCode::UNAUTHENTICATED, "no key"};
    reply->set_text("Hello " + request->name());
    return grpc::Status::OK;
  }
};

int main(int count, char** arguments) {
  const std::string address = arguments[1];
  if (count > 2) grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  Greeter greeter;
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort(address, grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(&greeter);
  const auto server = builder.BuildAndStart();
  if (!server) return 1;
  std::cout << (address.rfind("unix:", 0) == 0 ? 0 : port) << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
  }
  server->Shutdown();
}

// hello.v1.Greeter by gRPC C++: greeter ADDRESS[,ADDRESS] [reflection]. As greeter.js: prints the port of the first address
// (0 on a Unix socket) when it listens on all, ends with its standard input, and greets those who send the metadata "key: secret".
// .ci/install-foreign compiles it.
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/grpcpp.h>

#include <iostream>
#include <sstream>
#include <string>
#include <vector>

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
  std::vector<std::string> addresses;
  std::stringstream list(arguments[1]);
  for (std::string address; std::getline(list, address, ',');) addresses.push_back(address);
  if (count > 2) grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  Greeter greeter;
  grpc::ServerBuilder builder;
  std::vector<int> ports(addresses.size());
  for (size_t i = 0; i < addresses.size(); i++) builder.AddListeningPort(addresses[i], grpc::InsecureServerCredentials(), &ports[i]);
  builder.RegisterService(&greeter);
  const auto server = builder.BuildAndStart();
  if (!server) return 1;
  std::cout << (addresses[0].rfind("unix:", 0) == 0 ? 0 : ports[0]) << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
  }
  server->Shutdown();
}

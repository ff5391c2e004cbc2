"""hello.v1.Greeter by Python's grpcio: greeter.py ADDRESS[,ADDRESS] FILES. FILES is a FileDescriptorSet. Prints the port of
the first address (0 on a Unix socket) when it listens on all addresses, and ends with its standard input.

Python's own reflection package is in no distribution, so reflection is written here: v1alpha alone, as servers before 2023
have it. Its messages are put together by hand, and so are the messages of SayHello and Watch, which greets five times. All
methods answer a caller without the metadata "key: secret" with UNAUTHENTICATED.
"""
import sys
from concurrent import futures

import grpc
from google.protobuf import descriptor_pb2

LIST, BY_NAME, BY_SYMBOL = 7, 3, 4


def field(number, value):
    encoded, length = bytes([number << 3 | 2]), len(value)
    while length > 0x7F:
        encoded += bytes([length & 0x7F | 0x80])
        length >>= 7
    return encoded + bytes([length]) + value


def answer(request, files):
    number, text = request[0] >> 3, request[2:].decode()
    if number == LIST:
        return field(6, field(1, field(1, b"hello.v1.Greeter")))
    if number == BY_SYMBOL and text.startswith("hello.v1."):
        text = "greeter.proto"
    found = [file for file in files if file.name == text]
    if not found:
        return field(7, b"\x08\x05" + field(2, b"not here"))
    return field(4, field(1, found[0].SerializeToString()))


def check(context):
    if ("key", "secret") not in [(entry.key, entry.value) for entry in context.invocation_metadata()]:
        context.abort(grpc.StatusCode.UNAUTHENTICATED, "no key")


def reflect(requests, context):
    check(context)
    for request in requests:
        yield answer(request, FILES)


def say_hello(request, context):
    check(context)
    return field(1, b"Hello " + request[2:])


def watch(request, context):
    check(context)
    for _ in range(5):
        yield field(1, b"Hello " + request[2:])


with open(sys.argv[2], "rb") as descriptors:
    FILES = descriptor_pb2.FileDescriptorSet.FromString(descriptors.read()).file
server = grpc.server(futures.ThreadPoolExecutor(4))
methods = {"ServerReflectionInfo": grpc.stream_stream_rpc_method_handler(reflect)}
server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("grpc.reflection.v1alpha.ServerReflection", methods),))
greeter = {
    "SayHello": grpc.unary_unary_rpc_method_handler(say_hello),
    "Watch": grpc.unary_stream_rpc_method_handler(watch),
}
server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("hello.v1.Greeter", greeter),))
addresses = sys.argv[1].split(",")
ports = [server.add_insecure_port(address) for address in addresses]
server.start()
print(0 if addresses[0].startswith("unix:") else ports[0], flush=True)
sys.stdin.read()
server.stop(None)

"""Bench.Download by Python's grpcio: server.py ADDRESS. Prints the port (0 on a Unix socket) when it listens, and ends with its standard input.

Messages are put together by hand, for each has one field. A size of 13 is answered with INTERNAL.
"""
import sys
from concurrent import futures

import grpc


def varint(number):
    encoded = b""
    while number > 0x7F:
        encoded += bytes([number & 0x7F | 0x80])
        number >>= 7
    return encoded + bytes([number])


def size_of(request):
    number = shift = 0
    for byte in request[1:]:
        number |= (byte & 0x7F) << shift
        shift += 7
    return number


def download(request, context):
    size = size_of(request)
    if size == 13:
        context.abort(grpc.StatusCode.INTERNAL, "thirteen")
    return b"\x0a" + varint(size) + bytes(size) if size else b""


server = grpc.server(futures.ThreadPoolExecutor(4), options=[("grpc.max_send_message_length", -1)])
method = grpc.unary_unary_rpc_method_handler(download)
server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("ipcbench.v1.Bench", {"Download": method}),))
port = server.add_insecure_port(sys.argv[1])
server.start()
print(port, flush=True)
sys.stdin.read()
server.stop(None)

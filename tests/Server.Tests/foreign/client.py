"""Calls a server by Python's grpcio: client.py TARGET CA|- SIZE...

Prints a line per size: size, payload bytes, SHA-256, status code; then one for each call that must fail. Messages are put
together by hand, for the two that are needed have one field each.
"""
import hashlib
import sys

import grpc


def varint(number):
    encoded = b""
    while number > 0x7F:
        encoded += bytes([number & 0x7F | 0x80])
        number >>= 7
    return encoded + bytes([number])


def read_varint(data, at):
    number = shift = 0
    while True:
        number |= (data[at] & 0x7F) << shift
        shift, at = shift + 7, at + 1
        if data[at - 1] < 0x80:
            return number, at


def first_field(message):
    """The bytes of field 1, which must be the whole message unless the field is empty."""
    if not message:
        return b""
    assert message[0] == 0x0A, "field 1 must come first"
    length, at = read_varint(message, 1)
    return message[at:at + length]


def main(target, ca, sizes):
    options = [("grpc.max_receive_message_length", -1)]
    if ca == "-":
        channel = grpc.insecure_channel(target, options)
    else:
        with open(ca, "rb") as file:
            channel = grpc.secure_channel(target, grpc.ssl_channel_credentials(file.read()), options)

    def call(method, request):
        return channel.unary_unary("/ipcbench.v1." + method)(request, timeout=20)

    def failure(method, request):
        try:
            call(method, request)
        except grpc.RpcError as error:
            return error.code().value[0]
        return 0

    for size in sizes:
        payload = first_field(call("Bench/Download", b"\x08" + varint(int(size))))
        print(size, len(payload), hashlib.sha256(payload).hexdigest(), 0)
    print("negative", failure("Bench/Download", b"\x08" + varint(2**64 - 1)))
    print("unknown", failure("Bench/Nothing", b""))
    print("stack", first_field(call("Control/Describe", b"")).decode())


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])

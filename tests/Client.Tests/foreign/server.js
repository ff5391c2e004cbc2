// Bench.Download by grpc-js: node server.js ADDRESS PROTO. Prints the port (0 on a Unix socket) when it listens, and ends with its standard input.
// A size of 13 is answered with INTERNAL. Push counts what comes; a message of 13 bytes ends it with INTERNAL.
const grpc = require('@grpc/grpc-js');
const loader = require('@grpc/proto-loader');

const [address, proto] = process.argv.slice(2);
const services = grpc.loadPackageDefinition(loader.loadSync(proto, { longs: Number, defaults: true })).ipcbench.v1;
const server = new grpc.Server({ 'grpc.max_send_message_length': -1 });
server.addService(services.Bench.service, {
  Download: (call, reply) => {
    const size = call.request.size;
    if (size === 13) reply({ code: grpc.status.INTERNAL, details: 'thirteen' });
    else reply(null, { payload: Buffer.alloc(size) });
  },
  Push: (call, reply) => {
    let [bytes, messages] = [0, 0];
    call.on('data', ({ payload }) => {
      bytes += payload.length;
      messages++;
      if (payload.length === 13) reply({ code: grpc.status.INTERNAL, details: 'thirteen' });
    });
    call.on('end', () => reply(null, { bytes, messages }));
  },
});
server.bindAsync(address, grpc.ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  console.log(address.startsWith('unix:') ? 0 : port);
});
process.stdin.resume();
process.stdin.on('end', () => process.exit(0));

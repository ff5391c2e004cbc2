// Calls a server by grpc-js: node client.js PROTO TARGET CA|- SIZE...
// Prints a line per size: size, payload bytes, SHA-256, status code; then one for each call that must fail.
const crypto = require('crypto');
const fs = require('fs');
const grpc = require('@grpc/grpc-js');
const loader = require('@grpc/proto-loader');

const [proto, target, ca, ...sizes] = process.argv.slice(2);
const credentials = ca === '-' ? grpc.credentials.createInsecure() : grpc.credentials.createSsl(fs.readFileSync(ca));
const services = grpc.loadPackageDefinition(loader.loadSync(proto, { longs: Number, defaults: true })).ipcbench.v1;
const options = { 'grpc.max_receive_message_length': -1 };
const bench = new services.Bench(target, credentials, options);
const control = new services.Control(target, credentials, options);

const call = (client, method, request) => new Promise((resolve) => {
  client[method](request, { deadline: Date.now() + 20000 }, (error, reply) => resolve({ error, reply }));
});

(async () => {
  for (const size of sizes) {
    const { error, reply } = await call(bench, 'Download', { size: Number(size) });
    const payload = reply ? reply.payload : Buffer.alloc(0);
    console.log(size, payload.length, crypto.createHash('sha256').update(payload).digest('hex'), error ? error.code : 0);
  }
  console.log('negative', (await call(bench, 'Download', { size: -1 })).error.code);
  // The same messages under another name: a method that the server does not have.
  const unknown = new grpc.Client(target, credentials);
  const error = await new Promise((resolve) => unknown.makeUnaryRequest('/ipcbench.v1.Bench/Nothing', (x) => x, (x) => x, Buffer.alloc(0), (e) => resolve(e)));
  console.log('unknown', error.code);
  console.log('stack', (await call(control, 'Describe', {})).reply.stack);
  process.exit(0);
})();

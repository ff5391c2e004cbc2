// hello.v1.Greeter by grpc-js: node greeter.js ADDRESS[,ADDRESS] PROTO [reflection]. Prints the port of the first address (0 on a Unix
// socket) when it listens on all addresses, and ends with its standard input. A caller without the metadata "key: secret" gets
// UNAUTHENTICATED from the greeter. "nobody" is NOT_FOUND, in words that repeat the key; "sleeper" is greeted after 300 ms; any other
// name is repeated in the reply. Watch greets five times, "nobody" never.
const grpc = require('@grpc/grpc-js');
const loader = require('@grpc/proto-loader');

const [addresses, proto, reflection] = process.argv.slice(2);
const definition = loader.loadSync(proto);
const server = new grpc.Server();
server.addService(grpc.loadPackageDefinition(definition).hello.v1.Greeter.service, {
  SayHello: (call, reply) => {
    const { name } = call.request;
    const greet = () => reply(null, { text: `Hello ${name}` });
    if (call.metadata.get('key')[0] !== 'secret') reply({ code: grpc.status.UNAUTHENTICATED, details: 'no key' });
    else if (name === 'nobody') reply({ code: grpc.status.NOT_FOUND, details: 'nobody has the key secret' });
    else if (name === 'sleeper') setTimeout(greet, 300);
    else greet();
  },
  Watch: (call) => {
    const { name } = call.request;
    for (let time = 0; name !== 'nobody' && time < 5; time++) call.write({ text: `Hello ${name}` });
    call.end();
  },
});
if (reflection) {
  const { ReflectionService } = require('@grpc/reflection');
  new ReflectionService(definition).addToServer(server);
}
const listens = addresses.split(',').map((address) => new Promise((done) => {
  server.bindAsync(address, grpc.ServerCredentials.createInsecure(), (error, port) => {
    if (error) throw error;
    done(address.startsWith('unix:') ? 0 : port);
  });
}));
Promise.all(listens).then((ports) => console.log(ports[0]));
process.stdin.resume();
process.stdin.on('end', () => process.exit(0));

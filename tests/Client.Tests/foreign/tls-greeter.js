// hello.v1.Greeter by grpc-js over TLS, for callers that show a certificate: node tls-greeter.js ADDRESS PROTO FOLDER, where ca.pem, server.pem
// and server.key lie. Prints its port when it listens, and ends with its standard input. Replies name the authority that was asked for.
const fs = require('fs');
const grpc = require('@grpc/grpc-js');
const loader = require('@grpc/proto-loader');
const { ReflectionService } = require('@grpc/reflection');

const [address, proto, folder] = process.argv.slice(2);
const read = (name) => fs.readFileSync(`${folder}/${name}`);
const definition = loader.loadSync(proto);
const server = new grpc.Server();
server.addService(grpc.loadPackageDefinition(definition).hello.v1.Greeter.service, {
  SayHello: (call, reply) => reply(null, { text: call.getHost() }),
  Watch: (call) => call.end(),
});
new ReflectionService(definition).addToServer(server);
const pair = { private_key: read('server.key'), cert_chain: read('server.pem') };
server.bindAsync(address, grpc.ServerCredentials.createSsl(read('ca.pem'), [pair], true), (error, port) => {
  if (error) throw error;
  console.log(port);
});
process.stdin.resume();
process.stdin.on('end', () => process.exit(0));

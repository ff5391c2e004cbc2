// Asks a server's reflection by grpc-js: node reflection.js PROTO TARGET
// Asks three questions on one stream, each after the previous answer. Prints a line per answer and one for the end.
const grpc = require('@grpc/grpc-js');
const loader = require('@grpc/proto-loader');

const [proto, target] = process.argv.slice(2);
const services = grpc.loadPackageDefinition(loader.loadSync(proto, { keepCase: true, oneofs: true })).grpc.reflection.v1;
const stream = new services.ServerReflection(target, grpc.credentials.createInsecure())
  .ServerReflectionInfo({ deadline: Date.now() + 20000 });

const questions = [{ list_services: '' }, { file_containing_symbol: 'ipcbench.v1.Bench.Download' }, { file_by_filename: 'none.proto' }];
const ask = () => (questions.length > 0 ? stream.write(questions.shift()) : stream.end());
// The name is the first field of a FileDescriptorProto.
const nameOf = (file) => file.subarray(2, 2 + file[1]).toString();

stream.on('data', (reply) => {
  if (reply.message_response === 'list_services_response') console.log('services', reply.list_services_response.service.map((s) => s.name).join(' '));
  if (reply.message_response === 'file_descriptor_response') console.log('file', reply.file_descriptor_response.file_descriptor_proto.map(nameOf).join(' '));
  if (reply.message_response === 'error_response') console.log('error', reply.error_response.error_code);
  ask();
});
stream.on('error', (error) => { console.log('failed', error.code); process.exit(1); });
stream.on('status', (status) => { console.log('status', status.code); process.exit(0); });
ask();

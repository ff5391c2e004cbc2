// An MCP server made with npm's SDK: `node mcp.mjs` on standard input and output, `node mcp.mjs PORT` over streamable HTTP at /mcp.
import { createServer } from 'node:http';
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';

// An import does not look into NODE_PATH. A require does.
const require = createRequire(import.meta.url);
const { McpServer } = require('@modelcontextprotocol/sdk/server/mcp.js');
const { StdioServerTransport } = require('@modelcontextprotocol/sdk/server/stdio.js');
const { StreamableHTTPServerTransport } = require('@modelcontextprotocol/sdk/server/streamableHttp.js');
const { z } = require('zod');

function make() {
  const server = new McpServer({ name: 'npm', version: '1' });
  server.registerTool('download', { description: 'Returns text of a size.', inputSchema: { size: z.number().int() } },
    async ({ size }) => ({ content: [{ type: 'text', text: 'x'.repeat(size) }] }));
  server.registerTool('pause', { description: 'Returns text after 5 ms.', inputSchema: {} },
    async () => {
      await new Promise(done => setTimeout(done, 5));
      return { content: [{ type: 'text', text: 'paused' }] };
    });
  server.registerTool('fail', { description: 'Fails.', inputSchema: {} },
    async () => ({ isError: true, content: [{ type: 'text', text: 'it fails always' }] }));
  return server;
}

if (process.argv.length < 3) {
  await make().connect(new StdioServerTransport());
} else {
  const sessions = new Map();
  createServer(async (request, response) => {
    let transport = sessions.get(request.headers['mcp-session-id']);
    if (!transport) {
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: id => sessions.set(id, transport),
      });
      await make().connect(transport);
    }
    await transport.handleRequest(request, response);
  }).listen(Number(process.argv[2]), '127.0.0.1', () => console.log('ready'));
}

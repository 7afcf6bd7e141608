/**
 * The bare limit: `node:http` and `pg`, one named statement a request, nothing else. Run as a process of
 * its own with DATABASE_URL; prints its port.
 */
import { createServer, type IncomingMessage } from "node:http";
import { Pool } from "pg";
import { FIND_DOMAIN_WITH_RECORDS, LIST_DOMAINS_WITH_RECORDS } from "../src/features/custom-domains/store.ts";

const INSERT = {
  name: "bare_insert",
  text: `INSERT INTO env_variables (organization_id, environment_id, service_id, name, source, kind, plain_value, generation)
         VALUES ($1, $2, $3, $4, 'api', 'plainText', $5, nextval('env_variable_generation'))
         ON CONFLICT (organization_id, scope_id, name, source) DO UPDATE SET plain_value = excluded.plain_value, updated_at = now()`,
};

const pool = new Pool({ connectionString: process.env["DATABASE_URL"], max: 10 });

const server = createServer((request, response) => {
  const [, kind = "", ...ids] = (request.url ?? "").split("/");
  answer(kind, ids, request).then(
    (body) => {
      const text = JSON.stringify(body);
      response.writeHead(200, {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(text),
      });
      response.end(text);
    },
    (error: unknown) => {
      response.writeHead(500, { "content-length": 0 });
      response.end();
      console.error(error);
    },
  );
});

async function answer(kind: string, ids: readonly string[], request: IncomingMessage): Promise<unknown> {
  switch (kind) {
    case "find":
      return (await pool.query({ ...FIND_DOMAIN_WITH_RECORDS, values: [...ids] })).rows[0];
    case "list":
      return (await pool.query({ ...LIST_DOMAINS_WITH_RECORDS.asc, values: [...ids, "", 21] })).rows;
    default: {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { plainText } = JSON.parse(Buffer.concat(chunks).toString()) as {
        plainText: Record<string, string>;
      };
      for (const [name, value] of Object.entries(plainText))
        await pool.query({ ...INSERT, values: [...ids, name, value] });
      return { status: "completed" };
    }
  }
}

server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object" && address !== null) process.stdout.write(`port ${address.port}\n`);
});

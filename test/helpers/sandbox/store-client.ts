/** Data stores as a service uses them: each keeps a list of texts. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createConnection } from "node:net";
import { createInterface } from "node:readline";
import { Client } from "pg";
import type { RuntimeValue } from "../../../src/cloud/platform.ts";

export type StoreClient = {
  /** Resolves when the store has acknowledged it. */
  add(text: string): Promise<void>;
  list(): Promise<readonly string[]>;
  end(): Promise<void>;
};

/** @throws if the server refuses the connection or the password */
export async function openStore(url: string): Promise<StoreClient> {
  return url.startsWith("redis:") ? await openRedis(new URL(url)) : await openPostgres(url);
}

async function openPostgres(url: string): Promise<StoreClient> {
  const client = new Client({ connectionString: url });
  // The server may be killed.
  client.on("error", () => undefined);
  await client.connect();
  await client.query("CREATE TABLE IF NOT EXISTS texts (id serial PRIMARY KEY, text text)");
  return {
    add: async (text) => void (await client.query("INSERT INTO texts (text) VALUES ($1)", [text])),
    list: async () =>
      (await client.query<{ text: string }>("SELECT text FROM texts ORDER BY id")).rows.map(
        ({ text }) => text,
      ),
    end: () => client.end(),
  };
}

/** Texts have one line each. */
async function openRedis({ hostname, port, password }: URL): Promise<StoreClient> {
  const socket = createConnection({ host: hostname, port: Number(port) });
  await once(socket, "connect");
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  const read = async (): Promise<string> => {
    const { value, done } = await lines.next();
    if (done === true) throw new Error("The server has ended the connection.");
    return value;
  };
  const send = (...words: readonly string[]) =>
    socket.write(
      `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join("")}`,
    );
  const ask = async (...words: readonly string[]): Promise<string> => {
    send(...words);
    const line = await read();
    if (line.startsWith("-")) throw new Error(line);
    return line;
  };
  // Requests end with the connection; later ones are refused by it.
  socket.on("error", () => undefined);
  try {
    await ask("AUTH", decodeURIComponent(password));
  } catch (error) {
    socket.destroy();
    throw error;
  }
  return {
    add: async (text) => void (await ask("RPUSH", "texts", text)),
    async list() {
      const count = Number((await ask("LRANGE", "texts", "0", "-1")).slice(1));
      const texts: string[] = [];
      for (let index = 0; index < count; index += 1) {
        await read();
        texts.push(await read());
      }
      return texts;
    },
    async end() {
      if (socket.destroyed) return;
      socket.end();
      await once(socket, "close");
    },
  };
}

/** The connection string of a store, with the secrets of its account in the place of references. */
export function urlOfStore(
  values: Readonly<Record<string, RuntimeValue>>,
  secrets: readonly { readonly name: string; readonly value: string }[],
): string {
  const whole = values["dbConnectionString"] ?? values["connectionString"];
  assert.ok(whole?.kind === "joined", JSON.stringify(values));
  return whole.parts
    .map((part) => {
      if (typeof part === "string") return part;
      const secret = secrets.find(({ name }) => part.reference.includes(name));
      return encodeURIComponent(secret?.value ?? assert.fail(`no secret ${part.reference}`));
    })
    .join("");
}

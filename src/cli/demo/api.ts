import { setTimeout as sleep } from "node:timers/promises";
import type { Static, TSchema } from "typebox";
import { Value } from "typebox/value";

const FOLLOW_TIMEOUT_MS = 60_000;

export type Answer = { readonly status: number; readonly body: unknown; readonly etag: string | null };

/** The demo's access to the API: an address and a key, like any client. */
export type Api = {
  /** Sends a request and returns the answer, whatever its status. */
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Sends a request. Its answer must have this status and this shape. */
  expect<S extends TSchema>(
    status: number,
    schema: S,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Static<S>>;
  /** Reads a resource until it meets the condition. The API holds each read until the resource changes. */
  follow<S extends TSchema>(
    path: string,
    schema: S,
    isReached: (resource: Static<S>) => boolean,
  ): Promise<Static<S>>;
};

export function createApi(url: string, apiKey: string, signal: AbortSignal): Api {
  const send: Api["send"] = async (method, path, body, headers) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal,
    });
    const text = await answer.text();
    return {
      status: answer.status,
      body: text === "" ? undefined : JSON.parse(text),
      etag: answer.headers.get("etag"),
    };
  };
  return {
    send,
    async expect(status, schema, method, path, body) {
      return checked(await send(method, path, body), status, schema, `${method} ${path}`);
    },
    async follow(path, schema, isReached) {
      const deadline = Date.now() + FOLLOW_TIMEOUT_MS;
      let etag: string | null = null;
      let last: unknown;
      while (Date.now() < deadline) {
        const headers: Record<string, string> =
          etag === null ? {} : { "if-none-match": etag, prefer: "wait=5" };
        const answer: Answer = await send("GET", path, undefined, headers);
        if (answer.status === 304) continue;
        const resource = checked(answer, 200, schema, `GET ${path}`);
        if (isReached(resource)) return resource;
        last = resource;
        ({ etag } = answer);
        // A resource without an ETag cannot be waited for; read it again a little later.
        if (etag === null) await sleep(100);
      }
      throw new Error(`GET ${path} did not reach the expected state. Last answer: ${JSON.stringify(last)}`);
    },
  };
}

function checked<S extends TSchema>(answer: Answer, status: number, schema: S, request: string): Static<S> {
  if (answer.status === status && Value.Check(schema, answer.body)) return answer.body;
  throw new Error(`${request} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
}

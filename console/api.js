/** @import { Answer, Api, Problem } from "./api-types.ts" */

/** How long a read waits for a change. Shorter than the minute after which proxies cut idle connections. */
const WAIT_SECONDS = 25;
/** Pauses before an unanswered write is sent again. */
const WRITE_RETRY_PAUSES_MS = [400, 1_500, 4_000];

/** A refused request, or one without any answer. */
export class ProblemError extends Error {
  name = "ProblemError";
  /** @param {Problem} problem */
  constructor(problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

/**
 * A client of the HTTP API with one key.
 * @param {{ key: string, onUnauthenticated?: (problem: Problem) => void }} options
 * @returns {Api}
 */
export function createApi({ key, onUnauthenticated }) {
  /**
   * @param {string} method
   * @param {string} path
   * @param {{ body?: object | undefined, headers?: Record<string, string>, signal?: AbortSignal | undefined }} [options]
   * @returns {Promise<Response>} A successful answer or a 304; throws ProblemError otherwise.
   */
  const ask = async (method, path, { body, headers = {}, signal } = {}) => {
    const response = await answerOf(
      fetch(path, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          accept: "application/json",
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(signal === undefined ? {} : { signal }),
        // We make conditional reads ourselves. The browser's cache would answer them, one at a time.
        cache: "no-store",
        credentials: "omit",
      }),
    );
    if (response.ok || response.status === 304) return response;
    const problem = readProblem(response.status, await answerOf(response.text()));
    if (response.status === 401) onUnauthenticated?.(problem);
    throw new ProblemError(problem);
  };

  /** @type {(...request: Parameters<typeof ask>) => Promise<Answer>} */
  const send = async (...request) => {
    const response = await ask(...request);
    const text = response.status === 304 ? "" : await answerOf(response.text());
    const etag = response.headers.get("etag");
    return { status: response.status, etag, body: text === "" ? undefined : JSON.parse(text) };
  };

  return {
    async get(path, signal) {
      return (await send("GET", path, { signal })).body;
    },
    async list(path, plural, cursor, signal) {
      const query = `${path.includes("?") ? "&" : "?"}limit=50${cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`}`;
      const { body } = await send("GET", path + query, { signal });
      return { items: body[plural], nextCursor: body.nextCursor };
    },
    async getNews(path, etag, signal) {
      const headers = etag === null ? {} : { "if-none-match": etag, prefer: `wait=${WAIT_SECONDS}` };
      return await send("GET", path, { headers, signal });
    },
    async *events(path, lastEventId, signal) {
      // An EventSource cannot send the API key.
      const headers = {
        accept: "text/event-stream",
        ...(lastEventId === null ? {} : { "last-event-id": lastEventId }),
      };
      const { body } = await ask("GET", path, { headers, signal });
      if (body === null) return;
      const reader = body.pipeThrough(new TextDecoderStream()).getReader();
      let text = "";
      for (;;) {
        const { value, done } = await answerOf(reader.read());
        if (done) return;
        const blocks = (text + value).split("\n\n");
        text = blocks.pop() ?? "";
        yield* blocks.flatMap(readEvent);
      }
    },
    async write(method, path, body) {
      const headers = { "idempotency-key": randomText() };
      for (const pauseMs of WRITE_RETRY_PAUSES_MS) {
        try {
          return await send(method, path, { body, headers });
        } catch (error) {
          if (!(error instanceof ProblemError) || !mayHaveBeenLost(error.problem)) throw error;
          await new Promise((resolve) => setTimeout(resolve, pauseMs));
        }
      }
      return await send(method, path, { body, headers });
    },
  };
}

/**
 * A block of an event stream (HTML Living Standard, section 9.2.5); empty for a comment.
 * @param {string} block
 */
function readEvent(block) {
  const fields = new Map(
    block.split("\n").map((line) => {
      const colon = line.indexOf(": ");
      return [line.slice(0, colon), line.slice(colon + 2)];
    }),
  );
  const data = fields.get("data");
  return data === undefined
    ? []
    : [{ event: fields.get("event") ?? "message", id: fields.get("id") ?? null, data }];
}

/**
 * Such a request takes effect at most once when it is sent again with its Idempotency-Key.
 * @param {Problem} problem
 */
function mayHaveBeenLost({ status, code }) {
  return status === 0 || status === 503 || code === "IDEMPOTENCY_KEY_IN_PROGRESS";
}

/**
 * @template T
 * @param {Promise<T>} asked
 * @returns {Promise<T>}
 */
async function answerOf(asked) {
  try {
    return await asked;
  } catch (error) {
    // Fetch throws TypeError for every network failure.
    if (!(error instanceof TypeError)) throw error;
    throw new ProblemError({
      title: "Slipway does not answer",
      detail: "There was no response. Check your connection and that Slipway is running, then try again.",
      status: 0,
      code: null,
      type: null,
      requestId: null,
      errors: [],
    });
  }
}

/**
 * @param {number} status
 * @param {string} text
 * @returns {Problem}
 */
function readProblem(status, text) {
  /** @type {Partial<Problem>} */
  let said = {};
  try {
    said = JSON.parse(text) ?? {};
  } catch (error) {
    // A proxy may answer with its own page; only the status is useful then.
    if (!(error instanceof SyntaxError)) throw error;
  }
  return {
    title: said.title ?? `The server answered ${status}`,
    detail: said.detail ?? "Something between this browser and Slipway refused the request.",
    status,
    code: said.code ?? null,
    type: said.type ?? null,
    requestId: said.requestId ?? null,
    errors: said.errors ?? [],
  };
}

/** 128 random bits. `crypto.randomUUID` does not exist on pages served over plain HTTP by another machine. */
function randomText() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}

/** @import { Answer, Api, Problem } from "./api-types.ts" */
import { AbortedError, ApiError, SlipwayError } from "../sdk/src/errors.ts";
import { readBlocks } from "../sdk/src/event-stream.ts";
import { Transport } from "../sdk/src/transport.ts";

/** How long a read waits for a change. Shorter than the minute after which proxies cut idle connections. */
const WAIT_SECONDS = 25;
const WRITE_RETRIES = 3;
/** Whoever follows something says at once that the connection is lost, and asks again. */
const FOLLOWING = { maxRetries: 0 };

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
  const transport = new Transport({ url: location.origin, token: key });

  /**
   * @param {unknown} error
   * @returns {unknown} What the console shows of an error of the SDK.
   */
  const shown = (error) => {
    if (!(error instanceof SlipwayError) || error instanceof AbortedError) return error;
    const problem = problemOf(error);
    if (problem.status === 401) onUnauthenticated?.(problem);
    return new ProblemError(problem);
  };

  /** @type {(...request: Parameters<Transport["call"]>) => Promise<Answer>} */
  const send = async (...request) => {
    try {
      const { response, etag, data } = await transport.call(...request);
      return { status: response.status, etag, body: data };
    } catch (error) {
      throw shown(error);
    }
  };

  return {
    async get(path, signal) {
      return (await send({ method: "GET", path }, { signal })).body;
    },
    async list(path, plural, cursor, signal) {
      const query = `${path.includes("?") ? "&" : "?"}limit=50${cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`}`;
      const { body } = await send({ method: "GET", path: path + query }, { signal });
      return { items: body[plural], nextCursor: body.nextCursor };
    },
    async getNews(path, etag, signal) {
      const headers = etag === null ? {} : { "if-none-match": etag, prefer: `wait=${WAIT_SECONDS}` };
      return await send({ method: "GET", path }, { ...FOLLOWING, headers, signal });
    },
    async *events(path, lastEventId, signal) {
      const headers = lastEventId === null ? {} : { "last-event-id": lastEventId };
      try {
        yield* readBlocks(transport, { method: "GET", path }, { ...FOLLOWING, headers, signal });
      } catch (error) {
        throw shown(error);
      }
    },
    async write(method, path, body) {
      return await send({ method, path, body }, { maxRetries: WRITE_RETRIES });
    },
  };
}

/**
 * @param {SlipwayError} error
 * @returns {Problem}
 */
function problemOf(error) {
  if (!(error instanceof ApiError)) {
    return {
      title: "Slipway does not answer",
      detail: "There was no response. Check your connection and that Slipway is running, then try again.",
      status: 0,
      code: null,
      type: null,
      requestId: null,
      errors: [],
    };
  }
  // A proxy may answer with its own page; only the status is useful then.
  const { status, code, errors, requestId } = error;
  const { title, detail, type } = /** @type {Partial<Problem>} */ (error.problem);
  return {
    title: title ?? `The server answered ${status}`,
    detail: detail ?? "Something between this browser and Slipway refused the request.",
    status,
    code,
    type: type ?? null,
    requestId,
    errors,
  };
}

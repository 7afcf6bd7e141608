/** A client of the HTTP API: knows a base URL and a key, and nothing of the code behind it. */
import { UnexpectedAnswer } from "./unexpected-answer.ts";

export type ApiAnswer = {
  readonly status: number;
  readonly headers: Headers;
  /** The body as it came. */
  readonly text: string;
  /** The parsed body; undefined if there is none. Of a refusal, only fields of a problem can be read. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies of every shape
  readonly body: any;
};

export type ApiClient = {
  readonly baseUrl: string;
  readonly key: string;
  get(path: string, headers?: Record<string, string>): Promise<ApiAnswer>;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiAnswer>;
  put(path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiAnswer>;
  patch(path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiAnswer>;
  delete(path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiAnswer>;
};

export function createApiClient(baseUrl: string, key: string): ApiClient {
  const send = async (
    method: string,
    path: string,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<ApiAnswer> => {
    const answer = await fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    const isJson = answer.headers.get("content-type")?.includes("json") === true;
    const parsed: unknown = isJson && text !== "" ? JSON.parse(text) : undefined;
    const isRefusal = answer.status >= 400 && typeof parsed === "object" && parsed !== null;
    return {
      status: answer.status,
      headers: answer.headers,
      text,
      body: isRefusal
        ? refusalBody(parsed, `${method} ${path} was answered ${answer.status}: ${text}`, answer.status)
        : parsed,
    };
  };
  return {
    baseUrl,
    key,
    get: (path, headers) => send("GET", path, undefined, headers),
    post: (path, body, headers) => send("POST", path, body, headers),
    put: (path, body, headers) => send("PUT", path, body, headers),
    patch: (path, body, headers) => send("PATCH", path, body, headers),
    delete: (path, body, headers) => send("DELETE", path, body, headers),
  };
}

const PROBLEM_MEMBERS = new Set([
  "type",
  "title",
  "status",
  "detail",
  "instance",
  "code",
  "requestId",
  "errors",
]);
/** What JavaScript, `JSON.stringify` and promises look for in any object. */
const ASKED_OF_ANY = new Set(["toJSON", "then", "constructor", "hasOwnProperty", "toString", "valueOf"]);

/**
 * A test that takes a refusal for the answer it hoped for would fail far from the cause, or not at all. So
 * reading what only another answer has says which request was refused, and why.
 */
function refusalBody(problem: object, message: string, status: number): object {
  return new Proxy(problem, {
    get(target, name, receiver) {
      const isThere = typeof name === "symbol" || name in target;
      if (isThere || PROBLEM_MEMBERS.has(name) || ASKED_OF_ANY.has(name))
        return Reflect.get(target, name, receiver);
      throw new UnexpectedAnswer(`${message}\nSo its body has no ${JSON.stringify(name)}.`, status);
    },
  });
}

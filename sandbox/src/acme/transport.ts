/**
 * The HTTP of the package `acme-client`, which has one axios instance for the whole process, retries on its own, and
 * drops the type of an error and its `Retry-After`. Each call here runs with its own trust, deadline and log of answers.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { Agent } from "node:https";
import { createSecureContext, rootCertificates } from "node:tls";
import { axios } from "acme-client";
import { AcmeError, explainProblem, readProblem, readRetryAfter, toUnanswered } from "./acme-error.ts";

/** What one call learned from the headers of its last answer. */
export type Answered = {
  /** When the server wants the next poll (RFC 8555, 7.5.1), in milliseconds since 1970. */
  retryAt: number | null;
  /** Targets of links by relation (RFC 8288). */
  links: ReadonlyMap<string, string>;
};

export type Transport = {
  /**
   * @param subject the name that the call is about, for sentences; null for the account or the directory
   * @throws AcmeError
   */
  run<T>(subject: string | null, work: () => Promise<T>): Promise<{ readonly value: T } & Answered>;
  /** How far this machine's clock is ahead of the server's, in milliseconds; null before the first answer. */
  aheadMs(): number | null;
  close(): void;
};

type Call = Answered & {
  readonly subject: string | null;
  readonly directory: string;
  readonly agent: Agent;
  readonly signal: AbortSignal;
  readonly now: () => number;
  note(serverTime: number): void;
};

const TIMEOUT_MS = 20_000;
const MAX_ANSWER_BYTES = 1_048_576;
const MAX_SOCKETS = 16;
const BUSY_REST_MS = 60_000;

const calls = new AsyncLocalStorage<Call>();
axios.interceptors.request.clear();
axios.interceptors.response.clear();
axios.interceptors.request.use((config) => {
  const call = calls.getStore();
  if (call === undefined) throw new Error("A request to an ACME server began outside of a transport.");
  return Object.assign(config, {
    httpsAgent: call.agent,
    signal: call.signal,
    timeout: TIMEOUT_MS,
    maxContentLength: MAX_ANSWER_BYTES,
    validateStatus: null,
  });
});
axios.interceptors.response.use((response) => {
  const call = calls.getStore();
  if (call === undefined) return response;
  const header = (name: string): unknown => (response.headers as Record<string, unknown>)[name];
  const date = Date.parse(String(header("date")));
  if (!Number.isNaN(date)) call.note(date);
  call.retryAt = readRetryAfter(header("retry-after"), call.now());
  call.links = readLinks(header("link"));
  const refusal = judge(response.status, response.data, call);
  if (refusal !== null) throw refusal;
  return response;
});

/** @param caPem trusted besides the public CAs, for the directory's own certificate */
export function createTransport(options: {
  readonly directory: string;
  readonly caPem: string | null;
  readonly now: () => number;
  readonly signal: AbortSignal;
}): Transport {
  const { directory, caPem, now, signal } = options;
  const agent = new Agent({
    keepAlive: true,
    maxSockets: MAX_SOCKETS,
    // Made once: a hundred and fifty certificates take longer to read than a request.
    ...(caPem === null ? {} : { secureContext: createSecureContext({ ca: [...rootCertificates, caPem] }) }),
  });
  let ahead: number | null = null;
  const note = (serverTime: number): void => void (ahead = now() - serverTime);
  return {
    async run(subject, work) {
      const call: Call = { subject, directory, agent, signal, now, note, retryAt: null, links: new Map() };
      try {
        const value = await calls.run(call, work);
        return { value, retryAt: call.retryAt, links: call.links };
      } catch (error) {
        throw toAcmeError(error, directory);
      }
    },
    aheadMs: () => ahead,
    close: () => agent.destroy(),
  };
}

function judge(status: number, data: unknown, call: Call): AcmeError | null {
  if (status < 400) return null;
  const problem = readProblem(data);
  // The package sends it again with the new nonce.
  if (problem?.type === "badNonce" && status === 400) return null;
  const where = `The CA at ${call.directory}`;
  const { subject, retryAt } = call;
  if (status === 429 || problem?.type === "rateLimited") {
    const known = problem ?? { type: "rateLimited", detail: "" };
    return new AcmeError("rateLimited", explainProblem(known, subject ?? call.directory), {
      retryAt: retryAt ?? call.now() + BUSY_REST_MS,
    });
  }
  if (status >= 500) {
    const detail = problem === null || problem.detail === "" ? "" : `: ${problem.detail}`;
    const message = `${where} has a fault of its own (HTTP ${status}${detail}). Slipway tries again.`;
    return new AcmeError("serverError", message, { retryAt });
  }
  if (problem !== null)
    return new AcmeError(problem.type, explainProblem(problem, subject ?? "this installation"), { retryAt });
  if (status === 404)
    return new AcmeError("notFound", `${where} has nothing at an address that it gave (HTTP 404).`);
  return new AcmeError("malformedAnswer", `${where} answered HTTP ${status} without saying why.`);
}

function toAcmeError(error: unknown, directory: string): AcmeError {
  if (error instanceof AcmeError) return error;
  const isUnanswered = error instanceof Error && error.name !== "TypeError" && "code" in error;
  const code = isUnanswered ? String(error.code) : "";
  if (isUnanswered && code !== "ERR_BAD_RESPONSE" && code !== "ERR_INVALID_URL")
    return toUnanswered(error, directory);
  return malformed(directory, error);
}

/** The server's answer is not what the protocol says. */
export function malformed(directory: string, cause?: unknown): AcmeError {
  const reason = cause instanceof Error ? ` (${cause.message.slice(0, 200)})` : "";
  return new AcmeError(
    "malformedAnswer",
    `The CA at ${directory} gave an answer that is not ACME${reason}. Check that SLIPWAY_ACME_DIRECTORY is the address of an ACME directory.`,
    { cause },
  );
}

function readLinks(header: unknown): ReadonlyMap<string, string> {
  const text = typeof header === "string" ? header : "";
  const links = new Map<string, string>();
  for (const [, target = "", relation = ""] of text.matchAll(/<([^>]*)>\s*;\s*rel="([^"]*)"/g))
    links.set(relation, target);
  return links;
}

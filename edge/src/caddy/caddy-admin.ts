/** Caddy's admin API (https://caddyserver.com/docs/api). */
import { setTimeout as sleep } from "node:timers/promises";
import { OperatorError } from "../../../src/lib/operator-error.ts";

export type CaddyAdmin = {
  /** A part of the configuration that runs; null if there is none. @throws CaddyError */
  read(at: string): Promise<unknown>;
  /** Replaces the whole configuration. If Caddy refuses it, the one before stays. @throws CaddyError */
  load(config: object): Promise<void>;
  /** Ends what Caddy serves: it takes no new connection, and finishes requests. @throws CaddyError */
  unload(): Promise<void>;
};

export class CaddyError extends OperatorError {
  override readonly name = "CaddyError";
}

const READ_MS = 5_000;
const AGAIN_MS = 300;
const CHANGE_MS = 60_000;

type Answer = { readonly status: number; readonly isOk: boolean; readonly text: string };

/** @param url without a trailing slash */
export function createCaddyAdmin(url: string): CaddyAdmin {
  async function ask(method: string, path: string, timeoutMs: number, body?: string): Promise<Answer> {
    try {
      const answer = await fetch(`${url}${path}`, {
        method,
        // Each change starts another admin server, which ends the connections of the one before.
        headers: { "content-type": "application/json", connection: "close" },
        body: body ?? null,
        redirect: "error",
        signal: AbortSignal.timeout(timeoutMs),
      });
      return { status: answer.status, isOk: answer.ok, text: await answer.text() };
    } catch (error) {
      throw new CaddyError(
        `Caddy's admin API does not answer at ${url}. Start Caddy, or set SLIPWAY_EDGE_CADDY to the address of its admin API.`,
        { cause: error },
      );
    }
  }

  async function change(method: string, path: string, body?: string): Promise<void> {
    const answer = await ask(method, path, CHANGE_MS, body);
    if (!answer.isOk) throw new CaddyError(explain(answer));
  }

  /** Caddy answers `{"error": "…"}`. */
  function explain({ status, text }: Answer): string {
    const answered = parse(text);
    if (typeof answered !== "object" || answered === null || !("error" in answered))
      return explainOther(status);
    const reason = String(answered.error);
    return status === 403
      ? `Caddy's admin API refuses ${url}: ${reason}. Set SLIPWAY_EDGE_CADDY to an address that its setting "origins" allows.`
      : `Caddy refuses its configuration: ${reason}. If it may not listen on a port, or another program does, free that port, or set SLIPWAY_EDGE_HTTP_PORT and SLIPWAY_EDGE_HTTPS_PORT. If it does not know a module, install Caddy 2.6 or later.`;
  }

  const explainOther = (status: number) =>
    `Another program than Caddy's admin API answers at ${url}, with ${status}. Set SLIPWAY_EDGE_CADDY to the address of Caddy's admin API.`;

  return {
    async read(at) {
      const get = () => ask("GET", `/config/${at}`, READ_MS);
      // After a change, the next admin server may not listen yet.
      const answer = await get().catch(async () => await sleep(AGAIN_MS).then(get));
      // Below something that does not exist, Caddy refuses the path.
      if (!answer.isOk) return null;
      const found = parse(answer.text);
      if (found === undefined) throw new CaddyError(explainOther(answer.status));
      return found;
    },
    load: (config) => change("POST", "/load", JSON.stringify(config)),
    unload: () => change("DELETE", "/config/apps"),
  };
}

/** Undefined if it is not JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

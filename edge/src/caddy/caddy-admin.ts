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

/** @param url without a trailing slash */
export function createCaddyAdmin(url: string): CaddyAdmin {
  async function ask(method: string, path: string, timeoutMs: number, body?: string): Promise<Response> {
    try {
      return await fetch(`${url}${path}`, {
        method,
        // Each change starts another admin server, which ends the connections of the one before.
        headers: { "content-type": "application/json", connection: "close" },
        body: body ?? null,
        redirect: "error",
        signal: AbortSignal.timeout(timeoutMs),
      });
    } catch (error) {
      throw new CaddyError(
        `Caddy's admin API does not answer at ${url}. Start Caddy, or set SLIPWAY_EDGE_CADDY to the address of its admin API.`,
        { cause: error },
      );
    }
  }

  async function change(method: string, path: string, body?: string): Promise<void> {
    const answer = await ask(method, path, CHANGE_MS, body);
    const text = await answer.text();
    if (!answer.ok) throw new CaddyError(`Caddy refuses its configuration: ${explain(text)}`);
  }

  return {
    async read(at) {
      const get = () => ask("GET", `/config/${at}`, READ_MS);
      // After a change, the next admin server may not listen yet.
      const answer = await get().catch(async () => await sleep(AGAIN_MS).then(get));
      const text = await answer.text();
      // Below something that does not exist, Caddy refuses the path.
      return answer.ok ? (JSON.parse(text) as unknown) : null;
    },
    load: (config) => change("POST", "/load", JSON.stringify(config)),
    unload: () => change("DELETE", "/config/apps"),
  };
}

/** Caddy answers `{"error": "…"}`. */
function explain(text: string): string {
  try {
    const { error } = JSON.parse(text) as { error?: unknown };
    if (typeof error === "string") return error;
  } catch {
    // Another program answers there.
  }
  return text.slice(0, 500);
}

/**
 * Managed values in OpenBao or HashiCorp Vault: its secrets engine KV, version 2, by its HTTP API
 * (https://openbao.org/api-docs/secret/kv/kv-v2/). The server's documents have only the number of the version.
 */
import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { keepSealed, type KeptText, type ValueKeeper } from "../accounts/value-keeper.ts";
import { Refusal } from "../refusal.ts";
import type { Vault } from "../vault.ts";

export type OpenBaoConfig = {
  /** Without a trailing slash. */
  readonly address: string;
  /** The path of the secrets engine. */
  readonly mount: string;
  /** Read again for each request to log in, so that an agent may renew it in a file. */
  readonly login:
    | { readonly kind: "token"; readonly token: () => Promise<string> }
    | {
        readonly kind: "app-role";
        /** Where this way to log in is enabled. */
        readonly path: string;
        readonly roleId: string;
        readonly secretId: string;
      };
};

const KEPT = /^bao:(\d+)$/;
const ATTEMPTS = 3;
const PAUSE_MS = 200;
/** Of all attempts together. A call of Slipway waits for 5 seconds, and should learn the reason. */
const TIMEOUT_MS = 4_000;

export type OpenBaoKeeper = ValueKeeper & {
  readonly address: string;
  /** Why it cannot be used, and what to do, as sentences; null if it answers, and lets Slipway read. */
  findProblem(): Promise<string | null>;
};

type Answer = { readonly status: number; readonly body: unknown };

/** Texts that were sealed before an address was configured are still read, and are moved when they change. */
export function keepInOpenBao(config: OpenBaoConfig, vault: Vault): OpenBaoKeeper {
  const { address, mount, login } = config;
  const sealed = keepSealed(vault);
  let token: string | null = null;

  async function logIn(signal: AbortSignal): Promise<string> {
    if (login.kind === "token") return await login.token();
    const { path, roleId, secretId } = login;
    const body = { role_id: roleId, secret_id: secretId };
    const { status, body: answer } = await send("POST", `auth/${path}/login`, null, signal, body);
    const found = memberOf(answer, "auth", "client_token");
    if (typeof found === "string") return found;
    // It did not look at the AppRole.
    if (isOfServer(status)) throw new Error(explain(status, mount));
    throw unavailable(
      `It refused the AppRole with status ${status}. Check SLIPWAY_VAULT_ROLE_ID and its secret.`,
    );
  }

  /** @throws Refusal */
  async function ask(method: string, path: string, body?: object): Promise<Answer> {
    const deadline = AbortSignal.timeout(TIMEOUT_MS);
    for (let attempt = 1; ; attempt += 1) {
      const isLast = attempt === ATTEMPTS;
      let answer: Answer;
      try {
        token ??= await logIn(deadline);
        answer = await send(method, path, token, deadline, body);
      } catch (error) {
        if (isLast || deadline.aborted || error instanceof Refusal) throw error;
        await sleep(PAUSE_MS * attempt);
        continue;
      }
      // The token has ended; a new one may do.
      if (answer.status === 403) token = null;
      const mayPass = answer.status === 403 || isOfServer(answer.status);
      if (!mayPass) return answer;
      if (isLast) throw unavailable(explain(answer.status, mount));
      await sleep(PAUSE_MS * attempt);
    }
  }

  async function send(
    method: string,
    path: string,
    by: string | null,
    signal: AbortSignal,
    body?: object,
  ): Promise<Answer> {
    try {
      const response = await fetch(`${address}/v1/${path}`, {
        method,
        redirect: "error",
        signal,
        headers: {
          "content-type": "application/json",
          ...(by === null ? {} : { "x-vault-token": by }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, body: text === "" ? null : (JSON.parse(text) as unknown) };
    } catch (cause) {
      throw new Error(`OpenBao at ${address} does not answer. Start it, or correct SLIPWAY_VAULT_ADDRESS.`, {
        cause,
      });
    }
  }

  const pathOf = (part: "data" | "metadata", place: string): string => `${mount}/${part}/${pathAt(place)}`;

  /** The newest version; version 0 if there is none, or it was deleted. */
  async function newest(place: string): Promise<{ readonly version: number; readonly text: string | null }> {
    const { body } = await ask("GET", pathOf("data", place));
    const version = memberOf(body, "data", "metadata", "version");
    const text = memberOf(body, "data", "data", "value");
    return {
      version: typeof version === "number" ? version : 0,
      text: typeof text === "string" ? text : null,
    };
  }

  async function guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Refusal) throw error;
      throw unavailable(error instanceof Error ? error.message : String(error));
    }
  }

  return {
    address,
    async findProblem() {
      try {
        const { body } = await ask("GET", `${mount}/data/slipway/check`);
        // No value is there, and the answer has no error. It has one if there is no secrets engine.
        const errors = memberOf(body, "errors");
        return Array.isArray(errors) && errors.length > 0 ? explain(404, mount) : null;
      } catch (error) {
        return error instanceof Error ? error.message : String(error);
      }
    },
    write: (place, text, before) =>
      guarded(async () => {
        const cas = versionOf(before) ?? 0;
        const path = pathOf("data", place);
        const put = async (at: number): Promise<number | null> => {
          const { status, body } = await ask("POST", path, { data: { value: text }, options: { cas: at } });
          const version = memberOf(body, "data", "version");
          if (status === 200 && typeof version === "number") return version;
          if (status === 400) return null;
          throw unavailable(explain(status, mount));
        };
        const made = await put(cas);
        if (made !== null) return `bao:${made}`;
        // A process that died between this write and its own document, or another hand, has written meanwhile.
        const found = await newest(place);
        if (found.text === text) return `bao:${found.version}`;
        const later = await put(found.version);
        if (later === null) throw unavailable("Another program changes this value at the same time.");
        return `bao:${later}`;
      }),
    read: (place, kept) =>
      guarded(async () => {
        const version = versionOf(kept);
        if (version === null) return await sealed.read(place, kept);
        const { status, body } = await ask("GET", `${pathOf("data", place)}?version=${version}`);
        const text = memberOf(body, "data", "data", "value");
        if (status === 200 && typeof text === "string") return text;
        throw unavailable(`It does not have version ${version} of ${place} any more (status ${status}).`);
      }),
    remove: (place, kept) =>
      guarded(async () => {
        if (versionOf(kept) === null) return;
        const { status } = await ask("DELETE", pathOf("metadata", place));
        if (status !== 204 && status !== 404) throw unavailable(explain(status, mount));
      }),
  };
}

/** Whether the server itself, and not the request, is the reason. */
function isOfServer(status: number): boolean {
  return status === 429 || status >= 500;
}

/** As without OpenBao, for texts that may still be in one whose address is not configured any more. */
export function keepInDocuments(vault: Vault): ValueKeeper {
  const sealed = keepSealed(vault);
  return {
    ...sealed,
    async read(place, kept) {
      if (versionOf(kept) === null) return await sealed.read(place, kept);
      throw unavailable(
        "OpenBao or Vault has the value. Set SLIPWAY_VAULT_ADDRESS again, or give the variable its value again.",
      );
    },
  };
}

/** Readable, and different for each place; a name cannot lead to another folder. */
function pathAt(place: string): string {
  const [kind = "", account = "", region = "", ...rest] = place.split(/[ /]/);
  const hash = createHash("sha256").update(place).digest("hex").slice(0, 16);
  const name = rest.join("-").replaceAll(/[^A-Za-z0-9_]+/g, "-");
  return `slipway/${kind}/${account}/${region}/${name.slice(0, 100)}-${hash}`;
}

function versionOf(kept: KeptText | null): number | null {
  const found = KEPT.exec(kept ?? "")?.[1];
  return found === undefined ? null : Number(found);
}

function explain(status: number, mount: string): string {
  switch (status) {
    case 403:
      return `It refuses the token or AppRole. Renew it if it has expired. Its policy needs create, read, update and delete at ${mount}/data/slipway/* and ${mount}/metadata/slipway/*.`;
    case 404:
      return `It has no secrets engine KV (version 2) at ${mount}. Enable it, or set SLIPWAY_VAULT_MOUNT.`;
    case 503:
      return "It is sealed. Unseal it.";
    default:
      return `It answered with status ${status}.`;
  }
}

/** The call is repeated later. The message never has a value or a token. */
function unavailable(why: string): Refusal {
  return new Refusal("retryable", "UNAVAILABLE", `The store of managed values cannot be used. ${why}`);
}

function memberOf(value: unknown, ...names: readonly string[]): unknown {
  let at = value;
  for (const name of names) {
    if (typeof at !== "object" || at === null) return undefined;
    at = (at as Record<string, unknown>)[name];
  }
  return at;
}

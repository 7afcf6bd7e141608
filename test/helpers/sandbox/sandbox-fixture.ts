/** A whole sandbox for a test, with customers' stacks that report to the fixture's own listener. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Cloud, CloudAccount } from "../../../src/cloud/cloud.ts";
import { createCallPolicy } from "../../../src/cloud/calls/policy.ts";
import { createSandboxCloud } from "../../../src/cloud/sandbox/adapter.ts";
import { startSandbox, type SandboxOptions, type SandboxServer } from "../../../sandbox/src/server.ts";
import { instantTuning } from "../../../sandbox/src/tuning.ts";
import { pauseMs } from "../until.ts";

const SHORT_PAUSE_MS = 10;

export type SandboxFixture = {
  readonly server: SandboxServer;
  readonly cloud: Cloud;
  /** Calls one of the sandbox's endpoints, with its secret. */
  fetch(method: string, path: string, body?: object): Promise<Response>;
  readonly setRecord: (name: string, type: string, ...values: string[]) => Promise<void>;
  connect(): Promise<CloudAccount>;
  accountState(account: CloudAccount): Promise<AccountState>;
  /** Waits for the validation records, sets them, and waits until the certificate is issued. */
  issue(account: CloudAccount, names: readonly string[], token: string): Promise<string>;
  stop(): Promise<void>;
};

export type AccountState = {
  readonly serviceId: string;
  readonly accountId: string;
  readonly roleArn: string;
  readonly stackStatus: string;
  readonly calls: { readonly [operation: string]: number };
  readonly certificates: readonly { readonly id: string; readonly status: string }[];
  readonly distributions: readonly { readonly id: string }[];
  readonly parameters: readonly ValueState[];
  readonly secrets: readonly ValueState[];
};
type ValueState = {
  readonly name: string;
  readonly region: string;
  readonly value: string;
  readonly versionCount: number;
};

/** The secret for calls of a fixture's sandbox. */
export const FIXTURE_SECRET = "fixture-secret";

/** By default, ports are free ones, and the folder is new and removed at the end. */
export async function startFixture(
  options: Partial<SandboxOptions> & { readonly timeoutMs?: number } = {},
): Promise<SandboxFixture> {
  const dataDir = options.dataDir ?? (await mkdtemp(path.join(tmpdir(), "slipway-sandbox-")));
  const reports = createServer((request, response) => {
    request.resume();
    response.end();
  });
  reports.listen(0, "127.0.0.1");
  await once(reports, "listening");
  const address = reports.address();
  if (address === null || typeof address === "string") throw new Error("No port to report to.");
  const reportUrl = `http://127.0.0.1:${address.port}`;
  const server = await startSandbox({
    dataDir,
    dnsPort: 0,
    edgePort: 0,
    secret: FIXTURE_SECRET,
    publicUrl: null,
    callbackUrl: (connectionId) => `${reportUrl}/${connectionId}`,
    tuning: instantTuning,
    log: { info: () => undefined, warn: () => undefined },
    ...options,
  });
  const { timeoutMs = 5_000 } = options;
  const cloud = createSandboxCloud({
    url: server.url,
    publicUrl: server.url,
    secret: options.secret === undefined ? FIXTURE_SECRET : options.secret,
    timeoutMs,
    // Tests see faults at the first attempt. Tests with their own clock may start calls at any time.
    policy: createCallPolicy({ attempts: 1, attemptMs: timeoutMs, callMs: Number.MAX_SAFE_INTEGER }),
  });

  const call = (method: string, at: string, body?: object) =>
    fetch(`${server.url}${at}`, {
      method,
      headers: {
        authorization: `Bearer ${FIXTURE_SECRET}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  async function succeed(method: string, at: string, body?: object): Promise<Response> {
    const response = await call(method, at, body);
    if (!response.ok) throw new Error(`${method} ${at}: ${response.status} ${await response.text()}`);
    return response;
  }
  async function setRecord(name: string, type: string, ...values: string[]): Promise<void> {
    await succeed("PUT", "/sandbox/dns/records", { name, type, values });
  }

  return {
    server,
    cloud,
    fetch: call,
    setRecord,
    async connect() {
      const connectionId = `aws_${randomBytes(16).toString("hex")}`;
      const answer = await succeed("POST", "/sandbox/stacks", { ServiceId: connectionId });
      const stack = (await answer.json()) as { accountId: string; roleArn: string };
      return { connectionId, accountId: stack.accountId, roleArn: stack.roleArn };
    },
    async accountState({ connectionId }) {
      const answer = await succeed("GET", "/sandbox/state");
      const state = (await answer.json()) as { accounts: AccountState[] };
      const account = state.accounts.find(({ serviceId }) => serviceId === connectionId);
      if (account === undefined) throw new Error(`The sandbox has no account of ${connectionId}.`);
      return account;
    },
    async issue(account, names, token) {
      const { id } = await cloud.certificates.request(account, { names, token });
      const pending = await waitFor(async () => {
        const seen = await cloud.certificates.describe(account, id);
        return seen?.domains.every((domain) => domain.record !== null) === true ? seen : null;
      });
      for (const { record } of pending.domains) {
        if (record !== null) await setRecord(record.name, "CNAME", record.value);
      }
      await waitFor(async () => {
        const seen = await cloud.certificates.describe(account, id);
        return seen?.status === "ISSUED" ? seen : null;
      });
      return id;
    },
    async stop() {
      await server.stop();
      reports.close();
      reports.closeAllConnections();
      if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** The first value that is not null, looked for again and again; the test fails after two minutes. */
export async function waitFor<T>(look: () => Promise<T | null> | T | null): Promise<T> {
  const sinceMs = performance.now();
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    const waitedMs = performance.now() - sinceMs;
    if (waitedMs > 120_000) throw new Error("Waited two minutes without effect.");
    await sleep(pauseMs(waitedMs, SHORT_PAUSE_MS));
  }
}

/** Time for the other side to continue, between two checks of a condition. */
export function shortPause(): Promise<void> {
  return sleep(SHORT_PAUSE_MS);
}

/**
 * Data stores: each is a PostgreSQL server of its own, which listens on this machine only. Like a release, its process
 * ends with the sandbox and starts again with it.
 *
 * | status    | reached when                                                             |
 * |-----------|--------------------------------------------------------------------------|
 * | CREATING  | requested. After a restart, its folder is made again from the beginning  |
 * | AVAILABLE | its server has accepted connections once. From then on, nothing but      |
 * |           | `remove` takes its folder                                                |
 * | FAILED    | it could not be created. The next request tries again                    |
 * | DELETING  | its removal is requested; its folder becomes a snapshot                  |
 */
import { randomBytes } from "node:crypto";
import { cp, mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { createConnection } from "node:net";
import path from "node:path";
import type { SnapshotStatus, StoreStatus } from "../../../../src/cloud/platform.ts";
import { pause } from "../../../../src/lib/pace/pause.ts";
import type { SandboxLog } from "../../accounts/stacks.ts";
import type { ManagedValues } from "../../accounts/managed-values.ts";
import type { SnapshotMessage, StoreInput, StoreMessage } from "../../protocol.ts";
import { invalid, Refusal } from "../../refusal.ts";
import type { SandboxState } from "../../state.ts";
import type { Background } from "../background.ts";
import type { Commands } from "../commands/commands.ts";
import type { ProcessGroup } from "../commands/process-group.ts";
import type { Ports } from "../releases/listeners.ts";
import { findPostgres, type PostgresPrograms } from "./postgres-programs.ts";

type Failure = { readonly code: string; readonly message: string };

type StoredStore = {
  readonly accountId: string;
  readonly input: StoreInput;
  readonly status: Exclude<StoreStatus, "CHANGING">;
  readonly failure: Failure | null;
  readonly version: string | null;
  readonly port: number | null;
  /** The reference of its password; null before it is made. */
  readonly password: string | null;
  /** With `DELETING`: the token of the last snapshot. */
  readonly lastSnapshot: string | null;
};

type StoredSnapshot = {
  readonly accountId: string;
  readonly serviceId: string;
  readonly token: string;
  readonly status: SnapshotStatus;
  readonly failure: Failure | null;
  readonly version: string;
  readonly sizeBytes: number | null;
};

export type Stores = {
  /** @throws Refusal */
  ensure(accountId: string, input: StoreInput): StoreMessage;
  describe(accountId: string, serviceId: string): StoreMessage | null;
  remove(accountId: string, serviceId: string, snapshot: string | null): StoreMessage | null;
  /** @throws Refusal `gone` without an available store */
  createSnapshot(accountId: string, serviceId: string, token: string): SnapshotMessage;
  describeSnapshot(accountId: string, serviceId: string, token: string): SnapshotMessage | null;
  removeSnapshot(accountId: string, serviceId: string, token: string): void;
  resume(): void;
  stop(): Promise<void>;
};

const USER = "slipway";
const DATABASE = "app";
/** An orderly end of a server writes what it has in memory. */
const STOP_GRACE_MS = 15_000;
const RESTART_MS = 1_000;
const READY = "database system is ready to accept connections";

/** Makes a cluster with a password for its only user, and a database. The password is in the environment only. */
const INITIALIZE = `set -e
umask 077
printf '%s\\n' "$SLIPWAY_STORE_PASSWORD" | "$SLIPWAY_STORE_BIN/initdb" -D data -U ${USER} -A scram-sha-256 --pwfile=/dev/stdin -E UTF8 --locale=C >/dev/null
printf 'CREATE DATABASE ${DATABASE};\\n' | "$SLIPWAY_STORE_BIN/postgres" --single -D data postgres >/dev/null`;

/** A snapshot has the password of the store that it is of. */
const ADOPT = `set -e
umask 077
chmod 700 data
printf "ALTER USER ${USER} PASSWORD '%s';\\n" "$SLIPWAY_STORE_PASSWORD" | "$SLIPWAY_STORE_BIN/postgres" --single -D data postgres >/dev/null`;

export function createStores(options: {
  readonly state: SandboxState;
  /** The folder of all stores. */
  readonly root: string;
  readonly secrets: ManagedValues;
  readonly commands: Commands;
  readonly background: Background;
  readonly ports: Ports;
  readonly programs: string;
  readonly log: SandboxLog;
}): Stores {
  const { state, root, secrets, commands, background, ports, log } = options;
  const stored = state.collection<StoredStore>("platform-stores");
  const snapshots = state.collection<StoredSnapshot>("platform-store-snapshots");
  const keyOf = (accountId: string, serviceId: string) => `${accountId}/${serviceId}`;
  const folderOf = (key: string) => path.join(root, key.replace("/", "-"));
  const snapshotKeyOf = (accountId: string, serviceId: string, token: string) =>
    `${accountId}/${serviceId}/${token}`;
  const snapshotFolderOf = (key: string) => path.join(root, "snapshots", key.replaceAll("/", "-"));
  const drop = (folder: string) => rm(folder, { recursive: true, force: true, maxRetries: 3 });
  const stopping = new AbortController();
  const servers = new Map<string, { readonly group: ProcessGroup; isReady: boolean }>();
  /** The last work of each store; work of one store never overlaps. */
  const turns = new Map<string, Promise<void>>();

  function inTurn(key: string, work: () => Promise<void>, failure: string): void {
    const mine = (turns.get(key) ?? Promise.resolve()).catch(() => undefined).then(work);
    turns.set(key, mine);
    background.run(mine, failure);
  }

  function set(key: string, change: Partial<StoredStore>): void {
    const now = stored.get(key);
    if (now !== undefined) stored.put(key, { ...now, ...change });
  }

  async function run(accountId: string, at: string, script: string, env: Record<string, string>) {
    await commands.open(accountId, at);
    const output: Buffer[] = [];
    const group = commands.start({
      accountId,
      root: at,
      folder: at,
      command: script,
      env,
      limits: null,
      onOutput: (_stream, chunk) => output.push(chunk),
    });
    const stop = () => void group.stop(0);
    stopping.signal.addEventListener("abort", stop, { once: true });
    const ending = await group.ended;
    stopping.signal.removeEventListener("abort", stop);
    return {
      isSuccess: ending.isSuccess,
      text: `${ending.text}: ${Buffer.concat(output).toString().trim()}`,
    };
  }

  async function programsFor(version: string | undefined): Promise<PostgresPrograms | Failure> {
    const found = await findPostgres(options.programs);
    const wanted = version === undefined ? found[0] : found.find((one) => one.version === version);
    if (wanted !== undefined) return wanted;
    const has = found.length === 0 ? "" : ` It has ${found.map((one) => one.version).join(", ")}.`;
    const name = version === undefined ? "postgresql" : `postgresql-${version}`;
    return {
      code: "PROGRAM_MISSING",
      message: `The sandbox's machine has no PostgreSQL${version === undefined ? "" : ` ${version}`}.${has} Install the package ${name}.`,
    };
  }

  async function create(key: string): Promise<void> {
    const of = stored.get(key);
    if (of?.status !== "CREATING" || stopping.signal.aborted) return;
    const failure = await tryToCreate(key, of).catch((error: unknown) => {
      log.warn({ err: error }, "A data store could not be created.");
      return {
        code: "STORE_FAILED",
        message: "The data store could not be created. The sandbox's log says why.",
      };
    });
    if (failure !== null && stored.get(key)?.status === "CREATING") set(key, { status: "FAILED", failure });
  }

  async function tryToCreate(key: string, { accountId, input }: StoredStore): Promise<Failure | null> {
    const { service, store, snapshot } = input;
    const refusal = commands.refusal();
    if (refusal !== null) return refusal;
    const source =
      snapshot === null
        ? null
        : (snapshots.get(snapshotKeyOf(accountId, snapshot.serviceId, snapshot.token)) ?? undefined);
    if (source === undefined || (source !== null && source.status !== "AVAILABLE"))
      return { code: "SNAPSHOT_MISSING", message: "The snapshot does not exist, or is not complete." };
    const version = source?.version ?? ("version" in store ? store.version : undefined);
    const programs = await programsFor(version);
    if ("code" in programs) return programs;
    const at = folderOf(key);
    await drop(at);
    await mkdir(at, { recursive: true, mode: 0o700 });
    const password = randomBytes(24).toString("base64url");
    const { reference } = await secrets.put(accountId, {
      region: service.region,
      name: secretOf(service),
      value: password,
      token: randomBytes(16).toString("hex"),
    });
    if (source !== null) {
      const from = snapshotFolderOf(snapshotKeyOf(accountId, source.serviceId, source.token));
      await cp(from, path.join(at, "data"), { recursive: true });
    }
    const script = source === null ? INITIALIZE : ADOPT;
    const env = { SLIPWAY_STORE_PASSWORD: password, SLIPWAY_STORE_BIN: programs.bin };
    const made = await run(accountId, at, script, env);
    if (stopping.signal.aborted) return null;
    if (!made.isSuccess) {
      log.warn({ output: made.text.replaceAll(password, "***") }, "PostgreSQL could not make a cluster.");
      return {
        code: "STORE_FAILED",
        message: "PostgreSQL could not make the cluster. The sandbox's log says why.",
      };
    }
    set(key, { version: programs.version, port: await ports.pick(), password: reference });
    await start(key);
    return null;
  }

  /** Starts its server, and again whenever it ends, until it is stopped. */
  async function start(key: string): Promise<void> {
    const of = stored.get(key);
    if (of === undefined || of.status === "DELETING" || of.version === null || of.port === null) return;
    if (stopping.signal.aborted || servers.has(key)) return;
    const programs = await programsFor(of.version);
    // What an earlier run of the sandbox left is ending.
    if ("code" in programs || commands.refusal() !== null || (await isListening(of.port)))
      return startLater(key);
    const at = folderOf(key);
    await rm(path.join(at, "data", "postmaster.pid"), { force: true });
    await commands.open(of.accountId, at);
    if (stopping.signal.aborted) return;
    const options = `-c listen_addresses=127.0.0.1 -c port=${of.port} -c unix_socket_directories= -c max_connections=50`;
    let last = "";
    const group = commands.start({
      accountId: of.accountId,
      root: at,
      folder: at,
      command: `exec '${programs.bin}/postgres' -D data ${options}`,
      env: {},
      limits: null,
      onOutput(_stream, chunk) {
        last = (last + chunk.toString()).slice(-2_000);
        if (!server.isReady && last.includes(READY)) {
          server.isReady = true;
          if (stored.get(key)?.status === "CREATING") set(key, { status: "AVAILABLE", failure: null });
        }
      },
    });
    const server = { group, isReady: false };
    servers.set(key, server);
    void group.ended.then((ending) => {
      if (servers.get(key) !== server) return;
      servers.delete(key);
      if (stopping.signal.aborted) return;
      log.warn({ ending: ending.text, output: last }, "A data store's server ended.");
      startLater(key);
    });
  }

  function startLater(key: string): void {
    background.run(
      pause(RESTART_MS, stopping.signal).then(() => {
        inTurn(key, () => start(key), "A data store could not be started.");
      }),
      "A data store could not be started.",
    );
  }

  async function stopServer(key: string): Promise<void> {
    const server = servers.get(key);
    servers.delete(key);
    await server?.group.stop(STOP_GRACE_MS);
  }

  async function removeNow(key: string): Promise<void> {
    const of = stored.get(key);
    if (of?.status !== "DELETING") return;
    await stopServer(key);
    const at = folderOf(key);
    const { accountId, input, version, lastSnapshot: token } = of;
    const { serviceId, region } = input.service;
    if (token !== null && version !== null) {
      const snapshotKey = snapshotKeyOf(accountId, serviceId, token);
      const to = snapshotFolderOf(snapshotKey);
      // After a crash between the two, the folder is there already.
      if (await exists(path.join(at, "data"))) {
        await mkdir(path.dirname(to), { recursive: true, mode: 0o700 });
        await drop(to);
        await rename(path.join(at, "data"), to);
      }
      if (await exists(to)) {
        const sizeBytes = await sizeOf(to);
        const done = { accountId, serviceId, token, version, failure: null, sizeBytes };
        snapshots.put(snapshotKey, { ...done, status: "AVAILABLE" });
      }
    }
    await drop(at);
    await secrets.delete(accountId, region, secretOf(input.service));
    if (of.port !== null) ports.giveBack(of.port);
    stored.delete(key);
  }

  async function takeSnapshot(key: string, snapshotKey: string): Promise<void> {
    const snapshot = snapshots.get(snapshotKey);
    const of = stored.get(key);
    if (snapshot?.status !== "CREATING" || stopping.signal.aborted) return;
    const fail = (message: string) =>
      snapshots.put(snapshotKey, {
        ...snapshot,
        status: "FAILED",
        failure: { code: "SNAPSHOT_FAILED", message },
      });
    if (of?.status !== "AVAILABLE") return fail("Its data store is not available.");
    await stopServer(key);
    const to = snapshotFolderOf(snapshotKey);
    try {
      await drop(to);
      await mkdir(path.dirname(to), { recursive: true, mode: 0o700 });
      await cp(path.join(folderOf(key), "data"), to, { recursive: true });
      snapshots.put(snapshotKey, { ...snapshot, status: "AVAILABLE", sizeBytes: await sizeOf(to) });
    } catch (error) {
      log.warn({ err: error }, "A snapshot could not be taken.");
      await drop(to);
      fail("Its data could not be copied. The sandbox's log says why.");
    } finally {
      await start(key);
    }
  }

  function view(key: string): StoreMessage | null {
    const of = stored.get(key);
    if (of === undefined) return null;
    const { status, failure, version, port, password } = of;
    const isBack = status !== "AVAILABLE" || servers.get(key)?.isReady === true;
    const values =
      status === "AVAILABLE" && port !== null && password !== null ? valuesOf(port, password) : {};
    return {
      status: isBack ? status : "CHANGING",
      failure,
      version,
      waitingFor: status === "CREATING" || !isBack ? "its PostgreSQL server to start" : null,
      values,
    };
  }

  function viewSnapshot(key: string): SnapshotMessage | null {
    const snapshot = snapshots.get(key);
    if (snapshot === undefined) return null;
    const { token, status, failure, sizeBytes } = snapshot;
    return { token, status, failure, sizeBytes };
  }

  return {
    ensure(accountId, input) {
      const { type } = input.store;
      if (type !== "postgres") throw invalid(`The sandbox creates no data stores of the type ${type}.`);
      const key = keyOf(accountId, input.service.serviceId);
      const present = stored.get(key);
      if (present === undefined || present.status === "FAILED") {
        const empty = { failure: null, version: null, port: null, password: null, lastSnapshot: null };
        stored.put(key, { accountId, input, status: "CREATING", ...empty });
        inTurn(key, () => create(key), "A data store could not be created.");
      } else if (present.status !== "DELETING") {
        const { store } = present.input;
        const version = "version" in store ? store.version : undefined;
        if ("version" in input.store && version !== undefined && input.store.version !== version)
          throw invalid("The version of a data store never changes.");
        set(key, { input: { ...input, snapshot: present.input.snapshot } });
      }
      return view(key) ?? unknownStore();
    },
    describe: (accountId, serviceId) => view(keyOf(accountId, serviceId)),
    remove(accountId, serviceId, snapshot) {
      const key = keyOf(accountId, serviceId);
      const present = stored.get(key);
      if (present === undefined) return null;
      if (present.status !== "DELETING") {
        set(key, { status: "DELETING", lastSnapshot: present.status === "AVAILABLE" ? snapshot : null });
        inTurn(key, () => removeNow(key), "A data store could not be removed.");
      }
      return view(key);
    },
    createSnapshot(accountId, serviceId, token) {
      const key = keyOf(accountId, serviceId);
      const snapshotKey = snapshotKeyOf(accountId, serviceId, token);
      const known = viewSnapshot(snapshotKey);
      if (known !== null) return known;
      const of = stored.get(key);
      if (of?.status !== "AVAILABLE" || of.version === null)
        throw new Refusal("gone", "NOT_FOUND", "There is no data store that is available.");
      const taken = { accountId, serviceId, token, version: of.version, failure: null, sizeBytes: null };
      snapshots.put(snapshotKey, { ...taken, status: "CREATING" });
      inTurn(key, () => takeSnapshot(key, snapshotKey), "A snapshot could not be taken.");
      return viewSnapshot(snapshotKey) ?? unknownStore();
    },
    describeSnapshot: (accountId, serviceId, token) =>
      viewSnapshot(snapshotKeyOf(accountId, serviceId, token)),
    removeSnapshot(accountId, serviceId, token) {
      const key = snapshotKeyOf(accountId, serviceId, token);
      snapshots.delete(key);
      background.run(drop(snapshotFolderOf(key)), "A snapshot could not be removed.");
    },
    resume() {
      for (const key of stored.keys()) {
        const status = stored.get(key)?.status;
        if (status === "CREATING") inTurn(key, () => create(key), "A data store could not be created.");
        if (status === "AVAILABLE") inTurn(key, () => start(key), "A data store could not be started.");
        if (status === "DELETING") inTurn(key, () => removeNow(key), "A data store could not be removed.");
      }
      for (const [id, { accountId, serviceId, status }] of [...snapshots.keys()].flatMap((id) => {
        const snapshot = snapshots.get(id);
        return snapshot === undefined ? [] : [[id, snapshot] as const];
      }))
        if (status === "CREATING") {
          const key = keyOf(accountId, serviceId);
          inTurn(key, () => takeSnapshot(key, id), "A snapshot could not be taken.");
        }
    },
    async stop() {
      stopping.abort();
      await Promise.all([...servers.keys()].map((key) => stopServer(key)));
    },
  };
}

function unknownStore(): never {
  throw new Error("A document that was just written is missing.");
}

/** Below the environment, whose services may read it. */
function secretOf({ environmentId = "", serviceId }: StoreInput["service"]): string {
  return `slipway/stores/${environmentId}/${serviceId}/password`;
}

function valuesOf(port: number, reference: string): StoreMessage["values"] {
  const text = (value: string) => ({ kind: "plainText", value }) as const;
  const password = { kind: "fromSecretsManager", reference } as const;
  return {
    dbConnectionString: {
      kind: "joined",
      parts: [`postgresql://${USER}:`, password, `@127.0.0.1:${port}/${DATABASE}`],
    },
    host: text("127.0.0.1"),
    port: text(String(port)),
    dbName: text(DATABASE),
    username: text(USER),
    password,
  };
}

async function isListening(port: number): Promise<boolean> {
  const socket = createConnection({ host: "127.0.0.1", port });
  const isOpen = await new Promise<boolean>((resolve) => {
    socket.once("connect", () => resolve(true));
    socket.once("error", () => resolve(false));
  });
  socket.destroy();
  return isOpen;
}

async function exists(folder: string): Promise<boolean> {
  return await stat(folder).then(
    () => true,
    () => false,
  );
}

async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = await Promise.all(
    entries.filter((entry) => entry.isFile()).map((entry) => stat(path.join(entry.parentPath, entry.name))),
  );
  return sizes.reduce((sum, { size }) => sum + size, 0);
}

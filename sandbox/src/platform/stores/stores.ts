/**
 * Data stores: each is a server of its own, which listens on this machine only. Like a release, its process ends with
 * the sandbox and starts again with it.
 *
 * | status    | reached when                                                             |
 * |-----------|--------------------------------------------------------------------------|
 * | CREATING  | requested. After a restart, its folder is made again from the beginning  |
 * | AVAILABLE | its server has accepted connections once. From then on, only `remove`    |
 * |           | takes its folder. Shown as CHANGING while its server does not run        |
 * | FAILED    | it could not be created. The next request tries again                    |
 * | DELETING  | its removal is requested; its folder becomes a snapshot                  |
 */
import { randomBytes } from "node:crypto";
import { cp, mkdir } from "node:fs/promises";
import path from "node:path";
import type { StoreType } from "../../../../src/cloud/data-stores.ts";
import type { StoreStatus } from "../../../../src/cloud/platform.ts";
import { pause } from "../../../../src/lib/pace/pause.ts";
import type { ManagedValues } from "../../accounts/managed-values.ts";
import type { SandboxLog } from "../../accounts/stacks.ts";
import type { SnapshotMessage, StoreInput, StoreMessage } from "../../protocol.ts";
import { invalid, Refusal } from "../../refusal.ts";
import type { SandboxState } from "../../state.ts";
import type { Background } from "../background.ts";
import type { Commands } from "../commands/commands.ts";
import type { Ports } from "../releases/listeners.ts";
import type { Engine } from "./engine.ts";
import { DATA_MISSING, explain, type Failure, portTaken, programMissing } from "./failures.ts";
import { drop } from "../store.ts";
import { exists } from "./folders.ts";
import { POSTGRES } from "./postgres.ts";
import type { Program } from "./programs.ts";
import { REDIS } from "./redis.ts";
import { createServers, isListening } from "./servers.ts";
import { openSnapshots, type Place, type StoredSnapshot, viewSnapshot } from "./snapshots.ts";
import { createSequences } from "./sequences.ts";

const ENGINES: Partial<Readonly<Record<StoreType, Engine>>> = { postgres: POSTGRES, redis: REDIS };

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

export type Stores = {
  /** @throws Refusal */
  ensure(accountId: string, input: StoreInput): StoreMessage;
  describe(accountId: string, serviceId: string): StoreMessage | null;
  /** Those of some available stores that do not run, with why. */
  listDown(
    accountId: string,
    serviceIds: readonly string[],
  ): readonly ({ readonly serviceId: string } & Failure)[];
  remove(accountId: string, serviceId: string, snapshot: string | null): StoreMessage | null;
  /** @throws Refusal `gone` without an available store */
  createSnapshot(accountId: string, serviceId: string, token: string): SnapshotMessage;
  describeSnapshot(accountId: string, serviceId: string, token: string): SnapshotMessage | null;
  removeSnapshot(accountId: string, serviceId: string, token: string): void;
  resume(): void;
  stop(): Promise<void>;
};

const RESTART_MS = 1_000;
const START_FAILURE = "A data store could not be started.";
const SNAPSHOT_FAILURE = "A snapshot could not be taken.";
const NEW = { failure: null, version: null, port: null, password: null, lastSnapshot: null } as const;

export function createStores(options: {
  readonly state: SandboxState;
  /** The folder of all stores. */
  readonly root: string;
  readonly secrets: ManagedValues;
  readonly commands: Commands;
  readonly background: Background;
  readonly ports: Ports;
  /** Where servers are found, as PATH. */
  readonly programs: string;
  readonly log: SandboxLog;
}): Stores {
  const { state, root, secrets, commands, background, ports, log } = options;
  const stored = state.collection<StoredStore>("platform-stores");
  const snapshots = openSnapshots(state, path.join(root, "snapshots"));
  const servers = createServers(commands, (key, output, wasReady) => {
    if (stored.get(key)?.status !== "AVAILABLE" || stopping.signal.aborted) return;
    log.warn({ store: key, output }, "A data store's server ended.");
    if (!wasReady) obstacles.set(key, explain(output));
    startLater(key);
  });
  const sequences = createSequences(background);
  const stopping = new AbortController();
  /** Why a server does not start, or a store is not removed. */
  const obstacles = new Map<string, Failure>();
  const keyOf = (accountId: string, serviceId: string) => `${accountId}/${serviceId}`;
  const folderOf = (key: string) => path.join(root, key.replace("/", "-"));
  const dataOf = (key: string) => path.join(folderOf(key), "data");
  // No other process of the platform may get them.
  for (const { port } of stored.values()) if (port !== null) ports.keep(port);

  function set(key: string, change: Partial<StoredStore>): void {
    const now = stored.get(key);
    if (now !== undefined) stored.put(key, { ...now, ...change });
  }

  /** Runs a script of an engine to its end. @returns its output if it failed */
  async function run(
    accountId: string,
    at: string,
    { script, env }: ReturnType<Engine["adopt"]>,
  ): Promise<string | null> {
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
    const { isSuccess, text } = await group.ended;
    stopping.signal.removeEventListener("abort", stop);
    return isSuccess ? null : `It ${text}: ${Buffer.concat(output).toString().trim()}`;
  }

  async function findProgram(engine: Engine, version: string | undefined): Promise<Program | Failure> {
    const found = await engine.find(options.programs);
    const wanted = version === undefined ? found[0] : found.find((one) => one.version === version);
    return wanted ?? programMissing(engine, found, version);
  }

  function beginToCreate(key: string): void {
    const work = async () => {
      const of = stored.get(key);
      if (of?.status !== "CREATING" || stopping.signal.aborted) return;
      const failure = await tryToCreate(key, of).catch((error: unknown) => {
        log.warn({ err: error }, "A data store could not be created.");
        return explain(error);
      });
      if (stopping.signal.aborted || stored.get(key)?.status !== "CREATING") return;
      if (failure === null) {
        set(key, { status: "AVAILABLE" });
        // It may have ended meanwhile.
        if (!servers.has(key)) startLater(key);
      } else {
        // The next attempt begins with an empty folder too.
        await drop(folderOf(key)).catch(() => undefined);
        giveBackPort(key);
        set(key, { status: "FAILED", failure });
      }
    };
    sequences.run(key, work, "A data store could not be created.");
  }

  async function tryToCreate(key: string, of: StoredStore): Promise<Failure | null> {
    const { accountId } = of;
    const { service, store, snapshot } = of.input;
    const engine = engineOf(store.type);
    const refusal = commands.refusal();
    if (refusal !== null) return refusal;
    const source = snapshot === null ? null : await findSource({ accountId, ...snapshot }, store, engine);
    if (source !== null && "code" in source) return source;
    const program = await findProgram(engine, source?.version ?? versionOf(store));
    if ("code" in program) return program;
    const at = folderOf(key);
    await drop(at);
    // Not `recursive`, which reports a read-only disk as ENOENT.
    await mkdir(at, { mode: 0o700 });
    const password = randomBytes(24).toString("base64url");
    const { reference } = await secrets.put(accountId, {
      region: service.region,
      name: secretOf(service),
      value: password,
      token: randomBytes(16).toString("hex"),
    });
    if (source !== null) await cp(snapshots.folderOf(source), dataOf(key), { recursive: true });
    if (source !== null && !(await hasData(key, engine))) return DATA_MISSING;
    const script = source === null ? engine.initialize(program, password) : engine.adopt(program, password);
    const problem = await run(accountId, at, script);
    if (stopping.signal.aborted) return null;
    if (problem !== null) {
      log.warn({ output: problem.replaceAll(password, "***") }, "The data of a data store was not made.");
      return explain(problem);
    }
    const port = stored.get(key)?.port ?? (await ports.pick());
    set(key, { version: program.version, port, password: reference });
    const server = await launch(key);
    if (server === null || "code" in server) return server;
    if (await server.begun) return null;
    const output = await server.ended;
    log.warn({ output }, "The server of a new data store ended.");
    return explain(output);
  }

  async function findSource(
    place: Place,
    store: StoreInput["store"],
    { title }: Engine,
  ): Promise<StoredSnapshot | Failure> {
    const found = snapshots.find(place);
    if (found?.status !== "AVAILABLE" || found.isRemoved || !(await exists(snapshots.folderOf(found))))
      return {
        code: "SNAPSHOT_MISSING",
        message:
          "The snapshot does not exist, or is not complete. Name another one in `snapshot`, or remove that field.",
      };
    const version = versionOf(store);
    if (found.type === store.type && (version === undefined || version === found.version)) return found;
    return {
      code: "SNAPSHOT_DIFFERS",
      message: `The snapshot is of ${engineOf(found.type).title} ${found.version}, and the data store is to be ${title}${version === undefined ? "" : ` ${version}`}. Give the data store the type and the version of the snapshot.`,
    };
  }

  async function hasData(key: string, { proof }: Engine): Promise<boolean> {
    return await exists(path.join(dataOf(key), proof));
  }

  /** Starts its server if nothing is against it. Null if it runs, or is not to run. */
  async function launch(key: string): Promise<ReturnType<typeof servers.start> | Failure | null> {
    const of = stored.get(key);
    if (of === undefined || of.version === null || of.port === null || servers.has(key)) return null;
    const engine = engineOf(of.input.store.type);
    const refusal = commands.refusal();
    if (refusal !== null) return refusal;
    const program = await findProgram(engine, of.version);
    if ("code" in program) return program;
    // Without its files, a server would start empty, or not at all.
    if (of.status === "AVAILABLE" && !(await hasData(key, engine))) return DATA_MISSING;
    if (await isListening(of.port)) return portTaken(of.port);
    await commands.open(of.accountId, folderOf(key));
    if (stopping.signal.aborted) return null;
    return servers.start(key, {
      accountId: of.accountId,
      at: folderOf(key),
      command: engine.serve(program, of.port),
      ready: engine.ready,
    });
  }

  /** Of an available store. If something is against it, it is tried again. */
  async function start(key: string): Promise<void> {
    if (stored.get(key)?.status !== "AVAILABLE" || stopping.signal.aborted) return;
    const server = await launch(key).catch((error: unknown) => {
      log.warn({ err: error }, START_FAILURE);
      return explain(error);
    });
    if (server === null) return;
    if (!("code" in server)) {
      void server.begun.then((isBegun) => isBegun && obstacles.delete(key));
      return;
    }
    if (obstacles.get(key)?.code !== server.code) log.warn({ store: key, failure: server }, START_FAILURE);
    obstacles.set(key, server);
    startLater(key);
  }

  function startLater(key: string): void {
    const work = pause(RESTART_MS, stopping.signal).then(() => beginToStart(key));
    background.run(work, START_FAILURE);
  }

  function beginToStart(key: string): void {
    sequences.run(key, () => start(key), START_FAILURE);
  }

  function beginToRemove(key: string): void {
    const work = async () => {
      const of = stored.get(key);
      if (of?.status !== "DELETING") return;
      try {
        await remove(key, of);
      } catch (error) {
        obstacles.set(key, explain(error));
        throw error;
      }
    };
    sequences.run(key, work, "A data store could not be removed.");
  }

  async function remove(key: string, of: StoredStore): Promise<void> {
    await servers.stop(key);
    const { accountId, input, version, lastSnapshot: token } = of;
    const { serviceId, region } = input.service;
    if (token !== null && version !== null) {
      const place = { accountId, serviceId, token };
      const last = snapshots.find(place) ?? snapshots.make({ ...place, type: input.store.type, version });
      // A late call may have made another store after the removal.
      if (last.status === "CREATING")
        await snapshots.take(last, dataOf(key), engineOf(input.store.type).proof);
    }
    await drop(folderOf(key));
    await secrets.delete(accountId, region, secretOf(input.service));
    giveBackPort(key);
    obstacles.delete(key);
    stored.delete(key);
  }

  function giveBackPort(key: string): void {
    const port = stored.get(key)?.port ?? null;
    if (port === null) return;
    ports.giveBack(port);
    set(key, { port: null });
  }

  function beginSnapshot(of: StoredSnapshot): void {
    const { accountId, serviceId } = of;
    const key = keyOf(accountId, serviceId);
    const work = async () => {
      const store = stored.get(key);
      // The last one of a store is taken when it is removed.
      const now = snapshots.find(of);
      if (now?.status !== "CREATING" || now.isRemoved || store?.lastSnapshot === of.token) return;
      if (stopping.signal.aborted) return;
      if (store?.status !== "AVAILABLE")
        return snapshots.fail(of, { code: "STORE_MISSING", message: "Its data store is not available." });
      await servers.stop(key);
      try {
        await snapshots.copy(of, dataOf(key), engineOf(of.type).proof);
      } catch (error) {
        log.warn({ err: error }, SNAPSHOT_FAILURE);
        snapshots.fail(of, explain(error));
      } finally {
        await start(key);
      }
    };
    sequences.run(key, work, SNAPSHOT_FAILURE);
  }

  function beginToRemoveSnapshot(place: Place): void {
    const key = keyOf(place.accountId, place.serviceId);
    sequences.run(key, () => snapshots.remove(place), "A snapshot could not be removed.");
  }

  function view(key: string): StoreMessage | null {
    const of = stored.get(key);
    if (of === undefined) return null;
    const { status, version, port, password } = of;
    const isDown = status === "AVAILABLE" && !servers.isReady(key);
    const failure = of.failure ?? (isDown || status === "DELETING" ? (obstacles.get(key) ?? null) : null);
    const engine = engineOf(of.input.store.type);
    const isUsable = status === "AVAILABLE" && failure === null && port !== null && password !== null;
    return {
      status: isDown ? "CHANGING" : status,
      failure,
      version,
      waitingFor:
        failure === null && (isDown || status === "CREATING") ? `its ${engine.title} server to start` : null,
      values: isUsable ? engine.valuesOf(port, password) : {},
    };
  }

  return {
    ensure(accountId, input) {
      const { type } = input.store;
      if (ENGINES[type] === undefined)
        throw invalid(`The sandbox creates no data stores of the type ${type}.`);
      const key = keyOf(accountId, input.service.serviceId);
      const present = stored.get(key);
      if (present === undefined || present.status === "FAILED") {
        stored.put(key, { accountId, input, status: "CREATING", ...NEW });
        obstacles.delete(key);
      } else if (present.status !== "DELETING") {
        const version = present.version ?? versionOf(present.input.store);
        const wanted = versionOf(input.store);
        if (type !== present.input.store.type || (wanted !== undefined && wanted !== version))
          throw invalid("The type and the version of a data store never change.");
        set(key, { input: { ...input, snapshot: present.input.snapshot } });
      }
      if (stored.get(key)?.status === "CREATING" && !sequences.isBusy(key)) beginToCreate(key);
      return view(key) ?? unknownStore();
    },
    describe: (accountId, serviceId) => view(keyOf(accountId, serviceId)),
    listDown: (accountId, serviceIds) =>
      serviceIds.flatMap((serviceId) => {
        const seen = view(keyOf(accountId, serviceId));
        return seen?.status === "CHANGING" && seen.failure !== null ? { serviceId, ...seen.failure } : [];
      }),
    remove(accountId, serviceId, snapshot) {
      const key = keyOf(accountId, serviceId);
      const present = stored.get(key);
      if (present === undefined) return null;
      if (present.status !== "DELETING") {
        const lastSnapshot = present.status === "AVAILABLE" ? snapshot : null;
        set(key, { status: "DELETING", failure: null, lastSnapshot });
        obstacles.delete(key);
      }
      // Its last attempt may have failed.
      if (present.status !== "DELETING" || !sequences.isBusy(key)) beginToRemove(key);
      return view(key);
    },
    createSnapshot(accountId, serviceId, token) {
      const place = { accountId, serviceId, token };
      const of = stored.get(keyOf(accountId, serviceId));
      let known = snapshots.find(place);
      if (known === undefined) {
        if (of?.status !== "AVAILABLE" || of.version === null)
          throw new Refusal("gone", "NOT_FOUND", "There is no data store that is available.");
        known = snapshots.make({ ...place, type: of.input.store.type, version: of.version });
        beginSnapshot(known);
      }
      return viewSnapshot(known) ?? unknownStore();
    },
    describeSnapshot: (accountId, serviceId, token) =>
      viewSnapshot(snapshots.find({ accountId, serviceId, token })),
    removeSnapshot(accountId, serviceId, token) {
      const place = { accountId, serviceId, token };
      if (snapshots.find(place) === undefined) return;
      snapshots.hide(place);
      beginToRemoveSnapshot(place);
    },
    resume() {
      for (const key of stored.keys()) {
        const status = stored.get(key)?.status;
        if (status === "CREATING") beginToCreate(key);
        if (status === "AVAILABLE") beginToStart(key);
        if (status === "DELETING") beginToRemove(key);
      }
      for (const of of snapshots.list()) {
        if (of.isRemoved) beginToRemoveSnapshot(of);
        else if (of.status === "CREATING") beginSnapshot(of);
      }
    },
    async stop() {
      stopping.abort();
      await servers.stopAll();
    },
  };
}

function engineOf(type: StoreType): Engine {
  const engine = ENGINES[type];
  if (engine === undefined) throw new Error(`There is no data store of the type ${type}.`);
  return engine;
}

function versionOf(store: StoreInput["store"]): string | undefined {
  return "version" in store ? store.version : undefined;
}

function unknownStore(): never {
  throw new Error("A document that was just written is missing.");
}

/** Below the environment, whose services may read it. */
function secretOf({ environmentId = "", serviceId }: StoreInput["service"]): string {
  return `slipway/stores/${environmentId}/${serviceId}/password`;
}

/** The processes of data stores. Like those of releases, they end with the sandbox. */
import { createConnection } from "node:net";
import { pause } from "../../../../src/lib/pace/pause.ts";
import type { Commands } from "../commands/commands.ts";
import type { ProcessGroup } from "../commands/process-group.ts";
import { HOST } from "./engine.ts";

/** An orderly end of a server writes what it has in memory. */
const STOP_GRACE_MS = 15_000;
/** Only containers have them. */
const LIMITS = { cpu: 1, memoryGb: 2 };
const KEPT_OUTPUT = 2_000;

export type Servers = {
  has(key: string): boolean;
  isReady(key: string): boolean;
  /** In a folder that is open. */
  start(
    key: string,
    of: {
      readonly accountId: string;
      readonly at: string;
      readonly command: string;
      /** What it prints when it accepts connections. */
      readonly ready: string;
    },
  ): {
    /** Whether it accepts connections: false if it ended before. */
    readonly begun: Promise<boolean>;
    /** What it printed last, and how it ended. */
    readonly ended: Promise<string>;
  };
  /** Resolves when nothing of it runs. */
  stop(key: string): Promise<void>;
  stopAll(): Promise<void>;
};

/** A server may lose a SIGTERM that comes before it is ready. The recovery of a large one may take longer than this. */
const START_PATIENCE_MS = 5_000;

type Running = {
  readonly group: ProcessGroup;
  readonly begun: Promise<boolean>;
  isReady: boolean;
  isStopped: boolean;
};

/** @param onLost gets the output of a server that ended without `stop`, and whether it had accepted connections */
export function createServers(
  commands: Commands,
  onLost: (key: string, output: string, wasReady: boolean) => void,
): Servers {
  const running = new Map<string, Running>();

  async function stop(key: string): Promise<void> {
    const server = running.get(key);
    if (server === undefined) return;
    server.isStopped = true;
    const patience = new AbortController();
    await Promise.race([server.begun, pause(START_PATIENCE_MS, patience.signal)]);
    patience.abort();
    await server.group.stop(STOP_GRACE_MS);
  }

  return {
    has: (key) => running.has(key),
    isReady: (key) => running.get(key)?.isReady === true,
    start(key, { accountId, at, command, ready }) {
      let last = "";
      const begun = Promise.withResolvers<boolean>();
      const group = commands.start({
        accountId,
        root: at,
        folder: at,
        command,
        env: {},
        limits: LIMITS,
        onOutput(_stream, chunk) {
          last = (last + chunk.toString()).slice(-KEPT_OUTPUT);
          if (!last.includes(ready)) return;
          server.isReady = true;
          begun.resolve(true);
        },
      });
      const server: Running = { group, begun: begun.promise, isReady: false, isStopped: false };
      running.set(key, server);
      const ended = group.ended.then(({ text }) => {
        running.delete(key);
        begun.resolve(false);
        const output = `${last.trim()}\nIt ${text}.`;
        if (!server.isStopped) onLost(key, output, server.isReady);
        return output;
      });
      return { begun: begun.promise, ended };
    },
    stop,
    stopAll: async () => void (await Promise.all([...running.keys()].map(stop))),
  };
}

/** Whether some process listens on this port. */
export async function isListening(port: number): Promise<boolean> {
  const socket = createConnection({ host: HOST, port });
  const isOpen = await new Promise<boolean>((resolve) => {
    socket.once("connect", () => resolve(true));
    socket.once("error", () => resolve(false));
  });
  socket.destroy();
  return isOpen;
}

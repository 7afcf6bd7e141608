/**
 * The DNS client in a thread of its own. Thousands of looks a second would keep a worker's thread busy, and each
 * step of a reconciliation, which is mostly a matter of waiting, would wait for its turn among them. Questions
 * and answers of one turn of the event loop travel together: a message costs more than what is in it.
 */
import { once } from "node:events";
import { getCompileCacheDir } from "node:module";
import path from "node:path";
import { Worker } from "node:worker_threads";
import type { Dns } from "../dns.ts";
import type { DnsOptions } from "../resolver.ts";

/** A call of `Dns`, with the number that its answer has. */
export type DnsCall = {
  [M in "check" | "findCaaRefusal"]: {
    readonly id: number;
    readonly method: M;
    readonly parameters: Parameters<Dns[M]>;
  };
}["check" | "findCaaRefusal"];

/** `error` is what the call was rejected with, as text. */
export type DnsAnswer = { readonly id: number } & ({ readonly value: unknown } | { readonly error: string });

/** What can be told to another thread. */
export type DnsThreadOptions = Omit<DnsOptions, "route">;

export type DnsThread = Dns & {
  /** What the thread's own heap holds, in bytes: 0 while there is none. The process's figures leave it out. */
  heapUsedBytes(): Promise<number>;
};

type Pending = { readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void };
type Thread = { readonly worker: Worker; readonly pending: Map<number, Pending> };

/** Begins with the first call, and anew with the next one after the thread ended by itself. */
export function createDnsThread(options: DnsThreadOptions): DnsThread {
  let thread: Thread | null = null;
  let lastId = 0;
  let unsent: DnsCall[] = [];
  let isClosed = false;

  function begin(): Thread {
    const worker = new Worker(new URL("thread-main.ts", import.meta.url), {
      workerData: options,
      env: compileCache(),
    });
    const begun: Thread = { worker, pending: new Map() };
    const fail = (error: Error): void => {
      if (thread === begun) thread = null;
      for (const { reject } of begun.pending.values()) reject(error);
      begun.pending.clear();
    };
    worker.on("message", (answers: readonly DnsAnswer[]) => {
      for (const answer of answers) {
        const call = begun.pending.get(answer.id);
        begun.pending.delete(answer.id);
        if ("error" in answer) call?.reject(new Error(answer.error));
        else call?.resolve(answer.value);
      }
    });
    worker.on("error", fail);
    worker.on("exit", () => fail(new Error("The thread that asks the DNS ended.")));
    return begun;
  }

  function send(): void {
    const calls = unsent;
    unsent = [];
    thread?.worker.postMessage(calls);
  }

  function ask(call: Omit<DnsCall, "id">): Promise<unknown> {
    if (isClosed) return Promise.reject(new Error("The DNS client is closed."));
    const { pending } = (thread ??= begin());
    lastId += 1;
    const id = lastId;
    if (unsent.length === 0) setImmediate(send);
    unsent.push({ ...call, id } as DnsCall);
    return new Promise((resolve, reject) => pending.set(id, { resolve, reject }));
  }

  return {
    check: (...parameters) => ask({ method: "check", parameters }) as ReturnType<Dns["check"]>,
    findCaaRefusal: (...parameters) =>
      ask({ method: "findCaaRefusal", parameters }) as ReturnType<Dns["findCaaRefusal"]>,
    async heapUsedBytes() {
      // One that has not begun yet, or is about to end, cannot be asked.
      const heap = await thread?.worker.getHeapStatistics().catch(() => null);
      return heap?.used_heap_size ?? 0;
    },
    async close() {
      isClosed = true;
      send();
      if (thread === null) return;
      const { worker } = thread;
      const ended = once(worker, "exit");
      worker.postMessage("close");
      await ended;
    },
  };
}

/**
 * A thread inherits no compile cache but that of its environment. Without it, it would read TypeScript anew:
 * some 80 ms of processor time and 23 MB that stay.
 */
function compileCache(): { NODE_COMPILE_CACHE?: string } {
  // Node names the folder of its own version in it, and makes another below what it is given.
  const folder = getCompileCacheDir();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: path.dirname(folder) };
}

/**
 * The DNS client in a thread of its own. Thousands of checks a second would keep a worker's thread busy, and the steps
 * of reconciliation, which mostly wait, would have to queue among them. All questions, and all answers, of one turn of
 * the event loop travel in one message, because a message costs more than its content.
 */
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { compileCache } from "../../lib/compile-cache.ts";
import type { Dns } from "../dns.ts";
import type { DnsOptions } from "../resolver.ts";

/** A call of `Dns`, with the number that its answer will carry. */
export type DnsCall = {
  [M in Method]: {
    readonly id: number;
    readonly method: M;
    readonly parameters: Parameters<Dns[M]>;
  };
}[Method];
type Method = Exclude<keyof Dns, "close">;

/** `error` is the text of the call's rejection. */
export type DnsAnswer = { readonly id: number } & ({ readonly value: unknown } | { readonly error: string });

/** The settings that can be passed to another thread. */
export type DnsThreadOptions = Omit<DnsOptions, "route">;

export type DnsThread = Dns & {
  /**
   * The size of the thread's own heap in bytes; 0 while there is no thread. The process's own figures do not include
   * it.
   */
  heapUsedBytes(): Promise<number>;
};

type Pending = { readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void };
type Thread = { readonly worker: Worker; readonly pending: Map<number, Pending> };

/** The thread starts with the first call, and again with the next call after it ended unexpectedly. */
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
    findDelegation: (...parameters) =>
      ask({ method: "findDelegation", parameters }) as ReturnType<Dns["findDelegation"]>,
    findEndedWildcard: (...parameters) =>
      ask({ method: "findEndedWildcard", parameters }) as ReturnType<Dns["findEndedWildcard"]>,
    findTexts: (...parameters) => ask({ method: "findTexts", parameters }) as ReturnType<Dns["findTexts"]>,
    async heapUsedBytes() {
      // A thread that has not started yet, or is about to end, cannot be asked.
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

/** The program of the thread that `thread.ts` starts. */
import { flushCompileCache } from "node:module";
import { parentPort, workerData } from "node:worker_threads";
import { createDns } from "../resolver.ts";
import type { DnsAnswer, DnsCall, DnsThreadOptions } from "./thread.ts";

const port = parentPort;
if (port === null) throw new Error("This runs in a thread of its own.");
const dns = createDns(workerData as DnsThreadOptions);
let unsent: DnsAnswer[] = [];

function answer(one: DnsAnswer): void {
  if (unsent.length === 0) setImmediate(send);
  unsent.push(one);
}

function send(): void {
  const answers = unsent;
  unsent = [];
  if (answers.length > 0) port?.postMessage(answers);
}

async function take(call: DnsCall): Promise<void> {
  try {
    answer({ id: call.id, value: await make(call) });
  } catch (error) {
    answer({ id: call.id, error: error instanceof Error ? error.message : String(error) });
  }
}

function make(call: DnsCall): Promise<unknown> {
  switch (call.method) {
    case "check":
      return dns.check(...call.parameters);
    case "findCaaRefusal":
      return dns.findCaaRefusal(...call.parameters);
    case "findDelegation":
      return dns.findDelegation(...call.parameters);
    case "findEndedWildcard":
      return dns.findEndedWildcard(...call.parameters);
    case "findTexts":
      return dns.findTexts(...call.parameters);
  }
}

// Now, not at the end, because a killed process has no end.
flushCompileCache();

port.on("message", (message: readonly DnsCall[] | "close") => {
  if (message !== "close") return void message.map(take);
  void dns.close().then(() => {
    send();
    port.close();
  });
});

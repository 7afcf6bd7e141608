import { setTimeout as sleep } from "node:timers/promises";
import { SANDBOX_SECRET } from "./installation.ts";

/** Calls the sandbox's own endpoints, again while it is down. */
export async function askSandbox(sandboxUrl: string, method: string, path: string, body?: object) {
  for (let tries = 1; ; tries += 1) {
    try {
      const answer = await fetch(`${sandboxUrl}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${SANDBOX_SECRET}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      if (answer.status >= 500) throw new TypeError(`The sandbox answered ${answer.status}.`);
      return text === "" ? null : JSON.parse(text);
    } catch (error) {
      if (tries > 300 || !(error instanceof TypeError)) throw error;
      await sleep(100);
    }
  }
}

import { stat } from "node:fs/promises";
import type { Command } from "../command.ts";
import type { Context } from "../context.ts";
import { configFolder, credentialsFile } from "../credentials.ts";
import { explain } from "../explain.ts";
import { CommandError, EXIT } from "../failure.ts";

const OLDEST_NODE = 20;
/** Signatures and certificates tolerate about this much clock skew. */
const CLOCK_SKEW_MAX_S = 60;

type Check = { readonly check: string; readonly isOk: boolean; readonly says: string };

export const DOCTOR: readonly Command[] = [
  {
    words: "doctor",
    says: "Check this machine, the stored key and the server",
    async run(context) {
      const checks: Check[] = [checkNode(), await checkFolder(context), ...(await checkServer(context))];
      context.output.list(checks, [
        "check",
        { title: "ok", of: ({ isOk }) => isOk },
        { title: "found", of: ({ says }) => says },
      ]);
      const failed = checks.filter(({ isOk }) => !isOk).length;
      if (failed > 0)
        throw new CommandError(`${failed} of ${checks.length} checks failed.`, {
          code: "UNHEALTHY",
          exitCode: EXIT.FAILED,
        });
    },
  },
];

function checkNode(): Check {
  const { node } = process.versions;
  const isOk = Number(node.split(".")[0]) >= OLDEST_NODE;
  return { check: "Node", isOk, says: isOk ? node : `${node}; ${OLDEST_NODE} or later is needed` };
}

async function checkFolder({ env }: Context): Promise<Check> {
  const check = "stored keys";
  for (const path of [configFolder(env), credentialsFile(env)]) {
    const mode = await modeOf(path);
    if (mode === null) return { check, isOk: true, says: "none" };
    if ((mode & 0o077) !== 0)
      return { check, isOk: false, says: `others can read ${path}; chmod go= ${path}` };
  }
  return { check, isOk: true, says: credentialsFile(env) };
}

async function modeOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).mode;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

async function checkServer(context: Context): Promise<readonly Check[]> {
  const checks: Check[] = [];
  try {
    const { url, urlFrom, tokenFrom } = context.connection;
    checks.push({ check: "server", isOk: true, says: `${url}, from ${urlFrom}; key from ${tokenFrom}` });
    const { client } = context;
    const { data, response } = await client.me.get().withResponse();
    const { organization, user, cloud } = data;
    checks.push({
      check: "key",
      isOk: true,
      says: `${user.role} ${user.email ?? user.name} of ${organization.name}; cloud ${cloud}`,
    });
    checks.push(checkClock(response.headers.get("date")));
    await client.request("GET", "/readyz");
    checks.push({ check: "ready", isOk: true, says: "the server can serve" });
  } catch (error) {
    const known = explain(error);
    if (known === null || context.signal.aborted) throw error;
    const check = ["server", "key", "clock", "ready"][checks.length] ?? "server";
    checks.push({ check, isOk: false, says: [known.message, known.hint ?? ""].join(" ").trim() });
  }
  return checks;
}

function checkClock(date: string | null): Check {
  const check = "clock";
  const skew = date === null ? 0 : Math.round((Date.now() - Date.parse(date)) / 1_000);
  const isOk = Math.abs(skew) <= CLOCK_SKEW_MAX_S;
  return { check, isOk, says: isOk ? "agrees with the server's" : `${skew} s from the server's; set it` };
}

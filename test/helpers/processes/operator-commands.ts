/** The commands of an operator, in processes of their own. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import path from "node:path";
import { cleanEnv } from "./service-process.ts";

export const ENTRY = path.join(import.meta.dirname, "../../../bin/slipway.js");

type Env = Readonly<Record<string, string>>;

/** Runs a command, which has to succeed. @returns what it said */
export async function succeed(env: Env, ...args: string[]): Promise<string> {
  const { code, said } = await run(env, args);
  assert.equal(code, 0, said);
  return said;
}

/** Runs a command, which has to be refused in words. @returns what it said */
export async function fail(env: Env, ...args: string[]): Promise<string> {
  const { code, said } = await run(env, args);
  assert.equal(code, 1, said);
  assert.doesNotMatch(said, /^\s+at /m, "no stack");
  return said;
}

async function run(env: Env, args: readonly string[]): Promise<{ code: number; said: string }> {
  return await new Promise((resolve) => {
    execFile(process.execPath, [ENTRY, ...args], { env: cleanEnv(env) }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), said: stdout + stderr }),
    );
  });
}

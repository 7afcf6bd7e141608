/** Repositories of the programs that the contract of a platform names. */
import { randomBytes } from "node:crypto";
import type { Workload } from "../../../src/cloud/platform.ts";
import type { Files } from "../../../sandbox/src/git/git-repositories.ts";
import type { Program } from "../../contract/platform/platform-suite.ts";
import { schedulerWorkload, serverProgram, staticWorkload, webWorkload, workerWorkload } from "./programs.ts";

/** In place of the limit, so that no repository of a gigabyte has to be made. */
export const TOO_LARGE_BYTES = 500_000;

export function filesOf(program: Program, word: string): Files {
  return {
    "public/index.html": word,
    word,
    "server.js": serverProgram(
      `response.writeHead(${program === "web-unhealthy" ? 500 : 200}).end(${JSON.stringify(word)})`,
      `console.log("started ${word}");`,
    ),
    ...(program === "too-large" ? { "large.bin": randomBytes(TOO_LARGE_BYTES) } : {}),
    "worker.js": `console.log("started ${word}"); setInterval(() => undefined, 1000);`,
  };
}

export function workloadOf(program: Program, word: string): Workload {
  const buildCommand = `echo building ${word}`;
  switch (program) {
    case "static":
      return staticWorkload("public", buildCommand);
    case "too-large":
      return staticWorkload("public");
    case "build-printing":
      return staticWorkload("public", 'echo "PLAIN is $PLAIN"; echo "KEY has ${#KEY} characters"');
    case "build-failing":
      return staticWorkload("public", "echo oh no >&2; exit 3");
    case "build-hanging":
      return staticWorkload("public", "sleep 600 & wait");
    case "web":
    case "web-unhealthy":
      return webWorkload({ buildCommand });
    case "scheduler":
      return schedulerWorkload(buildCommand);
    case "worker":
      return { ...workerWorkload("node worker.js"), buildCommand };
  }
}

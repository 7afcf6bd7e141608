/** Repositories of small programs, for tests of the platform. */
import type { BuildRequest, Command, Workload } from "../../../src/cloud/platform.ts";
import { createRepository, type Files } from "../../../sandbox/src/git/git-repositories.ts";

const SIZE = { cpu: 0.25, memoryGb: 0.5, minInstances: 1, maxInstances: 1 };

export type Commit = { readonly source: BuildRequest["source"]; readonly workload: Workload };

export function webWorkload(overrides: Partial<Extract<Workload, { type: "web" }>> = {}): Workload {
  return {
    type: "web",
    buildCommand: null,
    startCommand: "node server.js",
    port: 3000,
    healthCheckPath: "/health",
    size: SIZE,
    ...overrides,
  };
}

export function workerWorkload(startCommand: Command): Workload {
  return { type: "worker", buildCommand: null, startCommand, size: SIZE };
}

export function schedulerWorkload(buildCommand: string | null = null): Workload {
  return { type: "scheduler", buildCommand, size: SIZE };
}

export function staticWorkload(outputDirectory = "public", buildCommand: string | null = null): Workload {
  return { type: "static", buildCommand, outputDirectory };
}

/** A Node program that listens on its port; `answer` is an expression of request and response. */
export function serverProgram(answer: string, before = ""): string {
  return `${before}
require("node:http").createServer((request, response) => { ${answer} }).listen(process.env.PORT, "127.0.0.1");
`;
}

/** Creates a repository with one commit. */
export async function commitProgram(
  gitDir: string,
  name: string,
  files: Files,
): Promise<BuildRequest["source"]> {
  const commit = await createRepository({ folder: gitDir, name, branch: "main", files, at: new Date() });
  return { repoUrl: `https://git.sandbox.test/${name}.git`, commit, branch: "main" };
}

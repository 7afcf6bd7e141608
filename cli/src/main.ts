#!/usr/bin/env node
/** The command line as its package runs it: without a server beside it. */
import module, { createRequire } from "node:module";

// Newer than Node 20. What is compiled once is kept, which takes a good part off the next start.
(module as { enableCompileCache?: () => unknown }).enableCompileCache?.();

const { version } = createRequire(import.meta.url)("@slipway/cli/package.json") as { version: string };
const { run } = await import("./run.ts");
// oxlint-disable-next-line node/no-process-env -- read here alone, and handed on
const { env } = process;
process.exitCode = await run(process.argv.slice(2), { env, release: version, operator: [] });

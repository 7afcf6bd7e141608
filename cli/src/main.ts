#!/usr/bin/env node
/** The command line as its package runs it: without a server beside it. */
import module, { createRequire } from "node:module";

// Not in Node 20. Node keeps the compiled code, which makes the next start considerably shorter.
(module as { enableCompileCache?: () => unknown }).enableCompileCache?.();

const { version } = createRequire(import.meta.url)("@slipway/cli/package.json") as { version: string };
const { run } = await import("./run.ts");
// oxlint-disable-next-line node/no-process-env -- read only here, and passed on
const { env } = process;
process.exitCode = await run(process.argv.slice(2), { env, release: version, operator: null });

#!/usr/bin/env node
/*
 * The way in. Plain JavaScript that Node 12 can read, for Slipway's own files are TypeScript, of which an
 * older Node knows no more than a SyntaxError. Under an older one this runs itself again with the Node that
 * `npm ci` brought, and stays only to hand on signals and the way that ended.
 */
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import module, { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

// Whatever this program and what it starts write is for its own user (src/start/open/close-folder.ts).
process.umask(0o077);

const OLDEST_MAJOR = 24;
/** The modules of a checkout are TypeScript; of a package, what scripts/write-package.ts made of them. */
const EXTENSION = existsSync(new URL("../src/main.ts", import.meta.url)) ? "ts" : "js";
/** After what time a start without a word needs one. */
const SLOW_MS = 2_000;
const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"];

// oxlint-disable-next-line node/no-process-env -- npm's own variable, read before any TypeScript is read
if (process.env.npm_command !== undefined) endWithParent();

const isRecent = Number(process.versions.node.split(".")[0]) >= OLDEST_MAJOR;
if (isRecent) {
  // Compiled code is cached beside the packages, which makes the next start a third shorter.
  module.enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/slipway", import.meta.url)));
  // Node prints an error of it, and exits with 1.
  void runCommand();
} else {
  const node = findPinnedNode();
  if (node === null) {
    explain();
    process.exitCode = 1;
  } else {
    runAgain(node);
  }
}

/**
 * npm hands a SIGTERM to the shell that it runs a script in, and many shells end by it without handing it on.
 * The started process would stay, with its port: so a process that loses its parent handles that as a SIGTERM.
 */
function endWithParent() {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, "SIGTERM");
  }, 250);
  timer.unref();
}

/** `start` runs the service and loads no command line. */
async function runCommand() {
  const [, , ...args] = process.argv;
  if (args.length === 1 && args[0] === "start") {
    await buildConsole();
    return await loadService();
  }
  const { run } = await load("cli/src/run");
  const { OPERATOR } = await load("src/cli/commands");
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  // oxlint-disable-next-line node/no-process-env -- handed on, as the package @slipway/cli does
  const { env } = process;
  const exitCode = await run(args, { env, release: version, operator: OPERATOR });
  // A command of the operator may have set another.
  if (exitCode !== 0) process.exitCode = exitCode;
}

/** From there on src/start/slow-start.ts reports. Without a terminal, these lines would only disturb the log. */
async function loadService() {
  const timer = setTimeout(() => writeToTerminal("Slipway is loading its program."), SLOW_MS);
  try {
    return await load("src/main");
  } finally {
    clearTimeout(timer);
  }
}

function writeToTerminal(line) {
  if (process.stderr.isTTY) process.stderr.write(`${line}\n`);
}

/** In a checkout whose console is not built from these sources. The API does not need it. */
async function buildConsole() {
  const program = new URL("../console/build.js", import.meta.url);
  if (!existsSync(program)) return;
  const { buildIfStale } = await import(program.href);
  let reason;
  try {
    reason = buildIfStale(() =>
      writeToTerminal("Slipway builds its console first, which takes some seconds."),
    );
  } catch (error) {
    reason = error.message;
  }
  if (reason !== null) process.stderr.write(`${reason}\n`);
}

async function load(name) {
  return await import(`../${name}.${EXTENSION}`);
}

/** The binary of the optional dependency for this system; null where npm installed none. */
function findPinnedNode() {
  const name = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  try {
    const folder = path.dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
    return path.join(folder, "bin", process.platform === "win32" ? "node.exe" : "node");
  } catch (error) {
    if (error.code === "MODULE_NOT_FOUND") return null;
    throw error;
  }
}

function runAgain(node) {
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: "inherit" });
  // The child drains at a signal; this process must not end before it does.
  SIGNALS.forEach((signal) => process.on(signal, () => child.kill(signal)));
  child.once("error", (error) => {
    process.stderr.write(`Slipway cannot run ${node}: ${error.message}\n`);
    process.exitCode = 1;
  });
  child.once("exit", (code, signal) => {
    if (signal === null) {
      process.exitCode = code;
      return;
    }
    // End as the child did, because a supervisor reads how this process ended.
    SIGNALS.forEach((name) => process.removeAllListeners(name));
    process.kill(process.pid, signal);
  });
}

function explain() {
  process.stderr.write(
    `\nSlipway needs Node ${OLDEST_MAJOR} or later; this is ${process.versions.node} (${process.execPath}).\n` +
      `There is no copy of it for ${process.platform}-${process.arch} in node_modules either: run npm ci without\n` +
      `--omit=optional, or install Node ${OLDEST_MAJOR} from https://nodejs.org.\n\n`,
  );
}

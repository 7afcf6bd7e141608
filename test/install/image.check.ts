/** The container file: by hadolint, and by what the image must be. Building it needs a registry and an engine. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { cp, readFile, rm, symlink } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { before, describe, it } from "node:test";
import { promisify } from "node:util";
import { openPythonEnvironment } from "../helpers/processes/python-environment.ts";
import { makeTempDir } from "../helpers/template.ts";
import { ROOT, runTool } from "./run-tool.ts";

describe("the image", () => {
  let text: string;
  let last: string;
  before(async () => {
    text = await readFile(path.join(ROOT, "Dockerfile"), "utf8");
    last = text.slice(text.lastIndexOf("\nFROM "));
  });

  it("is accepted by hadolint", async () => {
    const hadolint = path.join(path.dirname(openPythonEnvironment("install")), "hadolint");
    await runTool(hadolint, ["--failure-threshold", "info", "Dockerfile"]);
  });

  it("is built from what .dockerignore lets through", async () => {
    const lines = (await readFile(path.join(ROOT, ".dockerignore"), "utf8")).split("\n");
    const kept = lines.flatMap((line) => (line.startsWith("!") ? [line.slice(1)] : []));
    const refused = lines.filter((line) => line.startsWith("**/"));
    const files = (await runTool("git", ["ls-files", "-z", "--", ...kept])).split("\0");
    const context = await makeTempDir("image");
    try {
      for (const file of files) {
        const isRefused = refused.some((one) => path.matchesGlob(file, one));
        if (file === "" || isRefused || !existsSync(path.join(ROOT, file))) continue;
        await cp(path.join(ROOT, file), path.join(context, file));
      }
      await symlink(path.join(ROOT, "node_modules"), path.join(context, "node_modules"));
      await promisify(execFile)("npm", ["run", "package"], { cwd: context });
      assert.ok(existsSync(path.join(context, "dist/console/dist/index.html")));
    } finally {
      await rm(context, { recursive: true, force: true });
    }
  });

  it("has an empty root, a user with a number, and programs that need no shell", () => {
    assert.match(last, /^\nFROM scratch\n/);
    assert.match(last, /^USER \d+:\d+$/m);
    assert.doesNotMatch(last, /^RUN /m);
    const started = [...last.matchAll(/^(?:ENTRYPOINT|CMD|HEALTHCHECK.* CMD) (.*)$/gm)].map(
      ([, form]) => form ?? "",
    );
    assert.equal(started.length, 3);
    for (const form of started) assert.ok(Array.isArray(JSON.parse(form)), form);
  });

  it("has the Node of package-lock.json, for both processors", async () => {
    const lock = JSON.parse(await readFile(path.join(ROOT, "package-lock.json"), "utf8")) as {
      packages: Record<string, { version: string; integrity: string } | undefined>;
    };
    const [, base = ""] = /^ARG NODE_IMAGE=.*:(\d+[.]\d+[.]\d+)-bookworm-slim$/m.exec(text) ?? [];
    for (const processor of ["x64", "arm64"]) {
      const node = lock.packages[`node_modules/node-linux-${processor}`];
      assert.equal(node?.version, base, "the base has the same, which only installs packages");
      assert.match(node?.integrity ?? "", /^sha512-/);
    }
  });

  it("knows by its health check whether the process is alive", async () => {
    let status = 200;
    const server = createServer((request, response) => {
      response.statusCode = request.url === "/healthz" ? status : 404;
      response.end();
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const check = async (port: number): Promise<unknown> =>
      await new Promise((resolve) => {
        const file = path.join(ROOT, "deploy/image/check-health.js");
        execFile(process.execPath, [file], { env: { PORT: String(port) } }, (error) =>
          resolve(error?.code ?? 0),
        );
      });
    const { port } = server.address() as AddressInfo;
    assert.equal(await check(port), 0);
    status = 503;
    assert.equal(await check(port), 1);
    server.close();
    server.closeAllConnections();
    await once(server, "close");
    assert.equal(await check(port), 1);
  });
});

import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { rawRequest, sendRaw } from "../helpers/raw-http.ts";

const FOLDER = fileURLToPath(new URL("../../console/", import.meta.url));
/** What a browser loads before it shows the first page, uncompressed. */
const FIRST_LOAD_BYTES_MAX = 170 * 1_024;

describe("serving the console", () => {
  let instance: Instance;
  before(async () => {
    instance = await startInstance();
  });
  after(() => instance.dispose());

  it("redirects / to the console's page, whose policy only allows this server", async () => {
    const { url } = instance;
    const answer = await fetch(`${url}/`);
    assert.equal(answer.url, `${url}/console/`);
    assert.equal(answer.headers.get("content-type"), "text/html; charset=utf-8");
    assert.match(await answer.text(), /<title>Slipway<\/title>/);
    const policy = answer.headers.get("content-security-policy") ?? "";
    assert.match(policy, /^default-src 'none'; script-src 'self';/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.match(policy, /require-trusted-types-for 'script'/);
    assert.doesNotMatch(policy, /unsafe/);
  });

  it("serves every file that a browser loads, and 304 if unchanged", async () => {
    const names = await readdir(FOLDER, { recursive: true });
    const loaded = names.filter((name) => [".js", ".css", ".svg"].includes(path.extname(name)));
    assert.ok(loaded.includes("main.js"));
    for (const name of loaded) {
      const url = `${instance.url}/console/${name.replaceAll(path.sep, "/")}`;
      const first = await fetch(url);
      assert.equal(first.status, 200, url);
      assert.equal(first.headers.get("x-content-type-options"), "nosniff");
      assert.ok((await first.arrayBuffer()).byteLength > 0);
      const etag = first.headers.get("etag") ?? "";
      const again = await fetch(url, { headers: { "if-none-match": etag } });
      assert.equal(again.status, 304, url);
    }
  });

  it("serves the SDK without its types, to all who ask at once; the first load is small", async () => {
    const { url } = instance;
    const address = `${url}/sdk/src/transport.ts`;
    const answers = await Promise.all([1, 2, 3].map(async () => await fetch(address)));
    const texts = await Promise.all(answers.map(async (answer) => await answer.text()));
    for (const { status, headers } of answers) {
      assert.equal(status, 200);
      assert.equal(headers.get("content-type"), "text/javascript; charset=utf-8");
    }
    const [text = ""] = texts;
    assert.match(text, /export class Transport/);
    assert.doesNotMatch(text, /\bimport type\b|: string\b/);
    const known = { "if-none-match": answers[0]?.headers.get("etag") ?? "" };
    assert.equal((await fetch(address, { headers: known })).status, 304);

    const loaded = new Map<string, number>();
    const load = async (path: string): Promise<void> => {
      if (loaded.has(path)) return;
      loaded.set(path, 0);
      const code = await (await fetch(url + path)).text();
      loaded.set(path, Buffer.byteLength(code));
      const imported = code.matchAll(/^(?:import|export)\b[^;]*?from "([^"]+)";|^import "([^"]+)";/gm);
      for (const [, from, bare] of imported)
        await load(new URL(from ?? bare ?? "", `${url}${path}`).pathname);
    };
    await load("/console/main.js");
    assert.ok(loaded.has("/sdk/src/transport.ts"), [...loaded.keys()].join(" "));
    const bytes = [...loaded.values()].reduce((sum, size) => sum + size, 0);
    assert.ok(bytes < FIRST_LOAD_BYTES_MAX, `${bytes} bytes in ${loaded.size} files`);
  });

  it("serves nothing else: no source, no settings, no file outside its folder", async () => {
    const addresses = [
      "/console/api-types.ts",
      "/console/tsconfig.json",
      "/console/nothing.js",
      "/sdk/src/dotenv.test.ts",
      "/sdk/package.json",
      "/sdk/src/../package.json",
      "/console/../package.json",
      "/console/%2e%2e/package.json",
      "/console/..%2fpackage.json",
      "/console/views/../../package.json",
      "/console//etc/passwd",
    ];
    for (const address of addresses) {
      // fetch would resolve the dots itself.
      const answer = await sendRaw(instance.url, rawRequest(`GET ${address}`, {}));
      assert.equal(answer.status, 404, address);
      assert.match(answer.text, /ROUTE_NOT_FOUND/, address);
    }
  });

  it("takes GET alone", async () => {
    const answer = await fetch(`${instance.url}/console/`, { method: "POST" });
    assert.equal(answer.status, 405);
  });
});

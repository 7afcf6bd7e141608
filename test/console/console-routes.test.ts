import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { brotliCompressSync } from "node:zlib";
import { OPERATION_OF, operationOf } from "../../console/app/api/permission-words.ts";
import { buildIfStale } from "../../console/build.js";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { rawRequest, sendRaw } from "../helpers/raw-http.ts";

const DIST = path.join(import.meta.dirname, "../../console/dist");
const KB = 1_024;
/** All of it compressed by Brotli, as browsers get it over HTTPS. */
const FIRST_LOAD_MAX = 150 * KB;
const ROUTE_MAX = 40 * KB;
const ALL_MAX = 400 * KB;
const CSS_MAX = 20 * KB;

describe("serving the console", () => {
  let instance: Instance;
  before(async () => {
    assert.equal(buildIfStale(), null);
    instance = await startInstance();
  });
  after(() => instance.dispose());

  it("redirects / to the console's page, whose policy only allows this server", async () => {
    const { url } = instance;
    const answer = await fetch(`${url}/`);
    assert.equal(answer.url, `${url}/console/`);
    assert.equal(answer.headers.get("content-type"), "text/html; charset=utf-8");
    assert.equal(answer.headers.get("cache-control"), "no-cache");
    assert.match(await answer.text(), /<title>Slipway<\/title>/);
    const policy = answer.headers.get("content-security-policy") ?? "";
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.match(policy, /require-trusted-types-for 'script'; trusted-types 'none'$/);
    assert.doesNotMatch(policy, /unsafe/);
  });

  it("serves the same page at every address that a page can have", async () => {
    const index = await readFile(path.join(DIST, "index.html"), "utf8");
    for (const address of ["projects", "projects/proj_1/settings", "nothing-like-it"]) {
      const answer = await fetch(`${instance.url}/console/${address}`);
      assert.equal(answer.status, 200, address);
      assert.equal(await answer.text(), index, address);
    }
  });

  it("serves every built file, compressed as asked, kept for ever if its name has its hash", async () => {
    const names = await readdir(DIST, { recursive: true });
    const loaded = names.filter((name) => [".js", ".css", ".svg"].includes(path.extname(name)));
    assert.ok(loaded.some((name) => /^assets.index-.*[.]js$/.test(name)));
    for (const name of loaded) {
      const bytes = await readFile(path.join(DIST, name));
      const address = `/console/${name.replaceAll(path.sep, "/")}`;
      for (const encoding of ["identity", "gzip", "br"]) {
        const { status, headers, ...answer } = await ask(address, { "accept-encoding": encoding });
        assert.equal(status, 200, address);
        assert.equal(headers.get("x-content-type-options"), "nosniff");
        const expected = encoding === "identity" || bytes.length < KB ? null : encoding;
        assert.equal(headers.get("content-encoding"), expected, `${address} ${encoding}`);
        const kept = name.startsWith("assets") ? "public, max-age=31536000, immutable" : "no-cache";
        assert.equal(headers.get("cache-control"), kept, address);
        // fetch has decoded it.
        assert.deepEqual(answer.bytes, bytes, `${address} ${encoding}`);
        const again = await ask(address, { "if-none-match": headers.get("etag") ?? "" });
        assert.equal(again.status, 304, address);
      }
    }
  });

  it("is small: the first load, each route, the styles and all of it", async () => {
    const manifest = JSON.parse(await readFile(path.join(DIST, ".vite/manifest.json"), "utf8")) as Manifest;
    const sizes = new Map<string, number>();
    for (const name of await readdir(path.join(DIST, "assets")))
      if (/[.](?:js|css)$/.test(name))
        sizes.set(
          `assets/${name}`,
          brotliCompressSync(await readFile(path.join(DIST, "assets", name))).length,
        );
    const sizeOf = (files: Iterable<string>) =>
      [...files].reduce((sum, file) => sum + (sizes.get(file) ?? 0), 0);
    const filesOf = (key: string, without: ReadonlySet<string> = new Set()) =>
      new Set([...loadedWith(manifest, key)].filter((file) => !without.has(file)));
    const scripts = (files: Iterable<string>) => [...files].filter((file) => file.endsWith(".js"));

    const first = new Set([...filesOf("index.html"), ...filesOf("app/early/early.ts")]);
    assert.ok(first.size > 1);
    assert.ok(sizeOf(scripts(first)) <= FIRST_LOAD_MAX, `the first load: ${sizeOf(scripts(first))} bytes`);
    const routes = Object.keys(manifest).filter((key) => /^app\/(?:pages|forms)\//.test(key));
    assert.ok(routes.length > 10, routes.join());
    for (const route of routes) {
      const own = scripts(filesOf(route, first));
      assert.ok(sizeOf(own) <= ROUTE_MAX, `${route}: ${sizeOf(own)} bytes`);
    }
    const all = [...sizes.keys()];
    assert.ok(sizeOf(scripts(all)) <= ALL_MAX, `all scripts: ${sizeOf(scripts(all))} bytes`);
    const styles = all.filter((file) => file.endsWith(".css"));
    assert.ok(sizeOf(styles) <= CSS_MAX, `all styles: ${sizeOf(styles)} bytes`);
  });

  it("asks about operations that the API has: others would seem permitted to all users", async () => {
    const { permissions } = (await instance.admin.get("/v1/me")).body;
    const asked = [...Object.values(OPERATION_OF), operationOf("manage projects", { projectId: "proj_1" })];
    assert.deepEqual(
      asked.filter((operation) => !(operation in permissions.operations)),
      [],
    );
  });

  it("serves nothing else: no source, no mark of the build, no index in place of a file", async () => {
    const addresses = [
      "/console/main.js",
      "/console/index.html.br",
      "/console/sources.sha256",
      "/console/.vite/manifest.json",
      "/console/assets/index-00000000.js",
      "/console/assets/nothing",
      "/console/app/main.tsx",
      "/console/build.js",
      "/sdk/src/index.ts",
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

  async function ask(address: string, headers: Readonly<Record<string, string>>) {
    const answer = await fetch(instance.url + address, { headers });
    return {
      status: answer.status,
      headers: answer.headers,
      bytes: Buffer.from(await answer.arrayBuffer()),
    };
  }

  it("takes only GET", async () => {
    const answer = await fetch(`${instance.url}/console/`, { method: "POST" });
    assert.equal(answer.status, 405);
  });
});

type Manifest = Readonly<
  Record<
    string,
    { readonly file: string; readonly imports?: readonly string[]; readonly css?: readonly string[] }
  >
>;

/** The files that a browser loads with one of them, at once. */
function loadedWith(manifest: Manifest, key: string, known = new Set<string>()): ReadonlySet<string> {
  const chunk = manifest[key];
  if (chunk === undefined || known.has(chunk.file)) return known;
  for (const file of [chunk.file, ...(chunk.css ?? [])]) known.add(file);
  for (const imported of chunk.imports ?? []) loadedWith(manifest, imported, known);
  return known;
}

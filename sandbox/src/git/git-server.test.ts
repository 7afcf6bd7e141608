import assert from "node:assert/strict";
import * as fs from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import * as git from "isomorphic-git";
import http from "isomorphic-git/http/node";
import { commitFiles, createRepository } from "./git-repositories.ts";
import { startFixture, type SandboxFixture } from "../../../test/helpers/sandbox/sandbox-fixture.ts";

describe("the sandbox's git host", { concurrency: true }, () => {
  let fixture: SandboxFixture;
  before(async () => {
    fixture = await startFixture({ secret: null });
  });
  after(() => fixture.stop());
  const urlOf = (name: string) => `${fixture.server.url}/git/${name}`;
  const newRepository = (name: string, files: Record<string, string>) =>
    createRepository({ folder: fixture.server.gitDir, name, branch: "main", files, at: new Date() });

  test("has a demo repository with a configuration and a site", async () => {
    const refs = await git.listServerRefs({ http, url: urlOf("demo.git") });
    const main = refs.find(({ ref }) => ref === "refs/heads/main");
    assert.ok(main);
    const config = await fetch(`${urlOf("demo.git")}/raw/${main.oid}/slipway.json`);
    assert.equal(config.status, 200);
    const { environments } = (await config.json()) as { environments: { services: object[] }[] };
    assert.deepEqual(environments[0]?.services, [
      { id: "web", name: "Web", type: "static", outputDirectory: "public" },
    ]);
    const page = await fetch(`${urlOf("demo.git")}/raw/${main.oid}/public/index.html`);
    assert.match(await page.text(), /It floats/);
  });

  test("advertises branches that appear on disk at once, in either protocol version asked for", async () => {
    const first = await newRepository("advertised", { a: "1" });
    const gitdir = path.join(fixture.server.gitDir, "advertised.git");
    for (const protocolVersion of [1, 2] as const) {
      const refs = await git.listServerRefs({
        http,
        url: urlOf("advertised.git"),
        protocolVersion,
        symrefs: true,
      });
      const heads = refs.filter(({ ref }) => ref === "HEAD" || ref.startsWith("refs/heads/"));
      assert.ok(heads.length > 0 && heads.every(({ oid }) => oid === first));
    }
    const at = new Date();
    const second = await commitFiles({ gitdir, branch: "feature/x", files: { a: "2" }, message: "2", at });
    const refs = await git.listServerRefs({ http, url: urlOf("advertised.git") });
    assert.equal(refs.find(({ ref }) => ref === "refs/heads/feature/x")?.oid, second);
  });

  test("advertises an empty repository as one without references", async () => {
    const gitdir = path.join(fixture.server.gitDir, "empty.git");
    await git.init({ fs, gitdir, bare: true, defaultBranch: "main" });
    assert.deepEqual(await git.listServerRefs({ http, url: urlOf("empty.git") }), []);
  });

  test("serves files by commit and path, and nothing else", async () => {
    const commit = await newRepository("raw", { "a b.txt": "spaced", "folder/x": "x" });
    const read = async (at: string) => {
      const response = await fetch(`${urlOf("raw.git")}/raw/${at}`);
      return response.status === 200 ? response.text() : response.status;
    };
    assert.equal(await read(`${commit}/a%20b.txt`), "spaced");
    assert.equal(await read(`${commit}/folder/x`), "x");
    for (const missing of [
      `${commit}/none`,
      `${commit}/folder`,
      `${commit}/a%20b.txt/deeper`,
      `${commit}/..%2f..%2fraw.git/HEAD`,
      `${"0".repeat(40)}/folder/x`,
      `main/folder/x`,
    ]) {
      assert.equal(await read(missing), 404, missing);
    }
  });

  test("knows no repository by a name that leads elsewhere", async () => {
    for (const name of ["none.git", "demo", "..%2fgit%2fdemo.git", "..git", ".demo.git.new"]) {
      const response = await fetch(`${urlOf(name)}/info/refs?service=git-upload-pack`);
      assert.equal(response.status, 404, name);
    }
  });

  test("refuses a push over HTTP and says how to push", async () => {
    const response = await fetch(`${urlOf("demo.git")}/info/refs?service=git-receive-pack`);
    assert.equal(response.status, 403);
    assert.match(await response.text(), /by its path/);
  });
});

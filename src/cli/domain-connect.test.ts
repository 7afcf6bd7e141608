import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { lintTemplate } from "../domain-connect/lint-template.ts";
import type { Template } from "../domain-connect/template.ts";

const PROGRAM = path.join(import.meta.dirname, "../../bin/slipway.js");

describe("slipway domain-connect", () => {
  let folder: string;
  let env: Record<string, string>;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "slipway-connect-"));
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
    const keyFile = path.join(folder, "key.pem");
    await writeFile(keyFile, privateKey.export({ type: "pkcs8", format: "pem" }));
    env = {
      SLIPWAY_DATA_DIR: path.join(folder, "data"),
      SLIPWAY_PUBLIC_URL: "https://console.slipway.example",
      SLIPWAY_DOMAIN_CONNECT_PROVIDER_ID: "slipway.example",
      SLIPWAY_DOMAIN_CONNECT_KEY_FILE: keyFile,
    };
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const run = async (args: readonly string[], given = env): Promise<string> => {
    const options = { env: { PATH: process.env["PATH"] ?? "", ...given }, cwd: folder };
    const ran = await promisify(execFile)(process.execPath, [PROGRAM, "domain-connect", ...args], options);
    return ran.stdout;
  };

  it("writes templates that pass the providers' review, with the operator's names", async () => {
    const files = (await run(["template", "--to", folder, "--name", "Example Hosting"])).trim().split("\n");
    assert.deepEqual(
      files.map((file) => path.basename(file)),
      ["slipway.example.custom-domain.json", "slipway.example.custom-apex.json"],
    );
    for (const file of files) {
      const template = JSON.parse(await readFile(file, "utf8")) as Template;
      assert.deepEqual(lintTemplate(template), []);
      assert.equal(template.providerName, "Example Hosting");
      assert.equal(template.syncRedirectDomain, "console.slipway.example");
    }
  });

  it("prints the records of the public key, and nothing of the private one", async () => {
    const lines = (await run(["key"])).trim().split("\n");
    for (const [index, line] of lines.entries()) {
      const [start, part = ""] = line.split(",d=");
      assert.equal(start, `_dck1.slipway.example. 3600 IN TXT "p=${index + 1},a=RS256`);
      assert.match(part, /^[A-Za-z0-9+/=]{1,220}"$/);
    }
  });

  it("says what to configure first", async () => {
    const { SLIPWAY_PUBLIC_URL: _url, ...withoutUrl } = env;
    await assert.rejects(run(["template"], withoutUrl), /Set SLIPWAY_PUBLIC_URL/);
    await assert.rejects(
      run(["key"], { SLIPWAY_DATA_DIR: path.join(folder, "data") }),
      /Set SLIPWAY_DOMAIN_CONNECT_PROVIDER_ID/,
    );
  });
});

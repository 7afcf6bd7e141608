import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { makeCertificate } from "../../../test/helpers/customers/certificates.ts";
import { readTlsFiles, TlsFilesError } from "./tls-files.ts";

describe("S12: files of a certificate", () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "slipway-tls-"));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const certFile = () => path.join(folder, "cert.pem");
  const keyFile = () => path.join(folder, "key.pem");
  const pair = makeCertificate();
  const readAt = async (files: { cert?: string; key?: string }, now = new Date()) => {
    for (const [file, text] of [
      [certFile(), files.cert],
      [keyFile(), files.key],
    ] as const) {
      await (text === undefined ? rm(file, { force: true }) : writeFile(file, text));
    }
    return await readTlsFiles({ certFile: certFile(), keyFile: keyFile() }, now);
  };

  it("that belong together are accepted, including a whole chain", async () => {
    const { cert } = await readAt({ cert: pair.cert + makeCertificate().cert, key: pair.key });
    assert.match(cert.toString(), /BEGIN CERTIFICATE/);
  });

  const inAYear = new Date(Date.now() + 365 * 86_400_000);
  const rows: readonly [string, { cert?: string; key?: string }, RegExp, Date?][] = [
    ["without the certificate", { key: pair.key }, /^SLIPWAY_TLS_CERT \(.*cert\.pem\) does not exist\.$/],
    ["without the key", { cert: pair.cert }, /^SLIPWAY_TLS_KEY \(.*key\.pem\) does not exist\.$/],
    [
      "with the key of another",
      { ...pair, key: makeCertificate().key },
      /does not belong to the certificate/,
    ],
    ["that expired", pair, /expired at .*\. Renew it\.$/, inAYear],
    ["that are not valid yet", pair, /is not valid before .*clock/, new Date(0)],
    ["with half of a certificate", { ...pair, cert: pair.cert.slice(0, 300) }, /contains no certificate/],
    ["with half of a key", { ...pair, key: pair.key.slice(0, 100) }, /contains no readable private key/],
    ["with the two exchanged", { cert: pair.key, key: pair.cert }, /contains no certificate/],
    ["that are empty", { cert: "", key: "" }, /contains no certificate/],
  ];
  for (const [what, files, sentence, now] of rows) {
    it(`${what} are refused in a sentence`, async () => {
      await assert.rejects(readAt(files, now), (error) => {
        assert.ok(error instanceof TlsFilesError);
        assert.match(error.message, sentence);
        assert.ok(!error.message.includes("PRIVATE"), "and nothing of the key");
        return true;
      });
    });
  }
});

import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { test } from "node:test";
import { silent, startDnsServer } from "../../../test/helpers/customers/dns-server.ts";
import { makeTempDir } from "../../../test/helpers/template.ts";
import { createCertificateAuthority, createRoot } from "../certificates/certificate-authority.ts";
import { createCertificates, validationRecordOf } from "./certificates.ts";
import { openState } from "../state.ts";
import { waitFor } from "../../../test/helpers/sandbox/sandbox-fixture.ts";
import { instantTuning } from "../tuning.ts";
import { startValidation } from "./validation.ts";

test("a name with silent servers does not delay other certificates", async (t) => {
  const folder = await makeTempDir("validation");
  t.after(() => rm(folder, { recursive: true, force: true }));
  const state = openState(folder);
  t.after(() => state.close());
  const account = "123456789012";
  const slow = validationRecordOf(account, "slow.example");
  const quick = validationRecordOf(account, "quick.example");
  const server = await startDnsServer({
    zones: [""],
    records: { [`${quick.name} CNAME`]: [quick.value] },
    scripts: { [slow.name]: silent },
  });
  t.after(() => server.stop());
  const shared = { tuning: instantTuning, now: Date.now, isInUse: () => false };
  const authority = createCertificateAuthority(createRoot(new Date()));
  const certificates = createCertificates({ ...shared, state, authority });
  const log = { info: () => undefined, warn: () => undefined };
  const validation = startValidation({ ...shared, certificates, dns: server, log });
  t.after(() => validation.stop());

  const asked = (name: string): number => server.heard.filter((line) => line.includes(name)).length;
  certificates.request(account, ["slow.example"], "slow");
  await waitFor(() => Promise.resolve(asked(slow.name) > 0 || null));
  const { id } = certificates.request(account, ["quick.example"], "quick");
  await waitFor(() => Promise.resolve(certificates.get(id)?.issued ?? null));
  assert.equal(asked(slow.name), 1, "the first question is still waited for");
});

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { cliOf, makeOwnUser } from "./ministack-customer.ts";
import { ACCOUNT_ID, type Aws, startSlipway } from "./slipway.ts";

/** Slipway on ministack, as a user of its own account with only the permission from the setup page. */
export async function startOnMinistack(
  ministack: { readonly python: string; readonly url: string },
  connect: Aws["connect"],
) {
  const page = await readFile(path.join(import.meta.dirname, "../../docs/how-to/connect-aws.md"), "utf8");
  const policy = /```json\n(\{[^`]*sts:AssumeRole[^`]*\})\n```/.exec(page)?.[1];
  assert.ok(policy, "the page has the policy");
  const name = `slipway-${randomBytes(4).toString("hex")}`;
  const own = await makeOwnUser(cliOf({ ...ministack, accountId: ACCOUNT_ID }), policy, name);
  const slipway = await startSlipway(
    { url: ministack.url, setDnsRecord: () => undefined, connect },
    { AWS_ACCESS_KEY_ID: own.id, AWS_SECRET_ACCESS_KEY: own.secret },
  );
  // Its `api` is read when it is used.
  return Object.assign(slipway, { own });
}

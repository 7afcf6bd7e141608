/** The commands of the setup page, run as they stand there: with the AWS CLI, on ministack, against Slipway. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes, randomInt } from "node:crypto";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { cliOf, environmentOf, forMinistack } from "./ministack-customer.ts";
import { startOnMinistack } from "./ministack-slipway.ts";
import { NEEDS_MOTO } from "./moto-url.ts";
import { ACCOUNT_ID, type AwsSlipway, untilAccount } from "./slipway.ts";

const run = promisify(execFile);
const PYTHON = process.env["SLIPWAY_TEST_PYTHON"] ?? "";
const URL_OF_MINISTACK = process.env["SLIPWAY_TEST_MINISTACK"] ?? null;
const ADDRESS = "https://slipway.example.com";

describe("the setup page", { skip: URL_OF_MINISTACK === null ? NEEDS_MOTO : false }, () => {
  const url = URL_OF_MINISTACK ?? "";
  const bucket = `templates-${randomBytes(6).toString("hex")}`;
  const customersId = String(randomInt(1e11, 9e11));
  let folder: string;
  let slipway: AwsSlipway;
  let templates: Server;
  let blocks: readonly string[];
  let connection: { id: string; cloudStack: { template: { stackName: string } } };

  before(async () => {
    const page = await readFile(path.join(import.meta.dirname, "../../docs/how-to/connect-aws.md"), "utf8");
    blocks = [...page.matchAll(/```sh\n([^`]*)```/g)].flatMap(([, block = ""]) =>
      /^(?:.*\| *)?aws |^ *aws /m.test(block) ? [block] : [],
    );
    slipway = await startOnMinistack({ python: PYTHON, url }, () =>
      Promise.reject(new Error("The page connects.")),
    );
    // In the place of Slipway's public address.
    templates = createServer((request, response) => {
      void fetch(slipway.api.baseUrl + (request.url ?? ""))
        .then(async (answer) => response.writeHead(answer.status).end(forMinistack(await answer.text())))
        .catch(() => response.writeHead(502).end());
    });
    templates.listen(0, "127.0.0.1");
    await once(templates, "listening");
    folder = await mkdtemp(path.join(tmpdir(), "slipway-page-"));
    await writeFile(path.join(folder, "aws"), `#!/bin/sh\nexec ${PYTHON} -m awscli "$@"\n`);
    await chmod(path.join(folder, "aws"), 0o755);
    const created = await slipway.api.post("/v1/aws-accounts", { givenId: "by-hand" });
    assert.equal(created.status, 201);
    connection = created.body;
  });
  after(async () => {
    templates.close();
    await slipway.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Runs the page's block that has this command, by an account's root. */
  async function play(command: string, accountId: string): Promise<string> {
    const found = blocks.filter((block) => block.includes(command));
    assert.equal(found.length, 1, `${found.length} blocks have ${command}`);
    const script = (found[0] ?? "")
      .replaceAll(ADDRESS, `http://127.0.0.1:${(templates.address() as AddressInfo).port}`)
      .replaceAll("YOUR-BUCKET", bucket)
      .replaceAll("STACK", connection.cloudStack.template.stackName)
      .replaceAll("CONNECTION", connection.id);
    const environment = environmentOf({ url, accountId });
    const { stdout } = await run("bash", ["-euo", "pipefail", "-c", script], {
      cwd: folder,
      env: { ...environment, PATH: `${folder}:${environment["PATH"] ?? ""}` },
    });
    return stdout;
  }

  test("W9: its commands host the template where everyone can read it", async () => {
    await play("aws s3api create-bucket", ACCOUNT_ID);
    // Without credentials.
    const hosted = await fetch(`${url}/${bucket}/slipway/connection-v2.yaml`);
    assert.equal(hosted.status, 200);
    const text = await hosted.text();
    assert.ok(text.includes(`:iam::${ACCOUNT_ID}:root`));
    assert.match(hosted.headers.get("content-type") ?? "", /yaml/);
  });

  test("W9: its command creates the stack by hand, and the account is connected", async () => {
    await play("aws cloudformation create-stack", customersId);
    const account = await untilAccount(slipway.api, connection.id, "CONNECTED");
    assert.equal(account.connectedAwsAccountId, customersId);
  });

  test("W9: its command updates a stack, and keeps version 1's resources", async () => {
    const cli = cliOf({ python: PYTHON, url, accountId: customersId });
    // ministack's CloudFormation takes the first part of an address's path as the bucket.
    await cli("s3api", "create-bucket", "--bucket", "slipway");
    const object = ["--bucket", "slipway", "--key", "connection-v2.yaml"];
    await cli("s3api", "put-object", ...object, "--body", path.join(folder, "connection.yaml"));
    await play("ParameterKey=Version1,ParameterValue=keep", customersId);
    const name = ["--stack-name", connection.cloudStack.template.stackName];
    await cli("cloudformation", "wait", "stack-update-complete", ...name);
    const { Roles } = await cli("iam", "list-roles");
    const names = (Roles as { RoleName: string }[]).map(({ RoleName }) => RoleName);
    assert.ok(names.includes(`slipway-run-${connection.id}`), names.join(", "));
  });

  test("W9: its command allows a DNS zone, and nothing else changes", async () => {
    const cli = cliOf({ python: PYTHON, url, accountId: customersId });
    await play("ParameterKey=DnsZones,ParameterValue", customersId);
    const name = ["--stack-name", connection.cloudStack.template.stackName];
    await cli("cloudformation", "wait", "stack-update-complete", ...name);
    const { Roles } = await cli("iam", "list-roles");
    const roles = (Roles as { RoleName: string }[]).map(({ RoleName }) => RoleName);
    assert.ok(roles.includes(`slipway-run-${connection.id}`), roles.join(", "));
    const role = roles.find((one) => one.includes("AccessRole")) ?? "";
    const policy = await cli("iam", "get-role-policy", "--role-name", role, "--policy-name", "slipway-dns");
    assert.match(JSON.stringify(policy), /arn:aws:route53:::hostedzone\/ZONE/);
    assert.match(JSON.stringify(policy), /"CREATE", ?"DELETE"/);
    // The command for a new template keeps all parameters, so with the same template nothing changes.
    await assert.rejects(
      play("ParameterKey=DnsRemoval,UsePreviousValue", customersId),
      /No updates are to be performed/,
    );
  });

  test("W9: no command is left out", () => {
    const played = ["s3api create-bucket", "cloudformation create-stack", "cloudformation update-stack"];
    // Credentials of CodeBuild, and what to look for after a run on a real account, are single commands of the text.
    assert.deepEqual(
      blocks.filter((block) => !played.some((command) => block.includes(`aws ${command}`))),
      [],
    );
  });
});

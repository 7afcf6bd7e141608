/** The connection's template with CloudFormation's own linter, and its function as Lambda would run it. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { decodeTemplate } from "./connection-roles.ts";
import { NEEDS_MOTO } from "./moto-url.ts";

const run = promisify(execFile);
const PYTHON = process.env["SLIPWAY_TEST_PYTHON"] ?? null;
const RESPONSE_URL =
  "https://cloudformation-custom-resource-response-useast1.s3.amazonaws.com/stack?signed=1";

/** Runs the handler with all requests sent to the test's server, which stands in for Slipway and S3. */
const DRIVER = `
import json, sys, time, urllib.request
source, event, server = open(sys.argv[1]).read(), json.loads(sys.argv[2]), sys.argv[3]
real = urllib.request.urlopen
def urlopen(request, timeout):
    request.add_header("x-asked", request.full_url)
    request.full_url = server
    return real(request, timeout=timeout)
urllib.request.urlopen = urlopen
time.sleep = lambda seconds: None
scope = {}
exec(source, scope)
scope["handler"](event, None)
`;

type Asked = { method: string; url: string; type: string | undefined; body: Record<string, unknown> };

describe("the stack's template", { skip: PYTHON === null ? NEEDS_MOTO : false }, () => {
  const python = PYTHON ?? "";
  let folder: string;
  let server: ReturnType<typeof createServer>;
  let url: string;
  let asked: Asked[];
  let answers: number[];

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "slipway-stack-"));
    const { text, decoded } = await decodeTemplate(python);
    await writeFile(path.join(folder, "template.yaml"), text);
    await writeFile(path.join(folder, "driver.py"), DRIVER);
    await writeFile(
      path.join(folder, "index.py"),
      decoded.Resources["ReportFunction"]?.Properties.Code?.ZipFile ?? "",
    );

    server = createServer((request, response) => {
      void read(request).then((one) => {
        asked.push(one);
        response.writeHead(answers.shift() ?? 204).end();
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });
  after(async () => {
    server.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function handle(event: object, statuses: readonly number[] = []): Promise<void> {
    asked = [];
    answers = [...statuses];
    const args = [path.join(folder, "driver.py"), path.join(folder, "index.py"), JSON.stringify(event), url];
    await run(python, args);
  }
  const event = (RequestType: string, more: object = {}) => ({
    RequestType,
    ResponseURL: RESPONSE_URL,
    StackId: "stack",
    RequestId: "request",
    LogicalResourceId: "Report",
    ResourceProperties: {
      CallbackUrl: "https://slipway.example.com/cloud-callbacks/aws_0123",
      AccountId: "210987654321",
      RoleArn: "arn:aws:iam::210987654321:role/slipway-access-AccessRole",
    },
    ...more,
  });

  test("passes cfn-lint without a warning", async () => {
    // Its exit code also reports warnings.
    await run(python, ["-m", "cfnlint.runner.cli", "-t", path.join(folder, "template.yaml")]);
  });

  for (const type of ["Create", "Update"]) {
    test(`${type} reports account and role to Slipway, then answers CloudFormation`, async () => {
      await handle(event(type));
      const [report, answer] = asked;
      assert.equal(asked.length, 2);
      assert.equal(report?.method, "POST");
      assert.equal(report.url, "https://slipway.example.com/cloud-callbacks/aws_0123");
      assert.equal(report.type, "application/json");
      assert.deepEqual(report.body, {
        accountId: "210987654321",
        roleArn: "arn:aws:iam::210987654321:role/slipway-access-AccessRole",
      });
      assert.equal(answer?.method, "PUT");
      assert.equal(answer.url, RESPONSE_URL);
      assert.equal(answer.body["Status"], "SUCCESS");
      assert.equal(answer.body["StackId"], "stack");
      assert.equal(answer.body["RequestId"], "request");
      assert.equal(answer.body["LogicalResourceId"], "Report");
    });
  }

  test("Delete answers at once, whether Slipway is reachable or not, and keeps the resource's id", async () => {
    await handle(event("Delete", { PhysicalResourceId: "before" }), [200]);
    assert.deepEqual(
      asked.map(({ method, body }) => [method, body["Status"], body["PhysicalResourceId"]]),
      [["PUT", "SUCCESS", "before"]],
    );
  });

  test("a failing Slipway is called again", async () => {
    await handle(event("Create"), [503, 502, 204, 200]);
    assert.deepEqual(
      asked.map(({ method }) => method),
      ["POST", "POST", "POST", "PUT"],
    );
    assert.equal(asked.at(-1)?.body["Status"], "SUCCESS");
  });

  test("a Slipway that stays away fails the stack with a reason, and does not let it hang", async () => {
    await handle(event("Create"), [500, 500, 500, 500, 200]);
    const answer = asked.at(-1)?.body;
    assert.equal(answer?.["Status"], "FAILED");
    assert.match(String(answer["Reason"]), /could not be told/);
    assert.ok(JSON.stringify(answer).length < 4_096);
  });

  test("incomplete properties fail the stack too", async () => {
    await handle(event("Create", { ResourceProperties: {} }));
    assert.deepEqual(
      asked.map(({ method, body }) => [method, body["Status"]]),
      [["PUT", "FAILED"]],
    );
  });

  test("an answer that S3 refuses at first is sent again", async () => {
    await handle(event("Delete"), [503, 200]);
    assert.equal(asked.length, 2);
  });

  test("the answer only goes to AWS", async () => {
    await assert.rejects(
      handle(event("Delete", { ResponseURL: "https://evil.example.com/?amazonaws.com/" })),
    );
    assert.deepEqual(asked, []);
  });
});

async function read(request: IncomingMessage): Promise<Asked> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return {
    method: request.method ?? "",
    url: String(request.headers["x-asked"]),
    type: request.headers["content-type"],
    body: JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>,
  };
}

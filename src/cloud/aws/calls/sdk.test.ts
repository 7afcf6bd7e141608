import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { describe, test } from "node:test";
import { promisify } from "node:util";

const run = promisify(execFile);

/** In a separate process, because the SDK reads the machine's settings once. Prints one JSON value. */
async function inProcess(script: string, env: Record<string, string> = {}): Promise<unknown> {
  const source = `import { createSdk } from ${JSON.stringify(new URL("./sdk.ts", import.meta.url).href)};
const session = { accessKeyId: "ASIATEST", secretAccessKey: "s", sessionToken: "t", expiration: new Date(Date.now() + 9e5) };
${script}`;
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", source], {
    env: { PATH: process.env["PATH"], AWS_EC2_METADATA_DISABLED: "true", ...env },
  });
  return JSON.parse(stdout);
}

/** The host that each client would send a request to. */
async function hostsOf(
  wanted: readonly (readonly [string, string])[],
  env: Record<string, string> = {},
): Promise<unknown> {
  return await inProcess(
    `
const hosts = {};
for (const [service, region] of ${JSON.stringify(wanted)}) {
  const client = await createSdk({ endpoint: null }).clientOf(service, region, session);
  const { endpointProvider, useFipsEndpoint, useDualstackEndpoint } = client.config;
  const { url } = endpointProvider({
    Region: region,
    UseFIPS: await useFipsEndpoint(),
    UseDualStack: await useDualstackEndpoint(),
  });
  hosts[service] = url.hostname;
}
console.log(JSON.stringify(hosts));`,
    env,
  );
}

describe("the clients of IAM and ECS", () => {
  test("W10: follow the machine's choice of FIPS endpoints", async () => {
    const hosts = await hostsOf(
      [
        ["iam", "us-east-1"],
        ["ecs", "us-west-2"],
      ],
      { AWS_USE_FIPS_ENDPOINT: "true" },
    );
    assert.deepEqual(hosts, { iam: "iam-fips.amazonaws.com", ecs: "ecs-fips.us-west-2.amazonaws.com" });
  });

  test("W10: follow the machine's choice of dual-stack endpoints", async () => {
    const hosts = await hostsOf([["ecs", "us-west-2"]], { AWS_USE_DUALSTACK_ENDPOINT: "true" });
    assert.deepEqual(hosts, { ecs: "ecs.us-west-2.api.aws" });
  });

  test("W10: know the hosts of other partitions", async () => {
    const hosts = await hostsOf([
      ["iam", "cn-north-1"],
      ["ecs", "cn-north-1"],
    ]);
    assert.deepEqual(hosts, {
      iam: "iam.cn-north-1.amazonaws.com.cn",
      ecs: "ecs.cn-north-1.amazonaws.com.cn",
    });
  });

  test("W10: are loaded at the first call, not at the start", async () => {
    const loaded = await inProcess(`
import { registerHooks } from "node:module";
const read = [];
registerHooks({
  resolve(specifier, context, next) {
    read.push(specifier);
    return next(specifier, context);
  },
});
const isRead = () => read.includes("@aws-sdk/client-ecs");
const sdk = createSdk({ endpoint: null });
const before = isRead();
await sdk.clientOf("ecs", "us-west-2", session);
console.log(JSON.stringify({ before, after: isRead() }));`);
    assert.deepEqual(loaded, { before: false, after: true });
  });
});

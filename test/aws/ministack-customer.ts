/** What an operator and a customer do on ministack, with the AWS CLI and no code of ours. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export type Cli = (...args: readonly string[]) => Promise<Record<string, unknown>>;

/** For the AWS CLI with the rights of the root of an account: ministack takes its number for a key. */
export function environmentOf({ url, accountId }: { url: string; accountId: string }) {
  return {
    PATH: process.env["PATH"],
    HOME: tmpdir(),
    AWS_CONFIG_FILE: "/dev/null",
    AWS_SHARED_CREDENTIALS_FILE: "/dev/null",
    AWS_ENDPOINT_URL: url,
    AWS_ACCESS_KEY_ID: accountId,
    AWS_SECRET_ACCESS_KEY: "test",
    AWS_REGION: "us-east-1",
    AWS_DEFAULT_REGION: "us-east-1",
    AWS_EC2_METADATA_DISABLED: "true",
    AWS_PAGER: "",
  };
}

export function cliOf(options: { python: string; url: string; accountId: string }): Cli {
  return async (...args) => {
    const env = environmentOf(options);
    const { stdout } = await run(options.python, ["-m", "awscli", "--output", "json", ...args], { env });
    return JSON.parse(stdout === "" ? "{}" : stdout) as Record<string, unknown>;
  };
}

/** A user with the one right of the setup page. */
export async function makeOwnUser(
  cli: Cli,
  policy: string,
  name: string,
): Promise<{ id: string; secret: string }> {
  await cli("iam", "create-user", "--user-name", name);
  await cli(
    "iam",
    "put-user-policy",
    "--user-name",
    name,
    "--policy-name",
    "assume",
    "--policy-document",
    policy,
  );
  const { AccessKey } = await cli("iam", "create-access-key", "--user-name", name);
  const { AccessKeyId, SecretAccessKey } = AccessKey as { AccessKeyId: string; SecretAccessKey: string };
  return { id: AccessKeyId, secret: SecretAccessKey };
}

/** The template as it is served, but for two things that ministack does not have (README). */
export function forMinistack(template: string): string {
  const strict = String.raw`ANSWER_HOST = re.compile(r"^https://[a-z0-9.-]+\.amazonaws\.com(\.cn)?/")`;
  assert.ok(template.includes(strict));
  return (
    template
      // The function answers to addresses of AWS alone, which ministack's is not.
      .replace(strict, 'ANSWER_HOST = re.compile(r"^http://127\\.0\\.0\\.1:")')
      // It knows the older type of the same thing.
      .replaceAll("AWS::IAM::RolePolicy", "AWS::IAM::Policy")
      .replaceAll(/RoleName: (!Ref \w+)/g, "Roles: [$1]")
  );
}

/** Creates the connection's stack. */
export async function createStack(
  cli: Cli,
  stack: { url: string; stackName: string; parameters: { ServiceId: string } },
): Promise<{ roleArn: string }> {
  const template = await (await fetch(stack.url)).text();
  const folder = await mkdtemp(path.join(tmpdir(), "slipway-stack-"));
  try {
    const file = path.join(folder, "template.yaml");
    await writeFile(file, forMinistack(template));
    const name = ["--stack-name", stack.stackName];
    const parameter = `ParameterKey=ServiceId,ParameterValue=${stack.parameters.ServiceId}`;
    const capabilities = ["--capabilities", "CAPABILITY_NAMED_IAM"];
    await cli(
      "cloudformation",
      "create-stack",
      ...name,
      ...capabilities,
      "--template-body",
      `file://${file}`,
      "--parameters",
      parameter,
    );
    await cli("cloudformation", "wait", "stack-create-complete", ...name);
    const { Stacks } = await cli("cloudformation", "describe-stacks", ...name);
    const [made] = Stacks as { Outputs: { OutputKey: string; OutputValue: string }[] }[];
    const roleArn = made?.Outputs.find(({ OutputKey }) => OutputKey === "RoleArn")?.OutputValue;
    assert.ok(roleArn);
    return { roleArn };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

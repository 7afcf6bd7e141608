/** An operator's and a customer's actions on ministack, with the AWS CLI and none of our code. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export type Cli = (...args: readonly string[]) => Promise<Record<string, unknown>>;

/** Without a session, as the root of an account: ministack uses its number as the key. */
type Whose = { readonly url: string; readonly accountId: string; readonly session?: Session };
export type Session = { readonly id: string; readonly secret: string; readonly token?: string };

/** For the AWS CLI. */
export function environmentOf({ url, accountId, session }: Whose) {
  const { id, secret, token } = session ?? { id: accountId, secret: "test" };
  return {
    PATH: process.env["PATH"],
    HOME: tmpdir(),
    AWS_CONFIG_FILE: "/dev/null",
    AWS_SHARED_CREDENTIALS_FILE: "/dev/null",
    AWS_ENDPOINT_URL: url,
    AWS_ACCESS_KEY_ID: id,
    AWS_SECRET_ACCESS_KEY: secret,
    ...(token === undefined ? {} : { AWS_SESSION_TOKEN: token }),
    AWS_REGION: "us-east-1",
    AWS_DEFAULT_REGION: "us-east-1",
    AWS_EC2_METADATA_DISABLED: "true",
    AWS_PAGER: "",
  };
}

export function cliOf(options: Whose & { readonly python: string }): Cli {
  return async (...args) => {
    const env = environmentOf(options);
    const { stdout } = await run(options.python, ["-m", "awscli", "--output", "json", ...args], { env });
    return JSON.parse(stdout === "" ? "{}" : stdout) as Record<string, unknown>;
  };
}

/** A session of a role. */
export async function assume(cli: Cli, roleArn: string, externalId?: string): Promise<Session> {
  const external = externalId === undefined ? [] : ["--external-id", externalId];
  const role = ["--role-arn", roleArn, "--role-session-name", "test"];
  const { Credentials } = await cli("sts", "assume-role", ...role, ...external);
  const given = Credentials as { AccessKeyId: string; SecretAccessKey: string; SessionToken: string };
  return { id: given.AccessKeyId, secret: given.SecretAccessKey, token: given.SessionToken };
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

/** The template as it is served, but for what ministack does not have (README). */
export function forMinistack(template: string): string {
  const strict = String.raw`ANSWER_HOST = re.compile(r"^https://[a-z0-9.-]+\.amazonaws\.com(\.cn)?/")`;
  assert.ok(template.includes(strict));
  return (
    template
      // The function only answers addresses of AWS, which ministack's is not.
      .replace(strict, 'ANSWER_HOST = re.compile(r"^http://127\\.0\\.0\\.1:")')
      // A role that is new is known at once.
      .replace("SETTLE_SECONDS = 8", "SETTLE_SECONDS = 0")
      // It knows the older type of the same thing.
      .replaceAll("AWS::IAM::RolePolicy", "AWS::IAM::Policy")
      .replaceAll(/RoleName: (!Ref \w+)/g, "Roles: [$1]")
  );
}

type Stack = {
  readonly stackName: string;
  /** As it is served. */
  readonly template: string;
  readonly parameters: readonly string[];
};

/** Creates or updates the connection's stack. */
async function changeStack(cli: Cli, operation: "create" | "update", stack: Stack): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), "slipway-stack-"));
  try {
    const file = path.join(folder, "template.yaml");
    await writeFile(file, forMinistack(stack.template));
    const name = ["--stack-name", stack.stackName];
    const capabilities = ["--capabilities", "CAPABILITY_NAMED_IAM"];
    const body = ["--template-body", `file://${file}`, "--parameters", ...stack.parameters];
    await cli("cloudformation", `${operation}-stack`, ...name, ...capabilities, ...body);
    await cli("cloudformation", "wait", `stack-${operation}-complete`, ...name);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export async function createStack(
  cli: Cli,
  { connectionId, ...stack }: Pick<Stack, "stackName" | "template"> & { connectionId: string },
): Promise<{ roleArn: string }> {
  await changeStack(cli, "create", {
    ...stack,
    parameters: [`ParameterKey=ServiceId,ParameterValue=${connectionId}`],
  });
  const { Stacks } = await cli("cloudformation", "describe-stacks", "--stack-name", stack.stackName);
  const [made] = Stacks as { Outputs: { OutputKey: string; OutputValue: string }[] }[];
  const roleArn = made?.Outputs.find(({ OutputKey }) => OutputKey === "RoleArn")?.OutputValue;
  assert.ok(roleArn);
  return { roleArn };
}

/** As the setup page has it for stacks of an earlier version. */
export async function updateStack(
  cli: Cli,
  {
    version1,
    more = [],
    ...stack
  }: Pick<Stack, "stackName" | "template"> & {
    version1: "keep" | "drop";
    /** Parameters beside it. */
    more?: readonly string[];
  },
): Promise<void> {
  const parameters = [
    "ParameterKey=ServiceId,UsePreviousValue=true",
    `ParameterKey=Version1,ParameterValue=${version1}`,
    ...more,
  ];
  await changeStack(cli, "update", { ...stack, parameters });
}

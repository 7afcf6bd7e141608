/** The roles of the connection's stack as IAM gets them: templates and functions resolved, each with its documents. */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import type { CloudAccount } from "../../src/cloud/cloud.ts";
import { renderTemplate } from "../../src/cloud/aws/stack/template.ts";

const run = promisify(execFile);

export type Statement = {
  readonly Sid?: string;
  readonly Effect: "Allow" | "Deny";
  readonly Action: string | readonly string[];
  readonly Resource: string | readonly string[];
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
};
export type Document = { readonly Version: string; readonly Statement: readonly Statement[] };

type Policy = { readonly PolicyDocument: unknown };
export type Decoded = {
  readonly Parameters: Readonly<Record<string, unknown>>;
  readonly Resources: Readonly<
    Record<
      string,
      {
        readonly Type: string;
        readonly Condition?: string;
        readonly Properties: Partial<Policy> & {
          readonly Policies?: readonly Policy[];
          readonly ManagedPolicyArns?: readonly unknown[];
          readonly AssumeRolePolicyDocument?: Document;
          readonly Code?: { readonly ZipFile: string };
        };
      }
    >
  >;
};

export const ACCOUNT: CloudAccount = {
  connectionId: "aws_0123456789abcdefghijklmnop",
  accountId: "210987654321",
  roleArn: "arn:aws:iam::210987654321:role/slipway-access-AccessRole-1",
};
export const ENVIRONMENT = "env_01h455vb4pex5vsknk084sn02s";
export const SERVICE = "svc_01h455vb4pex5vsknk084sn02r";

/** What CloudFormation puts in place of names. */
const NAMES: Readonly<Record<string, string | readonly string[]>> = {
  DnsZones: ["arn:aws:route53:::hostedzone/Z0MINE"],
  DnsNames: ["*.app.example.com"],
  ServiceId: ACCOUNT.connectionId,
  "AWS::Partition": "aws",
  "AWS::AccountId": ACCOUNT.accountId,
  "AccessRole.Arn": ACCOUNT.roleArn,
  "DeployRole.Arn": `arn:aws:iam::${ACCOUNT.accountId}:role/slipway-deploy-${ACCOUNT.connectionId}`,
  "RunRole.Arn": `arn:aws:iam::${ACCOUNT.accountId}:role/slipway-run-${ACCOUNT.connectionId}`,
  "RolesFunction.Arn": `arn:aws:lambda:us-east-1:${ACCOUNT.accountId}:function:slipway-roles-${ACCOUNT.connectionId}`,
};

export async function decodeTemplate(python: string): Promise<{ text: string; decoded: Decoded }> {
  const folder = await mkdtemp(path.join(tmpdir(), "slipway-template-"));
  try {
    const text = renderTemplate({
      accountId: "123456789012",
      callbackUrl: "https://slipway.example.com/cloud-callbacks",
    });
    const file = path.join(folder, "template.yaml");
    await writeFile(file, text);
    const { stdout } = await run(python, [path.join(import.meta.dirname, "decode.py"), file]);
    return { text, decoded: JSON.parse(stdout) as Decoded };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * The document of a policy that is a resource of its own, in stacks of whatever condition.
 * @param unmet conditions of the template that do not hold
 */
export function policyOf({ Resources }: Decoded, name: string, unmet: readonly string[] = []): Document {
  return resolve(Resources[name]?.Properties.PolicyDocument, unmet) as Document;
}

/** A role's own policies, including policies that are separate resources. */
export function documentsOf({ Resources }: Decoded, role: string): readonly Document[] {
  const properties = Resources[role]?.Properties;
  if (properties === undefined) throw new Error(`The template has no ${role}.`);
  const managed = (properties.ManagedPolicyArns ?? []).flatMap((one) => {
    const name: unknown = typeof one === "object" && one !== null ? Reflect.get(one, "Ref") : undefined;
    return typeof name === "string" ? [Resources[name]?.Properties.PolicyDocument] : [];
  });
  const apart = Object.values(Resources).flatMap(({ Type, Condition, Properties }) => {
    if (Type !== "AWS::IAM::RolePolicy" || Condition !== undefined) return [];
    const of: unknown = Reflect.get(Object(Reflect.get(Properties, "RoleName")), "Ref");
    return of === role ? [Properties.PolicyDocument] : [];
  });
  const inline = (properties.Policies ?? []).map(({ PolicyDocument }) => PolicyDocument);
  return [...inline, ...managed, ...apart].map((document) => resolve(document) as Document);
}

const NO_VALUE = named("AWS::NoValue");

/** `Ref`, `Fn::GetAtt`, `Fn::Sub` and `Fn::If`, with names only. */
export function resolve(value: unknown, unmet: readonly string[] = []): unknown {
  if (Array.isArray(value)) return value.map((one) => resolve(one, unmet)).filter((one) => one !== NO_VALUE);
  if (typeof value !== "object" || value === null) return value;
  const [[name, argument] = [], ...others] = Object.entries(value);
  if (others.length === 0 && name === "Ref") return named(String(argument));
  if (others.length === 0 && name === "Fn::GetAtt") return named([argument].flat().join("."));
  if (others.length === 0 && name === "Fn::If") {
    const [condition, met, otherwise] = argument as readonly [string, unknown, unknown];
    return resolve(unmet.includes(condition) ? otherwise : met, unmet);
  }
  if (others.length === 0 && name === "Fn::Sub") {
    return String(argument).replaceAll(/\$\{([^}]+)\}/g, (_, key: string) =>
      key.startsWith("!") ? `\${${key.slice(1)}}` : String(named(key)),
    );
  }
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, resolve(inner, unmet)]));
}

function named(key: string): string | readonly string[] {
  return NAMES[key] ?? `arn:aws:iam::${ACCOUNT.accountId}:policy/${key}`;
}

export type MadeRole = {
  readonly arn: string;
  readonly trust: Document;
  readonly attached: readonly string[];
  readonly policies: Readonly<Record<string, Document>>;
};

/** What the function of the stack makes for these events. */
export async function makeRoles(
  python: string,
  decoded: Decoded,
  events: readonly object[],
  subnets: readonly { readonly id: string; readonly tags: Readonly<Record<string, string>> }[] = [],
  // Of a stack that keeps what version 1 made.
  runRole1 = "",
): Promise<{
  answers: readonly { readonly answer?: { readonly roleArn?: string }; readonly error?: string }[];
  roles: Readonly<Record<string, MadeRole>>;
  /** What each start of a command asked ECS for. */
  started: readonly Readonly<Record<string, unknown>>[];
}> {
  const folder = await mkdtemp(path.join(tmpdir(), "slipway-function-"));
  try {
    const file = path.join(folder, "index.py");
    await writeFile(file, decoded.Resources["RolesFunction"]?.Properties.Code?.ZipFile ?? "");
    const script = path.join(import.meta.dirname, "make-role.py");
    const args = [script, file, JSON.stringify(events), JSON.stringify(subnets)];
    const { stdout } = await run(python, args, {
      env: {
        PARTITION: "aws",
        ACCOUNT: ACCOUNT.accountId,
        CONNECTION: ACCOUNT.connectionId,
        RUN_ROLE_1: runRole1,
        POLICIES: ["DeployNetworks", "DeployContainers", "DeployPlaces"].map(named).join(),
      },
    });
    return JSON.parse(stdout) as Awaited<ReturnType<typeof makeRoles>>;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export type Case = {
  readonly policies: readonly Document[];
  readonly action: string;
  readonly resource: string;
  readonly context: Readonly<Record<string, string | readonly string[]>>;
};

/** What IAM would say to each, by the rules of an emulator that is not ours. */
export async function evaluate(python: string, cases: readonly Case[]): Promise<readonly boolean[]> {
  const child = run(python, [path.join(import.meta.dirname, "evaluate.py")], { maxBuffer: 1 << 26 });
  child.child.stdin?.end(JSON.stringify(cases));
  const { stdout } = await child;
  return (JSON.parse(stdout) as string[]).map((decision) => decision === "Allow");
}

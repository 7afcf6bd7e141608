/** Secrets Manager's secrets of a stack, which moto's CloudFormation does not make. */
import { randomBytes, randomUUID } from "node:crypto";
import type { AwsRequest } from "../request.ts";
import type { AskMoto } from "./build-rules.ts";
import type { EmulatedTemplate } from "./stack-answers.ts";

/** The ARNs of a stack's secrets, by their names in its template. */
export type SecretArns = ReadonlyMap<string, string>;

export type SecretRules = {
  /** Generates and joins their values, and stores them at moto. */
  make(request: AwsRequest, stackName: string, template: EmulatedTemplate): Promise<SecretArns>;
  delete(request: AwsRequest, arns: SecretArns): Promise<void>;
};

const TYPE = "AWS::SecretsManager::Secret";
type Generated = { readonly PasswordLength: number };

export function createSecretRules(ask: AskMoto): SecretRules {
  /** By ARN. */
  const values = new Map<string, string>();

  return {
    async make(request, stackName, { Resources }) {
      const arns = new Map<string, string>();
      const stackId = `arn:aws:cloudformation:${request.region}:0:stack/${stackName}/${randomUUID()}`;
      const reference = (name: string) => (name === "AWS::StackId" ? stackId : (arns.get(name) ?? ""));
      for (const [name, { Type, Properties }] of Object.entries(Resources)) {
        if (Type !== TYPE) continue;
        const generated = Properties["GenerateSecretString"] as Generated | undefined;
        const SecretString =
          generated === undefined
            ? resolve(evaluate(Properties["SecretString"], reference), values)
            : randomBytes(generated.PasswordLength).toString("hex").slice(0, generated.PasswordLength);
        const input = { Name: evaluate(Properties["Name"], reference), SecretString };
        const { body } = await ask(request, "secretsmanager", "secretsmanager.CreateSecret", input);
        const { ARN } = JSON.parse(body.toString()) as { ARN: string };
        arns.set(name, ARN);
        values.set(ARN, SecretString);
      }
      return arns;
    },
    async delete(request, arns) {
      for (const SecretId of arns.values())
        await ask(request, "secretsmanager", "secretsmanager.DeleteSecret", { SecretId });
    },
  };
}

/** The text of an expression. An attribute of another resource is its name. */
function evaluate(value: unknown, reference: (name: string) => string): string {
  if (typeof value === "string") return value;
  const [[kind, of] = []] = Object.entries(value as Readonly<Record<string, unknown>>);
  const text = (one: unknown) => evaluate(one, reference);
  switch (kind) {
    case "Ref":
      return reference(String(of));
    case "Fn::Sub":
      return String(of).replaceAll(/\$\{([\w:]+)\}/g, (_, name: string) => reference(name));
    case "Fn::Join": {
      const [separator, parts] = of as [string, readonly unknown[]];
      return parts.map(text).join(separator);
    }
    case "Fn::Select": {
      const [index, { "Fn::Split": split }] = of as [number, { "Fn::Split": [string, unknown] }];
      return text(split[1]).split(split[0])[index] ?? "";
    }
    case "Fn::GetAtt":
      return (of as readonly string[]).join(".");
    default:
      throw new Error(`The emulator does not know ${kind}.`);
  }
}

function resolve(text: string, values: ReadonlyMap<string, string>): string {
  return text.replaceAll(/\{\{resolve:secretsmanager:([^{}]+)\}\}/g, (reference, arn: string) => {
    const value = values.get(arn);
    if (value === undefined) throw new Error(`There is no secret for ${reference}.`);
    return value;
  });
}

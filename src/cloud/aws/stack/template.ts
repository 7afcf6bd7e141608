import { readFileSync } from "node:fs";
import type { FastifyInstance } from "fastify";
import { GLOBAL_REGION } from "../calls/apis.ts";
import type { CloudStack } from "../../cloud.ts";
import { stackNameOf } from "../../adapter-rules.ts";

/** The path of the template at the API's address. The version changes with every change that existing stacks would notice. */
export const TEMPLATE_PATH = "/cloud/aws/connection-v2.yaml";

/**
 * The template of the stack that connects an account.
 * @param options.accountId Slipway's own account; the role trusts no other account
 * @param options.callbackUrl where the stack reports to, without the connection's id
 */
export function renderTemplate(options: { accountId: string; callbackUrl: string }): string {
  const source = readFileSync(new URL("connection-v2.yaml", import.meta.url), "utf8");
  return indentLess(source)
    .replaceAll("__SLIPWAY_ACCOUNT_ID__", options.accountId)
    .replaceAll("__SLIPWAY_CALLBACK_URL__", options.callbackUrl);
}

/** The same in YAML and Python, with the least indentation: a call of CloudFormation takes 51,200 bytes. */
function indentLess(text: string): string {
  /** Of the line and the lines that it is in: the indentation as it was and is, and how much more is within. */
  const open: { readonly was: number; readonly is: number; readonly within: number }[] = [];
  return text.replaceAll(/^( *)(\S.*)$/gm, (_, { length: was }: string, line: string) => {
    while ((open.at(-1)?.was ?? -1) >= was) open.pop();
    const outer = open.at(-1);
    const is = outer === undefined ? 0 : outer.is + outer.within;
    open.push({ was, is, within: line.startsWith("- ") ? 2 : 1 });
    return " ".repeat(is) + line;
  });
}

/** Serves the template. It contains no secret and requires no API key. */
export function registerTemplateRoute(app: FastifyInstance, template: string): void {
  app.get(TEMPLATE_PATH, { schema: { hide: true } }, async (_request, reply) => {
    return await reply.type("application/yaml; charset=utf-8").send(template);
  });
}

/**
 * CloudFormation's quick-create link: it opens the console with template, name and parameter filled in
 * (https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cfn-console-create-stacks-quick-create-links.html).
 */
export function makeStack(templateUrl: string, connectionId: string): CloudStack {
  const stackName = stackNameOf(connectionId);
  const query = new URLSearchParams({
    templateURL: templateUrl,
    stackName,
    param_ServiceId: connectionId,
  });
  return {
    consoleUrl: `https://console.aws.amazon.com/cloudformation/home?region=${GLOBAL_REGION}#/stacks/quickcreate?${query.toString()}`,
    template: {
      url: templateUrl,
      stackName,
      region: GLOBAL_REGION,
      parameters: { ServiceId: connectionId },
    },
  };
}

/**
 * CloudFormation as the tests need it: moto makes most of the resources, at once and without a word of
 * tokens. This driver gives operations their time, their events and their rollbacks, and says whether the
 * containers of an update become healthy, which moto has no containers to say of.
 */
import { randomBytes } from "node:crypto";
import { type AwsAnswer, type AwsRequest, refusal } from "../request.ts";
import type { SecretArns, SecretRules } from "./secret-rules.ts";
import { type AskQuery, changeDatabase, findRestoreObstacle, setCaches, VERSIONS } from "./store-rules.ts";
import { type EmulatedTemplate, eventsXml, forMoto, namesIn, type StackEvent, xml } from "./stack-answers.ts";

const LAG_MS = 30;
type Stack = {
  readonly id: string;
  readonly name: string;
  /** Why it is not created, and moto never hears of it; null if it is. */
  readonly refusal: string | null;
  status: string;
  /** The one in force, in JSON. */
  template: string;
  events: StackEvent[];
  /** The last requested template, which is applied after some time. */
  pending: {
    readonly request: AwsRequest;
    readonly template: EmulatedTemplate;
    readonly token: string;
    readonly readyAtMs: number;
  } | null;
};

/** The fate of changes to stacks whose names begin with a prefix. */
type Trouble = {
  readonly prefix: string;
  /** In the words of a resource that refuses. */
  readonly reason: string;
  /** Which operations fail: creations, updates, the rollbacks after them, deletions. */
  readonly of: readonly ("create" | "update" | "rollback" | "delete")[];
};

export type StackRules = {
  /** Null: not CloudFormation's. */
  answer(request: AwsRequest, accountId: string): Promise<AwsAnswer | null>;
  /** Whether a stack of the account has a resource of this type and name. */
  has(accountId: string, region: string, type: string, name: string): boolean;
  /** From now on, operations fail like this; null: no longer. */
  setTrouble(trouble: Trouble | null): void;
  /** Leaves a stack in a status without an operation. @returns its name */
  leave(prefix: string, status: string): string;
  /** Creates an empty stack of this name, like a change set that was never executed. */
  review(accountId: string, region: string, name: string): void;
  /** Deletes a stack with everything, as a customer does in the console. */
  deleteByHand(prefix: string): Promise<void>;
  /** Deletes a resource past its stack. */
  deleteResource(type: string): void;
  readonly names: readonly string[];
  /** What each stack of an account has, and what an operation under way is to make of it. */
  of(
    accountId: string,
  ): readonly { readonly name: string; readonly now: EmulatedTemplate; readonly next: EmulatedTemplate }[];
  /** The type of each resource that an account's stacks have. */
  typesOf(accountId: string): readonly string[];
  /** How many operations were begun. */
  readonly operations: readonly Operation[];
};

type Operation = {
  readonly api: string;
  readonly name: string;
  readonly token: string;
  /** Of the role that CloudFormation was given. */
  readonly roleArn: string;
  /** Which updates the stack refuses, in JSON; empty: none. */
  readonly policy: string;
  readonly template: EmulatedTemplate;
};

export function createStackRules(options: {
  forward: (request: AwsRequest) => Promise<AwsAnswer>;
  /** The fate of a template's containers. */
  healthOf: (template: EmulatedTemplate) => "healthy" | "unhealthy" | "trips-breaker";
  onUpdated: (request: AwsRequest, template: EmulatedTemplate) => Promise<void>;
  onDeleting: (request: AwsRequest, name: string) => Promise<void>;
  /** Why a stack, by account, region and name, cannot be deleted. */
  obstacleTo: (request: AwsRequest, key: string) => Promise<string | null>;
  secrets: SecretRules;
}): StackRules {
  const { forward, healthOf, onUpdated, onDeleting, obstacleTo, secrets } = options;
  const stacks = new Map<string, Stack>();
  /** By id. Their events are kept, for 90 days on AWS. */
  const deleted = new Map<string, Stack>();
  const resources = new Map<string, Set<string>>();
  /** The operations that created the stacks. */
  const requests = new Map<string, AwsRequest & { readonly template: string }>();
  const operations: Operation[] = [];
  const secretsOf = new Map<string, SecretArns>();
  let trouble: Trouble | null = null;

  /** As CloudFormation has it, exports that other stacks import stay. */
  function importersOf(key: string, { name }: Stack): string | null {
    const place = key.slice(0, key.lastIndexOf("/"));
    const importers = [...stacks].flatMap(([other, stack]) =>
      other.startsWith(place) && stack.template.includes(`"Fn::ImportValue":"${name}-`) ? [stack.name] : [],
    );
    return importers.length === 0 ? null : `Exports are in use by ${importers.join(", ")}`;
  }

  const reasonFor = ({ name }: Pick<Stack, "name">, operation: Trouble["of"][number]): string | null =>
    trouble !== null && name.startsWith(trouble.prefix) && trouble.of.includes(operation)
      ? trouble.reason
      : null;

  function find(prefix: string): [string, Stack] {
    const found = [...stacks].find(([, { name }]) => name.startsWith(prefix));
    if (found === undefined) throw new Error(`There is no stack ${prefix}.`);
    return found;
  }

  function say(stack: Stack, status: string, token: string, more: Partial<StackEvent> = {}): void {
    if (more.resource === undefined) stack.status = status;
    stack.events.unshift({ status, token, atMs: Date.now(), ...more });
  }

  async function templateOf(fields: URLSearchParams, request: AwsRequest): Promise<EmulatedTemplate> {
    const url = fields.get("TemplateURL");
    if (url === null) return JSON.parse(fields.get("TemplateBody") ?? "{}") as EmulatedTemplate;
    const { hostname, pathname } = new URL(url);
    const path = `/${hostname.slice(0, hostname.indexOf("."))}${pathname}`;
    const authorization = (request.headers.authorization ?? "").replace("/cloudformation/", "/s3/");
    const headers = { authorization, host: "s3.amazonaws.com" };
    const answer = await forward({
      ...request,
      api: "s3:GetObject",
      method: "GET",
      path,
      headers,
      body: Buffer.alloc(0),
    });
    return JSON.parse(answer.body.toString()) as EmulatedTemplate;
  }

  async function pass(
    request: AwsRequest,
    key: string,
    fields: URLSearchParams,
    template: EmulatedTemplate,
  ): Promise<AwsAnswer> {
    const kept = new URLSearchParams(fields);
    kept.delete("TemplateURL");
    const name = key.slice(key.lastIndexOf("/") + 1);
    const made = secretsOf.get(key) ?? (await secrets.make(request, name, template));
    secretsOf.set(key, made);
    const passed = forMoto(template, await exportsOf(request, key), name, made);
    kept.set("TemplateBody", JSON.stringify(passed));
    const body = Buffer.from(kept.toString());
    const headers = { ...request.headers, "content-length": String(body.byteLength) };
    return await forward({ ...request, headers, body });
  }

  /** Sends calls of AWS's query protocol to moto. @returns the texts of the answers */
  const query =
    (request: AwsRequest): AskQuery =>
    async (service, fields) => {
      const authorization = (request.headers.authorization ?? "").replace("/cloudformation/", `/${service}/`);
      const asked = { Version: VERSIONS[service], ...fields };
      const body = Buffer.from(new URLSearchParams(asked).toString());
      const host = `${service}.${request.region}.amazonaws.com`;
      const length = String(body.byteLength);
      const headers = { ...request.headers, authorization, host, "content-length": length };
      return (await forward({ ...request, headers, body })).body.toString();
    };

  /** The names and values in the members of moto's answer, by the tags of both. */
  async function askMoto(
    request: AwsRequest,
    service: keyof typeof VERSIONS,
    fields: Parameters<AskQuery>[1],
    tags: readonly [string, string],
  ): Promise<ReadonlyMap<string, string>> {
    const text = await query(request)(service, fields);
    const [name, value] = tags.map((tag) => `<${tag}>([^<]+)</${tag}>`);
    const found = text.matchAll(new RegExp(`${name}\\s*${value}`, "g"));
    return new Map([...found].map(([, key = "", one = ""]) => [key, one]));
  }

  /** What the templates in force export: moto keeps the exports that a stack had when it was made. */
  async function exportsOf(request: AwsRequest, key: string): Promise<ReadonlyMap<string, string>> {
    const place = key.slice(0, key.lastIndexOf("/"));
    const exports = new Map<string, string>();
    for (const [other, { name, template }] of stacks) {
      const { Outputs = {} } = JSON.parse(template) as EmulatedTemplate;
      const exported = Object.entries(Outputs).filter(([, { Export }]) => Export !== undefined);
      if (!other.startsWith(place) || exported.length === 0) continue;
      const fields = { Action: "DescribeStacks", StackName: name };
      const outputs = await askMoto(request, "cloudformation", fields, ["OutputKey", "OutputValue"]);
      for (const [output, { Export }] of exported) exports.set(Export?.Name ?? "", outputs.get(output) ?? "");
    }
    return exports;
  }

  /** moto leaves listeners and rules behind, which only matters at a load balancer that stays. */
  async function dropRoutes(request: AwsRequest, stack: Stack, next: EmulatedTemplate): Promise<void> {
    const present = JSON.parse(stack.template) as EmulatedTemplate;
    const kinds = [
      ["AWS::ElasticLoadBalancingV2::ListenerRule", "DeleteRule", "RuleArn"],
      ["AWS::ElasticLoadBalancingV2::Listener", "DeleteListener", "ListenerArn"],
    ] as const;
    const fields = { Action: "DescribeStackResources", StackName: stack.name };
    const tags = ["LogicalResourceId", "PhysicalResourceId"] as const;
    const ids = await askMoto(request, "cloudformation", fields, tags);
    for (const [type, Action, tag] of kinds) {
      for (const [name, { Type }] of Object.entries(present.Resources ?? {})) {
        const id = ids.get(name);
        if (Type !== type || next.Resources[name] !== undefined || id === undefined) continue;
        await query(request)("elasticloadbalancing", { Action, [tag]: id });
      }
    }
  }

  async function settle(key: string, stack: Stack): Promise<void> {
    const { pending } = stack;
    if (pending === null || Date.now() < pending.readyAtMs) return;
    const { token, template, request } = pending;
    if (stack.status === "CREATE_IN_PROGRESS") {
      stack.pending = null;
      if (stack.refusal !== null) {
        say(stack, "CREATE_FAILED", token, { resource: "Files", reason: stack.refusal });
        return say(stack, "ROLLBACK_COMPLETE", token);
      }
      resources.set(key, namesIn(template));
      await setCaches(template, query(request), true);
      return say(stack, "CREATE_COMPLETE", token);
    }
    if (stack.status === "DELETE_IN_PROGRESS") {
      stack.pending = null;
      const reason =
        reasonFor(stack, "delete") ?? importersOf(key, stack) ?? (await obstacleTo(request, key));
      if (reason === null) return await drop(key, stack, request);
      say(stack, "DELETE_FAILED", token, { resource: "Files", reason });
      return say(stack, "DELETE_FAILED", token);
    }
    if (stack.status === "UPDATE_ROLLBACK_IN_PROGRESS") {
      stack.pending = null;
      const reason = reasonFor(stack, "rollback");
      if (reason !== null) say(stack, "UPDATE_FAILED", token, { resource: "Service", reason });
      return say(stack, reason === null ? "UPDATE_ROLLBACK_COMPLETE" : "UPDATE_ROLLBACK_FAILED", token);
    }
    const health = healthOf(template);
    if (health === "unhealthy") return;
    stack.pending = null;
    const reason =
      health === "trips-breaker"
        ? "Resource handler returned message: ECS Deployment Circuit Breaker was triggered"
        : reasonFor(stack, "update");
    if (reason !== null) {
      say(stack, "UPDATE_FAILED", token, { resource: "Service", reason });
      say(stack, "UPDATE_ROLLBACK_IN_PROGRESS", token);
      stack.pending = { ...pending, readyAtMs: Date.now() + LAG_MS };
      return;
    }
    await dropRoutes(request, stack, template);
    // moto's stacks do not change a database.
    const unchanged = JSON.parse(requests.get(key)?.template ?? "{}") as Partial<EmulatedTemplate>;
    const Resources = Object.fromEntries(
      Object.entries(template.Resources).map(([name, resource]) => {
        const made = unchanged.Resources?.[name];
        return [name, resource.Type === "AWS::RDS::DBInstance" && made !== undefined ? made : resource];
      }),
    );
    const fields = new URLSearchParams(request.body.toString());
    const answer = await pass(request, key, fields, { ...template, Resources });
    if (answer.status !== 200) throw new Error(`moto did not take the update: ${answer.body.toString()}`);
    await onUpdated(request, template);
    await changeDatabase(template, query(request));
    stack.template = JSON.stringify(template);
    say(stack, "UPDATE_COMPLETE", token, { resource: "Service" });
    say(stack, "UPDATE_COMPLETE", token);
  }

  async function drop(key: string, stack: Stack, request: AwsRequest): Promise<void> {
    if (stack.refusal === null) {
      await onDeleting(request, stack.name);
      await setCaches(JSON.parse(stack.template) as EmulatedTemplate, query(request), false);
      await dropRoutes(request, stack, { Resources: {} });
      const fields = { Action: "DeleteStack", Version: "2010-05-15", StackName: stack.name };
      const body = Buffer.from(new URLSearchParams(fields).toString());
      const headers = { ...request.headers, "content-length": String(body.byteLength) };
      const answer = await forward({ ...request, headers, body });
      if (answer.status !== 200)
        throw new Error(`moto did not delete ${stack.name}: ${answer.body.toString()}`);
    }
    await secrets.delete(request, secretsOf.get(key) ?? new Map());
    secretsOf.delete(key);
    stacks.delete(key);
    deleted.set(stack.id, stack);
    resources.delete(key);
  }

  async function create(request: AwsRequest, key: string, fields: URLSearchParams): Promise<AwsAnswer> {
    const { api } = request;
    const name = fields.get("StackName") ?? "";
    if (stacks.has(key)) return refusal(api, 400, "AlreadyExistsException", `Stack [${name}] already exists`);
    const template = await templateOf(fields, request);
    // A stack that will be rolled back leaves nothing, so moto never gets it.
    const obstacle = reasonFor({ name }, "create") ?? (await findRestoreObstacle(template, query(request)));
    const played = `arn:aws:cloudformation:${request.region}:000000000000:stack/${name}/${randomBytes(6).toString("hex")}`;
    const answer =
      obstacle !== null
        ? xml("CreateStack", `<StackId>${played}</StackId>`)
        : await pass(request, key, fields, template);
    const id = /<StackId>([^<]+)</.exec(answer.body.toString())?.[1];
    if (id === undefined) return answer;
    const token = fields.get("ClientRequestToken") ?? "";
    const stack: Stack = {
      id,
      name,
      refusal: obstacle,
      status: "",
      template: JSON.stringify(template),
      events: [],
      pending: null,
    };
    say(stack, "CREATE_IN_PROGRESS", token);
    stack.pending = { request, template, token, readyAtMs: Date.now() + LAG_MS };
    stacks.set(key, stack);
    requests.set(key, { ...request, template: stack.template });
    operations.push({
      api,
      name,
      token,
      roleArn: fields.get("RoleARN") ?? "",
      policy: fields.get("StackPolicyBody") ?? "",
      template: stack.pending.template,
    });
    return answer;
  }

  return {
    operations,
    get names() {
      return [...stacks.values()].map(({ name }) => name);
    },
    typesOf: (accountId) =>
      [...stacks].flatMap(([key, { template }]) =>
        key.startsWith(`${accountId}/`)
          ? Object.values((JSON.parse(template) as EmulatedTemplate).Resources).map(({ Type }) => Type)
          : [],
      ),
    of: (accountId) =>
      [...stacks].flatMap(([key, { name, template, pending, status }]) => {
        if (!key.startsWith(`${accountId}/`)) return [];
        const now = JSON.parse(template) as EmulatedTemplate;
        return [{ name, now, next: status.includes("ROLLBACK") ? now : (pending?.template ?? now) }];
      }),
    setTrouble(wanted) {
      trouble = wanted;
    },
    leave(prefix, status) {
      const [, stack] = find(prefix);
      stack.status = status;
      return stack.name;
    },
    review(accountId, region, name) {
      const id = `arn:aws:cloudformation:${region}:000000000000:stack/${name}/review`;
      const status = "REVIEW_IN_PROGRESS";
      stacks.set(`${accountId}/${region}/${name}`, {
        id,
        name,
        refusal: "It was only reviewed.",
        status,
        template: "{}",
        events: [],
        pending: null,
      });
    },
    async deleteByHand(prefix) {
      const [key, stack] = find(prefix);
      const request = requests.get(key);
      if (request === undefined) throw new Error(`Nobody made ${stack.name}.`);
      await drop(key, stack, request);
    },
    deleteResource(type) {
      for (const names of resources.values()) {
        for (const name of names) if (name.startsWith(`${type} `)) names.delete(name);
      }
    },
    has: (accountId, region, type, name) =>
      [...resources].some(
        ([key, names]) => key.startsWith(`${accountId}/${region}/`) && names.has(`${type} ${name}`),
      ),

    async answer(request, accountId) {
      const { api, region } = request;
      if (!api.startsWith("cloudformation:")) return null;
      const fields = new URLSearchParams(request.body.toString());
      const asked = fields.get("StackName") ?? "";
      const name = asked.startsWith("arn:") ? (asked.split("/")[1] ?? "") : asked;
      const key = `${accountId}/${region}/${name}`;
      const known = stacks.get(key);
      if (known !== undefined) await settle(key, known);
      if (api === "cloudformation:CreateStack") return await create(request, key, fields);
      const stack = stacks.get(key);
      if (stack === undefined) {
        // CloudFormation accepts the deletion of a stack that does not exist.
        if (api === "cloudformation:DeleteStack") return xml("DeleteStack", "");
        const gone = deleted.get(asked);
        if (gone !== undefined && api === "cloudformation:DescribeStackEvents")
          return xml("DescribeStackEvents", eventsXml(gone));
        return refusal(api, 400, "ValidationError", `Stack with id ${asked} does not exist`);
      }
      const token = fields.get("ClientRequestToken") ?? stack.pending?.token ?? "";
      switch (api) {
        case "cloudformation:DescribeStacks": {
          if (stack.refusal !== null) {
            const seen = `<StackId>${stack.id}</StackId><StackName>${name}</StackName><StackStatus>${stack.status}</StackStatus>`;
            return xml("DescribeStacks", `<Stacks><member>${seen}</member></Stacks>`);
          }
          const answer = await forward(request);
          const text = answer.body.toString().replace(/<StackStatus>[^<]*</, `<StackStatus>${stack.status}<`);
          return { ...answer, body: Buffer.from(text) };
        }
        case "cloudformation:DescribeStackEvents":
          return xml("DescribeStackEvents", eventsXml(stack));
        case "cloudformation:UpdateStack": {
          if (!/^(?:CREATE|UPDATE|UPDATE_ROLLBACK|IMPORT)_COMPLETE$/.test(stack.status)) {
            const words = `Stack:${stack.id} is in ${stack.status} state and can not be updated.`;
            return refusal(api, 400, "ValidationError", words);
          }
          // As CloudFormation has it: one operation a token, also when it has ended before the call came again.
          if (operations.some((begun) => begun.api === api && begun.name === name && begun.token === token)) {
            const words = `Client Request Token already exists: ${token}`;
            return refusal(api, 400, "TokenAlreadyExistsException", words);
          }
          const template = await templateOf(fields, request);
          if (JSON.stringify(template) === stack.template)
            return refusal(api, 400, "ValidationError", "No updates are to be performed.");
          say(stack, "UPDATE_IN_PROGRESS", token);
          say(stack, "UPDATE_IN_PROGRESS", token, { resource: "Service" });
          stack.pending = { request, template, token, readyAtMs: Date.now() + LAG_MS };
          operations.push({
            api,
            name,
            token,
            roleArn: fields.get("RoleARN") ?? "",
            policy: fields.get("StackPolicyBody") ?? "",
            template: stack.pending.template,
          });
          return xml("UpdateStack", `<StackId>${stack.id}</StackId>`);
        }
        case "cloudformation:CancelUpdateStack": {
          if (stack.status !== "UPDATE_IN_PROGRESS" || stack.pending === null) {
            const words = "CancelUpdateStack cannot be called from current stack status";
            return refusal(api, 400, "ValidationError", words);
          }
          const { token: broken } = stack.pending;
          say(stack, "UPDATE_ROLLBACK_IN_PROGRESS", broken, { reason: "User Initiated" });
          stack.pending = { ...stack.pending, readyAtMs: Date.now() + LAG_MS };
          return xml("CancelUpdateStack", "");
        }
        case "cloudformation:ContinueUpdateRollback": {
          if (stack.status !== "UPDATE_ROLLBACK_FAILED") {
            const words = `Stack [${name}] is in ${stack.status} state and can not be rolled back`;
            return refusal(api, 400, "ValidationError", words);
          }
          say(stack, "UPDATE_ROLLBACK_IN_PROGRESS", token);
          // A stack in this status has no update of its own.
          const template = stack.pending?.template ?? { Resources: {} };
          stack.pending = { request, template, token, readyAtMs: Date.now() + LAG_MS };
          operations.push({
            api,
            name,
            token,
            roleArn: fields.get("RoleARN") ?? "",
            policy: fields.get("StackPolicyBody") ?? "",
            template: stack.pending.template,
          });
          return xml("ContinueUpdateRollback", "");
        }
        case "cloudformation:DeleteStack": {
          say(stack, "DELETE_IN_PROGRESS", token);
          stack.pending = { request, template: { Resources: {} }, token, readyAtMs: Date.now() + LAG_MS };
          operations.push({
            api,
            name,
            token,
            roleArn: fields.get("RoleARN") ?? "",
            policy: fields.get("StackPolicyBody") ?? "",
            template: stack.pending.template,
          });
          return xml("DeleteStack", "");
        }
        default:
          throw new Error(`The emulator does not know ${api}.`);
      }
    },
  };
}

/**
 * CloudFormation as the tests need it: moto makes most of the resources, at once and without a word of
 * tokens. This driver gives operations their time, their events and their rollbacks, and says whether the
 * containers of an update become healthy, which moto has no containers to say of.
 */
import { randomBytes } from "node:crypto";
import { type AwsAnswer, type AwsRequest, refusal } from "./request.ts";

const LAG_MS = 30;
/** What moto does not make, with what the rest of a template reads of it. */
const PLAYED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "AWS::CloudFront::VpcOrigin": { Id: "vo_emulated" },
  "AWS::CloudFront::OriginAccessControl": { Ref: "EMULATEDACCESS" },
  "AWS::CloudFront::Function": { FunctionARN: "arn:aws:cloudfront::000000000000:function/emulated" },
  "AWS::CodeBuild::Project": {},
  "AWS::ApplicationAutoScaling::ScalableTarget": { Ref: "emulated" },
  "AWS::ApplicationAutoScaling::ScalingPolicy": {},
};

export type EmulatedTemplate = {
  readonly Resources: Readonly<Record<string, { Type: string; Properties: Record<string, unknown> }>>;
};

type Event = {
  readonly status: string;
  readonly token: string;
  readonly atMs: number;
  readonly reason?: string;
  readonly resource?: string;
};

type Stack = {
  readonly id: string;
  readonly name: string;
  /** Its creation is rolled back. */
  readonly isFailing: boolean;
  status: string;
  events: Event[];
  pending: {
    readonly request: AwsRequest;
    readonly template: EmulatedTemplate;
    readonly token: string;
    readonly readyAtMs: number;
  } | null;
};

export type StackRules = {
  /** Null: not CloudFormation's. */
  answer(request: AwsRequest, accountId: string): Promise<AwsAnswer | null>;
  /** Whether a stack of the account has a resource of this type and name. */
  has(accountId: string, region: string, type: string, name: string): boolean;
  /** From now on, creations of stacks whose name begins so fail and are rolled back. */
  failCreations(prefix: string | null): void;
  /** How many operations were begun. */
  readonly operations: readonly { readonly api: string; readonly name: string; readonly token: string }[];
};

export function createStackRules(options: {
  forward: (request: AwsRequest) => Promise<AwsAnswer>;
  /** What becomes of the containers of a template. */
  healthOf: (template: EmulatedTemplate) => "healthy" | "unhealthy" | "trips-breaker";
  onUpdated: (request: AwsRequest, template: EmulatedTemplate) => Promise<void>;
  onDeleting: (request: AwsRequest, name: string) => Promise<void>;
}): StackRules {
  const { forward, healthOf, onUpdated, onDeleting } = options;
  const stacks = new Map<string, Stack>();
  const resources = new Map<string, Set<string>>();
  const operations: { api: string; name: string; token: string }[] = [];
  let failing: string | null = null;

  function say(stack: Stack, status: string, token: string, more: Partial<Event> = {}): void {
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
    fields: URLSearchParams,
    template: EmulatedTemplate,
  ): Promise<AwsAnswer> {
    const kept = new URLSearchParams(fields);
    kept.delete("TemplateURL");
    kept.set("TemplateBody", JSON.stringify(forMoto(template, await exportsOf(request))));
    const body = Buffer.from(kept.toString());
    const headers = { ...request.headers, "content-length": String(body.byteLength) };
    return await forward({ ...request, headers, body });
  }

  /** moto shows a stack the exports that were there when it was made, and not always those. */
  async function exportsOf(request: AwsRequest): Promise<ReadonlyMap<string, string>> {
    const body = Buffer.from(
      new URLSearchParams({ Action: "ListExports", Version: "2010-05-15" }).toString(),
    );
    const headers = { ...request.headers, "content-length": String(body.byteLength) };
    const text = (await forward({ ...request, headers, body })).body.toString();
    const members = text.matchAll(/<Name>([^<]+)<\/Name>\s*<Value>([^<]+)<\/Value>/g);
    return new Map([...members].map(([, name = "", value = ""]) => [name, value]));
  }

  async function settle(key: string, stack: Stack): Promise<void> {
    const { pending } = stack;
    if (pending === null || Date.now() < pending.readyAtMs) return;
    const { token, template, request } = pending;
    if (stack.status === "CREATE_IN_PROGRESS") {
      stack.pending = null;
      if (stack.isFailing) {
        say(stack, "CREATE_FAILED", token, { resource: "Files", reason: "Bucket name is taken." });
        return say(stack, "ROLLBACK_COMPLETE", token);
      }
      resources.set(key, namesIn(template));
      return say(stack, "CREATE_COMPLETE", token);
    }
    if (stack.status === "UPDATE_ROLLBACK_IN_PROGRESS") {
      stack.pending = null;
      return say(stack, "UPDATE_ROLLBACK_COMPLETE", token);
    }
    const health = healthOf(template);
    if (health === "unhealthy") return;
    stack.pending = null;
    if (health === "trips-breaker") {
      const reason = "Resource handler returned message: ECS Deployment Circuit Breaker was triggered";
      say(stack, "UPDATE_FAILED", token, { resource: "Service", reason });
      return say(stack, "UPDATE_ROLLBACK_COMPLETE", token);
    }
    const answer = await pass(request, new URLSearchParams(request.body.toString()), template);
    if (answer.status !== 200) throw new Error(`moto did not take the update: ${answer.body.toString()}`);
    await onUpdated(request, template);
    say(stack, "UPDATE_COMPLETE", token);
  }

  async function create(request: AwsRequest, key: string, fields: URLSearchParams): Promise<AwsAnswer> {
    const { api } = request;
    const name = fields.get("StackName") ?? "";
    if (stacks.has(key)) return refusal(api, 400, "AlreadyExistsException", `Stack [${name}] already exists`);
    const template = await templateOf(fields, request);
    // One that will be rolled back leaves nothing, so moto never hears of it.
    const isFailing = failing !== null && name.startsWith(failing);
    const played = `arn:aws:cloudformation:${request.region}:000000000000:stack/${name}/${randomBytes(6).toString("hex")}`;
    const answer = isFailing
      ? xml("CreateStack", `<StackId>${played}</StackId>`)
      : await pass(request, fields, template);
    const id = /<StackId>([^<]+)</.exec(answer.body.toString())?.[1];
    if (id === undefined) return answer;
    const token = fields.get("ClientRequestToken") ?? "";
    const stack: Stack = { id, name, isFailing, status: "", events: [], pending: null };
    say(stack, "CREATE_IN_PROGRESS", token);
    stack.pending = { request, template, token, readyAtMs: Date.now() + LAG_MS };
    stacks.set(key, stack);
    operations.push({ api, name, token });
    return answer;
  }

  return {
    operations,
    failCreations(prefix) {
      failing = prefix;
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
        // Deleting what is gone is no error there.
        if (api === "cloudformation:DeleteStack") return xml("DeleteStack", "");
        return refusal(api, 400, "ValidationError", `Stack with id ${asked} does not exist`);
      }
      const token = fields.get("ClientRequestToken") ?? stack.pending?.token ?? "";
      switch (api) {
        case "cloudformation:DescribeStacks": {
          if (stack.isFailing) {
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
          if (stack.status.endsWith("_IN_PROGRESS") || stack.status === "ROLLBACK_COMPLETE") {
            const words = `Stack:${stack.id} is in ${stack.status} state and can not be updated.`;
            return refusal(api, 400, "ValidationError", words);
          }
          // As CloudFormation has it: one operation a token, also when it has ended before the call came again.
          if (operations.some((begun) => begun.api === api && begun.name === name && begun.token === token)) {
            const words = `Client Request Token already exists: ${token}`;
            return refusal(api, 400, "TokenAlreadyExistsException", words);
          }
          const template = await templateOf(fields, request);
          say(stack, "UPDATE_IN_PROGRESS", token);
          stack.pending = { request, template, token, readyAtMs: Date.now() + LAG_MS };
          operations.push({ api, name, token });
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
        case "cloudformation:DeleteStack": {
          if (!stack.isFailing) await onDeleting(request, name);
          const answer = stack.isFailing ? xml("DeleteStack", "") : await forward(request);
          stacks.delete(key);
          resources.delete(key);
          operations.push({ api, name, token });
          return answer;
        }
        default:
          throw new Error(`The emulator does not know ${api}.`);
      }
    },
  };
}

function namesIn({ Resources }: EmulatedTemplate): Set<string> {
  const named = Object.values(Resources).map(
    ({ Type, Properties }) => `${Type} ${String(Properties["Name"])}`,
  );
  return new Set(named);
}

/** The template without what moto lacks, whose attributes become the texts that are played. */
function forMoto(template: EmulatedTemplate, exports: ReadonlyMap<string, string>): unknown {
  const lacking = new Map(
    Object.entries(template.Resources).flatMap(([name, { Type }]) => {
      const played = PLAYED[Type];
      return played === undefined ? [] : [[name, played] as const];
    }),
  );
  const kept = Object.entries(template.Resources).filter(([name]) => !lacking.has(name));
  const text = JSON.stringify({ ...template, Resources: Object.fromEntries(kept) });
  return JSON.parse(text, (_key, value: unknown) => {
    if (typeof value !== "object" || value === null) return value;
    const reference: unknown = Reflect.get(value, "Ref");
    const imported: unknown = Reflect.get(value, "Fn::ImportValue");
    const attribute: unknown = Reflect.get(value, "Fn::GetAtt");
    if (typeof reference === "string") return lacking.get(reference)?.["Ref"] ?? value;
    if (typeof imported === "string") return exports.get(imported) ?? value;
    if (!Array.isArray(attribute)) return value;
    return lacking.get(String(attribute[0]))?.[String(attribute[1])] ?? value;
  });
}

function eventsXml({ id, name, events }: Stack): string {
  const members = events.map(
    ({ status, token, atMs, reason, resource }) =>
      `<member><EventId>${randomBytes(6).toString("hex")}</EventId><StackId>${id}</StackId><StackName>${name}</StackName>` +
      `<LogicalResourceId>${resource ?? name}</LogicalResourceId><PhysicalResourceId>${resource ?? id}</PhysicalResourceId>` +
      `<ResourceType>${resource === undefined ? "AWS::CloudFormation::Stack" : "AWS::Emulated::Thing"}</ResourceType>` +
      `<Timestamp>${new Date(atMs).toISOString()}</Timestamp><ResourceStatus>${status}</ResourceStatus>` +
      (reason === undefined ? "" : `<ResourceStatusReason>${reason}</ResourceStatusReason>`) +
      `<ClientRequestToken>${token}</ClientRequestToken></member>`,
  );
  return `<StackEvents>${members.join("")}</StackEvents>`;
}

function xml(operation: string, result: string): AwsAnswer {
  const body = `<${operation}Response xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><${operation}Result>${result}</${operation}Result><ResponseMetadata><RequestId>emulator</RequestId></ResponseMetadata></${operation}Response>`;
  return { status: 200, headers: { "content-type": "text/xml" }, body: Buffer.from(body) };
}

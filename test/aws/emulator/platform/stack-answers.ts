/** What of a template moto is given, and CloudFormation's answers in its own form. */
import { randomBytes } from "node:crypto";
import type { AwsAnswer } from "../request.ts";

const VPC_ORIGIN = "vo_emulated";
/** The VPC origin of a stack. */
export const vpcOriginOf = (stackName: string) => `vo_${stackName}`;

/** What moto does not make, with what the rest of a template reads of it. */
const PLAYED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "AWS::CloudFront::VpcOrigin": { Id: VPC_ORIGIN },
  "AWS::CloudFront::OriginAccessControl": { Ref: "EMULATEDACCESS" },
  "AWS::CloudFront::Function": { FunctionARN: "arn:aws:cloudfront::000000000000:function/emulated" },
  "AWS::CodeBuild::Project": {},
  "AWS::ApplicationAutoScaling::ScalableTarget": { Ref: "emulated" },
  "AWS::ApplicationAutoScaling::ScalingPolicy": {},
  "AWS::SecretsManager::Secret": {},
  "AWS::ElastiCache::SubnetGroup": { Ref: "emulated" },
  "AWS::ElastiCache::ReplicationGroup": {
    "PrimaryEndPoint.Address": "cache.emulated.example.com",
    "PrimaryEndPoint.Port": "6379",
  },
  // moto makes these, and does not delete them with their stack, so that the network stays as well.
  "AWS::EC2::RouteTable": { Ref: "rtb-emulated" },
  "AWS::EC2::Route": {},
  "AWS::EC2::SubnetRouteTableAssociation": {},
};

type EmulatedOutput = { readonly Value: unknown; readonly Export?: { readonly Name: string } };
export type EmulatedTemplate = {
  readonly Outputs?: Readonly<Record<string, EmulatedOutput>>;
  readonly Resources: Readonly<Record<string, { Type: string; Properties: Record<string, unknown> }>>;
};

export type StackEvent = {
  readonly status: string;
  readonly token: string;
  readonly atMs: number;
  readonly reason?: string;
  readonly resource?: string;
};

export function namesIn({ Resources }: EmulatedTemplate): Set<string> {
  const named = Object.values(Resources).map(
    ({ Type, Properties }) => `${Type} ${String(Properties["Name"])}`,
  );
  return new Set(named);
}

/**
 * The template without what moto lacks, whose attributes become the texts that are played.
 * @param made what the emulator made of it, by name
 */
export function forMoto(
  template: EmulatedTemplate,
  exports: ReadonlyMap<string, string>,
  stackName: string,
  made: ReadonlyMap<string, string>,
): unknown {
  const lacking = new Map(
    Object.entries(template.Resources).flatMap(([name, { Type }]) => {
      const arn = made.get(name);
      const played = arn === undefined ? PLAYED[Type] : { Ref: arn };
      return played === undefined ? [] : [[name, played] as const];
    }),
  );
  const kept = Object.entries(template.Resources).filter(([name]) => !lacking.has(name));
  const Outputs = Object.fromEntries(
    Object.entries(template.Outputs ?? {}).map(([name, { Value }]) => [name, { Value }]),
  );
  const text = JSON.stringify({ ...template, Outputs, Resources: Object.fromEntries(kept) });
  return JSON.parse(text, (_key, value: unknown) => {
    if (typeof value !== "object" || value === null) return value;
    const reference: unknown = Reflect.get(value, "Ref");
    const imported: unknown = Reflect.get(value, "Fn::ImportValue");
    const attribute: unknown = Reflect.get(value, "Fn::GetAtt");
    const substituted: unknown = Reflect.get(value, "Fn::Sub");
    if (typeof substituted === "string") {
      const text = substituted.replaceAll(
        /\$\{(\w+)\}/g,
        (all, name: string) => lacking.get(name)?.["Ref"] ?? all,
      );
      return { "Fn::Sub": text };
    }
    if (typeof reference === "string") return lacking.get(reference)?.["Ref"] ?? value;
    if (typeof imported === "string") return exports.get(imported) ?? value;
    if (!Array.isArray(attribute)) return value;
    const played = lacking.get(String(attribute[0]))?.[String(attribute[1])];
    return played === VPC_ORIGIN ? vpcOriginOf(stackName) : (played ?? value);
  });
}

export function eventsXml({
  id,
  name,
  events,
}: {
  readonly id: string;
  readonly name: string;
  readonly events: readonly StackEvent[];
}): string {
  const members = events.map(
    ({ status, token, atMs, reason, resource }) =>
      `<member><EventId>${randomBytes(6).toString("hex")}</EventId><StackId>${id}</StackId><StackName>${name}</StackName>` +
      `<LogicalResourceId>${resource ?? name}</LogicalResourceId><PhysicalResourceId>${resource === undefined ? id : physicalIdOf(resource)}</PhysicalResourceId>` +
      `<ResourceType>${resource === undefined ? "AWS::CloudFormation::Stack" : "AWS::Emulated::Thing"}</ResourceType>` +
      `<Timestamp>${new Date(atMs).toISOString()}</Timestamp><ResourceStatus>${status}</ResourceStatus>` +
      (reason === undefined ? "" : `<ResourceStatusReason>${reason}</ResourceStatusReason>`) +
      `<ClientRequestToken>${token}</ClientRequestToken></member>`,
  );
  return `<StackEvents>${members.join("")}</StackEvents>`;
}

function physicalIdOf(resource: string): string {
  return resource === "Service" ? "arn:aws:ecs:us-west-2:000000000000:service/cluster/emulated" : resource;
}

export function xml(operation: string, result: string): AwsAnswer {
  const body = `<${operation}Response xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><${operation}Result>${result}</${operation}Result><ResponseMetadata><RequestId>emulator</RequestId></ResponseMetadata></${operation}Response>`;
  return { status: 200, headers: { "content-type": "text/xml" }, body: Buffer.from(body) };
}

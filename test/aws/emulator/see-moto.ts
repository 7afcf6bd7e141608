/** What a customer's account has at moto and in the rules before it, for requests (`../traffic.ts`). */
import type { Seen } from "../traffic.ts";
import { ofMoto } from "./customer.ts";
import type { Emulator } from "./emulator.ts";
import { type EmulatedTemplate, vpcOriginOf } from "./platform/stack-answers.ts";

const ELB = "elasticloadbalancing";
const CLOUDFORMATION = "cloudformation";

type Place = { readonly motoUrl: string; readonly roleArn: string; readonly region: string };
type Resource = EmulatedTemplate["Resources"][string];

export async function seeMoto(
  emulator: Emulator,
  place: Place,
): Promise<(accountId: string) => Promise<Seen>> {
  const ask = await ofMoto(place.motoUrl, place.roleArn, place.region);
  const pairs = (text: string, one: string, other: string) =>
    [...text.matchAll(new RegExp(`<${one}>([^<]+)</${one}>\\s*<${other}>([^<]+)</${other}>`, "g"))].map(
      ([, key = "", value = ""]) => [key, value] as const,
    );

  return async (accountId) => {
    const stacks = emulator.platform.stacks.of(accountId);
    /** Physical ids of what an operation under way takes away. */
    const leaving = new Set<string>();
    const healthy = new Map<string, string>();
    const vpcOrigins = new Map<string, string>();
    const known: { by: string; url: string }[] = [];
    const texts = await Promise.all(
      stacks.map(({ name }) => ask(CLOUDFORMATION, "DescribeStackResources", { StackName: name })),
    );
    for (const [index, { name, now, next }] of stacks.entries()) {
      const text = texts[index] ?? "";
      const ids = new Map(pairs(text, "LogicalResourceId", "PhysicalResourceId"));
      const serviceId = name.replace(/^slipway-svc-/, "svc_");
      for (const [logical, id] of ids) if (!(logical in next.Resources)) leaving.add(id);
      const after = groupsOf(next.Resources["Service"]);
      for (const group of groupsOf(now.Resources["Service"]))
        if (after.includes(group)) healthy.set(ids.get(group) ?? "", serviceId);
      if ("VpcOrigin" in now.Resources && "VpcOrigin" in next.Resources)
        vpcOrigins.set(vpcOriginOf(name), ids.get("Balancer") ?? "");
      const urls = new Set([now, next].flatMap(({ Resources }) => urlsOf(Resources["Task"])));
      for (const url of urls) known.push({ by: serviceId, url });
    }
    const text = await ask(ELB, "DescribeLoadBalancers", {});
    const all = [...text.matchAll(/<LoadBalancerArn>([^<]+)</g)].map(([, arn = ""]) => arn);
    const hosts = [...text.matchAll(/<DNSName>([^<]+)</g)].map(([, host = ""]) => host);
    const arns = all.filter((arn) => !leaving.has(arn));
    const listenersOf = async (arn: string) => {
      const members = await ask(ELB, "DescribeListeners", { LoadBalancerArn: arn });
      const present = membersWith(members, "ListenerArn").filter(
        (member) => !leaving.has(read(member, "ListenerArn")),
      );
      return await Promise.all(
        present.map(async (member) => {
          const rules = await ask(ELB, "DescribeRules", { ListenerArn: read(member, "ListenerArn") });
          return {
            port: Number(read(member, "Port")),
            targets: read(member, "TargetGroupArn") || null,
            rules: membersWith(rules, "RuleArn").flatMap((rule) => {
              const header = read(rule, "HttpHeaderName");
              if (header === "" || leaving.has(read(rule, "RuleArn"))) return [];
              const values = /<HttpHeaderConfig>.*?<Values>(.*?)<\/Values>/s.exec(rule)?.[1] ?? "";
              return [
                {
                  priority: Number(read(rule, "Priority")),
                  header,
                  values: [...values.matchAll(/<member>([^<]+)</g)].map(([, value = ""]) => value),
                  targets: read(rule, "TargetGroupArn"),
                },
              ];
            }),
          };
        }),
      );
    };
    const balancers = await Promise.all(
      arns.map(async (arn) => ({
        arn,
        host: hosts[all.indexOf(arn)] ?? "",
        listeners: await listenersOf(arn),
      })),
    );
    return { edges: emulator.edges(accountId), vpcOrigins, balancers, healthy, known };
  };
}

function read(text: string, tag: string): string {
  return new RegExp(`<${tag}>([^<]*)</${tag}>`).exec(text)?.[1] ?? "";
}

/** The parts of an answer that begin with this tag each. */
function membersWith(text: string, tag: string): readonly string[] {
  const from = [...text.matchAll(new RegExp(`<${tag}>`, "g"))].map(({ index }) => index);
  return from.map((start, index) => text.slice(start, from[index + 1]));
}

/** The logical names of the target groups that an ECS service is attached to. */
function groupsOf(service: Resource | undefined): readonly string[] {
  const attached = (service?.Properties["LoadBalancers"] ?? []) as readonly {
    readonly TargetGroupArn: { readonly Ref: string };
  }[];
  return attached.map(({ TargetGroupArn }) => TargetGroupArn.Ref);
}

/** The addresses of other services in a task's variables. */
function urlsOf(task: Resource | undefined): readonly string[] {
  const [container] = (task?.Properties["ContainerDefinitions"] ?? []) as readonly {
    readonly Environment: readonly { readonly Value: string }[];
  }[];
  return (container?.Environment ?? []).flatMap(({ Value }) => (Value.startsWith("http://") ? [Value] : []));
}

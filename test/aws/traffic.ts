/**
 * Requests through what an emulator has at a moment: distribution, VPC origin, load balancer, listener, rule, target
 * group, healthy instances. Emulators forward none themselves.
 */
import assert from "node:assert/strict";

/** What an account has. Whatever an operation under way may already have taken away is left out. */
export type Seen = {
  /** The configurations that some edge may use now: the last one, and the one before until it is deployed. */
  readonly edges: readonly {
    readonly serviceId: string;
    readonly host: string;
    readonly vpcOriginId: string | null;
    readonly headers: Readonly<Record<string, string>>;
  }[];
  /** The load balancer of each VPC origin, by its ARN. */
  readonly vpcOrigins: ReadonlyMap<string, string>;
  readonly balancers: readonly {
    readonly arn: string;
    readonly host: string;
    readonly listeners: readonly Listener[];
  }[];
  /** The service whose healthy instances are in a target group, by its ARN. */
  readonly healthy: ReadonlyMap<string, string>;
  /** Addresses that running instances have in their variables. */
  readonly known: readonly { readonly by: string; readonly url: string }[];
};

type Listener = {
  readonly port: number;
  readonly rules: readonly {
    readonly priority: number;
    readonly header: string;
    readonly values: readonly string[];
    readonly targets: string;
  }[];
  /** Null: a fixed answer. */
  readonly targets: string | null;
};

type Balancer = Seen["balancers"][number];

/** The service that answers, or the sentence why none does. */
type Answer = { readonly serviceId: string } | { readonly failure: string };

function throughBalancer(
  seen: Seen,
  { listeners, host }: Balancer,
  port: number,
  headers: Readonly<Record<string, string>>,
): Answer {
  const listener = listeners.find((one) => one.port === port);
  if (listener === undefined) return { failure: `${host} does not listen at ${port}` };
  const rule = listener.rules
    .toSorted((one, other) => one.priority - other.priority)
    .find(({ header, values }) => values.includes(headers[header] ?? ""));
  const targets = rule === undefined ? listener.targets : rule.targets;
  if (targets === null) return { failure: `${host}:${port} answers 404` };
  const serviceId = seen.healthy.get(targets);
  return serviceId === undefined ? { failure: `${targets} has no healthy instance` } : { serviceId };
}

/** A visitor's request. */
export function throughEdge(seen: Seen, { host, vpcOriginId, headers }: Seen["edges"][number]): Answer {
  const arn = seen.vpcOrigins.get(vpcOriginId ?? "");
  if (arn === undefined) return { failure: `the VPC origin ${vpcOriginId} is not there` };
  const balancer = seen.balancers.find((one) => one.arn === arn);
  if (balancer === undefined) return { failure: `the load balancer of ${vpcOriginId} is not there` };
  if (balancer.host !== host) return { failure: `${vpcOriginId} does not lead to ${host}` };
  return throughBalancer(seen, balancer, 80, headers);
}

/** A request of another service. */
export function throughUrl(seen: Seen, url: string): Answer {
  const { hostname, port } = new URL(url);
  const balancer = seen.balancers.find(({ host }) => host.toLowerCase() === hostname);
  return balancer === undefined
    ? { failure: `${hostname} is not there` }
    : throughBalancer(seen, balancer, Number(port === "" ? 80 : port), {});
}

export type Traffic = {
  /** Sends one request by each way that there is. */
  burst(): Promise<void>;
  /** From now on, requests to this service are counted, and its own to others: it was live. */
  expect(serviceId: string, type: "web" | "worker"): void;
  /** The service is being removed. */
  forget(serviceId: string): void;
  /** The address that the service's URL variable has belongs to it. */
  own(url: string, serviceId: string): void;
  readonly failures: readonly string[];
  readonly sent: () => number;
};

export function createTraffic(look: () => Promise<Seen>): Traffic {
  const expected = new Map<string, "web" | "worker">();
  const owners = new Map<string, string>();
  const failures: string[] = [];
  let sent = 0;
  let last: Promise<void> = Promise.resolve();

  function count(what: string, serviceId: string, answer: Answer): void {
    sent += 1;
    if ("failure" in answer) failures.push(`${what}: ${answer.failure}`);
    else if (answer.serviceId !== serviceId)
      failures.push(`${what}: ${answer.serviceId} answers for ${serviceId}`);
  }

  async function send(): Promise<void> {
    if (expected.size === 0) return;
    const seen = await look();
    for (const [serviceId, type] of expected) {
      if (type === "worker") continue;
      const edges = seen.edges.filter((edge) => edge.serviceId === serviceId);
      if (edges.length === 0) failures.push(`${serviceId} has no distribution`);
      for (const edge of edges)
        count(`edge of ${serviceId} to ${edge.host}`, serviceId, throughEdge(seen, edge));
    }
    for (const { by, url } of seen.known) {
      const owner = owners.get(url);
      assert.ok(owner !== undefined, `the owner of ${url} is known`);
      if (expected.has(owner) && expected.has(by)) count(`${by} to ${url}`, owner, throughUrl(seen, url));
    }
  }

  return {
    failures,
    sent: () => sent,
    expect: (serviceId, type) => void expected.set(serviceId, type),
    forget: (serviceId) => void expected.delete(serviceId),
    own: (url, serviceId) => void owners.set(url, serviceId),
    burst() {
      // One after the other, so that a slow look does not pile up.
      last = last.then(send);
      return last;
    },
  };
}

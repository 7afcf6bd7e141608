/**
 * The load balancer of a network: all its web services share it. Each service adds a target group, a rule and a listener
 * to it in its own stack. Why: docs/decisions/0046-one-load-balancer-for-an-environment.md
 */
import { SERVICE_HEADER } from "../../../domains/service-origin.ts";
import { MAX_PLACES, portOf } from "../decide-place.ts";
import { networkExportsOf } from "./network-exports.ts";
import { exported, getAtt, importValue, type Output, ref, type Resources, sub } from "./template.ts";

export const NETWORK_CIDR = "10.0.0.0/16";

/** CloudFront's port, whose rules choose the service by `SERVICE_HEADER`. */
export const LOAD_BALANCER_PORT = 80;

/** The output of a network's stack that shows that it has a load balancer. */
export const BALANCER_OUTPUT = "Balancer";

type BalancerParts = {
  readonly description: string;
  readonly network: unknown;
  readonly subnets: readonly unknown[];
  readonly ports: readonly (readonly [from: number, to: number])[];
  /** For requests to `LOAD_BALANCER_PORT` that no rule takes. */
  readonly otherwise: object;
  /** Of the VPC origin. */
  readonly name: string;
};

/** An internal load balancer, which is not reachable from the internet, and CloudFront's path to it. */
function internalBalancer({
  description,
  network,
  subnets,
  ports,
  otherwise,
  name,
}: BalancerParts): Resources {
  return {
    // Open only to the network, which includes CloudFront's VPC origin.
    BalancerAccess: {
      Type: "AWS::EC2::SecurityGroup",
      Properties: {
        GroupDescription: description,
        VpcId: network,
        SecurityGroupIngress: ports.map(([FromPort, ToPort]) => ({
          IpProtocol: "tcp",
          FromPort,
          ToPort,
          CidrIp: NETWORK_CIDR,
        })),
      },
    },
    Balancer: {
      Type: "AWS::ElasticLoadBalancingV2::LoadBalancer",
      Properties: {
        Type: "application",
        Scheme: "internal",
        Subnets: subnets,
        SecurityGroups: [getAtt("BalancerAccess", "GroupId")],
      },
    },
    Listener: {
      Type: "AWS::ElasticLoadBalancingV2::Listener",
      Properties: {
        LoadBalancerArn: ref("Balancer"),
        Port: LOAD_BALANCER_PORT,
        Protocol: "HTTP",
        DefaultActions: [otherwise],
      },
    },
    VpcOrigin: {
      Type: "AWS::CloudFront::VpcOrigin",
      // CloudFront refuses a load balancer without a listener.
      DependsOn: ["Listener"],
      Properties: {
        VpcOriginEndpointConfig: {
          Name: name,
          Arn: ref("Balancer"),
          HTTPPort: LOAD_BALANCER_PORT,
          OriginProtocolPolicy: "http-only",
        },
      },
    },
  };
}

/** In the stack of the network. Pure. */
export function balancerResources(networkId: string): Resources {
  return internalBalancer({
    description: "Load balancer of an environment of Slipway",
    network: ref("Network"),
    subnets: [ref("SubnetA"), ref("SubnetB")],
    ports: [
      [LOAD_BALANCER_PORT, LOAD_BALANCER_PORT],
      [portOf(1), portOf(MAX_PLACES)],
    ],
    otherwise: {
      Type: "fixed-response",
      FixedResponseConfig: {
        StatusCode: "404",
        ContentType: "text/plain",
        MessageBody: "No service has this address.",
      },
    },
    name: networkExportsOf(networkId).stack,
  });
}

/** The outputs of a network's stack with a load balancer. Services import them. Pure. */
export function balancerOutputs(networkId: string): Readonly<Record<string, Output>> {
  const names = networkExportsOf(networkId);
  return {
    [BALANCER_OUTPUT]: exported(names.balancer, ref("Balancer")),
    BalancerAccess: exported(names.balancerAccess, getAtt("BalancerAccess", "GroupId")),
    BalancerDomain: exported(names.balancerDomain, getAtt("Balancer", "DNSName")),
    Listener: exported(names.listener, ref("Listener")),
    VpcOrigin: exported(names.vpcOrigin, getAtt("VpcOrigin", "Id")),
  };
}

/** In the stack of a service, whose target group is `PlaceTargets`. Pure. */
export function placeResources(serviceId: string, networkId: string, place: number): Resources {
  const imports = networkExportsOf(networkId);
  const DefaultActions = [{ Type: "forward", TargetGroupArn: ref("PlaceTargets") }];
  return {
    // CloudFront's requests. They have the visitor's host name, which may be any of the service's domains.
    Rule: {
      Type: "AWS::ElasticLoadBalancingV2::ListenerRule",
      Properties: {
        ListenerArn: importValue(imports.listener),
        Priority: place,
        Conditions: [
          {
            Field: "http-header",
            HttpHeaderConfig: { HttpHeaderName: SERVICE_HEADER, Values: [serviceId] },
          },
        ],
        Actions: DefaultActions,
      },
    },
    // The address for services of the network, the same for every release.
    Address: {
      Type: "AWS::ElasticLoadBalancingV2::Listener",
      Properties: {
        LoadBalancerArn: importValue(imports.balancer),
        Port: portOf(place),
        Protocol: "HTTP",
        DefaultActions,
      },
    },
  };
}

/** The output of a service's stack with its place. Where requests reach it follows from the network's outputs. Pure. */
export const PLACE_OUTPUT = "Place";
export const placeOutputs = (place: number): Readonly<Record<string, Output>> => ({
  [PLACE_OUTPUT]: { Value: String(place) },
});

/**
 * The load balancer that a service had for itself before environments had one. It stays until nothing uses its
 * address, and for good in connections of version 1, which may not create rules. Pure.
 */
export function ownBalancerResources(networkId: string, name: string): Resources {
  const imports = networkExportsOf(networkId);
  return internalBalancer({
    description: "Load balancer of a service of Slipway",
    network: importValue(imports.network),
    subnets: [importValue(imports.subnetA), importValue(imports.subnetB)],
    ports: [[LOAD_BALANCER_PORT, LOAD_BALANCER_PORT]],
    otherwise: { Type: "forward", TargetGroupArn: ref("Targets") },
    name,
  });
}

export const OWN_OUTPUTS: Readonly<Record<string, Output>> = {
  OriginDomain: { Value: getAtt("Balancer", "DNSName") },
  OriginVpc: { Value: getAtt("VpcOrigin", "Id") },
  Url: { Value: sub(`http://\${Balancer.DNSName}:${LOAD_BALANCER_PORT}`) },
};

/** Beside `placeOutputs`, while the service still has its own load balancer. */
export const KEPT_OUTPUT = "OwnDomain";
export const KEPT_OUTPUTS: Readonly<Record<string, Output>> = {
  [KEPT_OUTPUT]: { Value: getAtt("Balancer", "DNSName") },
};

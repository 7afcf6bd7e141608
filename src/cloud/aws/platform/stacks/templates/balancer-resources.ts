/**
 * The load balancer of a network: all its web services share it. Each service adds a target group, a rule and a listener
 * to it in its own stack. Why: docs/decisions/0046-one-load-balancer-for-an-environment.md
 */
import { MAX_PLACES, portOf } from "../decide-place.ts";
import { networkExportsOf } from "./network-exports.ts";
import { getAtt, importValue, type Output, ref, type Resources, sub } from "./template.ts";

export const NETWORK_CIDR = "10.0.0.0/16";

/** CloudFront's port, whose rules choose the service by `SERVICE_HEADER`. */
export const LOAD_BALANCER_PORT = 80;
/** CloudFront sets it for each of its distributions, also if a visitor's request has it. */
export const SERVICE_HEADER = "x-slipway-service";

/** The output of a network's stack that shows that it has a load balancer. */
export const BALANCER_OUTPUT = "Balancer";

/** In the stack of the network. Pure. */
export function balancerResources(networkId: string): Resources {
  return {
    // Open only to the network, which includes CloudFront's VPC origin.
    BalancerAccess: {
      Type: "AWS::EC2::SecurityGroup",
      Properties: {
        GroupDescription: "Load balancer of an environment of Slipway",
        VpcId: ref("Network"),
        SecurityGroupIngress: [
          [LOAD_BALANCER_PORT, LOAD_BALANCER_PORT],
          [portOf(1), portOf(MAX_PLACES)],
        ].map(([FromPort, ToPort]) => ({ IpProtocol: "tcp", FromPort, ToPort, CidrIp: NETWORK_CIDR })),
      },
    },
    // Internal: not reachable from the internet.
    Balancer: {
      Type: "AWS::ElasticLoadBalancingV2::LoadBalancer",
      Properties: {
        Type: "application",
        Scheme: "internal",
        Subnets: [ref("SubnetA"), ref("SubnetB")],
        SecurityGroups: [getAtt("BalancerAccess", "GroupId")],
      },
    },
    // Requests that no service's rule takes.
    Listener: {
      Type: "AWS::ElasticLoadBalancingV2::Listener",
      Properties: {
        LoadBalancerArn: ref("Balancer"),
        Port: LOAD_BALANCER_PORT,
        Protocol: "HTTP",
        DefaultActions: [
          {
            Type: "fixed-response",
            FixedResponseConfig: {
              StatusCode: "404",
              ContentType: "text/plain",
              MessageBody: "No service has this address.",
            },
          },
        ],
      },
    },
    // CloudFront's path to the internal load balancer.
    VpcOrigin: {
      Type: "AWS::CloudFront::VpcOrigin",
      // CloudFront refuses a load balancer without a listener.
      DependsOn: ["Listener"],
      Properties: {
        VpcOriginEndpointConfig: {
          Name: networkExportsOf(networkId).stack,
          Arn: ref("Balancer"),
          HTTPPort: LOAD_BALANCER_PORT,
          OriginProtocolPolicy: "http-only",
        },
      },
    },
  };
}

/** The outputs of a network's stack with a load balancer. Services import them. Pure. */
export function balancerOutputs(networkId: string): Readonly<Record<string, Output>> {
  const names = networkExportsOf(networkId);
  const exported = (name: string, Value: unknown): Output => ({ Value, Export: { Name: name } });
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
export function ownBalancerResources(networkId: string, originName: string): Resources {
  const imports = networkExportsOf(networkId);
  return {
    BalancerAccess: {
      Type: "AWS::EC2::SecurityGroup",
      Properties: {
        GroupDescription: "Load balancer of a service of Slipway",
        VpcId: importValue(imports.network),
        SecurityGroupIngress: [
          {
            IpProtocol: "tcp",
            FromPort: LOAD_BALANCER_PORT,
            ToPort: LOAD_BALANCER_PORT,
            CidrIp: NETWORK_CIDR,
          },
        ],
      },
    },
    Balancer: {
      Type: "AWS::ElasticLoadBalancingV2::LoadBalancer",
      Properties: {
        Type: "application",
        Scheme: "internal",
        Subnets: [importValue(imports.subnetA), importValue(imports.subnetB)],
        SecurityGroups: [getAtt("BalancerAccess", "GroupId")],
      },
    },
    Listener: {
      Type: "AWS::ElasticLoadBalancingV2::Listener",
      Properties: {
        LoadBalancerArn: ref("Balancer"),
        Port: LOAD_BALANCER_PORT,
        Protocol: "HTTP",
        DefaultActions: [{ Type: "forward", TargetGroupArn: ref("Targets") }],
      },
    },
    VpcOrigin: {
      Type: "AWS::CloudFront::VpcOrigin",
      DependsOn: ["Listener"],
      Properties: {
        VpcOriginEndpointConfig: {
          Name: originName,
          Arn: ref("Balancer"),
          HTTPPort: LOAD_BALANCER_PORT,
          OriginProtocolPolicy: "http-only",
        },
      },
    },
  };
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

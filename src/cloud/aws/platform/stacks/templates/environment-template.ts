/**
 * The stack of an environment: the network and the cluster that its services share. Services import its exports,
 * so CloudFormation itself refuses to delete it while a service is left. It costs nothing while idle.
 */
import { environmentStackOf } from "../names.ts";
import { getAtt, type Output, ref, type Resources, type Template } from "./template.ts";

export const NETWORK_CIDR = "10.0.0.0/16";
/** A load balancer needs subnets in two availability zones. */
const SUBNETS = [
  { name: "SubnetA", zone: 0, cidr: "10.0.0.0/18" },
  { name: "SubnetB", zone: 1, cidr: "10.0.64.0/18" },
];

/** Names of the exports of an environment's stack. */
export function exportsOf(environmentId: string) {
  const stack = environmentStackOf(environmentId);
  return {
    network: `${stack}-network`,
    subnetA: `${stack}-subnet-a`,
    subnetB: `${stack}-subnet-b`,
    cluster: `${stack}-cluster`,
  };
}

/** Pure. */
export function environmentTemplate(environmentId: string): Template {
  const names = exportsOf(environmentId);
  const exported = (name: string, Value: unknown): Output => ({ Value, Export: { Name: name } });
  return {
    AWSTemplateFormatVersion: "2010-09-09",
    Description: `Slipway: network and cluster of the environment ${environmentId}.`,
    Resources: {
      // A separate network, so that environments cannot reach each other.
      Network: {
        Type: "AWS::EC2::VPC",
        Properties: { CidrBlock: NETWORK_CIDR, EnableDnsSupport: true, EnableDnsHostnames: true },
      },
      // Outbound internet access, for images, secrets and calls of services. CloudFront's VPC origins need it too.
      Gateway: { Type: "AWS::EC2::InternetGateway", Properties: {} },
      GatewayAttachment: {
        Type: "AWS::EC2::VPCGatewayAttachment",
        Properties: { VpcId: ref("Network"), InternetGatewayId: ref("Gateway") },
      },
      // Containers have public addresses but no open port, which saves the cost of NAT gateways.
      Routes: { Type: "AWS::EC2::RouteTable", Properties: { VpcId: ref("Network") } },
      RouteOut: {
        Type: "AWS::EC2::Route",
        DependsOn: ["GatewayAttachment"],
        Properties: {
          RouteTableId: ref("Routes"),
          DestinationCidrBlock: "0.0.0.0/0",
          GatewayId: ref("Gateway"),
        },
      },
      ...Object.assign({}, ...SUBNETS.map(subnetResources)),
      // Where ECS runs the services. With Fargate, it has no machines of its own.
      Cluster: { Type: "AWS::ECS::Cluster", Properties: {} },
    },
    Outputs: {
      Network: exported(names.network, ref("Network")),
      SubnetA: exported(names.subnetA, ref("SubnetA")),
      SubnetB: exported(names.subnetB, ref("SubnetB")),
      Cluster: exported(names.cluster, getAtt("Cluster", "Arn")),
    },
  };
}

function subnetResources({ name, zone, cidr }: (typeof SUBNETS)[number]): Resources {
  return {
    [name]: {
      Type: "AWS::EC2::Subnet",
      Properties: {
        VpcId: ref("Network"),
        AvailabilityZone: { "Fn::Select": [zone, { "Fn::GetAZs": "" }] },
        CidrBlock: cidr,
      },
    },
    // Connects the subnet to the internet gateway.
    [`${name}Routes`]: {
      Type: "AWS::EC2::SubnetRouteTableAssociation",
      Properties: { SubnetId: ref(name), RouteTableId: ref("Routes") },
    },
  };
}

/**
 * The stack of an environment: the network, the cluster and the load balancer that its services share, and the previews
 * of a template. Services import its exports, so CloudFormation itself refuses to delete it while a service is left.
 * Without a load balancer, it costs nothing while idle.
 */
import { balancerOutputs, balancerResources, NETWORK_CIDR } from "./balancer-resources.ts";
import { networkExportsOf } from "./network-exports.ts";
import { exported, getAtt, ref, type Resources, type Template } from "./template.ts";

/** A load balancer needs subnets in two availability zones. */
const SUBNETS = [
  { name: "SubnetA", zone: 0, cidr: "10.0.0.0/18" },
  { name: "SubnetB", zone: 1, cidr: "10.0.64.0/18" },
];

/** Pure. @param hasBalancer once the environment has a web service */
export function environmentTemplate(
  networkId: string,
  { hasBalancer }: { readonly hasBalancer: boolean },
): Template {
  const names = networkExportsOf(networkId);
  return {
    AWSTemplateFormatVersion: "2010-09-09",
    Description: `Slipway: network and cluster of the environment ${networkId}.`,
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
      ...(hasBalancer ? balancerResources(networkId) : {}),
    },
    Outputs: {
      Network: exported(names.network, ref("Network")),
      SubnetA: exported(names.subnetA, ref("SubnetA")),
      SubnetB: exported(names.subnetB, ref("SubnetB")),
      Cluster: exported(names.cluster, getAtt("Cluster", "Arn")),
      ...(hasBalancer ? balancerOutputs(networkId) : {}),
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

/** The resources of Slipway's CloudFormation template, as far as the sandbox simulates them. */
export const TEMPLATE = {
  AWSTemplateFormatVersion: "2010-09-09",
  Description:
    "The sandbox's stand-in for Slipway's access stack: a role that trusts only Slipway, and a report to Slipway.",
  Parameters: {
    ServiceId: {
      Type: "String",
      Description: "The id of the connection in Slipway; also the external id that the role requires.",
      AllowedPattern: "^[A-Za-z0-9_-]{1,128}$",
    },
  },
  Resources: {
    AccessRole: {
      Type: "AWS::IAM::Role",
      Properties: {
        AssumeRolePolicyDocument: {
          Version: "2012-10-17",
          Statement: [
            {
              Effect: "Allow",
              Principal: { AWS: "arn:aws:iam::000000000000:root" },
              Action: "sts:AssumeRole",
              Condition: { StringEquals: { "sts:ExternalId": { Ref: "ServiceId" } } },
            },
          ],
        },
      },
    },
    Report: {
      Type: "Custom::SlipwayReport",
      Properties: { ServiceId: { Ref: "ServiceId" }, RoleArn: { "Fn::GetAtt": ["AccessRole", "Arn"] } },
    },
  },
} as const;

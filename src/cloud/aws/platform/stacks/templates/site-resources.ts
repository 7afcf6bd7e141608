import { INDEX_FUNCTION } from "../../../domains/viewer-functions.ts";
import type { ServiceNames } from "../names.ts";
import { getAtt, ref, type Resources, sub } from "./template.ts";

/** The resources that let CloudFront serve a static service's files. */
export function siteResources(names: ServiceNames): Resources {
  return {
    // CloudFront signs its requests to the bucket with this; unsigned requests are refused.
    FileAccess: {
      Type: "AWS::CloudFront::OriginAccessControl",
      Properties: {
        OriginAccessControlConfig: {
          Name: names.project,
          OriginAccessControlOriginType: "s3",
          SigningBehavior: "always",
          SigningProtocol: "sigv4",
        },
      },
    },
    // Lets distributions of this account read files. With ListBucket, a missing file is a 404 instead of a 403.
    FilesPolicy: {
      Type: "AWS::S3::BucketPolicy",
      Properties: {
        Bucket: ref("Files"),
        PolicyDocument: {
          Version: "2012-10-17",
          Statement: [
            {
              Effect: "Allow",
              Principal: { Service: "cloudfront.amazonaws.com" },
              Action: ["s3:GetObject", "s3:ListBucket"],
              Resource: [getAtt("Files", "Arn"), sub("${Files.Arn}/*")],
              Condition: { StringEquals: { "aws:SourceAccount": ref("AWS::AccountId") } },
            },
          ],
        },
      },
    },
    // Turns a folder's address into its index.html, and /page into /page.html.
    Index: {
      Type: "AWS::CloudFront::Function",
      Properties: {
        Name: names.project,
        AutoPublish: true,
        FunctionCode: INDEX_FUNCTION,
        FunctionConfig: {
          Comment: "Pages of one of Slipway's static services",
          Runtime: "cloudfront-js-2.0",
        },
      },
    },
  };
}

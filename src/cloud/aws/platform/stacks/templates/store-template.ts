/**
 * The stack of a data store, apart from those of services, so that no change of a service touches data. Its names never
 * change, so CloudFormation itself refuses to replace what has data; its stack's policy (`STORE_POLICY`) does so too.
 */
import type { StoreSettings, StoreSize } from "../../../../data-stores.ts";
import { storeBucketOf, storeStackOf } from "../names.ts";
import { NETWORK_CIDR } from "./balancer-resources.ts";
import { networkExportsOf } from "./network-exports.ts";
import { getAtt, importValue, ref, type Resources, sub, type Template } from "./template.ts";

type Complete<T> = T extends unknown ? Required<T> : never;
/** Settings without gaps. */
export type StoreShape = Complete<StoreSettings>;

/** What never changes: another value would replace the data. */
export type StoreOrigin = {
  readonly dbName: string;
  readonly username: string;
  /** AWS's name of the snapshot that it was restored from. Without it, CloudFormation would replace the store. */
  readonly snapshot: string | null;
  /** Of the snapshot of a cache: AWS upgrades minor versions, and restores into no earlier one. */
  readonly engineVersion?: string | null;
};

export type StoreParts = {
  readonly storeId: string;
  readonly environmentId: string;
  /** The environment whose network it is in. */
  readonly networkId: string;
  readonly accountId: string;
  readonly shape: StoreShape;
  readonly origin: StoreOrigin;
  /** Whether the deletion of the stack is to delete the data. */
  readonly isRemovable: boolean;
};

/** AWS's cheapest classes with the memory of each size (https://aws.amazon.com/rds/instance-types, …/elasticache/pricing). */
const DATABASE_CLASSES = {
  micro: "db.t4g.micro",
  small: "db.t4g.small",
  medium: "db.t4g.medium",
  large: "db.t4g.large",
  xlarge: "db.t4g.xlarge",
} as const satisfies Readonly<Record<StoreSize, string>>;
const CACHE_CLASSES = {
  micro: "cache.t4g.small",
  small: "cache.t4g.medium",
  medium: "cache.m7g.large",
  large: "cache.m7g.xlarge",
  xlarge: "cache.m7g.2xlarge",
} as const satisfies Readonly<Record<StoreSize, string>>;

/** ElastiCache takes no major version only. */
const VALKEY_VERSIONS: Readonly<Record<string, string>> = { 7: "7.2", 8: "8.0" };
/** How long the daily snapshots of a cache are kept. */
const CACHE_RETENTION_DAYS = 7;

/** The outputs with the ARNs of the secrets. */
export const STORE_SECRETS = { password: "PasswordSecret", connection: "ConnectionSecret" } as const;

/** The resource with the data. */
const DATA = "Data";

/** Refuses to replace or delete the data, whatever a template says; the stack itself can be deleted. */
export const STORE_POLICY = {
  Statement: [
    { Effect: "Allow", Action: "Update:*", Principal: "*", Resource: "*" },
    {
      Effect: "Deny",
      Action: ["Update:Replace", "Update:Delete"],
      Principal: "*",
      Resource: `LogicalResourceId/${DATA}`,
    },
  ],
};

/** Pure. */
export function storeTemplate(store: StoreParts): Template {
  const { shape, isRemovable } = store;
  const { Resources, Outputs } =
    shape.type === "bucket"
      ? bucketParts(store)
      : shape.type === "redis"
        ? cacheParts(store, shape)
        : databaseParts(store, shape);
  return {
    AWSTemplateFormatVersion: "2010-09-09",
    Description: `Slipway: the data store ${store.storeId}.`,
    Resources,
    Outputs: { ...Outputs, ...(isRemovable ? { [REMOVABLE_OUTPUT]: { Value: "true" } } : {}) },
  };
}

/** Shows that the data may be deleted with the stack. */
export const REMOVABLE_OUTPUT = "Removable";

/** What becomes of data whose stack is deleted, or whose resource is replaced. */
function kept(isRemovable: boolean) {
  return { DeletionPolicy: isRemovable ? "Delete" : "Snapshot", UpdateReplacePolicy: "Snapshot" } as const;
}

type Parts = Pick<Template, "Resources" | "Outputs">;

const DATABASES = {
  postgres: { scheme: "postgresql", port: 5432, query: "?sslmode=require" },
  mysql: { scheme: "mysql", port: 3306, query: "" },
} as const;

function databaseParts(
  { storeId, environmentId, networkId, origin, isRemovable }: StoreParts,
  shape: Extract<StoreShape, { readonly storageGb: number }>,
): Parts {
  const { type, version, size, storageGb, backupRetentionDays, deletionProtection } = shape;
  const { scheme, port, query } = DATABASES[type];
  const { dbName, username, snapshot } = origin;
  const host = getAtt(DATA, "Endpoint.Address");
  const { Resources, Outputs } = secretParts(storeId, environmentId, [
    `${scheme}://${username}:`,
    resolved("Password"),
    "@",
    host,
    `:${port}/${dbName}${query}`,
  ]);
  return {
    Resources: {
      ...Resources,
      ...accessResources(networkId, port),
      Subnets: {
        Type: "AWS::RDS::DBSubnetGroup",
        Properties: {
          DBSubnetGroupDescription: "Where a data store of Slipway is",
          SubnetIds: subnetsOf(networkId),
        },
      },
      // Backups and a final snapshot outlive the database.
      [DATA]: {
        Type: "AWS::RDS::DBInstance",
        ...kept(isRemovable),
        Properties: {
          DBInstanceIdentifier: storeStackOf(storeId),
          Engine: type,
          AutoMinorVersionUpgrade: true,
          DBInstanceClass: DATABASE_CLASSES[size],
          AllocatedStorage: String(storageGb),
          StorageType: "gp3",
          // A restored database has the version, the name, the user and the encryption of its snapshot.
          ...(snapshot === null
            ? { EngineVersion: version, DBName: dbName, MasterUsername: username, StorageEncrypted: true }
            : { DBSnapshotIdentifier: snapshot }),
          MasterUserPassword: resolved("Password"),
          Port: String(port),
          DBSubnetGroupName: ref("Subnets"),
          VPCSecurityGroups: [getAtt("Access", "GroupId")],
          PubliclyAccessible: false,
          BackupRetentionPeriod: backupRetentionDays,
          DeleteAutomatedBackups: false,
          CopyTagsToSnapshot: true,
          DeletionProtection: deletionProtection && !isRemovable,
        },
      },
    },
    Outputs: { Host: { Value: host }, Port: { Value: getAtt(DATA, "Endpoint.Port") }, ...Outputs },
  };
}

const REDIS_PORT = 6379;

function cacheParts(
  { storeId, environmentId, networkId, origin, isRemovable }: StoreParts,
  { version, size }: Extract<StoreShape, { readonly type: "redis" }>,
): Parts {
  const host = getAtt(DATA, "PrimaryEndPoint.Address");
  const { Resources, Outputs } = secretParts(storeId, environmentId, [
    "rediss://:",
    resolved("Password"),
    "@",
    host,
    `:${REDIS_PORT}`,
  ]);
  return {
    Resources: {
      ...Resources,
      ...accessResources(networkId, REDIS_PORT),
      Subnets: {
        Type: "AWS::ElastiCache::SubnetGroup",
        Properties: { Description: "Where a data store of Slipway is", SubnetIds: subnetsOf(networkId) },
      },
      [DATA]: {
        Type: "AWS::ElastiCache::ReplicationGroup",
        ...kept(isRemovable),
        Properties: {
          ReplicationGroupId: storeStackOf(storeId),
          ReplicationGroupDescription: `The data store ${storeId} of Slipway`,
          Engine: "valkey",
          EngineVersion: origin.engineVersion ?? VALKEY_VERSIONS[version] ?? version,
          CacheNodeType: CACHE_CLASSES[size],
          NumCacheClusters: 1,
          AutomaticFailoverEnabled: false,
          Port: REDIS_PORT,
          CacheSubnetGroupName: ref("Subnets"),
          SecurityGroupIds: [getAtt("Access", "GroupId")],
          AtRestEncryptionEnabled: true,
          TransitEncryptionEnabled: true,
          AuthToken: resolved("Password"),
          AutoMinorVersionUpgrade: true,
          SnapshotRetentionLimit: CACHE_RETENTION_DAYS,
          ...(origin.snapshot === null ? {} : { SnapshotName: origin.snapshot }),
        },
      },
    },
    Outputs: { Host: { Value: host }, Port: { Value: getAtt(DATA, "PrimaryEndPoint.Port") }, ...Outputs },
  };
}

function bucketParts({ storeId, accountId, isRemovable }: StoreParts): Parts {
  return {
    Resources: {
      [DATA]: {
        Type: "AWS::S3::Bucket",
        DeletionPolicy: isRemovable ? "Delete" : "RetainExceptOnCreate",
        UpdateReplacePolicy: "Retain",
        Properties: {
          BucketName: storeBucketOf(storeId, accountId),
          BucketEncryption: {
            ServerSideEncryptionConfiguration: [
              { ServerSideEncryptionByDefault: { SSEAlgorithm: "AES256" } },
            ],
          },
          OwnershipControls: { Rules: [{ ObjectOwnership: "BucketOwnerEnforced" }] },
          PublicAccessBlockConfiguration: {
            BlockPublicAcls: true,
            BlockPublicPolicy: true,
            IgnorePublicAcls: true,
            RestrictPublicBuckets: true,
          },
          VersioningConfiguration: { Status: "Enabled" },
        },
      },
      // Requests without TLS are refused. It is deleted with the bucket, so that a bucket with files keeps it.
      Policy: {
        Type: "AWS::S3::BucketPolicy",
        DeletionPolicy: "RetainExceptOnCreate",
        UpdateReplacePolicy: "Retain",
        Properties: {
          Bucket: ref(DATA),
          PolicyDocument: {
            Version: "2012-10-17",
            Statement: [
              {
                Effect: "Deny",
                Principal: "*",
                Action: "s3:*",
                Resource: [getAtt(DATA, "Arn"), sub(`\${${DATA}.Arn}/*`)],
                Condition: { Bool: { "aws:SecureTransport": "false" } },
              },
            ],
          },
        },
      },
    },
    Outputs: { BucketName: { Value: ref(DATA) } },
  };
}

const PASSWORD_CHARACTERS = 40;

/** The password, and the whole connection string, which ECS could not put together (docs/decisions/0049). */
function secretParts(storeId: string, environmentId: string, connection: readonly unknown[]): Parts {
  return {
    Resources: {
      // Letters and digits only, so that it may be in a URL.
      Password: {
        Type: "AWS::SecretsManager::Secret",
        Properties: {
          Name: secretName(storeId, environmentId, "password"),
          GenerateSecretString: { PasswordLength: PASSWORD_CHARACTERS, ExcludePunctuation: true },
        },
      },
      Connection: {
        Type: "AWS::SecretsManager::Secret",
        Properties: {
          Name: secretName(storeId, environmentId, "connection"),
          SecretString: { "Fn::Join": ["", connection] },
        },
      },
    },
    Outputs: {
      [STORE_SECRETS.password]: { Value: ref("Password") },
      [STORE_SECRETS.connection]: { Value: ref("Connection") },
    },
  };
}

/**
 * The environment's containers may read its own names; those of its previews, `previews/` (`stack/connection-v2.yaml`).
 * The stack's own id is a part: a deleted secret keeps its name for weeks.
 */
function secretName(storeId: string, environmentId: string, name: string) {
  const stack = { "Fn::Select": [2, { "Fn::Split": ["/", ref("AWS::StackId")] }] };
  return { "Fn::Join": ["/", ["slipway/stores", environmentId, "previews", storeId, stack, name]] };
}

/** CloudFormation reads the secret, in the account. */
function resolved(secret: string) {
  return sub(`{{resolve:secretsmanager:\${${secret}}}}`);
}

/** Only the network of the environment reaches the store. */
function accessResources(networkId: string, port: number): Resources {
  return {
    Access: {
      Type: "AWS::EC2::SecurityGroup",
      Properties: {
        GroupDescription: "Who reaches a data store of Slipway",
        VpcId: importValue(networkExportsOf(networkId).network),
        SecurityGroupIngress: [{ IpProtocol: "tcp", FromPort: port, ToPort: port, CidrIp: NETWORK_CIDR }],
      },
    },
  };
}

function subnetsOf(networkId: string) {
  const { subnetA, subnetB } = networkExportsOf(networkId);
  return [importValue(subnetA), importValue(subnetB)];
}

/** What moto's stacks do not do of databases and caches: they restore none, change no database, and make no cache. */
import type { EmulatedTemplate } from "./stack-answers.ts";

/** Of the query protocol. */
export const VERSIONS = {
  cloudformation: "2010-05-15",
  elasticloadbalancing: "2015-12-01",
  rds: "2014-10-31",
  elasticache: "2015-02-02",
} as const;

/** @returns the text of moto's answer */
export type AskQuery = (
  service: keyof typeof VERSIONS,
  fields: { readonly Action: string } & Readonly<Record<string, string>>,
) => Promise<string>;

/** Why AWS would restore nothing from the snapshots that a template names; null if it would. */
export async function findRestoreObstacle(
  { Resources }: EmulatedTemplate,
  ask: AskQuery,
): Promise<string | null> {
  for (const { Properties = {} } of Object.values(Resources)) {
    const { DBSnapshotIdentifier, SnapshotName, AllocatedStorage, EngineVersion, Engine } = Properties;
    if (typeof DBSnapshotIdentifier === "string") {
      const text = await ask("rds", { Action: "DescribeDBSnapshots", DBSnapshotIdentifier });
      const storage = /<AllocatedStorage>(\d+)</.exec(text)?.[1];
      if (storage === undefined) return `DBSnapshot not found: ${DBSnapshotIdentifier}`;
      if (Number(AllocatedStorage) < Number(storage))
        return `Invalid storage size for engine name ${String(Engine)} and storage type gp3: ${String(AllocatedStorage)}`;
      const inherited = ["DBName", "MasterUsername", "EngineVersion"].filter((name) => name in Properties);
      if (inherited.length > 0) return `A restored database has the snapshot's ${inherited.join(", ")}.`;
    }
    if (typeof SnapshotName === "string") {
      const text = await ask("elasticache", { Action: "DescribeSnapshots", SnapshotName });
      if (!text.includes(`<SnapshotName>${SnapshotName}<`)) return `Snapshot not found: ${SnapshotName}`;
      const taken = /<EngineVersion>([^<]+)</.exec(text)?.[1] ?? "";
      if (Number(EngineVersion) < Number(taken))
        return `The engine version ${String(EngineVersion)} is earlier than that of the snapshot, ${taken}`;
    }
  }
  return null;
}

/** The storage and the class, which snapshots show. */
export async function changeDatabase({ Resources }: EmulatedTemplate, ask: AskQuery): Promise<void> {
  for (const { Type, Properties } of Object.values(Resources)) {
    if (Type !== "AWS::RDS::DBInstance") continue;
    const text = (name: string) => String(Properties[name]);
    const AllocatedStorage = text("AllocatedStorage");
    const answer = await ask("rds", {
      Action: "ModifyDBInstance",
      DBInstanceIdentifier: text("DBInstanceIdentifier"),
      DBInstanceClass: text("DBInstanceClass"),
      AllocatedStorage,
      // moto has it as a text of the template, which it cannot compare with a number.
      MaxAllocatedStorage: AllocatedStorage,
    });
    if (!answer.includes("<ModifyDBInstanceResult>")) throw new Error(answer);
  }
}

/** AWS upgrades minor versions in maintenance windows; here, at once. */
const UPGRADES: Readonly<Record<string, string>> = { "8.0": "8.1" };

/** The caches of a stack that is made, or deleted. */
export async function setCaches(
  { Resources = {} }: Partial<EmulatedTemplate>,
  ask: AskQuery,
  areThere: boolean,
): Promise<void> {
  for (const { Type, Properties } of Object.values(Resources)) {
    if (Type !== "AWS::ElastiCache::ReplicationGroup") continue;
    const text = (name: string) => String(Properties[name]);
    const ReplicationGroupId = text("ReplicationGroupId");
    const made = {
      ReplicationGroupDescription: text("ReplicationGroupDescription"),
      EngineVersion: UPGRADES[text("EngineVersion")] ?? text("EngineVersion"),
    };
    if (areThere) await ask("elasticache", { Action: "CreateReplicationGroup", ReplicationGroupId, ...made });
    else await ask("elasticache", { Action: "DeleteReplicationGroup", ReplicationGroupId });
  }
}

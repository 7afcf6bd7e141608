import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Client } from "pg";
import type { PostgresCluster } from "./postgres-cluster.ts";

/** Makes a user of a cluster that has to give its password, and databases that belong to it. @returns the port */
export async function createLogin(
  { url, dataFolder }: PostgresCluster,
  { username, password, databases }: Login,
): Promise<number> {
  const hba = path.join(dataFolder, "pg_hba.conf");
  writeFileSync(hba, `host all "${username}" 127.0.0.1/32 scram-sha-256\n${readFileSync(hba, "utf8")}`);
  const admin = new Client({ connectionString: url });
  await admin.connect();
  const user = admin.escapeIdentifier(username);
  await admin.query(`CREATE ROLE ${user} LOGIN PASSWORD ${admin.escapeLiteral(password)}`);
  for (const name of databases)
    await admin.query(`CREATE DATABASE ${admin.escapeIdentifier(name)} OWNER ${user}`);
  await admin.query("SELECT pg_reload_conf()");
  await admin.end();
  return Number(new URL(url).port);
}

type Login = {
  readonly username: string;
  readonly password: string;
  readonly databases: readonly string[];
};

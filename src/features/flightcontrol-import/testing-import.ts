/** What holds for every import: used by the tests of this folder, and by those of the routes. */
import assert from "node:assert/strict";
import { escapePointer } from "../../lib/errors.ts";
import { createConfigurationParser } from "../configuration/configuration.ts";
import { decideImport } from "./decide-import.ts";
import type { Finding, ImportCloud, ImportedFile } from "./flightcontrol-import.ts";

const parseConfiguration = createConfigurationParser(null);

export const AWS: ImportCloud = {
  keepsLogsByDays: true,
  scalesInstances: true,
  buildsDockerfiles: true,
  runsImages: true,
  readsOtherSecrets: true,
  createsStores: ["postgres", "mysql", "redis", "bucket"],
};

export const SANDBOX: ImportCloud = {
  keepsLogsByDays: false,
  scalesInstances: false,
  buildsDockerfiles: false,
  runsImages: false,
  readsOtherSecrets: false,
  createsStores: ["postgres", "redis"],
};

/** Imports a file, and checks its proposal with the schema and the rules of slipway.json, and its findings. */
export function importChecked(file: unknown, cloud = AWS): ImportedFile {
  const text = JSON.stringify(file);
  const imported = decideImport(text, cloud);
  if (imported.proposal !== null) parseConfiguration(imported.proposal);
  const again = decideImport(text, cloud);
  assert.equal(JSON.stringify(again), JSON.stringify(imported), "a second import differs");
  for (const path of pathsOf(JSON.parse(text), ""))
    assert.equal(
      imported.findings.filter((one) => path === one.path || path.startsWith(`${one.path}/`)).length,
      1,
      `${path} is not in exactly one finding`,
    );
  return imported;
}

/** Pointers to all values except objects and lists with members. */
function pathsOf(value: unknown, path: string): readonly string[] {
  const members = typeof value === "object" && value !== null ? Object.entries(value) : [];
  if (members.length === 0) return [path];
  return members.flatMap(([name, member]) => pathsOf(member, `${path}/${escapePointer(name)}`));
}

/** The finding about a place. @throws AssertionError if there is none, or more than one */
export function findingAt({ findings }: ImportedFile, path: string): Finding {
  const found = findings.filter((one) => path === one.path || path.startsWith(`${one.path}/`));
  assert.equal(found.length, 1, `${path}: ${JSON.stringify(found)}`);
  return found[0] as Finding;
}

/** A file with one environment. */
export function fileOf(services: readonly object[], environment: object = {}, root: object = {}): object {
  return {
    ...root,
    environments: [
      {
        id: "production",
        name: "Production",
        region: "eu-west-1",
        source: { branch: "main" },
        ...environment,
        services,
      },
    ],
  };
}

export const SITE = { id: "site", name: "Site", type: "static", outputDirectory: "dist" };
export const WEB = {
  id: "web",
  name: "Web",
  type: "web",
  buildType: "nixpacks",
  cpu: 0.5,
  memory: 1,
  installCommand: "npm ci",
  buildCommand: "npm run build",
  startCommand: "node server.js",
  port: 8080,
};
export const DATABASE = {
  id: "db",
  name: "Database",
  type: "rds",
  engine: "postgres",
  engineVersion: "16",
  instanceSize: "db.t4g.micro",
  storage: 20,
};

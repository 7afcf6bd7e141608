/** The organization that the screenshots of `docs/screenshots` show: a month of a small company. */
import assert from "node:assert/strict";
import path from "node:path";
import { type Database, writeStatement } from "../../src/db/database.ts";
import { openPgliteDatabase } from "../../src/db/drivers/pglite.ts";
import { idAround } from "../../src/lib/ids.ts";
import { commitFiles } from "../../sandbox/src/git/git-repositories.ts";
import { createIacProject, deploy, ended, push, withConfig } from "../helpers/customers/deployments.ts";
import {
  attach,
  connectAccount,
  createGroup,
  GIT_INTEGRATION,
  setDnsRecords,
  untilDomain,
} from "../helpers/customers/scenario.ts";
import type { ApiClient } from "../helpers/api-client.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { until } from "../helpers/until.ts";

const DAY_MS = 86_400_000;
const DAYS = 29;

const SERVER = `console.log("listening on " + process.env.PORT);
require("node:http").createServer((request, response) => response.end("ok")).listen(process.env.PORT, "127.0.0.1");`;
const WORKER = `console.log("waiting for orders"); setInterval(() => undefined, 60_000);`;
const API = { id: "api", name: "API", type: "web", buildCommand: "true", startCommand: "node server.js" };
const SITE = { id: "site", name: "Website", type: "static", outputDirectory: "public", dependsOn: ["api"] };
const JOBS = { id: "jobs", name: "Orders", type: "worker", startCommand: "node worker.js" };
const PAYMENTS = { id: "payments", name: "Payments", type: "external", hostname: "example.com" };
const FILES = { "server.js": SERVER, "worker.js": WORKER, "public/index.html": "Welcome" };

const environment = (id: string, name: string, services: readonly object[]) => ({
  id,
  name,
  region: "eu-central-1",
  source: { branch: "main" },
  services,
});
const SHOP = {
  environments: [
    environment("production", "Production", [
      { ...SITE },
      { ...API, port: 3000, dependsOn: ["payments"] },
      { ...JOBS, dependsOn: ["api"] },
      PAYMENTS,
    ]),
    environment("staging", "Staging", [{ ...SITE, dependsOn: [] }]),
  ],
};
const BLOG = { environments: [environment("production", "Production", [{ ...SITE, dependsOn: [] }])] };
const BROKEN = {
  environments: [
    environment("production", "Production", [{ ...SITE, dependsOn: [], outputDirectory: "out" }]),
  ],
};

export type Shown = {
  readonly instance: Instance;
  readonly projectId: string;
  readonly environmentId: string;
  readonly failedId: string;
  readonly groupId: string;
};

/** A new instance with all of it. */
export async function startShownInstance(): Promise<Shown> {
  const made = await startInstance();
  const { admin } = made;
  await connectAccount(admin, "main");
  await admin.patch("/v1/aws-accounts/main", { name: "Harbor, production" });
  await admin.post("/v1/git-integrations", GIT_INTEGRATION);
  await push(made, "shop", withConfig(SHOP, FILES));
  await push(made, "blog", withConfig(BLOG, FILES));
  const projectId = await createIacProject(admin, "shop");
  await admin.patch(`/v1/projects/${projectId}`, { name: "Shop" });
  const blogId = await createIacProject(admin, "blog");
  await admin.patch(`/v1/projects/${blogId}`, { name: "Blog" });
  const successId = await deployChange(made, "shop", "Show prices with tax", SHOP);
  await deployChange(made, "blog", "Announce the new harbor", BLOG);
  const failedId = await deployChange(made, "blog", "Build the pages into another folder", BROKEN);

  const { environments } = (await admin.get(`/v1/projects/${projectId}/environments`)).body;
  const environmentId = environments.find(({ configId }: Named) => configId === "production").id as string;
  const { services } = (await admin.get(`/v1/environments/${environmentId}/services`)).body;
  const idOf = (wanted: string): string =>
    services.find(({ configId }: Named) => configId === wanted).id as string;
  await admin.post(`/v1/services/${idOf("site")}/env-variables`, {
    fromService: { API_URL: { id: idOf("api"), value: "url" } },
    plainText: { LOG_LEVEL: "info" },
  });
  await admin.post(`/v1/services/${idOf("jobs")}/env-variables`, {
    fromService: { PAYMENTS_URL: { id: idOf("payments"), value: "url" } },
  });
  const groups = [
    await attach(admin, idOf("site"), ["www.harbor.example.com", "shop.harbor.example.com"], true),
    await attach(admin, idOf("api"), ["api.harbor.example.com"]),
  ];
  const served = groups.flatMap(({ createdDomains }) => createdDomains as readonly Identified[]);
  for (const { id } of served) await pointHere(admin, id);
  const waiting = await createGroup(admin, idOf("site"), [
    "shop.customer.example.org",
    "shop.other.example.net",
  ]);
  for (const { id } of waiting.createdDomains)
    await untilDomain(admin, id, "AWAITING_VERIFICATION_RECORDS_TO_BE_SET");
  const instance = await made.restart(async () => {
    const db = await openPgliteDatabase({ folder: path.join(made.dataDir, "database") });
    try {
      await fillMonth(db, successId, failedId);
    } finally {
      await db.close();
    }
  });
  return { instance, projectId, environmentId, failedId, groupId: waiting.id };
}

type Named = { readonly configId: string };
type Identified = { readonly id: string };

/** Sets the record that leads people to the domain, and waits until it is seen. */
async function pointHere(client: ApiClient, domainId: string): Promise<void> {
  await setDnsRecords(client, await untilDomain(client, domainId, "ATTACHED"));
  await client.post(`/v1/domains/${domainId}/check`);
  await until(async () => {
    const { dnsRecords } = (await client.get(`/v1/domains/${domainId}`)).body;
    return (dnsRecords as readonly { status: string }[]).every(({ status }) => status === "OK");
  }, `the domain ${domainId} leads here`);
}

let hours = 0;

async function deployChange(
  instance: Instance,
  name: string,
  message: string,
  config: object,
): Promise<string> {
  hours += 1;
  const gitdir = path.join(instance.dataDir, "sandbox", "git", `${name}.git`);
  const at = new Date(Date.now() - DAY_MS + hours * 3_600_000);
  const files = withConfig(config, { ...FILES, "public/news.html": message });
  await commitFiles({ gitdir, branch: "main", files, message, at });
  const id = await deploy(instance.admin, name);
  await ended(instance.admin, id, config === BROKEN ? "BUILD_ERROR" : "SUCCESS");
  return id;
}

/** Copies of a deployment, at other times. */
const COPY_DEPLOYMENTS = writeStatement(
  "screenshots_copy_deployments",
  `INSERT INTO deployments
   SELECT (jsonb_populate_record(d, jsonb_build_object('id', given.id, 'created_at', given.at, 'started_at', given.at,
             'updated_at', given.at, 'ended_at', given.at + make_interval(secs => given.seconds)))).*
     FROM deployments d, unnest($2::text[], $3::timestamptz[], $4::float8[]) AS given(id, at, seconds)
    WHERE d.id = $1`,
);
const FILL_DAYS = writeStatement(
  "screenshots_fill_days",
  `INSERT INTO domain_days (organization_id, day, attached, in_error, awaiting_records, in_progress)
   SELECT o.organization_id, given.day, given.attached, 0, given.awaiting, given.progress
     FROM organizations o,
          unnest($1::date[], $2::int[], $3::int[], $4::int[]) AS given(day, attached, awaiting, progress)
   ON CONFLICT DO NOTHING`,
);

/** The days before today, the same at each run. */
async function fillMonth(db: Database, successId: string, failedId: string): Promise<void> {
  const days = Array.from({ length: DAYS }, (_, index) => DAYS - index);
  const copies = days.flatMap((day) =>
    // None on weekends.
    Array.from({ length: day % 7 < 2 ? 0 : 1 + ((day * 5) % 4) }, (_, nth) => ({
      at: new Date(Date.now() - day * DAY_MS - nth * 3_600_000),
      seconds: 40 + ((day * 37 + nth * 23) % 70),
      isFailed: (day + nth) % 6 === 0,
    })),
  );
  const wanted = [
    [successId, false],
    [failedId, true],
  ] as const;
  for (const [id, isFailed] of wanted) {
    const own = copies.filter((copy) => copy.isFailed === isFailed);
    const values = [
      own.map(({ at }) => idAround("depl", at, "before")),
      own.map(({ at }) => at),
      own.map(({ seconds }) => seconds),
    ];
    await db.transaction(async (tx) => void (await tx.query(COPY_DEPLOYMENTS, [id, ...values])));
  }
  const dayOf = (day: number) => new Date(Date.now() - day * DAY_MS).toISOString().slice(0, 10);
  await db.transaction(
    async (tx) =>
      void (await tx.query(FILL_DAYS, [
        days.map(dayOf),
        days.map((day) => Math.max(0, 3 - Math.floor(day / 9))),
        days.map((day) => (day * 3) % 4),
        days.map((day) => (day % 5 === 0 ? 1 : 0)),
      ])),
  );
  assert.ok(copies.length > DAYS);
}

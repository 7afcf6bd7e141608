/**
 * Finds resources by the beginning of a name. Each statement reads an index from where the text would be, and stops
 * after a few rows, so that an organization with a million domains is searched like a small one. Row-level security
 * applies to the read of the rows by their ids.
 */
import { readAsOwner, readStatement, type Sql, type Statement } from "../../db/database.ts";
import { ofEach } from "../../db/of-each.ts";
import type { Hit, HitType } from "./hit.ts";

type Found = { readonly id: string };

/** A text's range in an index that compares bytes: from `$3` to before `$4`. */
const begins = (column: string): string =>
  `${column} COLLATE "C" >= lower($3) AND ${column} COLLATE "C" < lower($4)`;

/** Finds rows of a table by the beginning of their names. */
const findByName = (table: string): Statement<Found> =>
  readAsOwner<Found>(
    `search_${table}`,
    `SELECT id FROM ${table} WHERE organization_id = $1 AND ${begins("lower(name)")}
    ORDER BY lower(name) COLLATE "C", id LIMIT $2`,
  );
/** By its number at the provider, or the id that the client gave it. */
const FIND_ACCOUNTS_BY_NUMBER = readStatement<Found>(
  "search_aws_accounts_by_number",
  `SELECT id FROM aws_accounts WHERE organization_id = $1 AND connected_aws_account_id = $3
    UNION SELECT id FROM aws_accounts WHERE organization_id = $1 AND given_id = $3
    LIMIT $2`,
);
/** With the operators of their indexes, which compare bytes too. */
const FIND_DOMAINS = readStatement<Found>(
  "search_domains",
  `SELECT id FROM domains WHERE organization_id = $1 AND name ~>=~ $3 AND name ~<~ $4 ORDER BY name USING ~<~ LIMIT $2`,
);
/** Those below a name, whose reversed names begin alike. */
const FIND_DOMAINS_BELOW = readAsOwner<Found>(
  "search_domains_below",
  `SELECT id FROM domains WHERE organization_id = $1 AND reverse(name) ~>=~ $3 AND reverse(name) ~<~ $4
    ORDER BY reverse(name) USING ~<~ LIMIT $2`,
);
const FIND_DEPLOYMENTS_OF_COMMIT = readStatement<Found>(
  "search_deployments_of_commit",
  `SELECT id FROM deployments WHERE organization_id = $1 AND ${begins("commit_hash")}
    ORDER BY commit_hash COLLATE "C", id DESC LIMIT $2`,
);
/** Among the newest: no index knows the parts of a text. */
const FIND_DEPLOYMENTS_BY_MESSAGE = readStatement<Found>(
  "search_deployments_by_message",
  `SELECT newest.id FROM (SELECT id, commit_message FROM deployments
     WHERE organization_id = $1 ORDER BY id DESC LIMIT 500) newest
    WHERE strpos(lower(newest.commit_message), lower($3)) > 0 ORDER BY newest.id DESC LIMIT $2`,
);

/** How many of the newest rows are searched for a part of a name. */
const CONTAINING_MAX = 2_000;

/** Among the newest, whose number is bounded: no index knows the parts of a text. */
const findByPart = (table: string, name = "newest.name"): Statement<Found> =>
  readStatement<Found>(
    `search_${table}_by_part`,
    `SELECT newest.id FROM (SELECT id, name FROM ${table}
       WHERE organization_id = $1 ORDER BY id DESC LIMIT ${CONTAINING_MAX}) newest
      WHERE strpos(lower(${name}), lower($3)) > 0 ORDER BY newest.id DESC LIMIT $2`,
  );
/** A word is not searched in the top-level domain, which most names share. */
const WITHOUT_TOP = `CASE WHEN strpos($3, '.') > 0 THEN newest.name
  ELSE left(newest.name, length(newest.name) - strpos(reverse(newest.name), '.')) END`;
const FIND_BY_PART: Readonly<Partial<Record<HitType, Statement<Found>>>> = {
  project: findByPart("projects"),
  environment: findByPart("environments"),
  service: findByPart("services"),
  domain: findByPart("domains", WITHOUT_TOP),
  domain_group: findByPart("domain_certificate_groups"),
  aws_account: findByPart("aws_accounts"),
};

const OF_PROJECT = `p.id AS "projectId", p.name AS "projectName"`;
const OF_ENVIRONMENT = `${OF_PROJECT}, e.id AS "environmentId", e.name AS "environmentName"`;
const OF_SERVICE = `${OF_ENVIRONMENT}, s.id AS "serviceId", s.name AS "serviceName"`;
const JOIN_PROJECT = `JOIN projects p ON p.organization_id = x.organization_id AND p.id = x.project_id`;
const joinServiceOf = (group: string): string =>
  `JOIN services s ON s.organization_id = x.organization_id AND s.id = ${group}.service_id
      JOIN environments e ON e.organization_id = x.organization_id AND e.id = s.environment_id
      JOIN projects p ON p.organization_id = x.organization_id AND p.id = s.project_id`;

type Shown = Partial<Hit> & Pick<Hit, "id" | "createdAt">;

const SHOW: Readonly<Record<HitType, Statement<Shown>>> = {
  project: readStatement<Shown>(
    "search_show_projects",
    ofEach(`SELECT p.id, p.created_at AS "createdAt", p.name, ${OF_PROJECT},
        CASE WHEN p.deletion_requested_at IS NULL THEN 'ACTIVE' ELSE 'DELETING' END AS status
      FROM projects p WHERE p.organization_id = $1 AND p.id = asked.id`),
  ),
  environment: readStatement<Shown>(
    "search_show_environments",
    ofEach(`SELECT x.id, x.created_at AS "createdAt", x.name, ${OF_PROJECT}, x.id AS "environmentId",
        x.name AS "environmentName"
      FROM environments x ${JOIN_PROJECT} WHERE x.organization_id = $1 AND x.id = asked.id`),
  ),
  service: readStatement<Shown>(
    "search_show_services",
    ofEach(`SELECT x.id, x.created_at AS "createdAt", x.name, ${OF_ENVIRONMENT}, x.id AS "serviceId",
        x.name AS "serviceName"
      FROM services x ${JOIN_PROJECT}
      JOIN environments e ON e.organization_id = x.organization_id AND e.id = x.environment_id
     WHERE x.organization_id = $1 AND x.id = asked.id`),
  ),
  domain: readStatement<Shown>(
    "search_show_domains",
    ofEach(`SELECT x.id, x.created_at AS "createdAt", x.name, x.status, ${OF_SERVICE},
        x.group_id AS "domainCertificateGroupId"
      FROM domains x JOIN domain_certificate_groups g ON g.organization_id = x.organization_id AND g.id = x.group_id
      ${joinServiceOf("g")} WHERE x.organization_id = $1 AND x.id = asked.id`),
  ),
  domain_group: readStatement<Shown>(
    "search_show_domain_groups",
    ofEach(`SELECT x.id, x.created_at AS "createdAt", x.name, x.status, ${OF_SERVICE},
        x.id AS "domainCertificateGroupId"
      FROM domain_certificate_groups x ${joinServiceOf("x")} WHERE x.organization_id = $1 AND x.id = asked.id`),
  ),
  deployment: readStatement<Shown>(
    "search_show_deployments",
    ofEach(`SELECT x.id, x.created_at AS "createdAt", x.commit_message AS name,
        CASE WHEN x.waits_for_approval AND x.status = 'PENDING' THEN 'PENDING_APPROVAL' ELSE x.status END AS status, ${OF_PROJECT},
        x.environment_id AS "environmentId", e.name AS "environmentName", x.branch, x.commit_hash AS "commitHash"
      FROM deployments x ${JOIN_PROJECT}
      LEFT JOIN environments e ON e.organization_id = x.organization_id AND e.id = x.environment_id
     WHERE x.organization_id = $1 AND x.id = asked.id`),
  ),
  aws_account: readStatement<Shown>(
    "search_show_aws_accounts",
    ofEach(`SELECT a.id, a.created_at AS "createdAt", a.name, a.status
      FROM aws_accounts a WHERE a.organization_id = $1 AND a.id = asked.id`),
  ),
};

/** After all texts that begin with another one: the last character of Unicode. */
const LAST = "\u{10ffff}";

/** Of the resources with a name. */
const FIND_BY_NAME = {
  project: findByName("projects"),
  environment: findByName("environments"),
  service: findByName("services"),
  domain_group: findByName("domain_certificate_groups"),
  aws_account: findByName("aws_accounts"),
};

const NOTHING = {
  name: null,
  status: null,
  projectId: null,
  projectName: null,
  environmentId: null,
  environmentName: null,
  serviceId: null,
  serviceName: null,
  domainCertificateGroupId: null,
  branch: null,
  commitHash: null,
};

type Of = { readonly sql: Sql; readonly organizationId: string; readonly limit: number };

const findIds = async ({ sql, organizationId, limit }: Of, statement: Statement<Found>, ...texts: string[]) =>
  (await sql.query(statement, [organizationId, limit, ...texts])).map(({ id }) => id);
const findBeginning = (of: Of, statement: Statement<Found>, text: string) =>
  findIds(of, statement, text, text + LAST);

/** Each finds the ids of at most `limit` rows. */
export const search = {
  byName: (of: Of, type: keyof typeof FIND_BY_NAME, text: string) =>
    findBeginning(of, FIND_BY_NAME[type], text),
  domainsByName: (of: Of, text: string) => findBeginning(of, FIND_DOMAINS, text),
  domainsBelow: (of: Of, reversed: string) => findBeginning(of, FIND_DOMAINS_BELOW, reversed),
  deploymentsOfCommit: (of: Of, hash: string) => findBeginning(of, FIND_DEPLOYMENTS_OF_COMMIT, hash),
  deploymentsByMessage: (of: Of, text: string) => findIds(of, FIND_DEPLOYMENTS_BY_MESSAGE, text),
  accountsByNumber: (of: Of, text: string) => findIds(of, FIND_ACCOUNTS_BY_NUMBER, text),
  /** The newest with the text in the name; none for what has no name. */
  byNamePart: async (of: Of, type: HitType, text: string) => {
    const statement = FIND_BY_PART[type];
    return statement === undefined ? [] : await findIds(of, statement, text);
  },
  /** The hits for these resources, in the order of their ids, without deleted resources. */
  show: async ({ sql, organizationId }: Omit<Of, "limit">, type: HitType, ids: readonly string[]) => {
    if (ids.length === 0) return [];
    const rows = await sql.query(SHOW[type], [organizationId, ids]);
    const byId = new Map(rows.map((row): [string, Hit] => [row.id, { ...NOTHING, ...row, type }]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  },
};

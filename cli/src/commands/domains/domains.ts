import type { Domain } from "../../../../sdk/src/index.ts";
import {
  type Command,
  ENVIRONMENT,
  type Flag,
  type Handler,
  LIMITS,
  ONLY_ENVIRONMENT,
  ONLY_PROJECT,
  ONLY_SERVICE,
  PROJECT,
  SERVICE,
  TIMEOUT,
  WAITING,
} from "../../command.ts";
import { CommandError, EXIT } from "../../failure.ts";
import { findDomain, findScope, PAGE } from "../../lookup.ts";
import { deleteConfirmed, printList } from "../../print.ts";
import { firstOf, untilGone, waiting } from "../../wait.ts";
import { addDomains, DOMAIN_COLUMNS, followDomains } from "./add.ts";
import { diagnosisOf, wrongWith } from "./diagnosis.ts";
import { importDomains } from "./import.ts";
import { RECORD_COLUMNS, showRecords } from "./records.ts";

const DOMAIN = { name: "DOMAIN", says: "a domain, by name or id" };
const UNTIL: Flag = {
  name: "until",
  value: "STATE",
  choices: ["attached", "served"],
  says: "attached: HTTPS is served; served (default): the DNS also leads there",
};
const AUTO_DNS: Flag = {
  name: "auto-dns",
  says: "let Slipway set the records where the DNS zone is in the cloud account; only for a new group",
};

/** The check runs in the background. It has ended when each record was checked later than before. */
const checkDomain: Handler = async (context, input) => {
  const { client, output } = context;
  const before = await findDomain(context, input.argument("DOMAIN"));
  await client.domains.check(before.id);
  const checkedAt = new Map(before.dnsRecords.map((record) => [record.name, record.lastPropagationCheckAt]));
  const isChecked = ({ dnsRecords }: Domain): boolean =>
    dnsRecords.every(({ name, lastPropagationCheckAt: at }) => at !== null && at !== checkedAt.get(name));
  const domain = await waiting(context, input, `slipway domains check ${before.name}`, (signal) =>
    firstOf(client.domains.watch(before.id, { signal }), isChecked),
  );
  if (domain.dnsRecords.length === 0) output.progress(`${domain.name} has no records yet.`);
  output.list(domain.dnsRecords, RECORD_COLUMNS);
};

/** Without a target, the redirect ends. */
const redirectDomain: Handler = async (context, input) => {
  const { client, output } = context;
  const { id, name } = await findDomain(context, input.argument("DOMAIN"));
  const target = input.optionalArgument("TARGET") ?? null;
  let domain = await client.domains.update(id, { redirectTo: target });
  if (domain.redirectStatus === "ENDING" || domain.redirectStatus === "PENDING")
    output.progress(`${name}: the edge is being changed.`);
  if (input.isSet("wait")) {
    const resume = `slipway domains redirect ${name} ${target === null ? "" : `${target} `}--wait`;
    const hasEnded = ({ redirectStatus: status }: Domain): boolean =>
      status === null || status === "SERVED" || status === "FAILED";
    domain = await waiting(context, input, resume, (signal) =>
      firstOf(client.domains.watch(id, { signal }), hasEnded),
    );
  }
  if (domain.redirectProblem !== null) {
    const { message, action, code } = domain.redirectProblem;
    throw new CommandError(message, { code, exitCode: EXIT.FAILED, hint: action });
  }
  output.item(domain, redirectLines(domain));
};

/** The lines to print about a domain's redirect: label and text. */
function redirectLines(domain: Domain): readonly (readonly [string, string])[] {
  const { name, redirectTo, redirectStatus, redirectProblem } = domain;
  if (redirectStatus === null) return [[name, "redirects to no other name"]];
  return [
    ["redirects to", `${redirectTo ?? "no other name"} (${redirectStatus})`],
    ...(redirectProblem === null ? [] : [["last error", redirectProblem.message] as const]),
  ];
}

const removeDomain: Handler = async (context, input) => {
  const { client, output, prompt } = context;
  const { id, name, domainCertificateGroupId, dnsRecords } = await findDomain(
    context,
    input.argument("DOMAIN"),
  );
  await prompt.confirm(`Stop serving ${name}, and delete it?`);
  const detaching = await client.domainGroups.deleteDomain(domainCertificateGroupId, id);
  let isDeleted = detaching === undefined || detaching === null;
  if (!isDeleted && input.isSet("wait")) {
    output.progress(`${name}: DETACHING`);
    const report = ({ lastAttachmentError: error }: Domain): void => {
      if (error !== null) output.progress(error.message);
    };
    await waiting(context, input, `slipway domains remove ${id} --wait --yes`, (signal) =>
      untilGone(client.domains.watch(id, { signal }), report),
    );
    isDeleted = true;
  } else if (!isDeleted) output.progress(`${name} is being detached.`);
  for (const record of dnsRecords)
    output.progress(
      record.accountZone?.status === "SET"
        ? `Slipway removes the ${record.type} record ${record.name}, which it has set.`
        : `Remove the ${record.type} record ${record.name} from your DNS.`,
    );
  output.item({ id, name, isDeleted }, [[isDeleted ? "deleted" : "deleting", name]]);
};

/** By a domain, because people know its name; the link is of its group. */
const shareDomain: Handler = async (context, input) => {
  const { client, output } = context;
  const { domainCertificateGroupId: groupId, name } = await findDomain(context, input.argument("DOMAIN"));
  const linkId = input.text("link");
  if (linkId !== undefined) {
    const { domains } = await client.domainGroups.getShareLink(groupId, linkId);
    const shown = { domains: [...new Set([...domains, name])] };
    const changed = await client.domainGroups.updateShareLink(groupId, linkId, shown);
    output.item(changed, ["id", ["shows", changed.domains.join(", ")], ["ends", changed.expiresAt]]);
    return;
  }
  const link = await client.domainGroups.createShareLink(groupId, {
    expiresInDays: input.number("days"),
    domains: input.isSet("only") ? [name] : undefined,
  });
  output.progress("Send the address to the person who sets the records. It is shown only once.");
  output.item(link, [
    ["address", link.url],
    "id",
    ["shows", link.domains.join(", ")],
    ["ends", link.expiresAt],
  ]);
};

export const DOMAINS: readonly Command[] = [
  {
    words: "domains list",
    says: "List domains",
    flags: [
      ONLY_PROJECT,
      ONLY_ENVIRONMENT,
      ONLY_SERVICE,
      { name: "status", value: "STATUS", says: "only domains with this status, such as ATTACHED" },
      { name: "name", value: "NAME", says: "only this name; *.example.com for all below it" },
      { name: "prefix", value: "TEXT", says: "only names that begin with this text" },
      ...LIMITS,
    ],
    examples: ["slipway domains list -s web", "slipway domains list --name '*.example.com' --all --json"],
    async run(context, input) {
      const query = {
        limit: PAGE,
        ...(await findScope(context, input)),
        status: input.text("status") as Domain["status"] | undefined,
        name: input.text("name"),
        namePrefix: input.text("prefix"),
      };
      await printList(context, input, context.client.domains.list(query), DOMAIN_COLUMNS);
    },
  },
  {
    words: "domains add",
    says: "Add domains to a service, and show the DNS records to set",
    more: [
      "They join the group of the service's default distribution, which is created first if there is none. Slipway either",
      "sets the records itself (--auto-dns), or says in which panel of the DNS provider to set them. With --wait,",
      "the command shows each record as soon as it is known, reports problems with it until they are fixed, and",
      "ends when the name is served over HTTPS.",
    ],
    arguments: [{ name: "NAME", many: true, says: "domain names, such as www.example.com" }],
    flags: [
      PROJECT,
      ENVIRONMENT,
      SERVICE,
      { name: "group", value: "GROUP_ID", says: "an existing group" },
      { name: "separate", says: "a new group with a distribution of its own" },
      AUTO_DNS,
      { name: "in-sandbox", says: "also set the records in the sandbox's DNS; only in the sandbox cloud" },
      ...WAITING,
      UNTIL,
    ],
    examples: [
      "slipway domains add www.example.com --service web --wait",
      "slipway domains add www.example.com -s web --wait --in-sandbox",
    ],
    run: addDomains,
  },
  {
    words: "domains show",
    says: "Show a domain with its records and problems",
    arguments: [DOMAIN],
    examples: ["slipway domains show www.example.com"],
    async run(context, input) {
      const domain = await findDomain(context, input.argument("DOMAIN"));
      context.output.item(domain, [
        "name",
        "id",
        "status",
        "type",
        ["group", domain.domainCertificateGroupId],
        ...(domain.redirectStatus === null ? [] : redirectLines(domain)),
        ...domain.dnsRecords.flatMap((record) => [
          [`record ${record.type}`, `${record.name} → ${record.value}`] as const,
          ["  last check", diagnosisOf(record)] as const,
        ]),
        ...wrongWith(domain).map((text) => ["last error", text] as const),
      ]);
    },
  },
  {
    words: "domains records",
    says: "Show the DNS records to set, and the result of their last check",
    more: ["Without DOMAIN, the records of all domains of the project, also as a file."],
    arguments: [{ ...DOMAIN, optional: true }],
    flags: [
      PROJECT,
      {
        name: "format",
        value: "FORMAT",
        choices: ["csv", "zone"],
        says: "all records of the project as CSV, or as a zone file",
      },
    ],
    examples: ["slipway domains records www.example.com", "slipway domains records --format zone > zone.txt"],
    run: showRecords,
  },
  {
    words: "domains import",
    says: "Import many domains into a service, and show the result of each line",
    more: [
      "The file has a name on each line, or is CSV with the names below a heading such as domain, FQDN or Website, or in",
      "its first column; - reads standard input. UTF-8, UTF-16 and Latin-1 are recognized. The names below one",
      "registrable domain get groups of their own. The exit code is 3 if a line is refused.",
    ],
    arguments: [{ name: "FILE", says: "up to 10,000 names, one on each line, or CSV" }],
    flags: [
      PROJECT,
      ENVIRONMENT,
      SERVICE,
      { name: "dry-run", says: "show what would be done, and do nothing" },
      {
        name: "group-by",
        value: "GROUPING",
        choices: ["registrable-domain", "none", "column"],
        says: "which names share a group (default: registrable-domain); none: names of several owners share groups, which needs fewer distributions; column: names with the same text in --group-column",
      },
      {
        name: "group-column",
        value: "HEADING",
        says: "the heading of the column by which names are grouped, such as Customer",
      },
      {
        name: "per-group",
        value: "N",
        says: "maximum number of names in a group: the account's quota for a certificate (default: 10)",
      },
      { name: "distributions", value: "N", says: "the account's quota of distributions (default: 200)" },
      {
        ...AUTO_DNS,
        says: "let Slipway set the records where the DNS zone is in the cloud account",
      },
    ],
    examples: [
      "slipway domains import customers.csv --service web --dry-run",
      "slipway domains import customers.csv --service web --per-group 50",
    ],
    run: importDomains,
  },
  {
    words: "domains share",
    says: "Create a share link, which shows the owner of a domain the records to set",
    more: [
      "The page needs no account. It shows the records of the domains that are in the domain's group now, and what the",
      "DNS answers. It does not show domains that the group gets later, unless you add them with --link.",
      "Anyone with the address can open it until it expires.",
    ],
    arguments: [DOMAIN],
    flags: [
      { name: "days", value: "N", says: "number of days until it expires, at most 30 (default: 7)" },
      { name: "only", says: "show only this domain, and not all of its group" },
      { name: "link", value: "SHARE_ID", says: "add the domain to this link instead" },
    ],
    examples: [
      "slipway domains share www.example.com --days 14",
      "slipway domains share shop.example.com --link share_01kahz8m2r6u0y4c8e1g5j9n3q",
    ],
    run: shareDomain,
  },
  {
    words: "domains shares",
    says: "List the share links of a domain, and when each was opened",
    arguments: [DOMAIN],
    flags: LIMITS,
    examples: ["slipway domains shares www.example.com"],
    async run(context, input) {
      const { domainCertificateGroupId } = await findDomain(context, input.argument("DOMAIN"));
      const links = context.client.domainGroups.listShareLinks(domainCertificateGroupId, { limit: PAGE });
      await printList(context, input, links, [
        "id",
        { title: "shows", of: ({ domains }) => domains.join(", ") },
        "createdAt",
        { title: "first opened", of: ({ openedAt }) => openedAt },
        { title: "ends", of: ({ expiresAt }) => expiresAt },
      ]);
    },
  },
  {
    words: "domains unshare",
    says: "Revoke a share link",
    arguments: [DOMAIN, { name: "SHARE_ID", says: "the link" }],
    examples: ["slipway domains unshare www.example.com share_01kahz8m2r6u0y4c8e1g5j9n3q --yes"],
    async run(context, input) {
      const { domainCertificateGroupId: groupId } = await findDomain(context, input.argument("DOMAIN"));
      const id = input.argument("SHARE_ID");
      const question = `Revoke the link ${id}? Its page stops showing the records.`;
      await deleteConfirmed(context, question, { id, verb: "revoked" }, () =>
        context.client.domainGroups.deleteShareLink(groupId, id),
      );
    },
  },
  {
    words: "domains timeline",
    says: "Show the timeline of a domain, newest first",
    more: ["Events are kept for 30 days."],
    arguments: [DOMAIN],
    flags: LIMITS,
    examples: [
      "slipway domains timeline www.example.com",
      "slipway domains timeline www.example.com --all --json",
    ],
    async run(context, input) {
      const { id } = await findDomain(context, input.argument("DOMAIN"));
      const entries = context.client.domains.timeline(id, { limit: PAGE, order: "desc" });
      await printList(context, input, entries, [
        { title: "when", of: ({ occurredAt }) => occurredAt },
        "kind",
        { title: "what happened", of: ({ summary }) => summary },
        { title: "what to do", of: ({ action }) => action },
      ]);
    },
  },
  {
    words: "domains check",
    says: "Check the DNS records of a domain now, and show the result",
    arguments: [DOMAIN],
    flags: [TIMEOUT],
    examples: ["slipway domains check www.example.com"],
    run: checkDomain,
  },
  {
    words: "domains connect",
    says: "Print the address where the owner of a domain allows its DNS provider to set the records",
    arguments: [DOMAIN],
    flags: [
      {
        name: "verification-only",
        says: "set only the record for the certificate; the name keeps its present target",
      },
    ],
    examples: ["slipway domains connect www.example.com"],
    async run(context, input) {
      const { client, output } = context;
      const { id, name } = await findDomain(context, input.argument("DOMAIN"));
      const body = { verificationOnly: input.isSet("verification-only") };
      const started = await client.domains.startConnect(id, body);
      output.progress(`Open the address in a browser, and agree at ${started.providerName}.`);
      output.progress(`Then: slipway domains wait ${name}`);
      output.item(started, [
        ["address", started.applyUrl],
        ["until", started.expiresAt],
      ]);
    },
  },
  {
    words: "domains wait",
    says: "Wait until a domain is served, and report its problems",
    arguments: [DOMAIN],
    flags: [UNTIL, TIMEOUT],
    examples: ["slipway domains wait www.example.com --timeout 30m"],
    run: async (context, input) =>
      followDomains(context, input, [await findDomain(context, input.argument("DOMAIN"))], false),
  },
  {
    words: "domains retry",
    says: "Retry the domains of a group that are in error",
    arguments: [DOMAIN],
    flags: [...WAITING, UNTIL],
    examples: ["slipway domains retry www.example.com --wait"],
    async run(context, input) {
      const { client, output } = context;
      const domain = await findDomain(context, input.argument("DOMAIN"));
      await client.domainGroups.retryAttachment(domain.domainCertificateGroupId);
      if (input.isSet("wait")) await followDomains(context, input, [domain], false);
      else output.list([await client.domains.get(domain.id)], DOMAIN_COLUMNS);
    },
  },
  {
    words: "domains redirect",
    says: "Redirect a domain to another domain of its group, or end the redirect",
    more: ["The redirect has status 308 and keeps path and query. Without TARGET, the redirect ends."],
    arguments: [DOMAIN, { name: "TARGET", optional: true, says: "the name to redirect to" }],
    flags: WAITING,
    examples: [
      "slipway domains redirect www.example.com example.com --wait",
      "slipway domains redirect www.example.com",
    ],
    run: redirectDomain,
  },
  {
    words: "domains remove",
    says: "Stop serving a domain, and delete it",
    arguments: [DOMAIN],
    flags: WAITING,
    examples: ["slipway domains remove www.example.com --wait --yes"],
    run: removeDomain,
  },
];

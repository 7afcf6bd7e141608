import {
  ALL,
  type Command,
  ENVIRONMENT,
  type Flag,
  LIMIT,
  PROJECT,
  SERVICE,
  TIMEOUT,
  WAIT,
} from "./command.ts";

const DOMAIN = { name: "DOMAIN", says: "a domain, by name or id" };
const UNTIL: Flag = {
  name: "until",
  value: "STATE",
  choices: ["attached", "served"],
  says: "attached: HTTPS is served; served, as without the flag: the DNS leads there, too",
};

export const DOMAINS: readonly Command[] = [
  {
    words: "domains list",
    says: "List domains",
    flags: [
      PROJECT,
      ENVIRONMENT,
      SERVICE,
      { name: "status", value: "STATUS", says: "only domains with this status, such as ATTACHED" },
      { name: "name", value: "NAME", says: "only this name; *.example.com for all below it" },
      LIMIT,
      ALL,
    ],
    examples: ["slipway domains list -s web", "slipway domains list --name '*.example.com' --all --json"],
    load: async () => (await import("../commands/domains/domains.ts")).listDomains,
  },
  {
    words: "domains add",
    says: "Add domains to a service, and show the DNS records to set",
    more: [
      "They join the group of the service's default distribution, which is created first if there is none. With --wait,",
      "the command shows each record as soon as it is known, says what is wrong with it as long as something is, and",
      "ends when the name is served over HTTPS.",
    ],
    arguments: [{ name: "NAME", many: true, says: "domain names, such as www.example.com" }],
    flags: [
      PROJECT,
      ENVIRONMENT,
      SERVICE,
      { name: "group", value: "GROUP_ID", says: "a group that exists" },
      { name: "separate", says: "a new group with a distribution of its own" },
      { name: "in-sandbox", says: "set the records in the sandbox's DNS, too; only in the sandbox cloud" },
      WAIT,
      UNTIL,
      TIMEOUT,
    ],
    examples: [
      "slipway domains add www.example.com --service web --wait",
      "slipway domains add www.example.com -s web --wait --in-sandbox",
    ],
    load: async () => (await import("../commands/domains/add.ts")).addDomains,
  },
  {
    words: "domains show",
    says: "Show a domain with its records, and what is wrong with it",
    arguments: [DOMAIN],
    examples: ["slipway domains show www.example.com"],
    load: async () => (await import("../commands/domains/domains.ts")).showDomain,
  },
  {
    words: "domains records",
    says: "Show the DNS records to set, and the result of their last check",
    arguments: [DOMAIN],
    examples: ["slipway domains records www.example.com"],
    load: async () => (await import("../commands/domains/domains.ts")).showRecords,
  },
  {
    words: "domains check",
    says: "Check the DNS records of a domain now, and show the result",
    arguments: [DOMAIN],
    flags: [TIMEOUT],
    examples: ["slipway domains check www.example.com"],
    load: async () => (await import("../commands/domains/domains.ts")).checkDomain,
  },
  {
    words: "domains wait",
    says: "Wait until a domain is served, and say what is wrong meanwhile",
    arguments: [DOMAIN],
    flags: [UNTIL, TIMEOUT],
    examples: ["slipway domains wait www.example.com --timeout 30m"],
    load: async () => (await import("../commands/domains/add.ts")).waitForDomain,
  },
  {
    words: "domains retry",
    says: "Try a domain in error again, with the others of its group that are",
    arguments: [DOMAIN],
    flags: [WAIT, UNTIL, TIMEOUT],
    examples: ["slipway domains retry www.example.com --wait"],
    load: async () => (await import("../commands/domains/add.ts")).retryDomain,
  },
  {
    words: "domains remove",
    says: "Stop serving a domain, and delete it",
    arguments: [DOMAIN],
    flags: [WAIT, TIMEOUT],
    examples: ["slipway domains remove www.example.com --wait --yes"],
    load: async () => (await import("../commands/domains/domains.ts")).removeDomain,
  },
];

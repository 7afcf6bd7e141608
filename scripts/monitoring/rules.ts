/**
 * The alerts of `deploy/prometheus/`, each with two examples by which promtool tests it: figures that make it fire,
 * and figures that must not.
 */
import { METRICS } from "../../src/start/metric-catalogue.ts";

export type Rule = {
  readonly alert: string;
  readonly expr: string;
  /** How long it has to hold. */
  readonly for: string;
  /** `page`: an operator has to act now. `ticket`: within days. */
  readonly severity: "page" | "ticket";
  readonly summary: string;
  /** What it means, and what to do. */
  readonly description: string;
  readonly fires: Example;
  readonly isQuiet: Example;
};

/** Series in promtool's notation, a value a minute; read after half an hour. */
type Example = Readonly<Record<string, string>>;

const {
  caBudgetLeft,
  caFailures,
  certificateLife,
  certificateLifeLeft,
  certificateOrders,
  connections,
  dnsLag,
  edges,
  eventLag,
  refusedSignIns,
  replicationLag,
  requests,
  shedRequests,
  steps,
  webhookBacklog,
  workLag,
} = METRICS;

export const RULES: readonly Rule[] = [
  {
    alert: "SlipwayDown",
    expr: 'up{job=~".*slipway.*"} == 0',
    for: "2m",
    severity: "page",
    summary: "{{ $labels.instance }} does not answer.",
    description: "The process has ended, or stands still. Its log says why; the others take over its work.",
    fires: { 'up{job="slipway", instance="a:4000"}': "0x30" },
    isQuiet: { 'up{job="slipway", instance="a:4000"}': "1x30", 'up{job="node"}': "0x30" },
  },
  {
    alert: "SlipwayServerErrors",
    // The first 500 of a route begins its counter: there is nothing that it has increased from.
    expr:
      `sum by (route) (increase(${requests.name}{status="500"}[10m])) > 0 or ` +
      `sum by (route) (${requests.name}{status="500"} unless ${requests.name}{status="500"} offset 10m) > 0`,
    for: "0m",
    severity: "ticket",
    summary: "{{ $labels.route }} answered with 500.",
    description: "A defect of Slipway. The log has the details under the request's id.",
    fires: { [`${requests.name}{route="/v1/domains", method="GET", status="500"}`]: "_x25 1x10" },
    isQuiet: { [`${requests.name}{route="/v1/domains", method="GET", status="422"}`]: "0+5x30" },
  },
  {
    alert: "SlipwayUnavailable",
    expr: `sum(rate(${requests.name}{status="503"}[5m])) > 0.1`,
    for: "5m",
    severity: "page",
    summary: "Requests are answered with 503.",
    description: "The database cannot be reached, or its disk is full. The log and /readyz say which.",
    fires: { [`${requests.name}{route="/v1/domains", method="GET", status="503"}`]: "0+60x30" },
    isQuiet: { [`${requests.name}{route="/v1/domains", method="GET", status="503"}`]: "3x30" },
  },
  {
    alert: "SlipwayShedsLoad",
    expr: `sum(rate(${shedRequests.name}[5m])) > 0`,
    for: "5m",
    severity: "ticket",
    summary: "Requests are refused because too many wait.",
    description: "There are more requests than the processes can answer: add API processes.",
    fires: { [shedRequests.name]: "0+10x30" },
    isQuiet: { [shedRequests.name]: "7x30" },
  },
  {
    alert: "SlipwayWorkWaits",
    expr: `max by (kind) (${workLag.name}{kind!="webhook-endpoint"}) > 60`,
    for: "5m",
    severity: "page",
    summary: "Work of the kind {{ $labels.kind }} has been due for {{ $value | humanizeDuration }}.",
    description: "There are too few workers or none, or the database is slow.",
    fires: { [`${workLag.name}{kind="deployment"}`]: "0+30x30" },
    isQuiet: { [`${workLag.name}{kind="deployment"}`]: "5x30" },
  },
  {
    alert: "SlipwayStepsFail",
    expr:
      `sum by (kind) (rate(${steps.name}{outcome="failed"}[10m])) > 0.1 and ` +
      `sum by (kind) (rate(${steps.name}{outcome="failed"}[10m])) / sum by (kind) (rate(${steps.name}[10m])) > 0.2`,
    for: "10m",
    severity: "ticket",
    summary: "{{ $value | humanizePercentage }} of the steps of the kind {{ $labels.kind }} fail.",
    description:
      "A cloud account or the cloud refuses calls, or does not answer: lastCheckError and lastAttachmentError say what.",
    fires: {
      [`${steps.name}{kind="distribution", outcome="failed"}`]: "0+30x30",
      [`${steps.name}{kind="distribution", outcome="done"}`]: "0+30x30",
    },
    isQuiet: {
      [`${steps.name}{kind="distribution", outcome="failed"}`]: "0+10x30",
      [`${steps.name}{kind="distribution", outcome="done"}`]: "0+90x30",
    },
  },
  {
    alert: "SlipwayCertificateExpires",
    // On an own server, certificates may be made for less than that.
    expr: `min(${certificateLife.name}) < 21 * 86400 unless min(${certificateLifeLeft.name})`,
    for: "1h",
    severity: "ticket",
    summary: "A certificate expires in {{ $value | humanizeDuration }}.",
    description:
      "The provider renews long before. Its validation record is missing, or CAA refuses it: events of the type " +
      "certificate.expiring name the domains.",
    fires: { [certificateLife.name]: "1000000x120" },
    isQuiet: { [certificateLife.name]: "3000000x120" },
  },
  {
    alert: "SlipwayRenewalLate",
    expr: `min(${certificateLifeLeft.name}) < 0.2`,
    for: "1h",
    severity: "ticket",
    summary: "A certificate of the own server has {{ $value | humanizePercentage }} of its life left.",
    description:
      "It should have been renewed at a third. The console's page of the server names it, and says why and what to do.",
    fires: { [certificateLifeLeft.name]: "0.19x120", [certificateLife.name]: "1000000x120" },
    isQuiet: { [certificateLifeLeft.name]: "0.33x120", [certificateLife.name]: "1000000x120" },
  },
  {
    alert: "SlipwayNamesWait",
    expr: `max(${certificateOrders.name}{waits_for="operator"}) > 0`,
    for: "15m",
    severity: "ticket",
    summary: "{{ $value }} names get no certificate until the operator acts.",
    description: "The console's page of the server names them, and says what to do.",
    fires: { [`${certificateOrders.name}{waits_for="operator"}`]: "2x30" },
    isQuiet: {
      [`${certificateOrders.name}{waits_for="operator"}`]: "0x30",
      [`${certificateOrders.name}{waits_for="customer"}`]: "50x30",
    },
  },
  {
    alert: "SlipwayCaFails",
    expr: `max by (ca) (${caFailures.name}) >= 5`,
    for: "15m",
    severity: "ticket",
    summary: "{{ $value }} requests in a row to the {{ $labels.ca }} CA have failed.",
    description:
      "New domains get no certificate, and renewals wait. The console's page of the server says why; a second CA " +
      "(SLIPWAY_ACME_FALLBACK_DIRECTORY) takes over before a certificate expires.",
    fires: { [`${caFailures.name}{ca="first"}`]: "5+1x30" },
    isQuiet: { [`${caFailures.name}{ca="first"}`]: "4x30" },
  },
  {
    alert: "SlipwayCaBudgetUsed",
    expr: `min by (limit) (${caBudgetLeft.name}{limit=~"orders|domain"}) < 0.2`,
    for: "5m",
    severity: "ticket",
    summary: "{{ $value | humanizePercentage }} of the CA's limit of the kind {{ $labels.limit }} is left.",
    description: "New names wait when it is used up. Add names more slowly, or set a second CA.",
    fires: { [`${caBudgetLeft.name}{ca="first", limit="domain"}`]: "0.1x30" },
    isQuiet: {
      [`${caBudgetLeft.name}{ca="first", limit="domain"}`]: "0.4x30",
      [`${caBudgetLeft.name}{ca="first", limit="failures"}`]: "0x30",
    },
  },
  {
    alert: "SlipwayEdgeSilent",
    expr: `max(${edges.name}{state="silent"}) > 0`,
    for: "2m",
    severity: "page",
    summary: "{{ $value }} edges do not report.",
    description:
      "Visitors whose DNS leads there may not be served. Start the edge, or remove its address from the DNS.",
    fires: { [`${edges.name}{state="silent"}`]: "1x30" },
    isQuiet: { [`${edges.name}{state="silent"}`]: "0x30", [`${edges.name}{state="behind"}`]: "1x30" },
  },
  {
    alert: "SlipwayEdgeBehind",
    expr: `max(${edges.name}{state="behind"}) > 0`,
    for: "10m",
    severity: "ticket",
    summary: "{{ $value }} edges serve an older state or none.",
    description: "They report, but do not take what the main machine has. Their logs say why.",
    fires: { [`${edges.name}{state="behind"}`]: "1x30" },
    isQuiet: { [`${edges.name}{state="behind"}`]: "1x5 0x25" },
  },
  {
    alert: "SlipwayDnsChecksLate",
    expr: `max(${dnsLag.name}) > 60`,
    for: "5m",
    severity: "ticket",
    summary: "DNS records are checked {{ $value | humanizeDuration }} late.",
    description: "There are too few workers for the records, or DNS servers do not answer from here.",
    fires: { [dnsLag.name]: "0+30x30" },
    isQuiet: { [dnsLag.name]: "4x30" },
  },
  {
    alert: "SlipwayConnectionsWait",
    expr: `max by (instance) (${connections.name}{state="waiting"}) > 0`,
    for: "2m",
    severity: "ticket",
    summary: "Statements of {{ $labels.instance }} wait for a connection.",
    description: "The pool is too small (SLIPWAY_DATABASE_POOL), or the database is slow.",
    fires: { [`${connections.name}{state="waiting", instance="a:4000"}`]: "3x30" },
    isQuiet: {
      [`${connections.name}{state="waiting", instance="a:4000"}`]: "0x30",
      [`${connections.name}{state="open", instance="a:4000"}`]: "10x30",
    },
  },
  {
    alert: "SlipwayReplicationLags",
    expr: `max(${replicationLag.name}) > 30`,
    for: "5m",
    severity: "ticket",
    summary: "A standby of the database is {{ $value | humanizeDuration }} behind.",
    description:
      "A failover to it would take as long to catch up; without synchronous replication it would lose as much.",
    fires: { [replicationLag.name]: "45x30" },
    isQuiet: { [replicationLag.name]: "0.2x30" },
  },
  {
    alert: "SlipwayEventsWait",
    expr: `max(${eventLag.name}) > 60`,
    for: "5m",
    severity: "ticket",
    summary: "Events have been without a number for {{ $value | humanizeDuration }}.",
    description: "Readers and webhooks do not get them yet: there is no worker, or the database is slow.",
    fires: { [eventLag.name]: "0+30x30" },
    isQuiet: { [eventLag.name]: "1x30" },
  },
  {
    alert: "SlipwayWebhooksWait",
    expr: `max(${webhookBacklog.name}{status="HEALTHY"}) > 1000`,
    for: "15m",
    severity: "ticket",
    summary: "{{ $value }} events wait for webhook endpoints that answer.",
    description:
      "There are too few workers, or endpoints limit their rate. Endpoints that do not answer are not counted.",
    fires: { [`${webhookBacklog.name}{status="HEALTHY"}`]: "5000x30" },
    isQuiet: {
      [`${webhookBacklog.name}{status="HEALTHY"}`]: "20x30",
      [`${webhookBacklog.name}{status="FAILING"}`]: "90000x30",
    },
  },
  {
    alert: "SlipwayEventLoopBlocked",
    expr: "max by (instance) (nodejs_eventloop_lag_p99_seconds) > 0.5",
    for: "10m",
    severity: "ticket",
    summary: "{{ $labels.instance }} stands still for {{ $value | humanizeDuration }} at a time.",
    description: "The machine has too little processor time for the process.",
    fires: { 'nodejs_eventloop_lag_p99_seconds{instance="a:4000"}': "2x30" },
    isQuiet: { 'nodejs_eventloop_lag_p99_seconds{instance="a:4000"}': "0.1x30" },
  },
  {
    alert: "SlipwaySignInsRefused",
    expr: `sum(rate(${refusedSignIns.name}[10m])) > 5`,
    for: "10m",
    severity: "ticket",
    summary: "{{ $value | humanize }} requests a second have no valid API key.",
    description: "A client tries keys, or has an old one: the log names the addresses.",
    fires: { [`${refusedSignIns.name}{reason="unknown"}`]: "0+600x30" },
    isQuiet: { [`${refusedSignIns.name}{reason="unknown"}`]: "0+60x30" },
  },
];

/** @import { Child } from "../dom.js" */
/** @import { DnsRecord, Domain, View } from "../api-types.ts" */
import { h } from "../dom.js";
import { copyable } from "./copy.js";
import { askFirst } from "./dialog.js";
import { button } from "./page.js";
import { badge } from "./status.js";
import { makeTable } from "./table.js";
import { when } from "./time.js";

/** What each status means for the reader. @type {Readonly<Record<string, string>>} */
const EXPLANATIONS = {
  PENDING: "Accepted. Next, Slipway requests a certificate.",
  CREATING: "The certificate is being requested. The DNS record to set will appear here shortly.",
  AWAITING_VERIFICATION_RECORDS_TO_BE_SET:
    "Set the verification record at your DNS provider. Slipway checks for it automatically and continues as soon as it is there.",
  ATTACHING: "The certificate is issued. The domain is being attached to the distribution.",
  DETACHING: "The domain is being detached from the distribution.",
};
const SERVED = "The domain is live.";
const NOT_POINTED = "Ready. Set the connection record to point the domain at the service.";

/** @type {Readonly<Record<string, string>>} */
const PURPOSES = {
  CERTIFICATE_DOMAIN_VERIFICATION: "Proves that the domain is yours",
  SERVICE_CONNECTION: "Points the domain at the service",
  CERTIFICATE_AUTHORITY_AUTHORIZATION: "Lets the certificate be issued",
};

/**
 * A domain: its status, what to do next, and the records to set.
 * @param {View} view
 * @param {string} groupId
 * @param {Domain} domain
 * @param {{ run: (work: () => Promise<unknown>) => Promise<void>, onChanged: () => void }} actions
 *   `run` shows the problem of a call that fails.
 */
export function domainCard(view, groupId, domain, { run, onChanged }) {
  const { api, notify, hasSandbox } = view;
  const { name, dnsRecords, lastAttachmentError, warnings } = domain;
  const check = button(
    "Check DNS now",
    () =>
      run(async () => {
        await api.write("POST", `/v1/domains/${domain.id}/check`);
        notify("Checking DNS.");
        onChanged();
      }),
    { class: "small", "data-focus": `check ${domain.id}` },
  );
  const remove = button(
    "Delete",
    () =>
      askFirst({
        title: `Delete ${name}?`,
        text: "The domain will no longer be served. Remove its DNS records afterwards.",
        action: "Delete domain",
        onConfirm: async () => {
          await api.write("DELETE", `/v1/domain-certificate-groups/${groupId}/domains/${domain.id}`);
          onChanged();
        },
      }),
    { class: "danger-quiet small", "aria-label": `Delete ${name}`, "data-focus": `delete ${domain.id}` },
  );
  return h(
    "article",
    { class: "card", "data-domain": name },
    h(
      "div",
      { class: "title-row" },
      h("h3", {}, name, " ", badge(domain.status)),
      h("div", { class: "actions" }, dnsRecords.length > 0 && check, domain.status !== "DETACHING" && remove),
    ),
    h("p", { class: "quiet" }, explain(domain)),
    lastAttachmentError !== null &&
      h(
        "div",
        { class: "problem" },
        h("strong", {}, lastAttachmentError.message),
        h("p", {}, lastAttachmentError.action),
        h(
          "p",
          { class: "fine" },
          h("code", {}, lastAttachmentError.code),
          " ",
          when(lastAttachmentError.occurredAt),
        ),
      ),
    ...warnings.map(({ code, message, action }) =>
      h(
        "div",
        { class: "problem warning" },
        h("strong", {}, message),
        h("p", {}, action),
        h("p", { class: "fine" }, h("code", {}, code)),
      ),
    ),
    dnsRecords.length > 0 && recordsTable(view, domain),
    hasSandbox &&
      dnsRecords.some(({ status }) => status !== "OK") &&
      sandboxHint(view, domain, run, onChanged),
  );
}

/**
 * @param {Domain} domain
 * @returns {string | null}
 */
function explain({ status, dnsRecords }) {
  if (status !== "ATTACHED") return EXPLANATIONS[status] ?? null;
  const connection = dnsRecords.find(({ purpose }) => purpose === "SERVICE_CONNECTION");
  return connection?.status === "OK" ? SERVED : NOT_POINTED;
}

/**
 * @param {View} view
 * @param {Domain} domain
 */
function recordsTable({ notify }, { id, name, dnsRecords }) {
  /**
   * @param {DnsRecord} record
   * @param {"name" | "relativeName" | "value"} field
   * @param {string} what
   */
  const copyCell = (record, field, what) =>
    copyable(record[field], { what, notify, focus: `${id} ${record.purpose} ${field}` });
  return h(
    "div",
    { class: "table records" },
    makeTable(
      `DNS records of ${name}`,
      [
        {
          label: "Type",
          cell: ({ type, purpose }) => [h("strong", {}, type), h("small", {}, PURPOSES[purpose] ?? purpose)],
        },
        { label: "Name", cell: (record) => copyCell(record, "name", "the record's name") },
        {
          label: "Name within the zone",
          cell: (record) => [
            copyCell(record, "relativeName", "the name within the zone"),
            h("small", {}, `in ${record.zone}`),
          ],
        },
        { label: "Value", cell: (record) => copyCell(record, "value", "the record's value") },
        { label: "Status", cell: statusCell },
      ],
      dnsRecords,
      checkNote,
    ).table,
  );
}

/**
 * @param {DnsRecord} record
 * @returns {readonly Child[]}
 */
function statusCell({ status, lastPropagationCheckAt }) {
  return [
    badge(status, status === "OK" ? undefined : "Not seen yet"),
    h(
      "small",
      {},
      lastPropagationCheckAt === null ? "not checked yet" : ["checked ", when(lastPropagationCheckAt)],
    ),
  ];
}

/**
 * What the last check found wrong, and what to do.
 * @param {DnsRecord} record
 */
function checkNote({ status, lastPropagationCheckValue, lastPropagationCheckError }) {
  const { code, message } = lastPropagationCheckError ?? {};
  if (status === "OK" || message === undefined) return null;
  return h(
    "p",
    { class: "check-note" },
    message,
    code !== undefined && [" ", h("code", { class: "quiet" }, code)],
    lastPropagationCheckValue !== null && [" Found: ", h("code", {}, lastPropagationCheckValue)],
  );
}

/**
 * The sandbox has its own DNS, which stands in for the customer's.
 * @param {View} view
 * @param {Domain} domain
 * @param {(work: () => Promise<unknown>) => Promise<void>} run
 * @param {() => void} onChanged
 */
function sandboxHint({ api, notify }, domain, run, onChanged) {
  const set = button(
    "Set the records in the sandbox",
    () =>
      run(async () => {
        for (const { name, type, value } of domain.dnsRecords) {
          await api.write("PUT", "/sandbox/dns/records", { name, type, values: [value] });
        }
        await api.write("POST", `/v1/domains/${domain.id}/check`);
        notify("The records are set.");
        onChanged();
      }),
    { class: "small", "data-focus": `sandbox ${domain.id}` },
  );
  return h(
    "p",
    { class: "hint" },
    "In the sandbox, records are set with ",
    h("code", {}, "PUT /sandbox/dns/records"),
    ". ",
    set,
  );
}

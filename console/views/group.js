/** @import { Domain, Group, Page, Service, View } from "../api-types.ts" */
import { fill, h } from "../dom.js";
import { follow, pause, untilVisible } from "../live.js";
import { copyable } from "../parts/copy.js";
import { crumbsOfService } from "../parts/crumbs.js";
import { askFirst } from "../parts/dialog.js";
import { domainCard } from "../parts/domain-card.js";
import { sendDomainNames } from "../parts/domain-names.js";
import { makeForm } from "../parts/form.js";
import { button, empty, facts, link, pageHead, section } from "../parts/page.js";
import { problemBox, toProblem } from "../parts/problem.js";
import { badge } from "../parts/status.js";
import { when } from "../parts/time.js";

/** How often all domains are refreshed while one is in progress. The first such domain is also followed live. */
const REFRESH_MS = 5_000;

/** @param {View} view */
export async function showGroup(view) {
  const { api, params, signal, go, notify } = view;
  const path = `/v1/domain-certificate-groups/${params["id"]}`;
  /** @type {Group} */
  const group = await api.get(path, signal);
  /** @type {Service} */
  const service = await api.get(`/v1/services/${group.serviceId}`, signal);
  const servicePath = `/services/${service.id}`;
  const crumbs = [...(await crumbsOfService(view, service)), link(servicePath, service.name)];

  const state = h("div", { "aria-live": "polite" });
  const failure = h("div", {});
  /** @param {() => Promise<unknown>} work */
  const run = async (work) => {
    failure.replaceChildren();
    try {
      await work();
    } catch (error) {
      failure.replaceChildren(problemBox(toProblem(error)));
      failure.scrollIntoView({ block: "nearest" });
    }
  };
  const domains = await domainList(view, group.id, path, run);

  const retry = button("Retry attachment", () =>
    run(async () => {
      await api.write("POST", `${path}/retry-attachment`);
      notify("Retrying.");
      domains.refresh();
    }),
  );
  const remove = button(
    "Delete group",
    () =>
      askFirst({
        title: `Delete the group ${group.name}?`,
        text: "Its domains will no longer be served, and its certificate is deleted.",
        action: "Delete group",
        onConfirm: async () => {
          await api.write("DELETE", path);
          domains.refresh();
        },
      }),
    { class: "danger-quiet" },
  );
  /** @param {Group} now */
  const showState = (now) => {
    retry.hidden = now.domainsInError === 0;
    remove.hidden = now.status === "DELETING";
    fill(state, groupFacts(view, now));
  };
  showState(group);
  void follow({
    api,
    path,
    signal,
    onNews: (/** @type {Group} */ now) => {
      showState(now);
      domains.refresh();
    },
    onGone: () => {
      notify(`The group ${group.name} is deleted.`);
      go(servicePath);
    },
  });

  const add = makeForm({
    fields: [
      {
        name: "domains",
        label: "Domain names",
        kind: "lines",
        hint: "One per line. Attached domains stay live in the meantime.",
      },
    ],
    action: "Add domains",
    onSubmit: async ({ domains: text = "" }) => {
      await sendDomainNames(api, `${path}/domains`, text);
      add.reset();
      domains.refresh();
    },
  });
  return [
    pageHead({ title: group.name, crumbs, actions: [retry, remove] }),
    state,
    failure,
    section("Domains", domains.element, h("details", {}, h("summary", {}, "Add domains to this group"), add)),
  ];
}

/**
 * @param {View} view
 * @param {Group} group
 */
function groupFacts({ notify }, { id, status, domainsInError, isDefaultCdn, cdnDomainName, certificate }) {
  const kind = isDefaultCdn ? "the service's own" : "separate";
  return facts([
    ["Status", domainsInError === 0 ? badge(status) : [badge(status), ` ${domainsInError} in error`]],
    [
      "Distribution",
      cdnDomainName === null
        ? kind
        : [copyable(cdnDomainName, { what: "the distribution's host name", notify }), h("small", {}, kind)],
    ],
    [
      "Certificate",
      certificate === null ? "not requested yet" : certificate.status.replaceAll("_", " ").toLowerCase(),
    ],
    certificate !== null && certificate.expiresAt !== null
      ? ["Expires", when(certificate.expiresAt)]
      : ["Validation ends", when(certificate?.validationDeadlineAt ?? null, "–")],
    ["Id", copyable(id, { what: "the id", notify })],
  ]);
}

/**
 * Keeps the cards of a group's domains up to date. A card is rendered again only when its domain changed.
 * @param {View} view
 * @param {string} groupId
 * @param {string} path Of the group.
 * @param {(work: () => Promise<unknown>) => Promise<void>} run
 */
async function domainList(view, groupId, path, run) {
  const { api, signal } = view;
  const element = h("div", { class: "cards" });
  const foot = h("div", { class: "more" });
  /** @type {Map<string, { text: string, place: HTMLElement }>} */
  const shown = new Map();
  /** @type {{ id: string, end: AbortController } | null} */
  let followed = null;
  let pages = 1;
  /** Every refresh aborts it, to end the pause before the next one. */
  let wake = new AbortController();

  /** @param {Domain} domain */
  const showDomain = (domain) => {
    const known = shown.get(domain.id);
    const text = JSON.stringify(domain);
    if (known?.text === text) return known.place;
    const place = known?.place ?? h("div", {});
    shown.set(domain.id, { text, place });
    fill(place, domainCard(view, groupId, domain, { run, onChanged: refresh }));
    return place;
  };

  const load = async () => {
    /** @type {Domain[]} */
    const items = [];
    /** @type {string | null} */
    let cursor = null;
    for (let count = 0; count < pages; count += 1) {
      /** @type {Page<Domain>} */
      const page = await api.list(`${path}/domains`, "domains", cursor, signal);
      items.push(...page.items);
      cursor = page.nextCursor;
      if (cursor === null) break;
    }
    const places = items.map(showDomain);
    // Re-inserting an element that is already in its place would make it lose the focus.
    if (
      places.length !== element.children.length ||
      places.some((place, index) => place !== element.children[index])
    ) {
      element.replaceChildren(...(places.length === 0 ? [empty("No domains.")] : places));
    }
    foot.replaceChildren();
    if (cursor !== null) foot.append(button("Show more", () => ((pages += 1), refresh())));
    followFirst(items.find(({ status, dnsRecords }) => isOnItsWay(status) || dnsRecords.some(isMissing)));
    return items.some(({ status, dnsRecords }) => isOnItsWay(status) || dnsRecords.some(isMissing));
  };

  /** @param {Domain | undefined} domain */
  const followFirst = (domain) => {
    if (domain?.id === followed?.id) return;
    followed?.end.abort();
    followed = null;
    if (domain === undefined) return;
    const end = new AbortController();
    followed = { id: domain.id, end };
    void follow({
      api,
      path: `/v1/domains/${domain.id}`,
      signal: AbortSignal.any([signal, end.signal]),
      onNews: (/** @type {Domain} */ now) => {
        if (JSON.stringify(now) !== shown.get(now.id)?.text) refresh();
      },
      onGone: refresh,
    });
  };

  function refresh() {
    wake.abort();
  }

  const keep = async () => {
    let isMoving = true;
    while (!signal.aborted) {
      await pause(isMoving ? REFRESH_MS : 12 * REFRESH_MS, AbortSignal.any([signal, wake.signal]));
      wake = new AbortController();
      await untilVisible(signal);
      if (signal.aborted) return;
      await load().then(
        (is) => (isMoving = is),
        (/** @type {unknown} */ error) => {
          // If the problem lasts, following the group shows it. If the group is gone, the console leaves this page.
          if (!signal.aborted) toProblem(error);
        },
      );
    }
  };
  await load();
  void keep();
  return { element: h("div", {}, element, foot), refresh };
}

/** @param {string} status */
function isOnItsWay(status) {
  return status !== "ATTACHED" && !status.startsWith("ERROR_");
}

/** @param {{ status: string }} record */
function isMissing({ status }) {
  return status !== "OK";
}

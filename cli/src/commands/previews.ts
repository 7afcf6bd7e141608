/** Environments for pull requests, and for keys of CI systems. */
import { spawn } from "node:child_process";
import type { Environment, Preview, PreviewState } from "../../../sdk/src/index.ts";
import {
  type Argument,
  type Command,
  ENVIRONMENT,
  type Flag,
  type Input,
  LIMITS,
  ONLY_PROJECT,
  PROJECT,
  SERVICE,
  WAITING,
} from "../command.ts";
import type { Context } from "../context.ts";
import { endedBadly, notFound } from "../failure.ts";
import { readExpiry } from "../input.ts";
import { collect, findEnvironment, findNamedProject, findProject, PAGE, pick } from "../lookup.ts";
import { printList } from "../print.ts";
import { firstOf, waiting } from "../wait.ts";
import { explainAddresses, listAddresses, pagesOf } from "./addresses.ts";
import { followDeployment, printLog, requireSuccess } from "./logs.ts";

const PREVIEW: Argument = {
  name: "PREVIEW",
  says: "the preview, by the number of its pull request, by key or id",
};
const TEMPLATE: Flag = {
  ...ENVIRONMENT,
  says: "the environment that previews are made from, by name or id (default: the only one)",
};
const STATES: readonly PreviewState[] = [
  "WAITING_FOR_APPROVAL",
  "WAITING_FOR_CAPACITY",
  "ACTIVE",
  "SLEEPING",
  "ENDED",
  "DELETING",
];

export const PREVIEWS: readonly Command[] = [
  {
    words: "previews list",
    says: "List previews",
    flags: [
      ONLY_PROJECT,
      { name: "state", value: "STATE", choices: STATES, says: "only in this state" },
      ...LIMITS,
    ],
    examples: ["slipway previews list -p shop", "slipway previews list --state WAITING_FOR_APPROVAL"],
    async run(context, input) {
      const projectId = await findNamedProject(context, input);
      const query = { limit: PAGE, projectId, state: input.text("state") as PreviewState | undefined };
      await printList(context, input, context.client.previews.list(query), [
        "key",
        "state",
        { title: "waits for", of: ({ waitsFor }) => waitsFor },
        "branch",
        { title: "commit", of: ({ commitHash }) => commitHash.slice(0, 12) },
        "expiresAt",
        "id",
        { title: "pull request", of: ({ pullRequest }) => pullRequest?.url },
        { title: "reason", of: ({ reason }) => reason, isProse: true },
      ]);
      if (projectId === undefined) return;
      const { error } = await context.client.previews.getPullRequestRead(projectId);
      if (error !== null)
        context.output.note(`Slipway cannot read the pull requests. ${error.message} ${error.action}`);
      const { previewDomains } = await context.client.previews.listDomains(projectId);
      for (const { domain, reason, waitsFor } of previewDomains)
        if (reason !== null)
          context.output.note(
            `Previews are not served below ${domain} ${waitsFor === "user" ? "until you act" : "yet"}. ${reason}`,
          );
    },
  },
  {
    words: "previews orphans",
    says: "List resources of deleted previews that are left in cloud accounts",
    more: ["Slipway retries until they are removed. The list says why a resource is left, and who must act."],
    flags: [ONLY_PROJECT, ...LIMITS],
    examples: ["slipway previews orphans -p shop"],
    async run(context, input) {
      const projectId = await findNamedProject(context, input);
      await printList(context, input, context.client.previews.listOrphans({ limit: PAGE, projectId }), [
        "kind",
        "name",
        { title: "preview", of: ({ key }) => key },
        { title: "account", of: ({ awsAccountId }) => awsAccountId },
        "removedSince",
        { title: "waits for", of: ({ waitsFor }) => waitsFor },
        { title: "reason", of: ({ reason }) => reason, isProse: true },
      ]);
    },
  },
  {
    words: "previews show",
    says: "Show a preview with its pull request and addresses",
    arguments: [PREVIEW],
    flags: [PROJECT],
    examples: ["slipway previews show 12 -p shop"],
    async run(context, input) {
      const preview = await findPreview(context, input);
      showPreview(context, preview, await addressesOf(context, preview));
    },
  },
  {
    words: "previews open",
    says: "Print the address of a preview, and open it with --browser",
    more: ["The address is that of the first service with one, in the order of their creation."],
    arguments: [PREVIEW],
    flags: [PROJECT, { name: "browser", says: "also open the address in a browser on this machine" }],
    examples: ["slipway previews open 12 -p shop --browser"],
    async run(context, input) {
      const preview = await findPreview(context, input);
      const [url] = await addressesOf(context, preview);
      if (url === undefined)
        throw notFound(`The preview ${preview.key} has no address yet.`, nextStep(preview));
      context.output.data({ id: preview.id, url }, [url]);
      if (!input.isSet("browser")) return await explainAddresses(context, [url]);
      const [page = url] = await pagesOf(context, [url]);
      await openBrowser(page);
    },
  },
  {
    words: "previews bypass",
    says: "Create the secret with which tests open protected previews; it is printed once",
    more: [
      "Tests send it in the header x-slipway-bypass. It replaces the previous secret, which stops working.",
    ],
    flags: [PROJECT, TEMPLATE],
    examples: ["slipway previews bypass -p shop"],
    async run(context, input) {
      const template = await findTemplate(context, input);
      const made = await context.client.previews.createBypass(template.id);
      context.output.progress("Store the secret where your tests read it. It is shown only once.");
      context.output.item(made, ["header", "secret"]);
    },
  },
  {
    words: "previews logs",
    says: "Print the log of the newest deployment of a preview",
    arguments: [PREVIEW],
    flags: [
      PROJECT,
      { ...SERVICE, says: "only lines about this service" },
      { name: "follow", short: "f", says: "follow the log until the deployment has ended" },
    ],
    streams: true,
    examples: ["slipway previews logs 12 -p shop --follow"],
    async run(context, input) {
      const preview = await findPreview(context, input);
      await printLog(context, input, await findNewestDeployment(context, preview));
    },
  },
  {
    words: "previews approve",
    says: "Approve a commit of another repository; it is deployed to the preview",
    more: [
      "The commit's code is built and run in the cloud account of the project, without its secrets. Read it first, and give",
      "the commit that you read: a newer commit is not approved.",
    ],
    arguments: [PREVIEW],
    flags: [
      PROJECT,
      { name: "commit", value: "COMMIT", required: true, says: "the commit that you read: its full hash" },
    ],
    examples: ["slipway previews approve 12 -p shop --commit 9fceb02d0ae598e95dc970b74767f19372d61af8"],
    async run(context, input) {
      const { id, key } = await findPreview(context, input);
      const body = { commitHash: input.requiredText("commit") };
      showPreview(context, await context.client.previews.approve(id, body));
      context.output.progress(`It is deployed now. To follow it: slipway previews logs ${id} --follow`);
      context.output.progress(`To print its address afterwards: slipway previews open ${key}`);
    },
  },
  {
    words: "previews put",
    says: "Create a preview for a key of your own, or move it to another commit; prints its address with --wait",
    more: [
      "For git hosts and CI systems whose pull requests Slipway does not read. Run it again after each push.",
    ],
    arguments: [{ name: "KEY", says: "lower-case letters, digits and -, such as change-4711" }],
    flags: [
      PROJECT,
      TEMPLATE,
      { name: "branch", value: "BRANCH", says: "the branch (default: the branch of the template)" },
      { name: "commit", value: "COMMIT", says: "the full hash of the commit (default: the branch's newest)" },
      {
        name: "expires",
        value: "WHEN",
        says: "when it is deleted: a time such as 12h or 7d, or an instant such as 2027-02-20T00:00:00Z",
      },
      ...WAITING,
    ],
    examples: ["slipway previews put change-4711 -p shop --branch feature/cart --wait"],
    async run(context, input) {
      const { client, output } = context;
      const project = await findProject(context, input.text("project"));
      const isNamed = input.text("environment") !== undefined;
      const expires = input.text("expires");
      const preview = await client.previews.put(project.id, input.argument("KEY"), {
        environmentId: isNamed ? (await findEnvironment(context, input)).id : undefined,
        branch: input.text("branch"),
        commit: input.text("commit"),
        expiresAt: expires === undefined ? undefined : readExpiry("expires", expires),
      });
      if (!input.isSet("wait")) return showPreview(context, preview);
      const deployed = await untilDeployed(context, input, preview);
      const urls = await addressesOf(context, deployed);
      output.data({ ...deployed, urls }, [deployed.id, ...urls]);
      await explainAddresses(context, urls);
    },
  },
  {
    words: "previews delete",
    says: "Delete a preview; the next commit of an open pull request creates it again",
    arguments: [PREVIEW],
    flags: [PROJECT],
    examples: ["slipway previews delete 12 -p shop --yes"],
    async run(context, input) {
      const { id, key } = await findPreview(context, input);
      await context.prompt.confirm(`Delete the preview ${key}, with all that it has in the cloud account?`);
      showPreview(context, await context.client.previews.delete(id));
    },
  },
];

/** By id, by key, or by the number of its pull request. */
async function findPreview(context: Context, input: Input): Promise<Preview> {
  const { previews } = context.client;
  const named = input.argument("PREVIEW");
  if (named.startsWith("prev_")) return await previews.get(named);
  const { id: projectId, name } = await findProject(context, input.text("project"));
  const all = await collect(previews.list({ projectId, limit: PAGE }));
  const key = named.replace(/^#?(\d+)$/, "pr-$1");
  return pick(
    all.map((preview) => ({ ...preview, name: preview.key })),
    key,
    "preview",
    `in project ${name}`,
  );
}

/** The public addresses of its services. */
async function addressesOf(context: Context, { environmentId }: Preview): Promise<readonly string[]> {
  if (environmentId === null) return [];
  return await listAddresses(
    context,
    await collect(context.client.services.list(environmentId, { limit: PAGE })),
  );
}

async function findNewestDeployment({ client }: Context, preview: Preview): Promise<string> {
  const { environmentId, key } = preview;
  const query = { environmentId: environmentId ?? "", limit: 1, order: "desc" } as const;
  const [newest] = environmentId === null ? [] : (await client.deployments.list(query)).deployments;
  if (newest === undefined) throw notFound(`The preview ${key} was not deployed yet.`, nextStep(preview));
  return newest.id;
}

/** Waits until its commit is deployed. The log goes to stderr. */
async function untilDeployed(context: Context, input: Input, { id, key }: Preview): Promise<Preview> {
  const { client, output } = context;
  const resume = `slipway previews show ${id}`;
  const started = await waiting(context, input, resume, (signal) =>
    firstOf(
      client.previews.watch(id, { signal }),
      ({ deployedCommitHash, commitHash, state }) =>
        deployedCommitHash === commitHash || state === "ENDED" || state === "DELETING",
      ({ state, reason }) => output.progress(`${key}: ${state}${reason === null ? "" : `: ${reason}`}`),
    ),
  );
  if (started.state !== "ACTIVE" && started.state !== "SLEEPING")
    throw endedBadly(`The preview ${key} is ${started.state}.`, started.reason);
  requireSuccess(await followDeployment(context, input, await findNewestDeployment(context, started)));
  return started;
}

function nextStep({ state, id, commitHash, reason }: Preview): string {
  if (state === "WAITING_FOR_APPROVAL")
    return `Read the commit, then: slipway previews approve ${id} --commit ${commitHash}`;
  return (
    reason ??
    (state === "ACTIVE" ? `It is being deployed: slipway previews logs ${id} --follow` : `It is ${state}.`)
  );
}

function showPreview({ output }: Context, preview: Preview, urls: readonly string[] = []): void {
  const { pullRequest, commitHash, deployedCommitHash } = preview;
  output.item({ ...preview, urls }, [
    "id",
    "key",
    "state",
    ["sleeping since", preview.sleepingSince],
    "reason",
    ["waits for", preview.waitsFor],
    ["pull request", pullRequest?.url],
    ["title", pullRequest?.title],
    ["author", pullRequest?.author],
    ["repository", pullRequest?.headRepository],
    "branch",
    ["commit", commitHash],
    ["deployed commit", deployedCommitHash],
    ["environment", preview.environmentId],
    ["approved by", preview.approvedBy],
    "expiresAt",
    ...urls.map((url) => ["address", url] as const),
  ]);
}

const OPENERS: Partial<Record<NodeJS.Platform, string>> = { darwin: "open", win32: "explorer" };

/** @throws CommandError if the machine has no browser */
async function openBrowser(url: string): Promise<void> {
  if (!/^https?:\/\//.test(url)) throw endedBadly(`Not an address of a website: ${url}`);
  const opener = OPENERS[process.platform] ?? "xdg-open";
  await new Promise<void>((resolve, reject) => {
    const child = spawn(opener, [url], { stdio: "ignore", detached: true });
    child.once("error", () => reject(endedBadly(`${opener} does not start. Open the address yourself.`)));
    child.once("spawn", () => {
      child.unref();
      resolve();
    });
  });
}

/** By `-p` and `-e`. */
async function findTemplate(context: Context, input: Input): Promise<Environment> {
  if (input.text("environment") !== undefined) return await findEnvironment(context, input);
  const project = await findProject(context, input.text("project"));
  const all = await collect(context.client.environments.list(project.id, { limit: PAGE }));
  const templates = all.filter(({ isTemplate }) => isTemplate);
  return pick(templates, undefined, "environment", `with source.pr in project ${project.name}`);
}

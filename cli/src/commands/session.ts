/** The stored keys, and the link of a folder. */
import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { cwd } from "node:process";
import type { Caller } from "../../../sdk/src/index.ts";
import { type Command, ENVIRONMENT, type Handler, PROJECT, SERVICE } from "../command.ts";
import { checkUrl, findKeyFault, isLoopback } from "../connection.ts";
import {
  type Credentials,
  credentialsFile,
  findProfile,
  type Profile,
  readCredentials,
  readVariable,
  writeCredentials,
} from "../credentials.ts";
import { UsageError } from "../failure.ts";
import { findLink, LINK_FILE } from "../link-file.ts";
import { findEnvironment, findProject, findService } from "../lookup.ts";
import { readStdin } from "../read-text.ts";

/** Where `npm start` serves. */
const DEFAULT_URL = "http://127.0.0.1:4000";

const login: Handler = async ({ env, output, prompt, stdin, connect }, input) => {
  const stored = readCredentials(env);
  const asked = input.text("profile");
  const known = asked === undefined ? undefined : findProfile(stored, asked)?.url;
  const typed = input.text("url");
  const url = checkUrl(
    typed ?? readVariable(env, "SLIPWAY_URL") ?? known ?? DEFAULT_URL,
    typed === undefined ? "SLIPWAY_URL" : "--url",
  );
  const { protocol, hostname, host, origin } = new URL(url);
  if (protocol === "http:" && !isLoopback(hostname) && !input.isSet("insecure"))
    throw new UsageError(
      `${origin} is not HTTPS: the key would be sent unencrypted. Use its https:// address.`,
      "Give --insecure to log in without HTTPS.",
    );
  const token = input.isSet("token-stdin")
    ? (await readStdin(stdin)).trim()
    : await prompt.askSecret(
        `API key for ${origin}`,
        "There is no terminal to prompt for the key. Pass it with --token-stdin < FILE.",
      );
  const fault = findKeyFault(token);
  if (fault !== null) throw new UsageError(`That is not an API key: ${fault}.`);
  const caller = await connect(url, token).me.get();
  const name = asked ?? nameFor(stored.profiles, origin, host);
  await writeCredentials(env, { current: name, profiles: { ...stored.profiles, [name]: { url, token } } });
  output.progress(`Stored in ${credentialsFile(env)}, only for ${origin}.`);
  output.item({ profile: name, url, ...identityOf(caller) }, ["profile", "url", ...fieldsOf(caller)]);
};

const whoami: Handler = async ({ client, connection, output }) => {
  const { url, urlFrom, tokenFrom } = connection;
  const caller = await client.me.get();
  output.item({ url, urlFrom, tokenFrom, ...identityOf(caller) }, [
    "url",
    "urlFrom",
    ["key from", tokenFrom],
    ...fieldsOf(caller),
  ]);
};

const identityOf = ({ organization, user, apiKey, cloud }: Caller) => ({ organization, user, apiKey, cloud });

function fieldsOf({ organization, user, apiKey, cloud }: Caller): readonly (readonly [string, unknown])[] {
  return [
    ["organization", `${organization.name} (${organization.id})`],
    ["user", user.email === null ? user.name : `${user.name} <${user.email}>`],
    ["role", user.role],
    ...(apiKey === null ? [] : [["key", `${apiKey.prefix}… (${apiKey.name})`] as const]),
    ["cloud", cloud],
  ];
}

/** One profile for each server, unless names are given. */
function nameFor(profiles: Credentials["profiles"], origin: string, host: string): string {
  const same = Object.entries(profiles).find(([, { url }]) => new URL(url).origin === origin);
  return same?.[0] ?? (Object.hasOwn(profiles, "default") ? host : "default");
}

function getProfile(credentials: Credentials, name: string): Profile {
  const profile = findProfile(credentials, name);
  if (profile !== null) return profile;
  const names = Object.keys(credentials.profiles).join(", ");
  throw new UsageError(`There is no profile ${name}.`, `Stored profiles: ${names || "none"}.`);
}

function withoutProfile({ current, profiles }: Credentials, name: string): Credentials {
  const others = Object.entries(profiles).filter(([other]) => other !== name);
  return { current: current === name ? null : current, profiles: Object.fromEntries(others) };
}

const link: Handler = async (context, input) => {
  const { output } = context;
  if (input.isSet("remove")) {
    const found = findLink(cwd());
    if (found === null) throw new UsageError("Neither this folder nor one above it is linked.");
    rmSync(found.file);
    output.item({ file: found.file, isRemoved: true }, [["removed", found.file]]);
    return;
  }
  const { url } = context.connection;
  const project = await findProject(context, input.text("project"));
  const service = input.isSet("service") ? await findService(context, input) : null;
  const environment =
    service === null && input.isSet("environment") ? await findEnvironment(context, input) : null;
  const environmentId = service?.environmentId ?? environment?.id;
  const made = {
    url,
    projectId: project.id,
    ...(environmentId === undefined ? {} : { environmentId }),
    ...(service === null ? {} : { serviceId: service.id }),
  };
  const file = path.join(cwd(), LINK_FILE);
  writeFileSync(file, `${JSON.stringify(made, null, 2)}\n`);
  output.progress(`Commands here and below use project ${project.name}. ${LINK_FILE} can be committed.`);
  output.item({ file, ...made }, ["file", ...Object.entries(made)]);
};

const PROFILE = { name: "NAME", says: "a stored profile" };

export const SESSION: readonly Command[] = [
  {
    words: "login",
    says: "Check an API key and store it for a server",
    more: [
      "The command prompts for the key, or reads it from standard input with --token-stdin. The key is stored in a",
      "file that only you can read, and sent only to the server it was stored for.",
    ],
    flags: [
      { name: "token-stdin", says: "read the key from standard input" },
      { name: "insecure", says: "allow http:// for a server that is not this machine" },
    ],
    examples: ["slipway login", "slipway login --url https://slipway.acme.example --token-stdin < key.txt"],
    run: login,
  },
  {
    words: "logout",
    says: "Remove a stored key; it stays valid until it is revoked on the server",
    examples: ["slipway logout", "slipway logout --profile work"],
    async run({ env, output }, input) {
      const credentials = readCredentials(env);
      const name = input.text("profile") ?? credentials.current;
      if (name === null) throw new UsageError("No profile is current. Give --profile NAME.");
      getProfile(credentials, name);
      await writeCredentials(env, withoutProfile(credentials, name));
      output.progress(`The key of ${name} is no longer stored. It still works until it is revoked.`);
      output.item({ profile: name }, ["profile"]);
    },
  },
  {
    words: "whoami",
    says: "Show the user, organization and role of the key, and the source of key and server",
    examples: ["slipway whoami", "slipway whoami --json"],
    run: whoami,
  },
  {
    words: "profile list",
    says: "List the stored profiles, without their keys",
    async run({ env, output }) {
      const { current, profiles } = readCredentials(env);
      const rows = Object.entries(profiles).map(([name, { url }]) => ({
        name,
        url,
        isCurrent: name === current,
      }));
      output.list(rows, ["name", "url", { title: "current", of: ({ isCurrent }) => isCurrent }]);
    },
  },
  {
    words: "profile use",
    says: "Switch to a profile",
    arguments: [PROFILE],
    examples: ["slipway profile use work"],
    async run({ env, output }, input) {
      const credentials = readCredentials(env);
      const name = input.argument("NAME");
      const { url } = getProfile(credentials, name);
      await writeCredentials(env, { ...credentials, current: name });
      output.item({ name, url, isCurrent: true }, ["name", "url"]);
    },
  },
  {
    words: "profile remove",
    says: "Remove a profile and its key",
    arguments: [PROFILE],
    examples: ["slipway profile remove work"],
    async run({ env, output }, input) {
      const credentials = readCredentials(env);
      const name = input.argument("NAME");
      const { url } = getProfile(credentials, name);
      await writeCredentials(env, withoutProfile(credentials, name));
      output.progress("Its key still works until it is revoked.");
      output.item({ name, url }, ["name", "url"]);
    },
  },
  {
    words: "link",
    says: "Link this folder, and those below it, to a project",
    more: ["Writes .slipway-link.json, which holds names and no secret, and can be committed."],
    flags: [PROJECT, ENVIRONMENT, SERVICE, { name: "remove", says: "remove the link of this folder" }],
    examples: ["slipway link -p shop -e production", "slipway link --remove"],
    run: link,
  },
];

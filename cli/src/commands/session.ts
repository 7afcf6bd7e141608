import type { Caller } from "../../../sdk/src/index.ts";
import { readStdin } from "../input/values.ts";
import { UsageError } from "../output/failure.ts";
import { checkUrl, findKeyFault } from "../session/choose-connection.ts";
import { createClient } from "../session/create-client.ts";
import {
  credentialsFile,
  findProfile,
  readCredentials,
  readVariable,
  writeCredentials,
} from "../session/credentials.ts";
import type { Handler } from "../table/command.ts";

/** Where `npm start` serves. */
const DEFAULT_URL = "http://127.0.0.1:4000";
const LOOPBACK = /^(?:localhost|127[.]\d+[.]\d+[.]\d+|\[::1\])$/;

export const login: Handler = async (context, input) => {
  const { env, output, prompt, stdin } = context;
  const stored = await readCredentials(env);
  const asked = input.text("profile");
  const known = asked === undefined ? undefined : findProfile(stored, asked)?.url;
  const typed = input.text("url");
  const url = checkUrl(
    typed ?? readVariable(env, "SLIPWAY_URL") ?? known ?? DEFAULT_URL,
    typed === undefined ? "SLIPWAY_URL" : "--url",
  );
  const { protocol, hostname, host, origin } = new URL(url);
  if (protocol === "http:" && !LOOPBACK.test(hostname) && !input.isSet("insecure"))
    throw new UsageError(
      `${origin} is not HTTPS: the key would be sent unencrypted. Use its https:// address.`,
      "--insecure logs in all the same.",
    );
  const token = input.isSet("token-stdin")
    ? (await readStdin(stdin)).trim()
    : await prompt.askSecret(
        `API key for ${origin}`,
        "There is no terminal to prompt for the key. Pass it with --token-stdin < FILE.",
      );
  const fault = findKeyFault(token);
  if (fault !== null) throw new UsageError(`That is not an API key: ${fault}.`);
  const client = createClient({ url, token, log: input.isSet("debug") ? output.note : null });
  const caller = await client.me.get({ signal: context.signal });
  const name = asked ?? nameFor(stored.profiles, origin, host);
  await writeCredentials(env, {
    current: name,
    profiles: { ...stored.profiles, [name]: { url, token } },
  });
  output.progress(`Stored in ${credentialsFile(env)}, for ${origin} alone.`);
  output.item({ profile: name, url, ...identityOf(caller) }, [
    ["profile", name],
    ["url", url],
    ...fieldsOf(caller),
  ]);
};

export const logout: Handler = async ({ env, output }, input) => {
  const { current, profiles } = await readCredentials(env);
  const name = input.text("profile") ?? current;
  if (name === null || findProfile({ profiles }, name) === null)
    throw new UsageError(name === null ? "No profile is current." : `There is no profile ${name}.`);
  const left = Object.fromEntries(Object.entries(profiles).filter(([other]) => other !== name));
  await writeCredentials(env, { current: current === name ? null : current, profiles: left });
  output.progress(`The key of ${name} is no longer stored. It goes on working until it is revoked.`);
  output.item({ profile: name }, [["profile", name]]);
};

export const whoami: Handler = async (context) => {
  const { url, urlFrom, tokenFrom } = await context.connection();
  const client = await context.client();
  const caller = await client.me.get({ signal: context.signal });
  context.output.item({ url, urlFrom, tokenFrom, ...identityOf(caller) }, [
    ["url", url],
    ["url from", urlFrom],
    ["key from", tokenFrom],
    ...fieldsOf(caller),
  ]);
};

function identityOf({ organization, user, apiKey, cloud }: Caller) {
  return { organization, user, apiKey, cloud };
}

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
function nameFor(
  profiles: Readonly<Record<string, { readonly url: string }>>,
  origin: string,
  host: string,
): string {
  const same = Object.entries(profiles).find(([, { url }]) => new URL(url).origin === origin);
  return same?.[0] ?? (Object.hasOwn(profiles, "default") ? host : "default");
}

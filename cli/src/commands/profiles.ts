import { UsageError } from "../output/failure.ts";
import {
  type Credentials,
  findProfile,
  type Profile,
  readCredentials,
  writeCredentials,
} from "../session/credentials.ts";
import type { Handler } from "../table/command.ts";

export const listProfiles: Handler = async ({ env, output }) => {
  const { current, profiles } = await readCredentials(env);
  const rows = Object.entries(profiles).map(([name, { url }]) => ({
    name,
    url,
    isCurrent: name === current,
  }));
  output.list(rows, [
    { title: "name", of: ({ name }) => name },
    { title: "url", of: ({ url }) => url },
    { title: "current", of: ({ isCurrent }) => isCurrent },
  ]);
};

export const useProfile: Handler = async ({ env, output }, input) => {
  const credentials = await readCredentials(env);
  const name = input.argument("NAME");
  const { url } = getProfile(credentials, name);
  await writeCredentials(env, { ...credentials, current: name });
  output.item({ name, url, isCurrent: true }, [
    ["name", name],
    ["url", url],
  ]);
};

export const removeProfile: Handler = async ({ env, output }, input) => {
  const credentials = await readCredentials(env);
  const name = input.argument("NAME");
  const { url } = getProfile(credentials, name);
  const left = Object.entries(credentials.profiles).filter(([other]) => other !== name);
  await writeCredentials(env, {
    current: credentials.current === name ? null : credentials.current,
    profiles: Object.fromEntries(left),
  });
  output.progress("Its key goes on working until it is revoked.");
  output.item({ name, url }, [
    ["name", name],
    ["url", url],
  ]);
};

function getProfile({ profiles }: Credentials, name: string): Profile {
  const profile = findProfile({ profiles }, name);
  if (profile !== null) return profile;
  throw new UsageError(
    `There is no profile ${name}.`,
    `Stored are: ${Object.keys(profiles).join(", ") || "none"}.`,
  );
}

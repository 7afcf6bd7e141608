import { type Command, ENVIRONMENT, PROJECT, SERVICE } from "./command.ts";

export const SESSION: readonly Command[] = [
  {
    words: "login",
    says: "Test an API key and store it for a server",
    more: [
      "The key is asked for, or read from standard input with --token-stdin; it is never an argument. It is stored in a",
      "file that only you can read, and only ever sent to the server it was stored for.",
    ],
    flags: [
      { name: "token-stdin", says: "read the key from standard input" },
      { name: "insecure", says: "allow a server beyond this machine without HTTPS" },
    ],
    examples: ["slipway login", "slipway login --url https://slipway.acme.example --token-stdin < key.txt"],
    load: async () => (await import("../commands/session.ts")).login,
  },
  {
    words: "logout",
    says: "Remove a stored key; it works until it is deleted on the server",
    examples: ["slipway logout", "slipway logout --profile work"],
    load: async () => (await import("../commands/session.ts")).logout,
  },
  {
    words: "whoami",
    says: "Show the user, organization and role of the key, and the source of key and server",
    examples: ["slipway whoami", "slipway whoami --json"],
    load: async () => (await import("../commands/session.ts")).whoami,
  },
  {
    words: "profile list",
    says: "List the stored profiles, without their keys",
    examples: ["slipway profile list"],
    load: async () => (await import("../commands/profiles.ts")).listProfiles,
  },
  {
    words: "profile use",
    says: "Switch to a profile",
    arguments: [{ name: "NAME", says: "a stored profile" }],
    examples: ["slipway profile use work"],
    load: async () => (await import("../commands/profiles.ts")).useProfile,
  },
  {
    words: "profile remove",
    says: "Remove a profile and its key",
    arguments: [{ name: "NAME", says: "a stored profile" }],
    examples: ["slipway profile remove work"],
    load: async () => (await import("../commands/profiles.ts")).removeProfile,
  },
  {
    words: "link",
    says: "Link this folder, and those below it, to a project",
    more: ["Writes .slipway-link.json, which holds names and no secret, and can be committed."],
    flags: [PROJECT, ENVIRONMENT, SERVICE, { name: "remove", says: "remove the link of this folder" }],
    examples: ["slipway link -p shop -e production", "slipway link --remove"],
    load: async () => (await import("../commands/link.ts")).link,
  },
  {
    words: "doctor",
    says: "Check this machine, the stored key and the server",
    examples: ["slipway doctor"],
    load: async () => (await import("../commands/doctor.ts")).doctor,
  },
];

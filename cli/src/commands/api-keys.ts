import type { Scope } from "../../../sdk/src/index.ts";
import { type Command, LIMITS, PROJECT, SCOPES } from "../command.ts";
import { readExpiry } from "../input.ts";
import { findProjects, findUser, PAGE } from "../lookup.ts";
import { deleteConfirmed, printList } from "../print.ts";

export const API_KEYS: readonly Command[] = [
  {
    words: "keys list",
    says: "List the API keys of the organization, without the keys themselves",
    flags: LIMITS,
    run: async (context, input) =>
      printList(context, input, context.client.apiKeys.list({ limit: PAGE }), [
        "id",
        "name",
        "prefix",
        { title: "user", of: ({ userId }) => userId },
        { title: "scopes", of: ({ scopes }) => scopes?.join(" ") ?? "all" },
        "lastUsedAt",
        "expiresAt",
      ]),
  },
  {
    words: "keys create",
    says: "Create an API key; it is printed once",
    arguments: [{ name: "NAME", says: "its purpose" }],
    flags: [
      {
        name: "user",
        value: "USER",
        says: "the owner of the key, by email address, name or id (default: you)",
      },
      {
        name: "scope",
        value: "SCOPE",
        choices: SCOPES,
        many: true,
        says: "the scope of the key (default: everything its user may do)",
      },
      { ...PROJECT, many: true, says: "limit to this project (default: all projects)" },
      {
        name: "expires",
        value: "WHEN",
        says: "the expiry: a time such as 12h or 90d, or an instant such as 2027-02-20T00:00:00Z",
      },
    ],
    examples: [
      "slipway keys create ci --user CI --scope deploy --project shop --expires 90d",
      "slipway keys create laptop",
    ],
    async run(context, input) {
      const { client, output } = context;
      const [user, expires] = [input.text("user"), input.text("expires")];
      const scopes = input.many("scope") as Scope[];
      const key = await client.apiKeys.create({
        name: input.argument("NAME"),
        userId: user === undefined ? undefined : (await findUser(context, user)).id,
        scopes: scopes.length === 0 ? undefined : scopes,
        projectIds: await findProjects(context, input),
        expiresAt: expires === undefined ? undefined : readExpiry("expires", expires),
      });
      output.progress("The key is shown only once.");
      output.item(key, [
        "id",
        "name",
        ["scopes", key.scopes?.join(" ") ?? "all"],
        ["expires", key.expiresAt ?? "never"],
        "key",
      ]);
    },
  },
  {
    words: "keys revoke",
    says: "Revoke an API key; it stops working everywhere within five seconds",
    arguments: [{ name: "KEY_ID", says: "the key's id" }],
    examples: ["slipway keys revoke key_01kahv2m4c8r1w6t3k9p5x7hbn --yes"],
    async run(context, input) {
      const { apiKeys } = context.client;
      const id = input.argument("KEY_ID");
      const { name, prefix } = await apiKeys.get(id);
      await deleteConfirmed(context, `Revoke the key ${name} (${prefix}…)?`, { id, verb: "revoked" }, () =>
        apiKeys.delete(id),
      );
    },
  },
];

import { Type } from "typebox";
import type { Api } from "../api.ts";
import type { Lines } from "../lines.ts";

const Account = Type.Object({
  id: Type.String(),
  status: Type.String(),
  connectedAwsAccountId: Type.Union([Type.String(), Type.Null()]),
});
const NewAccount = Type.Object({
  id: Type.String(),
  status: Type.Literal("AWAITING_CONNECTION"),
  cloudStack: Type.Object({ consoleUrl: Type.String() }),
});

/** Connects a cloud account by the stack that its owner creates. @returns its id */
export async function connectAccount(lines: Lines, api: Api, signal: AbortSignal): Promise<string> {
  let id = "";
  let consoleUrl = "";
  await lines.step("Create a cloud account connection", async () => {
    const account = await api.expect(201, NewAccount, "POST", "/v1/aws-accounts", { givenId: "acme" });
    ({ id } = account);
    ({ consoleUrl } = account.cloudStack);
    return account.status;
  });
  await lines.step("Create its stack in the console", async () => {
    const page = await fetch(consoleUrl, { signal });
    if (!page.ok) throw new Error(`The console page answered ${page.status}.`);
    // Sends what the page's button sends.
    const pressed = await fetch(new URL("../stacks", consoleUrl), {
      method: "POST",
      body: new URLSearchParams({
        ServiceId: id,
        code: new URL(consoleUrl).searchParams.get("code") ?? "",
      }),
      redirect: "manual",
      signal,
    });
    if (pressed.status !== 303) throw new Error(`The console's form answered ${pressed.status}.`);
    return "created with the page's button, without an API key";
  });
  await lines.step("The account connects", async () => {
    const account = await api.follow(
      `/v1/aws-accounts/${id}`,
      Account,
      ({ status }) => status !== "AWAITING_CONNECTION",
    );
    if (account.status !== "CONNECTED") throw new Error(`The account is ${account.status}.`);
    return `CONNECTED to account ${account.connectedAwsAccountId ?? "?"}`;
  });
  return id;
}

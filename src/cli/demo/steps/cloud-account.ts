import type { Slipway } from "../../../../sdk/src/index.ts";
import type { Lines } from "../lines.ts";

/** Connects a cloud account by the stack that its owner creates. @returns its id */
export async function connectAccount(lines: Lines, slipway: Slipway, signal: AbortSignal): Promise<string> {
  let id = "";
  let consoleUrl = "";
  await lines.step("Create a cloud account connection", async () => {
    const account = await slipway.awsAccounts.create({ givenId: "acme" });
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
    const account = await slipway.awsAccounts.waitUntilConnected(id);
    return `CONNECTED to account ${account.connectedAwsAccountId ?? "?"}`;
  });
  return id;
}

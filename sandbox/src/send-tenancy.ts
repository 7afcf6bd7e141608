const TIMEOUT_MS = 5_000;

/**
 * Reports to the sandbox whether Slipway has more than one organization, or is reachable from other machines. If the
 * machine cannot isolate commands of repositories from Slipway, the sandbox only runs them if neither is the case.
 */
export async function sendTenancy(
  { url, secret }: { readonly url: string; readonly secret: string | null },
  isShared: boolean,
): Promise<void> {
  const answer = await fetch(`${url}/sandbox/tenancy`, {
    method: "PUT",
    headers: {
      "content-type": "application/json",
      ...(secret === null ? {} : { authorization: `Bearer ${secret}` }),
    },
    body: JSON.stringify({ isShared }),
    redirect: "error",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  await answer.body?.cancel();
  // A sandbox of the previous release does not have this endpoint, and runs commands as before.
  if (!answer.ok && answer.status !== 404) throw new Error(`The sandbox answered ${answer.status}.`);
}

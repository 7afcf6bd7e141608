const TIMEOUT_MS = 5_000;

/**
 * Tells the sandbox whether Slipway is for more than one organization, or can be reached from other machines.
 * Where commands of repositories cannot be kept apart from Slipway, they run only while it is not.
 */
export async function tellTenancy(
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
  // A sandbox of the release before knows nothing of it; it runs commands as that release did.
  if (!answer.ok && answer.status !== 404) throw new Error(`The sandbox answered ${answer.status}.`);
}

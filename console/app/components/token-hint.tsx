import { describeToken, tokenPage } from "../api/git-words.ts";

/** Which token a git host needs, with a link to where it is made. */
export function TokenHint({ provider }: { readonly provider: string }) {
  const page = tokenPage(provider);
  return (
    <>
      {describeToken(provider)}
      {page === null ? null : (
        <>
          {" "}
          <a href={page} target="_blank" rel="noopener">
            Create a token at {new URL(page).hostname}
          </a>
        </>
      )}
    </>
  );
}

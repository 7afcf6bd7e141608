import type { ReactNode } from "react";

/** A link to a page of a git host. The names of the sandbox's git host end with `.test`, and no browser finds them. */
export function GitLink({ url, children }: { readonly url: string; readonly children: ReactNode }) {
  if (!/^https?:\/\//.test(url) || new URL(url).hostname.endsWith(".test")) return <span>{children}</span>;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}

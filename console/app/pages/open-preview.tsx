import { useLoaderData } from "@tanstack/react-router";
import { useEffect } from "react";
import { DocsLink } from "../components/docs-link.tsx";
import { Page } from "../components/page.tsx";

/** Leads a browser back into the preview that sent it here, if the user may see it. */
export function OpenPreviewPage() {
  const { url } = useLoaderData({ from: "/shell/open-preview" });
  useEffect(() => {
    if (url !== null) window.location.replace(url);
  }, [url]);
  if (url !== null)
    return (
      <Page title="Opening the preview">
        <p>This browser is being sent to the preview.</p>
      </Page>
    );
  return (
    <Page title="No such preview">
      <p>
        You see no preview with this address. It was deleted, belongs to another organization, or its project
        is closed to you: an admin of the project can add you. <DocsLink chapter="Previews" />
      </p>
    </Page>
  );
}
